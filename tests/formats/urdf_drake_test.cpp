// What Drake and newer versions of URDF add to it: joint types, rotors, quaternions.

#include <numbers>

#include "reading.hpp"
#include "ulna/model/model.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;

std::string drake_robot(const std::string& content, const std::string& links = "") {
  return "<robot name='r' xmlns:drake='http://drake.mit.edu'><link name='base'/><link name='a'>"
         "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>" +
         links + content + "</robot>";
}

TEST(UrdfOfDrake, JointsOfItsOwnTypesAreRead) {
  const auto joint = [](const std::string& type, const std::string& more = "") {
    return read_urdf_text(drake_robot("<drake:joint name='j' type='" + type +
                                      "'><parent link='base'/><child link='a'/><origin xyz='0 0 "
                                      "1'/>" +
                                      more + "</drake:joint>"),
                          "r.urdf", {.strict = true, .packages = {}})
        .robot.joints.back();
  };
  const JointData ball = joint("ball", "<dynamics damping='0.5'/>");
  EXPECT_EQ(ball.type, JointType::spherical);
  EXPECT_EQ(ball.X_PF.position, Vector3<double>(0, 0, 1));
  EXPECT_EQ(ball.degrees.at(2).damping, 0.5);
  const JointData cross = joint("universal", "<dynamics damping='0.5'/>");
  EXPECT_EQ(cross.axis, Vector3<double>::UnitX());
  EXPECT_EQ(cross.axis2, Vector3<double>::UnitY());
  EXPECT_EQ(cross.degrees.at(1).damping, 0.5);
  const JointData table = joint("planar", "<dynamics damping='1 2 3'/>");
  EXPECT_EQ(table.axis, Vector3<double>::UnitZ());
  EXPECT_EQ(table.degrees.at(2).damping, 3);
  const JointData screw =
      joint("screw", "<axis xyz='0 0 1'/><drake:screw_thread_pitch value='0.01'/>");
  EXPECT_EQ(screw.type, JointType::screw);
  EXPECT_DOUBLE_EQ(screw.pitch, 0.01 / (2 * std::numbers::pi));
  EXPECT_THAT(urdf_complaint(drake_robot("<drake:joint name='j' type='bal'><parent link='base'/>"
                                         "<child link='a'/></drake:joint>")),
              HasSubstr("did you mean 'ball'?"));
  EXPECT_THAT(urdf_complaint(drake_robot("<drake:joint name='j' type='screw'><parent "
                                         "link='base'/><child link='a'/></drake:joint>")),
              HasSubstr("no <drake:screw_thread_pitch>"));
}

TEST(UrdfOfDrake, RotorsOfTransmissionsTurnWithTheirGear) {
  const auto text = [](const std::string& joint) {
    return drake_robot(
        "<joint name='j' type='continuous'><parent link='base'/><child link='a'/></joint>"
        "<transmission name='t'><joint name='" +
        joint +
        "'/><actuator name='m'><drake:rotor_inertia value='0.002'/><drake:gear_ratio "
        "value='10'/></actuator></transmission>");
  };
  const DegreeData degree = read_urdf_text(text("j"), "r.urdf").robot.joints.back().degrees.at(0);
  EXPECT_EQ(degree.rotor_inertia, 0.002);
  EXPECT_EQ(degree.gear_ratio, 10);
  EXPECT_THAT(urdf_complaint(text("k")), HasSubstr("its rotor turns joint 'k'"));
}

TEST(Urdf, OrientationsMayBeQuaternions) {
  const auto text = [](const std::string& origin) {
    return drake_robot(
        "<joint name='j' type='fixed'><parent link='base'/><child link='a'/><origin " + origin +
        "/></joint>");
  };
  const Matrix3<double> R =
      read_urdf_text(text("quat_xyzw='0 0 2 2'"), "r.urdf", {.strict = true, .packages = {}})
          .robot.joints.back()
          .X_PF.rotation;
  Matrix3<double> quarter;
  quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  EXPECT_LT((R - quarter).norm(), rounding);
  EXPECT_THAT(urdf_complaint(text("quat_xyzw='0 0 0 0'")), HasSubstr("quat_xyzw is zero"));
  EXPECT_THAT(urdf_complaint(text("quat_xyzw='0 0 0 1' rpy='0 0 1'")),
              HasSubstr("one orientation"));
  EXPECT_THAT(urdf_complaint(text("quat_xyzw='0 0 1'")), HasSubstr("4 numbers"));
}

}  // namespace
}  // namespace ulna
