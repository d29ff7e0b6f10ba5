// The shipped robots hold the published numbers.

#include <numbers>

#include "reading.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;

Pose<double> child_at_zero(const Robot& robot, const std::string& body) {
  for (const JointData& joint : robot.joints)
    if (joint.child == body)
      return (joint.parent == world_name ? Pose<double>() : child_at_zero(robot, joint.parent)) *
             joint.X_PF * joint.X_MC;
  throw std::runtime_error("no joint carries " + body);
}

double total_mass(const Robot& robot) {
  double mass = 0;
  for (const BodyData& body : robot.bodies) mass += body.inertial.mass;
  return mass;
}

TEST(ShippedRobots, AreListedAndReadByNameWithoutLoss) {
  std::vector<std::string> names;
  for (const ShippedRobot& shipped : shipped_robots()) {
    names.push_back(shipped.name);
    EXPECT_FALSE(shipped.description.empty()) << shipped.name;
    EXPECT_EQ(read_robot(shipped.name, {.strict = true, .packages = {}}).robot.name, shipped.name);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"intelledex605", "puma560"}));
  EXPECT_THAT(shipped_robot_text("puma560"), HasSubstr("A search for consensus"));
  EXPECT_THAT(complaint([] { shipped_robot_text("puma"); }), HasSubstr("puma560"));
}

TEST(ShippedRobots, HaveOnlyPossibleInertias) {
  for (const ShippedRobot& shipped : shipped_robots())
    for (const BodyData& body : read_robot(shipped.name).robot.bodies)
      EXPECT_EQ(why_impossible(body.inertial.mass, body.inertial.inertia), "")
          << shipped.name << " " << body.name;
}

TEST(ShippedRobots, IntelledexHasTheGeometryOfTheThesis) {
  const Robot robot = read_robot("intelledex605").robot;
  EXPECT_EQ(robot.gravity, Vector3<double>(0, 9.81, 0));
  std::string letters;
  for (const BodyData& body : robot.bodies) letters += body.name;
  EXPECT_EQ(letters, "ABCDEF");
  EXPECT_DOUBLE_EQ(total_mass(robot), 102 * 0.4536);  // pounds of Table 3
  // Stretched out along x of the shoulder: elbow at L1, wrist at L1 + L2. Turned by -90 degrees
  // about x in sum.
  EXPECT_DOUBLE_EQ(child_at_zero(robot, "D").position.x(), 0.2794);
  const Pose<double> wrist = child_at_zero(robot, "F");
  EXPECT_LT((wrist.position - Vector3<double>(0.2794 + 0.3226, 0, 0)).norm(), 1e-15);
  EXPECT_LT((wrist.rotation.col(2) - Vector3<double>(0, 1, 0)).norm(), 1e-15);
  ASSERT_EQ(robot.frames.size(), 1u);
  EXPECT_EQ(robot.frames[0].name, "wrist");
}

TEST(ShippedRobots, PumaHasTheGeometryAndDrivesOfThePublication) {
  const Robot robot = read_robot("puma560").robot;
  EXPECT_DOUBLE_EQ(total_mass(robot), 17.4 + 4.8 + 0.82 + 0.34 + 0.09);
  // All angles zero: shoulder offset d3 along -y, wrist above the elbow by d4.
  const Vector3<double> wrist = child_at_zero(robot, "link6").position;
  EXPECT_LT((wrist - Vector3<double>(0.4318 + 0.0203, -0.15005, 0.67183 + 0.4318)).norm(), 1e-15);
  // What joint 3 cannot tell apart was moved between links 2 and 3, and only that.
  const Inertial& link2 = robot.bodies[1].inertial;
  const Inertial& link3 = robot.bodies[2].inertial;
  EXPECT_DOUBLE_EQ(link2.inertia(0, 0) + link3.inertia(0, 0), 0.13 + 0.066);
  EXPECT_DOUBLE_EQ(link2.inertia(1, 1) + link3.inertia(2, 2), 0.524 + 0.0125);
  EXPECT_DOUBLE_EQ(link3.inertia(0, 0) - link3.inertia(2, 2), 0.066 - 0.0125);
  EXPECT_EQ(link2.inertia(2, 2), 0.539);
  EXPECT_EQ(link3.inertia(1, 1), 0.086);
  const DegreeData& degree = robot.joints[0].degrees[0];
  EXPECT_EQ(degree.rotor_inertia, 0.0002);
  EXPECT_EQ(degree.gear_ratio, -62.6111);
  EXPECT_NEAR(degree.damping, 0.00148 * 62.6111 * 62.6111, 1e-14);
  EXPECT_NEAR(degree.friction, 0.415 * 62.6111, 1e-14);
}

}  // namespace
}  // namespace ulna
