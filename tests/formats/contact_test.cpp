// `contacts` and `nonholonomic` of experiment files.

#include <gtest/gtest.h>

#include "reading.hpp"
#include "support/places.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

const std::string contact_head = "experiment: 1\nrobot: scara\nduration: 0.2 s\n";

void expect_refused(const std::string& rest, const std::vector<std::string>& parts) {
  expect_parts(problems_of([&] {
                 simulate(read_experiment_text(contact_head + rest, "e.yaml").experiment);
               }),
               parts, rest);
}

TEST(ContactFile, EveryKeyIsRead) {
  const Experiment e = read_experiment_text(contact_head + R"yaml(
contacts:
  - {body: link3}
  - name: wheel
    body: link3
    point: [0, 10 mm, 0]
    radius: 20 mm
    axis: [1, 0, 0]
    plane: {body: link1, point: [0, 0, -3], normal: [0, 0, 2]}
    restitution: 0.5
    friction: 0.3
    rest_speed: 1e-3
nonholonomic:
  - {name: edge, knife_edge: {body: link2, point: [0.1, 0, 0], directions: [[1, 0, 0], [0, 1, 0]], on: link1}}
record: {channels: [contact.wheel, nonholonomic.edge.slip]}
)yaml",
                                            "e.yaml")
                           .experiment;
  ASSERT_EQ(e.contacts.size(), 2u);
  EXPECT_EQ(e.contacts[0].name, "contact1");
  const Contact& wheel = e.contacts[1];
  EXPECT_EQ(wheel.shape.body, e.model->body("link3"));
  EXPECT_EQ(wheel.shape.point, Vector3<double>(0, 0.01, 0));
  EXPECT_EQ(wheel.shape.radius, 0.02);
  EXPECT_TRUE(wheel.shape.disc());
  EXPECT_EQ(wheel.plane.body, e.model->body("link1"));
  EXPECT_EQ(wheel.plane.point, Vector3<double>(0, 0, -3));
  EXPECT_EQ(wheel.restitution, 0.5);
  EXPECT_EQ(wheel.friction, 0.3);
  EXPECT_EQ(wheel.rest_speed, 1e-3);
  ASSERT_EQ(e.nonholonomic.size(), 1u);
  EXPECT_EQ(e.nonholonomic[0].directions.size(), 2u);
  EXPECT_EQ(channels_of(e).size(), 7u);
}

TEST(ContactFile, MistakesAreNamedWithLineAndHint) {
  const auto contact = [](const std::string& rest) {
    return "contacts: [{name: tip, body: link3" + rest + "}]\n";
  };
  expect_refused("contacts: [{body: link4}]\n", {"e.yaml:4", "did you mean 'link1'"});
  expect_refused("contacts: [{frame: too}]\n", {"e.yaml:4", "too"});
  expect_refused("contacts: [{name: tip}]\n", {"e.yaml:4", "neither body nor frame"});
  expect_refused(contact(", frame: link3"), {"e.yaml:4", "both body and frame"});
  expect_refused(contact(", plane: {normal: [0, 0, 0]}"), {"e.yaml:4", "'tip'", "normal", "zero"});
  expect_refused(contact(", plane: {normal: [0, 0]}"), {"e.yaml:4", "normal"});
  expect_refused(contact(", plane: {body: link3}"), {"e.yaml:4", "on the body that touches it"});
  expect_refused(contact(", restitution: -0.1"), {"e.yaml:4", "restitution is -0.1", "0 to 1"});
  expect_refused(contact(", restitution: 1.5"), {"e.yaml:4", "restitution is 1.5", "0 to 1"});
  expect_refused(contact(", friction: -0.2"), {"e.yaml:4", "friction is -0.2"});
  expect_refused(contact(", radius: -1"), {"e.yaml:4", "radius is -1"});
  expect_refused(contact(", rest_speed: 0"), {"e.yaml:4", "rest speed is 0"});
  expect_refused(contact(", axis: [0, 0, 0]"), {"e.yaml:4", "axis is zero"});
  expect_refused(contact(", axis: [0, 0, 1]"), {"e.yaml:4", "disc without radius"});
  expect_refused(contact(", frictoin: 0.2"), {"e.yaml:4", "did you mean 'friction'"});
  expect_refused(contact(", plane: {point: [0, 0, 50]}"), {"e.yaml:4", "tip", "inside its plane"});
  expect_refused(contact(", plane: {point: [0, 0, -50]}") + "record: {channels: [contact.tpi]}\n",
                 {"e.yaml:5", "contact.tpi", "did you mean"});
  expect_refused(contact(", plane: {point: [0, 0, -50]}") + "integrator: {method: ida}\n", {"ida"});
  expect_refused("contacts: {body: link3}\n", {"e.yaml:4", "contacts"});
}

TEST(ContactFile, MistakesInNonholonomicRowsAreNamed) {
  expect_refused("nonholonomic: [{name: a}]\n", {"e.yaml:4", "rolling or knife_edge"});
  expect_refused("nonholonomic: [{name: a, rolling: {body: link3}}]\n", {"e.yaml:4", "radius"});
  expect_refused("nonholonomic: [{name: a, rolling: {body: link9, radius: 1}}]\n",
                 {"e.yaml:4", "did you mean"});
  expect_refused("nonholonomic: [{name: a, rolling: {body: link3, radius: 0.1}}]\n",
                 {"e.yaml:4", "off its plane"});
  expect_refused("nonholonomic: [{name: a, knife_edge: {body: link3}}]\n",
                 {"e.yaml:4", "directions"});
  expect_refused("nonholonomic: [{name: a, knife_edge: {body: link3, directions: [0, 0, 0]}}]\n",
                 {"e.yaml:4", "zero"});
  expect_refused(
      "start: {v: [1, 0, 0]}\n"
      "nonholonomic: [{name: a, knife_edge: {body: link1, point: [1, 0, 0], directions: [0, 1, "
      "0]}}]\n",
      {"e.yaml:5", "'a'"});
}

TEST(ContactFile, TheExamplesRun) {
  const std::string examples = testing::example_file("");
  const RunSummary box =
      simulate(read_experiment(examples + "contact/tumbling_box.yaml").experiment).summary;
  EXPECT_LT(box.v.norm(), 1e-6);
  EXPECT_LT(box.energy_balance, 1e-5);
  for (const char* name : {"rolling/coin.yaml", "rolling/sleigh.yaml"}) {
    const RunSummary run = simulate(read_experiment(examples + name).experiment).summary;
    EXPECT_LT(run.nonholonomic, 1e-12) << name;
    EXPECT_LT(run.energy_balance, 1e-7) << name;
    EXPECT_TRUE(run.complete);
  }
}

TEST(ContactFile, FrictionAtRestRollingAndTheLawOfImpactsAreRead) {
  const Experiment e = read_experiment_text(contact_head + R"yaml(
contacts:
  - {body: link3, friction: 0.3, static_friction: 0.4, stribeck_speed: 5 mm/s, radius: 0.1,
     rolling_resistance: 2 mm}
impacts: sequential
friction: {all: {static: 4}, joint2: {static: 6, stribeck_speed: 0.2 rad/s}}
)yaml",
                                            "e.yaml")
                           .experiment;
  EXPECT_EQ(e.contacts[0].coefficient_at_rest(), 0.4);
  EXPECT_EQ(e.contacts[0].stribeck_speed, 0.005);
  EXPECT_EQ(e.contacts[0].rolling_resistance, 0.002);
  EXPECT_EQ(e.impact_law, ImpactLaw::sequential);
  double second = 0;
  for (const JointFriction& f : e.joint_friction)
    if (e.model->speed_names()[f.v] == "joint2") second = f.at_rest;
  EXPECT_EQ(second, 6);
}

TEST(ContactFile, ImpossibleFrictionAndUnknownLawsAreRefused) {
  expect_refused("impacts: hertz\n", {"hertz", "newton, poisson or sequential"});
  expect_refused("contacts: [{body: link3, friction: 0.3, static_friction: 0.2}]\n",
                 {"static friction is 0.2"});
  expect_refused("contacts: [{body: link3, rolling_resistance: 0.1}]\n", {"of a point"});
  expect_refused("friction: {joint1: {static: -1}}\n", {"static friction is -1"});
  expect_refused("integrator: {method: symplectic, step: 1 ms}\nstops: true\n",
                 {"symplectic is for rigid trees"});
}

}  // namespace
}  // namespace ulna
