// Contact together with the rest of a machine: joints, drives, loops, every integrator; and what is
// refused.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "contacts.hpp"
#include "mechanisms.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::at;
using testing::body;
using testing::free_body;
using testing::frozen;
using testing::g;
using testing::incline;
using testing::place;
using testing::with;

TEST(Contact, AnArmPushesOnATableWithWhatItsJointGives) {
  // A pendulum held level against a table by an effort: N l = tau + m g l about the hinge.
  Experiment e = with(testing::pendulum(2), 1);
  e.q(0) = -std::numbers::pi / 2;  // the bob at +x
  Contact bob = at("bob", {0, 0, -1}, 0, 0.5);
  e.contacts = {bob};
  e.drives = {{DriveKind::effort, {}, {std::make_shared<Formula>("5")}, {}}};
  e.record.channels = {"contact", "reaction", "v"};
  const auto run = simulate(e);
  EXPECT_NEAR(run.column("contact.bob.normal")(10), 2 * g + 5, 1e-9);
  EXPECT_LT(run.summary.v.norm(), 1e-12);
  // The hinge carries what the table does not.
  EXPECT_NEAR(run.column("reaction.hinge.fz")(10), -5, 1e-9);
}

TEST(Contact, ADrivenPlateThrowsABallAndItsWorkIsCounted) {
  // A plate that rises steadily under a ball at rest on it; then the ball drops with gravity
  // relative to a plate that stops: here the plate moves up and down and the ball leaves when the
  // plate falls faster than g.
  Robot robot = free_body(1, {0.1, 0.1, 0.1});
  robot.bodies.push_back(body("plate", {1, Vector3<double>::Zero(), Matrix3<double>::Identity()}));
  JointData lift;
  lift.name = "lift";
  lift.type = JointType::prismatic;
  lift.child = "plate";
  lift.axis = {0, 0, 1};
  robot.joints.push_back(lift);
  Experiment e(frozen(robot));
  e.end = 2;
  e.integrator.tolerances = {1e-10, 1e-12};
  e.drives.resize(2);
  e.drives[1] = {DriveKind::motion, {std::make_shared<Formula>("0.2*(1-cos(8*t))")}, {}, {}};
  Contact ball = at("ball", Vector3<double>::Zero(), 0.3, 0.2);
  ball.plane.body = e.model->body("plate");
  e.contacts = {ball};
  e.events = {{"leaves", "contact.ball.mode", 0.5, Event::Direction::falling, false, {}, NAN, {}}};
  e.record.channels = {"energy", "contact", "q", "tau"};
  const auto run = simulate(e);
  ASSERT_GE(run.summary.events.size(), 1u);
  // 12.8 cos(8 t) = -g
  EXPECT_NEAR(run.summary.events[0].t, std::acos(-g / 12.8) / 8, 1e-8);
  EXPECT_LT(run.summary.energy_balance, 1e-7);
  EXPECT_GE(run.summary.contacts[0].impacts, 1);
  EXPECT_GT(run.column("contact.ball.gap").maxCoeff(), 0.01);
}

TEST(Contact, AParallelogramFallsOnItsBarWithItsLoopsClosed) {
  // Three cranks, one of them redundant; the bar hits a floor and comes to rest on it.
  Experiment e(frozen(testing::parallelogram(3)));
  e.end = 3;
  e.integrator.tolerances = {1e-9, 1e-11};
  e.q = testing::posture_of_parallelogram(*e.model, 1.2);
  Contact bar = at("bar", {0.5, 0, 0}, 0.4, 0.2, e.model->body("bar"));
  bar.plane.normal = {0, 1, 0};
  bar.plane.point = {0, 0.1, 0};
  e.contacts = {bar};
  e.record.channels = {"contact", "energy", "closure"};
  const auto run = simulate(e);
  EXPECT_GE(run.summary.contacts[0].impacts, 3);
  EXPECT_NE(run.summary.contacts[0].state, ContactState::open);
  EXPECT_LT(run.summary.closure, 1e-11);
  EXPECT_GT(run.column("contact.bar.gap").minCoeff(), -1e-8);
  EXPECT_LT(run.summary.energy_balance, 1e-6);
  EXPECT_LT(run.summary.v.norm(), 1e-9);
}

TEST(Contact, AllIntegratorsAgree) {
  Eigen::VectorXd reference;
  for (const IntegratorMethod method :
       {IntegratorMethod::dop853, IntegratorMethod::dormand_prince, IntegratorMethod::rk4,
        IntegratorMethod::sundials_erk, IntegratorMethod::sundials_bdf}) {
    if (!is_available(method)) continue;
    Experiment e = incline(0.5, 0.3, 1);
    e.q.tail<3>() += Vector3<double>(0, 0, 0.05);
    for (Contact& c : e.contacts) c.restitution = 0.2;
    e.integrator.method = method;
    e.integrator.step = method == IntegratorMethod::rk4 ? 1e-3 : 0;
    const RunSummary end = simulate(e).summary;
    if (reference.size() == 0) reference = end.q;
    EXPECT_LT((end.q - reference).norm(), 2e-6) << name_of(method);
  }
}

TEST(Contact, BadDataIsRefusedByName) {
  const auto refused = [](auto change) -> std::string {
    Experiment e = with(free_body(1, {0.1, 0.1, 0.1}), 1);
    place(e) << 0, 0, 1;
    e.contacts = {at("tip", Vector3<double>::Zero(), 0.5, 0.3)};
    change(e);
    try {
      simulate(e);
    } catch (const InputError& error) {
      return error.what();
    }
    return "taken";
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos && text.find("tip") != std::string::npos;
  };
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].restitution = -0.1; }), "restitution"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].restitution = 1.1; }), "restitution"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].friction = -1; }), "friction"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].friction = NAN; }), "friction"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].plane.normal.setZero(); }), "normal"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].shape.body = 7; }), "body"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].shape.body = 0; }), "world"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].plane.body = 1; }),
                  "on the body that touches it"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts.push_back(e.contacts[0]); }), "two"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.q(6) = -0.25; }), "0.25 m inside"));
  EXPECT_EQ(refused([](Experiment&) {}), "taken");
}

}  // namespace
}  // namespace ulna
