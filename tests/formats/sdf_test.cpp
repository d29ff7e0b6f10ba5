// SDF by libsdformat: poses relative to frames, loops, nested models, threads, what floats. Without
// the library a sentence says so.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "reading.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/model/model.hpp"

namespace ulna {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

Robot sdf(const std::string& text) { return read_sdf_text(text, "robot.sdf").robot; }
std::string sdf_complaint(const std::string& text) {
  return problems_of([&] { read_sdf_text(text, "robot.sdf"); });
}
std::string sdf_model(const std::string& content) {
  return "<sdf version='1.9'>\n<model name='m'>\n" + content + "</model>\n</sdf>\n";
}
std::string sdf_link(const std::string& name,
                     const std::string& pose = "<pose>0 0 0 0 0 0</pose>") {
  return "<link name='" + name + "'>" + pose +
         "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
         "</inertial></link>\n";
}
std::string sdf_hinge(const std::string& name, const std::string& parent, const std::string& child,
                      const std::string& more = {}) {
  return "<joint name='" + name + "' type='revolute'><parent>" + parent + "</parent><child>" +
         child + "</child><axis><xyz>0 0 1</xyz></axis>" + more + "</joint>\n";
}

class Sdf : public ::testing::Test {
 protected:
  void SetUp() override {
    if (sdf_complaint(sdf_model(sdf_link("l"))).find("without libsdformat") != std::string::npos)
      GTEST_SKIP() << "built without libsdformat";
  }
};

TEST_F(Sdf, PosesAreRelativeToFrames) {
  const Robot robot = sdf(sdf_model(
      sdf_link("a", "<pose>1 0 0 0 0 1.5707963267948966</pose>") +
      "<frame name='f' attached_to='a'><pose>0 1 0 0 0 0</pose></frame>\n" +
      sdf_link("b", "<pose relative_to='f'>0 0 2 0 0 0</pose>") + sdf_hinge("j1", "world", "a") +
      sdf_hinge("j2", "a", "b", "<pose relative_to='a'>0 0.5 0 0 0 0</pose>")));
  ASSERT_EQ(robot.bodies.size(), 2u);
  const JointData& j2 = robot.joints[1];
  EXPECT_EQ(j2.name, "j2");
  EXPECT_LT((j2.X_PF.position - Vector3<double>(0, 0.5, 0)).norm(), 1e-15);
  EXPECT_LT(((j2.X_PF * j2.X_MC).position - Vector3<double>(0, 1, 2)).norm(), 1e-15);
  EXPECT_EQ(robot.frames[0].body, "a");
  EXPECT_LT((robot.frames[0].X_BF.position - Vector3<double>(0, 1, 0)).norm(), 1e-15);
  EXPECT_EQ(Model(robot).speeds(), 2);
}

// theta_2 = -ratio theta_1, each counted from the reference body about its own axis.
TEST_F(Sdf, GearboxesCoupleTwoHinges) {
  const auto gear = [](const std::string& second_axis, const std::string& reference) {
    return "<joint name='gear' type='gearbox'><parent>a</parent><child>b</child>"
           "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>" +
           reference + "</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis><axis2><xyz>" +
           second_axis + "</xyz></axis2></joint>\n";
  };
  const std::string links =
      sdf_link("base") + sdf_link("a", "<pose>1 0 0 0 0 0</pose>") +
      sdf_link("b", "<pose>2 0 0 0 0 0</pose>") +
      "<joint name='f' type='fixed'><parent>world</parent><child>base</child></joint>\n" +
      sdf_hinge("j1", "base", "a") + sdf_hinge("j2", "base", "b");
  for (const auto& [axis, sign] : {std::pair{"0 0 1", 1.0}, std::pair{"0 0 -1", -1.0}}) {
    const Robot robot = sdf(sdf_model(links + gear(axis, "base")));
    ASSERT_EQ(robot.constraints.size(), 1u);
    const ConstraintData& c = robot.constraints[0];
    EXPECT_EQ(c.type, ConstraintData::Type::coupling);
    EXPECT_EQ(c.terms[0].joint, "j2");
    EXPECT_EQ(c.terms[0].factor, sign);
    EXPECT_EQ(c.terms[1].joint, "j1");
    EXPECT_EQ(c.terms[1].factor, 3);
    EXPECT_EQ(Model(robot).loops().size(), 1u);
  }
  EXPECT_THAT(sdf_complaint(sdf_model(links + gear("0 1 0", "base"))), HasSubstr("no hinges"));
  EXPECT_THAT(sdf_complaint(sdf_model(links + gear("0 0 1", "a"))), HasSubstr("no hinges"));
}

TEST_F(Sdf, SeveralParentsCloseLoops) {
  const Model model(sdf(
      sdf_model(sdf_link("crank") + sdf_link("coupler", "<pose>0 1 0 0 0 0</pose>") +
                sdf_link("rocker", "<pose>1 0 0 0 0 0</pose>") + sdf_hinge("A", "world", "crank") +
                sdf_hinge("B", "crank", "coupler") + sdf_hinge("D", "world", "rocker") +
                sdf_hinge("C", "coupler", "rocker", "<pose>0 1 0 0 0 0</pose>"))));
  ASSERT_EQ(model.loops().size(), 1u);
  EXPECT_EQ(model.loops()[0].joint, "C");
  LoopClosure closure(model);
  Workspace work(model);
  closure.update(work, model.neutral());
  EXPECT_LT(closure.residual().norm(), 1e-14);
}

TEST_F(Sdf, DynamicsLimitsAndThreads) {
  const Robot robot =
      sdf(sdf_model(sdf_link("a") +
                    "<joint name='s' type='screw'><parent>world</parent><child>a</child>"
                    "<thread_pitch>-4</thread_pitch><axis><xyz>0 0 1</xyz><limit><lower>-1</lower>"
                    "<upper>2</upper><effort>3</effort><velocity>4</velocity></limit><dynamics>"
                    "<damping>0.1</damping><friction>0.2</friction><spring_stiffness>5"
                    "</spring_stiffness><spring_reference>0.3</spring_reference></dynamics></axis>"
                    "</joint>"));
  const JointData& s = robot.joints[0];
  EXPECT_EQ(s.type, JointType::screw);
  EXPECT_EQ(s.pitch, 0.25);
  const DegreeData& d = s.degrees[0];
  EXPECT_EQ((std::vector{d.lower, d.upper, d.effort_limit, d.velocity_limit}),
            (std::vector{-1.0, 2.0, 3.0, 4.0}));
  EXPECT_EQ((std::vector{d.damping, d.friction, d.stiffness, d.rest}),
            (std::vector{0.1, 0.2, 5.0, 0.3}));
}

TEST_F(Sdf, EveryTypeOfJointIsRead) {
  const std::string x = "<axis><xyz>1 0 0</xyz></axis>", y = "<axis2><xyz>0 1 0</xyz></axis2>";
  const struct {
    const char* type;
    std::string more;
    JointType expected;
  } cases[] = {{"revolute", x, JointType::revolute},
               {"continuous", x, JointType::revolute},
               {"prismatic", x, JointType::prismatic},
               {"ball", "", JointType::spherical},
               {"universal", x + y, JointType::universal},
               {"revolute2", x + y, JointType::universal},
               {"screw", x + "<thread_pitch>3</thread_pitch>", JointType::screw},
               {"fixed", "", JointType::fixed}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.type);
    const Robot robot =
        sdf(sdf_model(sdf_link("a") + "<joint name='j' type='" + one.type +
                      "'><parent>world</parent><child>a</child>" + one.more + "</joint>"));
    const JointData& joint = robot.joints.at(0);
    EXPECT_EQ(joint.type, one.expected);
    EXPECT_TRUE(one.more.empty() || joint.axis == Vector3<double>::UnitX());
    EXPECT_TRUE(joint.type != JointType::universal || joint.axis2 == Vector3<double>::UnitY());
    EXPECT_EQ(Model(robot).speeds(), size_of(one.expected).speeds);
  }
}

TEST_F(Sdf, NestedModelsHaveScopedNames) {
  const Robot robot = sdf(sdf_model(
      sdf_link("base") + "<model name='hand'><pose>0 0 1 0 0 0</pose>" + sdf_link("palm") +
      "</model>\n<joint name='w' type='fixed'><parent>world</parent><child>base</child></joint>" +
      sdf_hinge("wrist", "base", "hand::palm")));
  EXPECT_EQ(robot.bodies[1].name, "hand::palm");
  EXPECT_GT(robot.bodies[1].mark.line, 0);
  EXPECT_LT((robot.joints.back().X_PF.position - Vector3<double>(0, 0, 1)).norm(), 1e-15);
  EXPECT_EQ(Model(robot).speeds(), 1);
}

TEST_F(Sdf, WhatNothingHoldsFloatsAndStaticModelsStand) {
  EXPECT_EQ(
      Model(sdf(sdf_model(sdf_link("a") + sdf_link("b") + sdf_hinge("j", "a", "b")))).speeds(), 7);
  EXPECT_EQ(Model(sdf(sdf_model("<static>true</static>" + sdf_link("a")))).speeds(), 0);
}

/// What has no counterpart here and would change the motion, at every depth of the file.
TEST_F(Sdf, NothingIsDroppedInSilence) {
  const auto notes = [](const std::string& text) {
    std::string all;
    for (const ImportNote& note : read_sdf_text(text, "robot.sdf").report.ignored)
      all += note.text() + "\n";
    return all;
  };
  const std::string all = notes(sdf_model(
      "<link name='a'><gravity>false</gravity><kinematic>true</kinematic><enable_wind>true"
      "</enable_wind><velocity_decay><angular>0.1</angular></velocity_decay><inertial><mass>1</"
      "mass>"
      "<fluid_added_mass/></inertial></link>" +
      sdf_link("b") +
      "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>"
      "<initial_position>1</initial_position><dynamics><dampnig>1</dampnig></dynamics></axis>"
      "</joint>"));
  for (const char* part : {"<gravity> ignored", "<kinematic> ignored", "<enable_wind> ignored",
                           "<velocity_decay> angular", "<fluid_added_mass>", "<initial_position>",
                           "did you mean 'damping'?"})
    EXPECT_THAT(all, HasSubstr(part));
  EXPECT_EQ(notes(sdf_model("<link name='a'><gravity>true</gravity></link>")), "");
  const auto world = [](const std::string& name) {
    return "<world name='" + name + "'><model name='m'>" + sdf_link(name + "_link") +
           "</model></world>";
  };
  EXPECT_THAT(notes("<sdf version='1.9'>" + world("one") + world("two") + "</sdf>"),
              HasSubstr("world 'two': ignored"));
  EXPECT_THAT(sdf_complaint(sdf_model("<link name='a'><inertial auto='true'/></link>")),
              HasSubstr("mass and inertia as numbers"));
}

/// q = multiplier (q_leader - reference) + offset
TEST_F(Sdf, MimicJointsFollow) {
  const Robot robot = sdf(sdf_model(
      sdf_link("a") + sdf_link("b") + sdf_hinge("j", "world", "a") +
      "<joint name='k' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>"
      "<mimic joint='j'><multiplier>2</multiplier><offset>0.5</offset><reference>0.25</reference>"
      "</mimic></axis></joint>"));
  const std::optional<Mimic>& mimic = robot.joints.at(1).mimic;
  ASSERT_TRUE(mimic.has_value());
  EXPECT_EQ(mimic->joint, "j");
  EXPECT_EQ(mimic->multiplier, 2);
  EXPECT_EQ(mimic->offset, 0);
  EXPECT_EQ(Model(robot).speeds(), 1);
}

/// A screw, two wheels and the gear between them.
std::string sdf_hand(const std::string& name, double pitch, double ratio) {
  return "<model name='" + name + "'>" + sdf_link("palm") + sdf_link("nut") + sdf_link("g1") +
         sdf_link("g2", "<pose>1 0 0 0 0 0</pose>") +
         "<joint name='lead' type='screw'><parent>palm</parent><child>nut</child>"
         "<screw_thread_pitch>" +
         std::to_string(pitch) + "</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis></joint>\n" +
         sdf_hinge("h1", "palm", "g1") + sdf_hinge("h2", "palm", "g2") +
         "<joint name='gear' type='gearbox'><parent>g1</parent><child>g2</child><gearbox_ratio>" +
         std::to_string(ratio) +
         "</gearbox_ratio><gearbox_reference_body>palm</gearbox_reference_body>"
         "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>\n</model>\n";
}

void expect_hand(const Robot& robot, const std::string& prefix, double pitch, double ratio) {
  SCOPED_TRACE(prefix);
  bool lead = false, gear = false;
  for (const JointData& joint : robot.joints)
    if (joint.name == prefix + "lead") {
      lead = true;
      EXPECT_NEAR(joint.pitch * 6.283185307179586, pitch, 1e-15);
    }
  for (const ConstraintData& constraint : robot.constraints)
    if (constraint.name == prefix + "gear") {
      gear = true;
      EXPECT_EQ(constraint.terms[1].factor, ratio);
      EXPECT_EQ(constraint.terms[1].joint, prefix + "h1");
    }
  EXPECT_TRUE(lead && gear);
}

TEST_F(Sdf, JointsOfTwoModelsMayHaveOneName) {
  const Robot robot = sdf(sdf_model(sdf_hand("left", 0.25, 2) + sdf_hand("right", 0.5, -5)));
  expect_hand(robot, "left::", 0.25, 2);
  expect_hand(robot, "right::", 0.5, -5);
  EXPECT_LT(robot.bodies.at(0).mark.line, robot.bodies.at(4).mark.line);
}

TEST_F(Sdf, NumbersOfNewerVersionsAreChecked) {
  std::string text = sdf_model(sdf_hand("left", 0.25, 2));
  text.replace(text.find("0.250000"), 8, "one");
  EXPECT_THAT(sdf_complaint(text), HasSubstr("<screw_thread_pitch> is 'one'"));
}

/// A static model holds the models inside of it.
TEST_F(Sdf, StaticModelsHoldTheirModels) {
  const std::string nested = "<model name='n'>" + sdf_link("b") + "</model>";
  EXPECT_EQ(Model(sdf(sdf_model("<static>true</static>" + sdf_link("a") + nested))).speeds(), 0);
}

/// <include> finds models beside the file and above it.
TEST_F(Sdf, IncludedModelsAreFoundBesideTheFile) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::temp_directory_path() / ("ulna_sdf_include_" + std::to_string(getpid()));
  fs::create_directories(folder / "hand");
  fs::create_directories(folder / "arm");
  std::ofstream(folder / "hand/model.config")
      << "<?xml version='1.0'?><model><name>hand</name><sdf version='1.9'>model.sdf</sdf></model>";
  std::ofstream(folder / "hand/model.sdf")
      << "<sdf version='1.9'>"
      << sdf_hand("hand", 0.25, 3)
             .insert(sdf_hand("hand", 0.25, 3).find("<pose>"), "<gravity>false</gravity>")
      << "</sdf>";
  const auto arm = [&](const std::string& uri) {
    return sdf_model(sdf_link("base") + "<include><uri>" + uri +
                     "</uri><name>left</name></include>" + sdf_hinge("w", "base", "left::palm"));
  };
  std::ofstream(folder / "one.sdf") << arm("model://hand");
  std::ofstream(folder / "two.sdf") << arm("hand");
  std::ofstream(folder / "arm/three.sdf") << arm("model://hand");
  for (const char* name : {"one.sdf", "two.sdf", "arm/three.sdf"}) {
    SCOPED_TRACE(name);
    const ReadResult read = read_robot((folder / name).string());
    EXPECT_EQ(read.robot.bodies.at(1).name, "left::palm");
    EXPECT_EQ(fs::path(read.robot.bodies[1].mark.file).filename(), "model.sdf");
    expect_hand(read.robot, "left::", 0.25, 3);
    ASSERT_EQ(read.report.ignored.size(), 1u);
    EXPECT_THAT(read.report.ignored[0].text(),
                AllOf(HasSubstr("hand/model.sdf, link 'palm'"), HasSubstr("<gravity> ignored")));
  }
  std::ofstream(folder / "four.sdf") << arm("model://foot");
  EXPECT_THAT(file_complaint((folder / "four.sdf").string()), HasSubstr("foot"));
  fs::remove_all(folder);
}

TEST_F(Sdf, MistakesAndWhatIsIgnoredAreNamed) {
  EXPECT_THAT(sdf_complaint(sdf_model(sdf_link("a") + sdf_hinge("j", "a", "gone"))),
              HasSubstr("gone"));
  EXPECT_THAT(sdf_complaint("<sdf version='1.9'></sdf>"), HasSubstr("there is no link"));
  EXPECT_THAT(sdf_complaint("<sdf version='1.9'><model></sdf>"), HasSubstr("robot.sdf:1"));
  std::vector<std::string> ignored;
  for (const ImportNote& note :
       read_sdf_text(sdf_model(sdf_link("a") + "<plugin name='p' filename='f'/>"), "robot.sdf")
           .report.ignored)
    ignored.push_back(note.text());
  EXPECT_THAT(ignored, Contains(HasSubstr("<plugin> ignored")));
}

}  // namespace
}  // namespace ulna
