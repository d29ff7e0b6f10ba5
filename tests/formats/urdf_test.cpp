// What the elements of a URDF become.

#include <cmath>
#include <filesystem>
#include <iostream>
#include <numbers>

#include "reading.hpp"

namespace ulna {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr double rounding = 1e-15;

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

TEST(Urdf, FilesFoundInTheWildLoadAndSurviveWriting) {
  const std::filesystem::path folder = std::filesystem::path(ULNA_SHARED_DIR) / "robots";
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
