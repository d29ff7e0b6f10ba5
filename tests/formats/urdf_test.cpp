// What the elements of a URDF become.

#include <cmath>
#include <filesystem>
#include <iostream>
#include <numbers>

#include "reading.hpp"
#include "support/places.hpp"
#include "ulna/model/model.hpp"

namespace ulna {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const char* const arm = R"(<?xml version="1.0"?>
<robot name="arm">
  <material name="red"><color rgba="1 0 0 0.5"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/>
    </inertial>
    <visual>
      <origin xyz="0 0 1"/>
      <geometry><cylinder radius="0.05" length="0.3"/></geometry>
      <material name="red"/>
    </visual>
    <collision><geometry><mesh filename="package://parts/upper.stl" scale="1 2 3"/></geometry></collision>
  </link>
  <link name="slider"/> <link name="wheel"/> <link name="float"/> <link name="plane"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.5" rpy="1.57079632679 0 0"/>
    <parent link="base"/> <child link="upper"/>
    <axis xyz="0 0 2"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/>
    <dynamics damping="0.5" friction="0.25"/>
    <safety_controller k_velocity="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/> <child link="slider"/>
    <limit lower="0" upper="0.1" effort="5" velocity="1"/>
    <mimic joint="shoulder" multiplier="0.5" offset="0.01"/>
  </joint>
  <joint name="spin" type="continuous"><parent link="upper"/><child link="wheel"/></joint>
  <joint name="fly" type="floating"><parent link="upper"/><child link="float"/></joint>
  <joint name="skid" type="planar"><parent link="upper"/><child link="plane"/><axis xyz="0 1 0"/></joint>
  <gazebo/>
</robot>
)";

ReadResult read_arm(const ReadOptions& options = {}) {
  return read_urdf_text(arm, "arm.urdf", options);
}

const JointData& joint(const Robot& robot, const std::string& name) {
  for (const JointData& candidate : robot.joints)
    if (candidate.name == name) return candidate;
  throw std::runtime_error("no joint " + name);
}

std::vector<std::string> texts(const std::vector<ImportNote>& notes) {
  std::vector<std::string> out;
  for (const ImportNote& note : notes) out.push_back(note.text());
  return out;
}

TEST(Urdf, TheRootIsFixedToTheWorld) {
  const Robot robot = read_arm().robot;
  const JointData& weld = joint(robot, "world_to_base");
  EXPECT_EQ(weld.type, JointType::fixed);
  EXPECT_EQ(weld.parent, "world");
  EXPECT_EQ(weld.child, "base");
}

TEST(Urdf, ARootCalledWorldIsTheWorld) {
  const Robot robot = read_urdf_text(R"(<robot name="r"><link name="world"/><link name="a"/>
    <joint name="j" type="fixed"><parent link="world"/><child link="a"/></joint></robot>)",
                                     "r")
                          .robot;
  ASSERT_EQ(robot.bodies.size(), 1u);
  EXPECT_EQ(robot.bodies[0].name, "a");
  ASSERT_EQ(robot.joints.size(), 1u);
  EXPECT_EQ(robot.joints[0].parent, "world");
}

TEST(Urdf, JointsKeepTheirNumbers) {
  const Robot robot = read_arm().robot;
  const JointData& shoulder = joint(robot, "shoulder");
  EXPECT_EQ(shoulder.type, JointType::revolute);
  EXPECT_EQ(shoulder.axis, Vector3<double>(0, 0, 2));
  EXPECT_EQ(shoulder.X_PF.position, Vector3<double>(0, 0, 0.5));
  EXPECT_EQ(shoulder.X_PF.rotation(2, 2), std::cos(1.57079632679));  // rounded pi stays rounded
  ASSERT_EQ(shoulder.degrees.size(), 1u);
  const DegreeData& degree = shoulder.degrees[0];
  EXPECT_EQ(degree.lower, -1);
  EXPECT_EQ(degree.upper, 2);
  EXPECT_EQ(degree.effort_limit, 30);
  EXPECT_EQ(degree.velocity_limit, 4);
  EXPECT_EQ(degree.damping, 0.5);
  EXPECT_EQ(degree.friction, 0.25);
  EXPECT_EQ(shoulder.mark.line, 19);
  EXPECT_EQ(shoulder.mark.column, 3);
}

TEST(Urdf, AllJointTypesAreKnown) {
  const Robot robot = read_arm().robot;
  EXPECT_EQ(joint(robot, "slide").type, JointType::prismatic);
  EXPECT_EQ(joint(robot, "spin").type, JointType::revolute);
  EXPECT_EQ(joint(robot, "spin").degrees[0].upper, DegreeData::unlimited);
  EXPECT_EQ(joint(robot, "fly").type, JointType::free);
  EXPECT_EQ(joint(robot, "skid").type, JointType::planar);
  EXPECT_EQ(joint(robot, "skid").axis, Vector3<double>(0, 1, 0));
}

TEST(Urdf, TheDefaultAxisIsX) {
  EXPECT_EQ(joint(read_arm().robot, "slide").axis, Vector3<double>(1, 0, 0));
}

TEST(Urdf, AMimicJointNamesItsLeader) {
  const JointData slide = joint(read_arm().robot, "slide");
  ASSERT_TRUE(slide.mimic.has_value());
  EXPECT_EQ(slide.mimic->joint, "shoulder");
  EXPECT_EQ(slide.mimic->multiplier, 0.5);
  EXPECT_EQ(slide.mimic->offset, 0.01);
}

TEST(Urdf, InertiaIsTurnedIntoTheAxesOfTheLink) {
  const Inertial inertial = read_arm().robot.bodies[1].inertial;
  EXPECT_EQ(inertial.mass, 2);
  EXPECT_EQ(inertial.centre, Vector3<double>(0.1, 0, 0));
  const Matrix3<double> expected = Vector3<double>(0.2, 0.1, 0.25).asDiagonal();
  EXPECT_LT((inertial.inertia - expected).norm(), rounding);
  EXPECT_EQ(inertial.inertia, inertial.inertia.transpose());
}

TEST(Urdf, ShapesKeepSizePoseAndColour) {
  const std::vector<Geometry> shapes = read_arm().robot.bodies[1].geometry;
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[0].shape, Geometry::Shape::cylinder);
  EXPECT_EQ(shapes[0].size.x(), 0.05);
  EXPECT_EQ(shapes[0].size.y(), 0.3);
  EXPECT_EQ(shapes[0].X_BG.position.z(), 1);
  ASSERT_TRUE(shapes[0].colour.has_value());
  EXPECT_EQ((*shapes[0].colour)[3], 0.5);
  EXPECT_EQ(shapes[1].use, Geometry::Use::collision);
  EXPECT_EQ(shapes[1].mesh, "package://parts/upper.stl");
  EXPECT_EQ(shapes[1].scale, Vector3<double>(1, 2, 3));
}

TEST(Urdf, PackagesAreResolvedWhereTheirFolderIsKnown) {
  const Robot robot = read_arm({.strict = false, .packages = {{"parts", "/data/parts"}}}).robot;
  EXPECT_EQ(robot.bodies[1].geometry[1].mesh, "/data/parts/upper.stl");
  EXPECT_THAT(texts(read_arm().report.used), Contains(HasSubstr("--package parts=FOLDER")));
}

TEST(Urdf, TheReportNamesWhatWasIgnored) {
  const ImportReport report = read_arm().report;
  EXPECT_THAT(
      texts(report.ignored),
      Contains(
          "line 25: joint 'shoulder': <safety_controller> ignored: not part of the mechanics"));
  EXPECT_THAT(texts(report.ignored), Contains(HasSubstr("<gazebo> ignored")));
  EXPECT_EQ(report.ignored.size(), 2u);
  EXPECT_THAT(texts(report.used), Contains(HasSubstr("link 'base': body without mass")));
  EXPECT_THAT(complaint([] { read_arm({.strict = true, .packages = {}}); }),
              HasSubstr("arm.urdf:25:5: joint 'shoulder': <safety_controller>"));
}

TEST(Urdf, AMisspeltElementIsReportedWithTheNearestOne) {
  const ImportReport report =
      read_urdf_text(R"(<robot name="r"><link name="a"><inertail/></link></robot>)", "r").report;
  ASSERT_EQ(report.ignored.size(), 1u);
  EXPECT_THAT(report.ignored[0].text(), HasSubstr("did you mean 'inertial'?"));
}

/// A four-bar of side one, its last joint written in one of the ways in use.
std::string four_bar(const std::string& loop) {
  std::string text = R"(<robot name="bars"><link name="base"/>)";
  for (const char* link : {"crank", "coupler", "rocker"})
    text += std::string("<link name=\"") + link + R"("><inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>)";
  const auto joint = [&](const char* name, const char* parent, const char* child,
                         const char* pose) {
    text += std::string("<joint name=\"") + name + "\" type=\"continuous\"><parent link=\"" +
            parent + "\"/><child link=\"" + child + "\"/><origin " + pose +
            "/><axis xyz=\"0 0 1\"/></joint>";
  };
  joint("A", "base", "crank", "xyz=\"0 0 0\" rpy=\"0 0 1.5707963267948966\"");
  joint("B", "crank", "coupler", "xyz=\"1 0 0\" rpy=\"0 0 -1.5707963267948966\"");
  joint("D", "base", "rocker", "xyz=\"1 0 0\"");
  return text + loop + "</robot>";
}

TEST(Urdf, LoopsAreReadInTheWaysThatAreInUse) {
  const std::string ways[] = {
      R"(<loop_joint name="C" type="revolute"><link1 link="coupler" xyz="1 0 0" rpy="0 0 0"/>
         <link2 link="rocker" xyz="0 1 0"/><axis xyz="0 0 1"/></loop_joint>)",
      R"(<loop_joint name="C" type="revolute"><link1 link="coupler" xyz="1 0 0"/>
         <link1 link="rocker" xyz="0 1 0"/><axis xyz="0 0 1"/></loop_joint>)",
      R"(<loop_joint name="C" type="revolute"><parent link="coupler"/><child link="rocker"/>
         <parent_origin xyz="1 0 0"/><child_origin xyz="0 1 0"/>
         <axis xyz="0 0 1" frame="parent"/></loop_joint>)",
      R"(<loop_joint name="C" type="revolute"><parent link="coupler"/><child link="rocker"/>
         <origin xyz="1 0 0"/><axis xyz="0 0 1"/></loop_joint>)",
      R"(<drake:ball_constraint><drake:ball_constraint_body_A name="coupler"/>
         <drake:ball_constraint_body_B name="rocker"/><drake:ball_constraint_p_AP value="1 0 0"/>
         <drake:ball_constraint_p_BQ value="0 1 0"/></drake:ball_constraint>)"};
  for (const std::string& way : ways) {
    const ReadResult read =
        read_urdf_text(four_bar(way), "bars.urdf", {.strict = true, .packages = {}});
    const JointData& C = read.robot.joints.back();
    const bool ball = C.type == JointType::spherical;
    EXPECT_TRUE(C.cut);
    EXPECT_EQ(C.type, ball ? JointType::spherical : JointType::revolute);
    EXPECT_LT((C.X_PF.position - Vector3<double>(1, 0, 0)).norm(), rounding);
    EXPECT_LT((C.X_MC.inverse().position - Vector3<double>(0, 1, 0)).norm(), 4 * rounding) << way;
    const Model model(read.robot);
    ASSERT_EQ(model.loops().size(), 1u);
    EXPECT_EQ(model.loops()[0].rows, ball ? 3 : 5);
    EXPECT_EQ(model.speeds(), 3);
  }
}

TEST(Urdf, LoopsThatCannotBeAreRefused) {
  EXPECT_THAT(urdf_complaint(four_bar(
                  R"(<loop_joint name="C" type="floating"><link1 link="coupler"/>
                     <link2 link="rocker"/></loop_joint>)")),
              HasSubstr("loop_joint 'C': no loop can be closed by a joint of type 'floating'"));
  EXPECT_THAT(urdf_complaint(four_bar(
                  R"(<loop_joint name="C" type="ball"><link1 link="copler"/>
                     <link2 link="rocker"/></loop_joint>)")),
              HasSubstr("there is no link 'copler'"));
  EXPECT_THAT(urdf_complaint(four_bar(
                  R"(<loop_joint name="A" type="ball"><link1 link="coupler"/>
                     <link2 link="rocker"/></loop_joint>)")),
              HasSubstr("the name 'A' is taken"));
  const ImportReport report =
      read_urdf_text(four_bar("<drake:linear_bushing_rpy/>"), "bars.urdf").report;
  EXPECT_THAT(texts(report.ignored), Contains(HasSubstr("drake:linear_bushing_rpy")));
}

TEST(Urdf, FilesFoundInTheWildLoadAndSurviveWriting) {
  const std::filesystem::path folder = std::filesystem::path(testing::shared_folder()) / "robots";
  if (!std::filesystem::is_directory(folder)) {
    std::cout << "no folder " << folder << ": nothing to read\n";
    return;
  }
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".urdf") continue;
    const Robot robot = read_robot(entry.path().string()).robot;
    EXPECT_EQ(robot.joints.size(), robot.bodies.size()) << entry.path();  // a tree on the world
    const std::string written = write_robot_yaml(robot);
    EXPECT_EQ(write_robot_yaml(robot_of(written)), written) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace ulna
