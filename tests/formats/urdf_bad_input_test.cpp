// A URDF that is not a tree of known links, or not a URDF, is refused with its place.

#include <chrono>

#include "reading.hpp"

namespace ulna {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string fixed_joint(const std::string& name, const std::string& parent,
                        const std::string& child) {
  return "<joint name=\"" + name + "\" type=\"fixed\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/></joint>\n";
}

std::string links(const std::string& letters) {
  std::string out;
  for (const char c : letters) out += std::string("<link name=\"") + c + "\"/>\n";
  return out;
}

std::string robot(const std::string& content) {
  return "<robot name=\"r\">\n" + content + "</robot>\n";
}

std::string joint_with(const std::string& type, const std::string& content) {
  return robot(links("ab") + "<joint name=\"j\" type=\"" + type +
               "\"><parent link=\"a\"/><child link=\"b\"/>" + content + "</joint>\n");
}

TEST(UrdfMistakes, ACycleIsNamed) {
  EXPECT_THAT(urdf_complaint(robot(links("abcd") + fixed_joint("j", "a", "b") +
                                   fixed_joint("k", "c", "d") + fixed_joint("l", "d", "c"))),
              AllOf(HasSubstr("the links form a cycle: c -> d -> c"), HasSubstr("robot.urdf:")));
  EXPECT_THAT(urdf_complaint(robot(links("a") + fixed_joint("j", "a", "a"))),
              HasSubstr("cycle: a -> a"));
}

TEST(UrdfMistakes, NoRootIsNamed) {
  EXPECT_THAT(
      urdf_complaint(robot(links("ab") + fixed_joint("j", "a", "b") + fixed_joint("k", "b", "a"))),
      HasSubstr("no root: every link is the child of a joint"));
}

TEST(UrdfMistakes, TwoRootsAreNamed) {
  EXPECT_THAT(urdf_complaint(robot(links("abc") + fixed_joint("j", "a", "b"))),
              HasSubstr("link 'c': a second root in addition to 'a'"));
}

TEST(UrdfMistakes, AnUnknownLinkIsNamed) {
  EXPECT_THAT(urdf_complaint(
                  robot("<link name=\"lower_arm\"/>" + fixed_joint("j", "lower_arm", "lower_amr"))),
              AllOf(HasSubstr("its child 'lower_amr' is not a link"),
                    HasSubstr("did you mean 'lower_arm'?")));
}

TEST(UrdfMistakes, AnUnknownJointTypeGetsTheNearestOne) {
  EXPECT_THAT(urdf_complaint(joint_with("continous", "")),
              AllOf(HasSubstr("joint 'j': unknown joint type 'continous'"),
                    HasSubstr("did you mean 'continuous'?")));
}

TEST(UrdfMistakes, DuplicateNamesAreRefused) {
  EXPECT_THAT(urdf_complaint(robot(links("aa"))), HasSubstr("taken by the link on line 2"));
  EXPECT_THAT(
      urdf_complaint(robot(links("abc") + fixed_joint("j", "a", "b") + fixed_joint("j", "b", "c"))),
      HasSubstr("taken by the joint on line 5"));
}

TEST(UrdfMistakes, TheWorldCannotHangOnAJoint) {
  EXPECT_THAT(urdf_complaint(robot("<link name=\"a\"/><link name=\"world\"/>" +
                                   fixed_joint("j", "a", "world"))),
              HasSubstr("'world' cannot be a child"));
}

TEST(UrdfMistakes, NumbersMustBeFiniteAndComplete) {
  EXPECT_THAT(urdf_complaint(joint_with("revolute", "<axis xyz=\"nan 0 0\"/>")),
              HasSubstr("'nan' is not a finite number"));
  EXPECT_THAT(urdf_complaint(joint_with("revolute", "<axis xyz=\"1 inf 0\"/>")),
              HasSubstr("'inf' is not a finite number"));
  EXPECT_THAT(urdf_complaint(joint_with("revolute", "<axis xyz=\"\"/>")),
              HasSubstr("xyz of <axis> holds 0 numbers; expected 3 numbers"));
  EXPECT_THAT(urdf_complaint(joint_with("revolute", "<axis xyz=\"1 0\"/>")),
              HasSubstr("holds 2 numbers"));
  EXPECT_THAT(urdf_complaint(joint_with("revolute", "<limit lower=\"1,5\"/>")),
              HasSubstr("'1,5' is not a number"));
  EXPECT_THAT(urdf_complaint(robot("<link name=\"a\"><inertial><mass/></inertial></link>")),
              AllOf(HasSubstr("<mass> has no value"), HasSubstr("<inertial> has no <inertia>")));
}

TEST(UrdfMistakes, RepeatedElementsAndAttributesAreRefused) {
  EXPECT_THAT(urdf_complaint(joint_with("revolute", "<axis xyz=\"1 0 0\"/><axis xyz=\"0 1 0\"/>")),
              HasSubstr("<axis> is given twice"));
  EXPECT_THAT(urdf_complaint(joint_with("revolute", "<axis xyz=\"1 0 0\" xyz=\"0 1 0\"/>")),
              HasSubstr("'xyz' twice"));
}

TEST(UrdfMistakes, TruncatedXmlNamesWhatIsOpen) {
  EXPECT_THAT(urdf_complaint("<robot name=\"r\">\n<link name=\"a\">\n"),
              HasSubstr("the file ends inside <link>, which began on line 2"));
  EXPECT_THAT(urdf_complaint("<robot name=\"r\">\n<link na"), HasSubstr("not closed by '>'"));
  EXPECT_THAT(urdf_complaint("<robot name=\"r\"><!-- "), HasSubstr("this comment is not closed"));
  EXPECT_THAT(urdf_complaint("<robot name=\"r\">\n<link></robot>"),
              HasSubstr("</robot> stands where </link> is due, for the tag on line 2"));
}

TEST(UrdfMistakes, OtherXmlIsRefused) {
  EXPECT_THAT(urdf_complaint("<html><body/></html>"), HasSubstr("the outermost element is <html>"));
  EXPECT_THAT(urdf_complaint("<sdf version=\"1.6\"/>"), HasSubstr("an SDF file"));
  EXPECT_THAT(urdf_complaint("<mujoco/>"), HasSubstr("a MuJoCo file"));
  EXPECT_THAT(urdf_complaint("<?xml version=\"1.0\"?>"), HasSubstr("no XML element"));
  EXPECT_THAT(urdf_complaint(robot("")), HasSubstr("there is no <link>"));
  EXPECT_THAT(urdf_complaint("<robot><link name=\"a\"/></robot>"),
              HasSubstr("<robot> has no name"));
}

TEST(UrdfMistakes, XacroIsExplained) {
  EXPECT_THAT(urdf_complaint(robot("<xacro:include filename=\"x\"/>" + links("a"))),
              AllOf(HasSubstr("robot.urdf:2:1"), HasSubstr("xacro robot.urdf.xacro > robot.urdf")));
  EXPECT_THAT(complaint([] { read_urdf_text(robot(links("a")), "arm.urdf.xacro"); }),
              HasSubstr("xacro file"));
}

TEST(UrdfMistakes, DocumentTypesAndTheirEntitiesAreRefused) {
  EXPECT_THAT(urdf_complaint("<!DOCTYPE robot [<!ENTITY a \"aaaa\">]>\n" + robot(links("a"))),
              HasSubstr("document types"));
}

TEST(UrdfMistakes, DeepNestingIsRefused) {
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  EXPECT_THAT(urdf_complaint(deep), HasSubstr("nested deeper than 100"));
}

TEST(UrdfMistakes, TooManyElementsAreRefused) {
  std::string many;
  for (int i = 0; i < 1'000'000; ++i) many += "<a/>";
  EXPECT_THAT(urdf_complaint(robot(many)), HasSubstr("too many elements"));
}

// The nearest name is searched for only where it will be shown.
TEST(UrdfMistakes, ManyUnknownLinksAreRefusedQuickly) {
  std::string content;
  for (int i = 0; i < 10'000; ++i) {
    const std::string number = std::to_string(i);
    content += "<link name=\"link" + number + "\"/>\n" +
               fixed_joint("j" + number, "lonk" + number, "lank" + number);
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(urdf_complaint(robot(content)), HasSubstr("did you mean 'link0'?"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace ulna
