// Loops in URDF: <constraint>, links with two parents, and the companion of an extended URDF. The
// four-bar is a unit square, so that every way to write its last pin must close it at zero.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "reading.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/model/model.hpp"

namespace ulna {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string bar_link(const std::string& name) {
  return "<link name='" + name +
         "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
         "izz='1'/></inertial></link>\n";
}

std::string bar_joint(const std::string& name, const std::string& parent, const std::string& child,
                      const std::string& xyz, const std::string& type = "continuous") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/><origin xyz='" + xyz + "'/><axis xyz='0 0 1'/></joint>\n";
}

/// Crank up, coupler to the right, rocker up; the pin between the last two is `rest`.
std::string square(const std::string& rest) {
  return "<robot name='bars'>\n<link name='base'/>\n" + bar_link("crank") + bar_link("coupler") +
         bar_link("rocker") + bar_joint("A", "base", "crank", "0 0 0") +
         bar_joint("B", "crank", "coupler", "0 1 0") + bar_joint("D", "base", "rocker", "1 0 0") +
         rest + "</robot>\n";
}

double gap_at_zero(const Model& model) {
  LoopClosure closure(model);
  Workspace work(model);
  closure.update(work, model.neutral());
  return closure.residual().norm();
}

std::string pin(const std::string& type, const std::string& axes) {
  return "<constraint name='C' type='" + type +
         "'><parent link='coupler'/><parent_origin xyz='1 0 0'/><child link='rocker'/>"
         "<child_origin xyz='0 1 0'/>" +
         axes + "</constraint>\n";
}

TEST(UrdfConstraint, ClosesTheLoopWithTheJointThatWasCut) {
  struct Case {
    std::string type, axes;
    int rows;
  };
  for (const Case& c : {Case{"revolute", "<parent_axis xyz='0 0 1'/><child_axis xyz='0 0 1'/>", 5},
                        Case{"continuous", "<parent_axis xyz='0 0 1'/>", 5},
                        Case{"revolute", "<child_axis xyz='0 0 1'/>", 5}, Case{"spherical", "", 3},
                        Case{"ball", "", 3}, Case{"fixed", "", 6},
                        Case{"cylindrical", "<parent_axis xyz='0 0 1'/>", 4},
                        Case{"prismatic", "<parent_axis xyz='1 0 0'/>", 5},
                        Case{"universal", "<parent_axis xyz='0 0 1'/><child_axis xyz='1 0 0'/>", 4},
                        Case{"planar", "<parent_axis xyz='0 0 1'/>", 3}}) {
    const ReadResult read =
        read_urdf_text(square(pin(c.type, c.axes)), "bars.urdf", {.strict = true, .packages = {}});
    const Model model(read.robot);
    ASSERT_EQ(model.loops().size(), 1u) << c.type;
    EXPECT_EQ(model.loops()[0].rows, c.rows) << c.type;
    EXPECT_EQ(model.loops()[0].joint, "C");
    EXPECT_LT(gap_at_zero(model), 1e-14) << c.type;
  }
}

// The frame on the rocker is turned; its axis is given there and turned back.
TEST(UrdfConstraint, TheAxisOnTheChildIsInTheFrameOnTheChild) {
  const std::string turned =
      "<constraint name='C' type='revolute'><parent link='coupler'/><parent_origin xyz='1 0 0'/>"
      "<parent_axis xyz='0 0 1'/><child link='rocker'/>"
      "<child_origin xyz='0 1 0' rpy='0 1.5707963267948966 0'/><child_axis xyz='-1 0 0'/>"
      "</constraint>";
  EXPECT_LT(gap_at_zero(Model(read_urdf_text(square(turned), "bars.urdf").robot)), 1e-14);
  std::string wrong = turned;
  wrong.replace(wrong.find("-1 0 0"), 6, "0 0 1 ");
  EXPECT_GT(gap_at_zero(Model(read_urdf_text(square(wrong), "bars.urdf").robot)), 0.5);
}

TEST(UrdfConstraint, MistakesAreNamed) {
  EXPECT_THAT(urdf_complaint(square(pin("revolut", ""))),
              AllOf(HasSubstr("constraint 'C': no loop can be closed by a joint of type 'revolut'"),
                    HasSubstr("did you mean 'revolute'?")));
  EXPECT_THAT(urdf_complaint(square(pin("universal", "<parent_axis xyz='0 0 1'/>"))),
              HasSubstr("<constraint> has no <child_axis>"));
  EXPECT_THAT(urdf_complaint(square("<constraint name='C' type='ball'><parent link='coupler'/>"
                                    "<child link='roker'/></constraint>")),
              HasSubstr("there is no link 'roker'"));
  EXPECT_THAT(urdf_complaint(square("<constraint name='A' type='ball'><parent link='coupler'/>"
                                    "<child link='rocker'/></constraint>")),
              HasSubstr("the name 'A' is taken"));
}

TEST(UrdfTwoParents, TheSecondJointClosesTheLoop) {
  // The rocker hangs on D; the pin from the coupler makes it a child again.
  const std::string text = square(bar_joint("C", "coupler", "rocker", "1 0 0"));
  const ReadResult read = read_urdf_text(text, "bars.urdf");
  const Model model(read.robot);
  ASSERT_EQ(model.loops().size(), 1u);
  EXPECT_EQ(model.loops()[0].joint, "C");
  ASSERT_EQ(read.report.changed.size(), 1u);
  EXPECT_THAT(
      read.report.changed[0].text(),
      HasSubstr("joint 'C': closes a loop: its child 'rocker' is already attached to joint 'D'"));
  EXPECT_THAT(
      complaint([&] { read_urdf_text(text, "bars.urdf", {.strict = true, .packages = {}}); }),
      HasSubstr("closes a loop"));
}

// Where the first joint of a link leads to no root, a later one carries it.
TEST(UrdfTwoParents, TheTreeReachesTheRootInAnyOrder) {
  const std::string text = "<robot name='r'><link name='base'/>" + bar_link("a") + bar_link("b") +
                           bar_joint("back", "b", "a", "0 1 0") +
                           bar_joint("first", "base", "a", "0 0 0") +
                           bar_joint("second", "a", "b", "1 0 0") + "</robot>";
  const Robot robot = read_urdf_text(text, "r.urdf").robot;
  for (const JointData& joint : robot.joints) EXPECT_EQ(joint.cut, joint.name == "back");
  EXPECT_EQ(Model(robot).loops()[0].joint, "back");
}

class UrdfCompanion : public ::testing::Test {
 protected:
  UrdfCompanion() { std::filesystem::create_directory(folder_); }
  ~UrdfCompanion() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name) << content;
    return (folder_ / name).string();
  }
  static std::string tree() {
    return square("<link name='pin1'/><link name='pin2'/>" +
                  bar_joint("end1", "coupler", "pin1", "1 0 0", "fixed") +
                  bar_joint("end2", "rocker", "pin2", "0 1 0", "fixed"));
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ulna-companion-" + std::to_string(getpid()));
};

TEST_F(UrdfCompanion, ClosesTheLoopsOfTheFileBesideIt) {
  const std::string urdf = write("bars.urdf", tree());
  EXPECT_TRUE(Model(read_robot(urdf).robot).loops().empty());
  for (const std::string loops :
       {"closed_loop: [['pin1', 'pin2']]\ntype: ['3d']\nname_mot: ['A']\n",
        "closed_loop: [[end1, end2]]\ntype: ['6d']\n", "closed_loop: [[pin1, end2]]\n"}) {
    const std::string yaml = write("bars.yaml", loops);
    const bool ball = loops.find("3d") != std::string::npos;
    for (const std::string& file : {urdf, yaml}) {
      const Model model(read_robot(file).robot);
      ASSERT_EQ(model.loops().size(), 1u) << loops;
      EXPECT_EQ(model.loops()[0].rows, ball ? 3 : 6);
      EXPECT_LT(gap_at_zero(model), 1e-14);
    }
  }
}

// As programs write these files: limits without positions, which are 0 by the rule of URDF.
TEST_F(UrdfCompanion, JointsThatCouldNotMoveAreFreed) {
  std::string text = tree();
  text.replace(text.find("<joint name='A' type='continuous'>"), 34,
               "<joint name='A' type='revolute'><limit effort='1' velocity='20'/>");
  const std::string urdf = write("bars.urdf", text);
  EXPECT_EQ(read_robot(urdf).robot.joints[1].degrees[0].upper, 0);
  write("bars.yaml", "closed_loop: [[pin1, pin2]]\n");
  const ReadResult read = read_robot(urdf);
  EXPECT_EQ(read.robot.joints[1].degrees[0].upper, DegreeData::unlimited);
  EXPECT_EQ(read.robot.joints[1].degrees[0].effort_limit, 1);
  ASSERT_EQ(read.report.changed.size(), 1u);
  EXPECT_THAT(read.report.changed[0].text(), HasSubstr("joint 'A': <limit> leaves the single"));
}

TEST_F(UrdfCompanion, MistakesAreNamed) {
  const std::string yaml = write("bars.yaml", "closed_loop: [['pin1', 'pin3']]\ntype: ['6d']\n");
  EXPECT_THAT(file_complaint(yaml), HasSubstr("without the URDF"));
  const std::string urdf = write("bars.urdf", tree());
  EXPECT_THAT(file_complaint(urdf),
              AllOf(HasSubstr("bars.yaml:1:"), HasSubstr("there is no frame 'pin3'"),
                    HasSubstr("did you mean 'pin")));
  write("bars.yaml", "closed_loop: [['pin1', 'pin2']]\ntype: ['5d']\n");
  EXPECT_THAT(file_complaint(urdf), HasSubstr("'3d' or '6d'"));
  write("bars.yaml", "closed_loop: [['pin1', 'pin2']]\ntype: ['6d', '6d']\n");
  EXPECT_THAT(file_complaint(urdf), HasSubstr("one for each pair"));
  write("bars.yaml", "closed_loop: [['pin1']]\n");
  EXPECT_THAT(file_complaint(urdf), HasSubstr("a pair of frames"));
  write("bars.yaml", "parts: [nothing]\n");  // any other file of that name is left alone
  EXPECT_TRUE(Model(read_robot(urdf).robot).loops().empty());
}

}  // namespace
}  // namespace ulna
