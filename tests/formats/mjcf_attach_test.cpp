// Models that attach parts of others: names with a prefix, defaults of their own, what acts on
// them.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "reading.hpp"
#include "ulna/model/model.hpp"

namespace ulna {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class MjcfAttach : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ / "hands");
    write("hands/hand.xml", hand("<compiler angle='radian' meshdir='shapes'/>"));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  static std::string hand(const std::string& compiler) {
    return "<mujoco model='hand'>" + compiler +
           "<default><joint damping='0.25'/><default class='soft'><joint stiffness='2'/></default>"
           "</default><asset><mesh name='m' file='m.stl'/></asset><worldbody>"
           "<body name='palm' pos='0 0 0.5'><joint name='roll'/><geom size='0.1' mass='1'/>"
           "<body name='one' pos='0.1 0 0'><joint name='bend' class='soft'/><geom "
           "size='0.1'/><geom "
           "type='mesh' mesh='m' mass='0'/></body>"
           "<body name='two' pos='-0.1 0 0'><joint name='also'/><geom size='0.1'/><site "
           "name='tip'/></body></body><body name='beside'><joint name='far'/><geom "
           "size='0.1'/></body></worldbody>"
           "<equality><joint joint1='bend' joint2='also'/><joint joint1='bend' "
           "joint2='far'/></equality>"
           "<actuator><motor joint='bend' ctrlrange='-3 3'/><motor "
           "joint='far'/></actuator></mujoco>";
  }
  static std::string arm(const std::string& attach, const std::string& angle = "radian") {
    return "<mujoco><compiler angle='" + angle +
           "' meshdir='elsewhere'/><default><joint armature='0.5'/></default><asset><model "
           "name='gripper' file='hands/hand.xml'/></asset><worldbody><body name='arm'><joint "
           "name='j'/><geom size='0.1'/>" +
           attach + "</body></worldbody></mujoco>";
  }
  Robot read(const std::string& text) {
    write("arm.xml", text);
    return read_robot((folder_ / "arm.xml").string()).robot;
  }
  std::string complaint_of(const std::string& text) {
    write("arm.xml", text);
    return file_complaint((folder_ / "arm.xml").string());
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ulna_attach_" + std::to_string(getpid()));
};

const JointData& attached_joint(const Robot& robot, const std::string& name) {
  for (const JointData& joint : robot.joints)
    if (joint.name == name) return joint;
  throw std::logic_error("no joint " + name);
}

TEST_F(MjcfAttach, ASubtreeComesWithItsNamesDefaultsAndWhatActsOnIt) {
  const Robot robot =
      read(arm("<frame pos='0 0 1'><attach model='gripper' body='palm' prefix='l_'/></frame>"));
  ASSERT_EQ(robot.bodies.size(), 4u);
  const JointData& roll = attached_joint(robot, "l_roll");
  EXPECT_EQ(roll.parent, "arm");
  EXPECT_EQ(roll.child, "l_palm");
  EXPECT_EQ(roll.X_PF.position, Vector3<double>(0, 0, 1.5));
  // The defaults of each model stay its own.
  EXPECT_EQ(roll.degrees[0].damping, 0.25);
  EXPECT_EQ(roll.degrees[0].rotor_inertia, 0);
  EXPECT_EQ(attached_joint(robot, "j").degrees[0].rotor_inertia, 0.5);
  const DegreeData& bend = attached_joint(robot, "l_bend").degrees[0];
  EXPECT_EQ(bend.stiffness, 2);
  EXPECT_EQ(bend.effort_limit, 3);
  // The equality with the body that was left behind stays behind, too.
  ASSERT_EQ(robot.constraints.size(), 1u);
  EXPECT_EQ(robot.constraints[0].terms[1].joint, "l_also");
  EXPECT_EQ(robot.frames.at(0).name, "l_tip");
  // Meshes are found from the folder of their own model.
  EXPECT_EQ(robot.bodies[2].geometry.at(1).mesh, (folder_ / "hands/shapes/m.stl").string());
}

TEST_F(MjcfAttach, OneModelMayBeAttachedSeveralTimesAndAsAWhole) {
  const Robot robot =
      read(arm("<attach model='gripper' body='palm' prefix='l_'/><frame pos='1 0 0'><attach "
               "model='gripper' prefix='r_'/></frame><attach model='gripper' prefix='s_'/>"));
  EXPECT_EQ(Model(robot).robot().bodies.size(), 1u + 3 + 2 * 4);
  EXPECT_NO_THROW(attached_joint(robot, "r_far"));
}

TEST_F(MjcfAttach, MistakesAreNamed) {
  const std::string attach = "<attach model='gripper' body='palm' prefix='l_'/>";
  EXPECT_THAT(complaint_of(arm("<attach model='hnad' body='palm'/>")),
              AllOf(HasSubstr("no model 'hnad'"), HasSubstr("arm.xml:1")));
  EXPECT_THAT(complaint_of(arm("<attach model='gripper' body='plam'/>")),
              HasSubstr("no body 'plam'"));
  EXPECT_THAT(complaint_of(arm(attach, "degree")),
              AllOf(HasSubstr("differ in angle"), HasSubstr("'degree' here, 'radian' there")));
  EXPECT_THAT(complaint_of(arm(attach + "<attach model='gripper' body='palm' prefix='l_'/>")),
              HasSubstr("taken by another"));
  write("hands/hand.xml",
        "<mujoco><asset><model name='again' file='hand.xml'/></asset><worldbody>"
        "<body name='palm'><attach model='again' body='palm' prefix='x'/></body>"
        "</worldbody><compiler angle='radian'/></mujoco>");
  EXPECT_THAT(complaint_of(arm(attach)), HasSubstr("without end"));
  std::filesystem::remove(folder_ / "hands/hand.xml");
  EXPECT_THAT(complaint_of(arm(attach)), HasSubstr("hand.xml' cannot be read"));
}

}  // namespace
}  // namespace ulna
