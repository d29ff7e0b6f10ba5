// What the keys of a robot file mean.

#include <cmath>
#include <numbers>

#include "reading.hpp"
#include "ulna/model/parts/placement.hpp"

namespace ulna {
namespace {

using std::numbers::pi;
using ::testing::HasSubstr;

Matrix3<double> turn_x(double angle) {
  Matrix3<double> R;
  R << 1, 0, 0, 0, std::cos(angle), -std::sin(angle), 0, std::sin(angle), std::cos(angle);
  return R;
}

Matrix3<double> turn_z(double angle) {
  Matrix3<double> R;
  R << std::cos(angle), -std::sin(angle), 0, std::sin(angle), std::cos(angle), 0, 0, 0, 1;
  return R;
}

TEST(YamlRobot, HasDefaultGravityAndAnAxisAlongZ) {
  const Robot robot = robot_of(one_joint(""));
  EXPECT_EQ(robot.name, "test");
  EXPECT_EQ(robot.gravity, Vector3<double>(0, 0, -9.81));
  ASSERT_EQ(robot.joints.size(), 1u);
  EXPECT_EQ(robot.joints[0].axis, Vector3<double>(0, 0, 1));
  EXPECT_EQ(robot.joints[0].X_PF.matrix(), Matrix4<double>::Identity());
  EXPECT_EQ(robot.bodies[0].inertial.mass, 0);
}

TEST(YamlRobot, MarksEveryElementWithItsPlace) {
  const Robot robot = robot_of(one_joint(""));
  EXPECT_EQ(robot.source, "robot.yaml");
  EXPECT_EQ(robot.bodies[0].mark.file, "robot.yaml");
  EXPECT_EQ(robot.bodies[0].mark.line, 4);
  EXPECT_EQ(robot.bodies[0].mark.column, 5);
  EXPECT_EQ(robot.joints[0].mark.line, 6);
}

TEST(YamlRobot, ReportsWhatItUsed) {
  const ReadResult result =
      read_robot_yaml_text(one_joint(""), "robot.yaml", {.strict = true, .packages = {}});
  ASSERT_EQ(result.report.used.size(), 2u);
  EXPECT_EQ(result.report.used[0].text(), "line 4: body 'arm': body without mass");
  EXPECT_EQ(result.report.used[1].text(),
            "line 6: joint 'hinge': revolute joint from 'world' to 'arm'");
  EXPECT_TRUE(result.report.changed.empty());
  EXPECT_TRUE(result.report.ignored.empty());
}

TEST(YamlRobot, AllWaysToWriteAnOrientationAgree) {
  const Matrix3<double> expected = turn_x(pi / 3);
  for (const char* at : {"at: {rpy: [60 deg, 0, 0]}", "at: {axis: [5, 0, 0], angle: pi/3}",
                         "at: {quaternion: [0.8660254037844386, 0.5, 0, 0]}",
                         "at: {rotation: [[1, 0, 0], [0, 0.5, -0.8660254037844386], [0, "
                         "0.8660254037844386, 0.5]]}"}) {
    const JointData joint = robot_of(one_joint(at)).joints[0];
    EXPECT_LT((joint.X_PF.rotation - expected).norm(), rounding) << at;
    EXPECT_EQ(joint.X_PF.position, Vector3<double>::Zero()) << at;
  }
}

TEST(YamlRobot, RollPitchYawTurnAboutFixedAxes) {
  const JointData joint = robot_of(one_joint("at: {rpy: [90 deg, 0, 90 deg]}")).joints[0];
  // x goes to x by the roll and then to y by the yaw; y goes to z and stays.
  Matrix3<double> expected;
  expected << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  EXPECT_LT((joint.X_PF.rotation - expected).norm(), rounding);
}

TEST(YamlRobot, ARoundedRotationIsMadeOrthonormalAndReported) {
  const std::string text =
      one_joint("at: {rotation: [[1, 0, 0], [0, 0.5, -0.86603], [0, 0.86603, 0.5]]}");
  const ReadResult result = read_robot_yaml_text(text, "robot.yaml");
  const Matrix3<double>& R = result.robot.joints[0].X_PF.rotation;
  EXPECT_LT((R.transpose() * R - Matrix3<double>::Identity()).norm(), rounding);
  ASSERT_EQ(result.report.changed.size(), 1u);
  EXPECT_THAT(result.report.changed[0].text(), HasSubstr("joint 'hinge', at: rotation made ortho"));
  EXPECT_THAT(complaint([&] { read_robot_yaml_text(text, "f", {.strict = true, .packages = {}}); }),
              HasSubstr("strict"));
}

TEST(YamlRobot, ARotationFarFromOrthonormalOrLeftHandedIsRefused) {
  EXPECT_THAT(yaml_complaint(one_joint("at: {rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1.1]]}")),
              HasSubstr("not orthonormal"));
  EXPECT_THAT(yaml_complaint(one_joint("at: {rotation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}")),
              HasSubstr("reflection"));
  EXPECT_THAT(yaml_complaint(one_joint("at: {quaternion: [1, 1, 0, 0]}")), HasSubstr("not 1"));
  EXPECT_THAT(yaml_complaint(one_joint("at: {axis: [0, 0, 0], angle: 1}")), HasSubstr("zero"));
  EXPECT_THAT(yaml_complaint(one_joint("at: {rpy: [0, 0, 0], quaternion: [1, 0, 0, 0]}")),
              HasSubstr("several ways"));
}

TEST(YamlRobot, DenavitHartenbergRowsGiveTheirMatrices) {
  const double theta = 0.3, d = 0.2, a = 0.5, alpha = -0.7, b = 0.1, q = 0.9;
  const std::string row = "theta: 0.3, d: 0.2, a: 0.5, alpha: -0.7";
  const auto child_at = [&](const std::string& dh) {
    const JointData joint = robot_of(one_joint("dh: {" + dh + "}")).joints[0];
    return joint.X_PF * Pose<double>::turn(turn_z(q)) * joint.X_MC;
  };
  const auto shift = [](double x, double y, double z) {
    return Pose<double>::translation({x, y, z});
  };
  const Pose<double> about_z = Pose<double>::turn(turn_z(theta + q)) * shift(0, 0, d);
  const Pose<double> standard = about_z * shift(a, 0, 0) * Pose<double>::turn(turn_x(alpha));
  const Pose<double> extended = about_z * shift(a, b, 0) * Pose<double>::turn(turn_x(alpha));
  const Pose<double> modified = Pose<double>::turn(turn_x(alpha)) * shift(a, 0, 0) * about_z;
  EXPECT_LT((child_at("convention: standard, " + row).matrix() - standard.matrix()).norm(),
            4 * rounding);
  EXPECT_LT((child_at("convention: modified, " + row).matrix() - modified.matrix()).norm(),
            4 * rounding);
  EXPECT_LT((child_at("convention: extended, b: 0.1, " + row).matrix() - extended.matrix()).norm(),
            4 * rounding);
}

TEST(YamlRobot, AScrewAxisLeavesTheBodiesWhereTheyAreAtZero) {
  const std::string text = one_joint("screw_axis: {direction: [0, 1, 0], point: [0.4, 0, 0]}",
                                     "at_zero: {position: [1, 2, 3], rpy: [0.1, 0.2, 0.3]}");
  const JointData joint = robot_of(text).joints[0];
  const Pose<double> X_WC = joint.X_PF * joint.X_MC;
  EXPECT_LT((X_WC.position - Vector3<double>(1, 2, 3)).norm(), 4 * rounding);
  EXPECT_LT((joint.X_PF.rotation.col(2) - Vector3<double>(0, 1, 0)).norm(), 4 * rounding);
  EXPECT_THAT(yaml_complaint(one_joint("screw_axis: {direction: [0, 1, 0]}")),
              HasSubstr("body 'arm' has no at_zero"));
}

TEST(YamlRobot, AJointIsPlacedInOneWayOnly) {
  EXPECT_THAT(yaml_complaint(one_joint("at: [0, 0, 1]\ndh: {convention: standard}")),
              HasSubstr("several ways"));
  EXPECT_THAT(yaml_complaint(one_joint("axis: [1, 0, 0]\ndh: {convention: standard}")),
              HasSubstr("dh already defines the axis"));
  EXPECT_THAT(yaml_complaint(one_joint("dh: {convention: standart}")),
              HasSubstr("did you mean 'standard'?"));
}

TEST(YamlRobot, InertiaAboutTheOriginMovesToTheCentre) {
  // A point mass has no inertia about its centre.
  const Robot robot = robot_of(one_joint(
      "", "mass: 2\ncentre: [0, 0, 0.5]\ninertia: {about: origin, values: [0.5, 0.5, 0]}"));
  EXPECT_LT(robot.bodies[0].inertial.inertia.norm(), rounding);
}

TEST(YamlRobot, InertiaAboutAPointIsThatOfAShiftedBody) {
  const Robot robot = robot_of(one_joint(
      "", "mass: 2\ncentre: [0, 0, 0.5]\ninertia: {about: [0, 0, 1.5], values: [2.1, 2.2, 0.3]}"));
  const Matrix3<double> expected = Vector3<double>(0.1, 0.2, 0.3).asDiagonal();
  EXPECT_LT((robot.bodies[0].inertial.inertia - expected).norm(), 4 * rounding);
}

TEST(YamlRobot, InertiaInTurnedAxesIsTurnedBack) {
  const Robot robot =
      robot_of(one_joint("", "mass: 2\ninertia: {rpy: [0, 0, 90 deg], values: [0.1, 0.2, 0.25]}"));
  const Matrix3<double> expected = Vector3<double>(0.2, 0.1, 0.25).asDiagonal();
  EXPECT_LT((robot.bodies[0].inertial.inertia - expected).norm(), rounding);
}

TEST(YamlRobot, SixInertiaValuesAreDiagonalThenProducts) {
  const Robot robot = robot_of(one_joint("", "inertia: [1, 2, 3, 0.1, 0.2, 0.3]"));
  Matrix3<double> expected;
  expected << 1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 3;
  EXPECT_EQ(robot.bodies[0].inertial.inertia, expected);
}

TEST(YamlRobot, OneValueServesAllDegreesOfFreedomAndAListEachOne) {
  const JointData joint =
      robot_of(one_joint("damping: 2\nlimits: {upper: [180 deg, 30 mm], lower: [none, -1 cm]}", "",
                         "cylindrical"))
          .joints[0];
  ASSERT_EQ(joint.degrees.size(), 2u);
  EXPECT_EQ(joint.degrees[0].damping, 2);
  EXPECT_EQ(joint.degrees[1].damping, 2);
  EXPECT_EQ(joint.degrees[0].upper, pi);
  EXPECT_EQ(joint.degrees[1].upper, 0.03);
  EXPECT_EQ(joint.degrees[0].lower, -DegreeData::unlimited);
  EXPECT_EQ(joint.degrees[1].lower, -0.01);
  EXPECT_THAT(yaml_complaint(one_joint("damping: [1, 2, 3]", "", "cylindrical")),
              HasSubstr("each of the 2 degrees of freedom"));
}

TEST(YamlRobot, KeysThatMeanNothingForAJointTypeAreRefused) {
  EXPECT_THAT(yaml_complaint(one_joint("pitch: 1 mm/rad")), HasSubstr("only a screw joint"));
  EXPECT_THAT(yaml_complaint(one_joint("axis2: [1, 0, 0]")), HasSubstr("only a universal joint"));
  EXPECT_THAT(yaml_complaint(one_joint("damping: 1", "", "fixed")), HasSubstr("no damping"));
  EXPECT_THAT(yaml_complaint(one_joint("axis: [1, 0, 0]", "", "spherical")), HasSubstr("no axis"));
  EXPECT_THAT(yaml_complaint(one_joint("", "", "screw")), HasSubstr("'pitch' is missing"));
}

}  // namespace
}  // namespace ulna
