// A model with other masses, friction and gravity on the same tree is the model of that robot.

#include "ulna/model/internal/reweigh.hpp"

#include <gtest/gtest.h>

#include "ulna/formats/read_robot.hpp"

namespace ulna {
namespace {

void change_numbers(Robot& robot) {
  double k = 1;
  for (BodyData& body : robot.bodies) {
    body.inertial.mass *= 1 + 0.1 * k;
    body.inertial.centre.x() += 0.01 * k;
    body.inertial.inertia *= 1 + 0.05 * k;
    k += 1;
  }
  for (JointData& joint : robot.joints)
    for (DegreeData& degree : joint.degrees) {
      degree.friction += 0.3 * k;
      degree.damping = 0.1;
      degree.rotor_inertia = 1e-4 * k;
      degree.gear_ratio = 50;
      degree.stiffness = 3;
    }
  PayloadData load;
  load.name = "load", load.body = robot.bodies.back().name;
  load.inertial.mass = 2.5, load.inertial.centre = {0.1, 0.2, 0.3};
  load.X_BL = Pose<double>::translation({0.3, 0.1, 0.7});
  robot.payloads = {load};
  robot.gravity = {0.1, -2, -9};
}

/// Every bit.
void expect_same_model(const Model& a, const Model& b) {
  EXPECT_EQ(a.mass(), b.mass());
  EXPECT_EQ(a.parameters().armature, b.parameters().armature);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(a.parameters().gravity[k], b.parameters().gravity[k]);
  ASSERT_EQ(a.parameters().nodes.size(), b.parameters().nodes.size());
  for (std::size_t i = 0; i < a.parameters().nodes.size(); ++i) {
    const auto &x = a.parameters().nodes[i], &y = b.parameters().nodes[i];
    EXPECT_EQ(x.mass, y.mass);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(x.position[k], y.position[k]);
      EXPECT_EQ(x.first_moment[k], y.first_moment[k]);
    }
    for (int k = 0; k < 6; ++k) EXPECT_EQ(x.second_moment[k], y.second_moment[k]);
  }
  ASSERT_EQ(a.degree_terms().size(), b.degree_terms().size());
  for (std::size_t i = 0; i < a.degree_terms().size(); ++i) {
    const DegreeTerms &x = a.degree_terms()[i], &y = b.degree_terms()[i];
    EXPECT_EQ(x.v, y.v);
    EXPECT_EQ(x.friction, y.friction);
    EXPECT_EQ(x.rotor, y.rotor);
    EXPECT_EQ(x.stiffness, y.stiffness);
  }
  EXPECT_EQ(a.has_passive(), b.has_passive());
}

TEST(Reweighed, IsTheModelOfTheChangedRobot) {
  for (const char* name : {"puma560", "stanford", "scara", "intelledex605", "ur5e"}) {
    SCOPED_TRACE(name);
    const Model before(read_robot(name).robot);
    Robot robot = before.robot();
    change_numbers(robot);
    const std::optional<Model> made = reweighed(before, change_numbers);
    ASSERT_TRUE(made);
    expect_same_model(*made, Model(robot));
  }
}

// Loops, flexible links and numbers that no robot may have are left to Model(robot).
TEST(Reweighed, LeavesWhatChangesMore) {
  for (const char* name : {"four-bar", "flexible-two-link", "t3r3-frame", "stewart-6-6"})
    EXPECT_FALSE(reweighed(Model(read_robot(name).robot), [](Robot&) {})) << name;
  const Model puma(read_robot("puma560").robot);
  EXPECT_TRUE(reweighed(puma, [](Robot&) {}));
  EXPECT_FALSE(reweighed(puma, [](Robot& r) { r.bodies[1].inertial.mass = -1; }));
  EXPECT_FALSE(reweighed(puma, [](Robot& r) { r.bodies[2].inertial.mass = 0; }));
  EXPECT_FALSE(reweighed(puma, [](Robot& r) { r.joints[0].degrees[0].friction = NAN; }));
  EXPECT_FALSE(reweighed(puma, [](Robot& r) { r.gravity.z() = INFINITY; }));
  EXPECT_FALSE(reweighed(puma, [](Robot& r) { r.bodies[2].inertial.inertia(0, 0) = -1; }));
}

}  // namespace
}  // namespace ulna
