// How the command line takes words: vectors, units, limits, mistakes, help; where its output goes.

#include <gmock/gmock.h>

#include <numbers>

#include "run_cli.hpp"
#include "support/places.hpp"

namespace ulna::test {
namespace {

using std::numbers::pi;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Usage : public ::testing::Test {
 protected:
  /// Refused with status 2, nothing on standard output and these parts on standard error.
  void expect_refusal(const std::vector<std::string>& words,
                      const std::vector<std::string>& parts) {
    const Outcome outcome = run_cli(words);
    EXPECT_EQ(outcome.status, 2) << ::testing::PrintToString(words);
    EXPECT_THAT(outcome.out, IsEmpty());
    for (const std::string& part : parts) EXPECT_THAT(outcome.err, HasSubstr(part));
  }

  TemporaryFolder folder;
  std::string arm = folder.write("planar.yaml", planar_arm);
};

TEST_F(Usage, AVectorOfTheWrongLengthNamesTheJoints) {
  expect_refusal({"fk", arm, "--q", "1"},
                 {"--q", "1 number found", "expected 2", "shoulder, elbow"});
  expect_refusal({"fk", arm, "--q", "1,2,3"}, {"--q", "3 numbers found", "expected 2"});
  expect_refusal({"fk", arm, "--q", ""}, {"--q", "0 numbers found"});
  expect_refusal({"inverse", arm, "--v", "1,2,3"}, {"--v", "shoulder, elbow"});
  expect_refusal({"inverse", arm, "--a", "1"}, {"--a", "shoulder, elbow"});
  expect_refusal({"forward", arm, "--tau", "1"}, {"--tau", "shoulder, elbow"});
  expect_refusal({"ik", arm, "--position", "1,2"}, {"--position", "expected 3", "x, y, z"});
  expect_refusal({"ik", arm, "--position", "1,2,3", "--rotation", "1,0,0"}, {"--rotation", "4"});
  expect_refusal({"ik", arm, "--position", "1,2,3", "--twist", "1,0,0"}, {"--twist", "6"});
  expect_refusal({"fk", arm, "--gravity", "9.81"}, {"--gravity", "expected 3"});
}

TEST_F(Usage, NumbersMustBeFiniteNumbers) {
  for (const char* word : {"nan", "inf", "-inf", "1e999", "one", "", "0x10", "1 2", "1;2"})
    expect_refusal({"fk", arm, "--q", std::string("0,") + word}, {"--q", "entry 2 (elbow)"});
  expect_refusal({"ik", arm, "--position", "nan,0,0"}, {"--position", "(x)", "nan"});
  expect_refusal({"ik", arm, "--position", "1,0,0", "--tolerance", "nan"}, {"--tolerance"});
  expect_refusal({"ik", arm, "--position", "1,0,0", "--tolerance", "0"}, {"--tolerance"});
  expect_refusal({"ik", arm, "--position", "1,0,0", "--restarts", "-1"}, {"--restarts"});
  expect_refusal({"ik", arm, "--position", "1,0,0", "--rotation", "0,0,0,0"}, {"--rotation"});
}

TEST_F(Usage, NegativeNumbersUnitsAndBlanksAreUnderstood) {
  const Json expected = run_json({"mass", arm, "--q=-0.5,1.5707963267948966"});
  for (const char* q : {"-0.5,90deg", "-.5, 90 deg", "-5e-1,+1.5707963267948966", "-0.5rad,90deg"})
    EXPECT_EQ(run_json({"mass", arm, "--q", q}), expected) << q;
  EXPECT_EQ(run_json({"mass", "--q", "-0.5,90deg", arm}), expected);  // the robot may come last
}

TEST_F(Usage, AUnitMustFitTheJoint) {
  expect_refusal({"fk", arm, "--q", "25mm,0"}, {"entry 1 (shoulder)", "an angle, such as"});
  const std::string slide = folder.write("slide.yaml", R"(
ulna: 1
name: slide
bodies:
  - {name: cart, mass: 1}
joints:
  - {name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: cart}
)");
  expect_json(run_json({"fk", slide, "--q", "25mm"})["frames"]["cart"]["position"], {0.025, 0, 0},
              1e-17);
  expect_refusal({"fk", slide, "--q", "90deg"}, {"entry 1 (rail)", "a length, such as"});
}

TEST_F(Usage, OutsideTheLimitsIsAWarning) {
  const Outcome outcome = run_cli({"fk", arm, "--q", "0,-3", "--json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("warning: joint 'elbow'"));
  EXPECT_THAT(outcome.err, HasSubstr("-3 is below the lower limit -2.5"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("shoulder")));
  EXPECT_TRUE(Json::parse(outcome.out).contains("frames"));
  EXPECT_THAT(run_cli({"fk", arm, "--q", "170deg,2.5"}).err, IsEmpty());  // at the limits
  const Outcome fast = run_cli({"inverse", arm, "--v", "0,-4"});
  EXPECT_EQ(fast.status, 0);
  EXPECT_THAT(fast.err, HasSubstr("'elbow': speed -4 exceeds its limit 3"));
}

TEST_F(Usage, QuaternionsAreMadeUnitWithAWarning) {
  const std::string ball = folder.write("ball.yaml", R"(
ulna: 1
name: ball
bodies:
  - {name: top, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: socket, type: spherical, parent: world, child: top}
)");
  const Outcome outcome = run_cli({"fk", ball, "--q", "2,0,0,2", "--json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("warning: --q: a quaternion"));
  expect_json(Json::parse(outcome.out)["frames"]["top"]["rotation"],
              Json::parse("[[0, -1, 0], [1, 0, 0], [0, 0, 1]]"), 1e-15);
  EXPECT_THAT(run_cli({"fk", ball, "--q", "0.6,0,0,0.8"}).err, IsEmpty());
  expect_refusal({"fk", ball, "--q", "0,0,0,0"}, {"socket", "quaternion"});
  expect_refusal({"fk", ball, "--q", "0,0,0"}, {"expected 4"});
}

TEST_F(Usage, AnOverflowIsAFailedComputationAndNeverNaN) {
  const Outcome outcome = run_cli({"inverse", arm, "--v", "1e200,1e200", "--json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("not finite"));
}

TEST_F(Usage, AnUnknownWordSuggestsTheNearest) {
  expect_refusal({"forwards", arm}, {"no command 'forwards'", "did you mean 'forward'?"});
  expect_refusal({"xyzzy"}, {"no command 'xyzzy'", "jacobian"});
  expect_refusal({"fk", arm, "--jsn"}, {"ulna fk", "'--jsn'", "did you mean '--json'?"});
  expect_refusal({"fk", arm, "--frame", "tol"}, {"'tol'", "did you mean 'tool'?"});
  expect_refusal({"inverse", arm, "--wrench", "lowr:1,2,3"}, {"'lowr'", "did you mean 'lower'?"});
  expect_refusal({"--nonsense"}, {"--nonsense"});
}

TEST_F(Usage, WhatIsMissingOrTooMuchIsSaid) {
  expect_refusal({"fk"}, {"ROBOT is required"});
  expect_refusal({"fk", arm, "--q"}, {"--q"});
  expect_refusal({"fk", arm, "--q", "1", "2"}, {"'2'", "separated by commas"});
  expect_refusal({"fk", arm, "--q", "0,0", "--q", "1,1"}, {"--q"});
  expect_refusal({"fk", arm, arm}, {arm});
  expect_refusal({"ik", arm}, {"--position is required"});
  expect_refusal({"jacobian", arm, "--dot"}, {"--v"});
  expect_refusal({"inverse", arm, "--wrench", "1,2,3"}, {"--wrench", "BODY:FX,FY,FZ"});
  expect_refusal({"inverse", arm, "--wrench", "lower:1,2"}, {"--wrench", "expected 3"});
}

TEST_F(Usage, EveryCommandHasHelpWithExamples) {
  for (const char* command : {"info", "check", "fk", "jacobian", "ik", "inverse", "forward", "mass",
                              "energy", "matrices", "regressor", "base-parameters", "motion",
                              "verify", "robots", "convert", "modes", "condense", "completion"}) {
    const Outcome help = run_cli({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.err, IsEmpty());
    EXPECT_THAT(help.out, HasSubstr(std::string("ulna ") + command));
    EXPECT_THAT(help.out, HasSubstr("Examples:"));
    EXPECT_EQ(run_cli({"help", command}).out, help.out);
  }
  EXPECT_THAT(run_cli({"--help"}).out, HasSubstr("jacobian"));
}

TEST_F(Usage, TheProgramAloneListsTheCommandsInGroups) {
  const Outcome outcome = run_cli({});
  EXPECT_EQ(outcome.status, 0);
  for (const char* group : {"Robot files:", "Kinematics:", "Dynamics:", "Simulation and control:",
                            "Elastic structures:"})
    EXPECT_THAT(outcome.out, HasSubstr(group));
  EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr("Subcommands")));  // every command has a group
}

TEST_F(Usage, VersionNamesTheInstructionSet) {
  setenv("ULNA_INSTRUCTION_SET", "baseline", 1);
  const Outcome outcome = run_cli({"--version"});
  unsetenv("ULNA_INSTRUCTION_SET");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, ::testing::StartsWith("ulna "));
  EXPECT_THAT(outcome.out, HasSubstr("instruction set: baseline"));
}

TEST_F(Usage, TablesAreForPeopleAndWithoutColourInAFile) {
  const Outcome outcome = run_cli({"fk", arm, "--q", "0,90deg"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("tool   1.000000  0.500000  0.000000"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\033")));
  for (const char* command : {"info", "check", "jacobian", "inverse", "forward", "mass", "energy",
                              "regressor", "base-parameters"})
    EXPECT_EQ(run_cli({command, arm}).status, 0) << command;
  EXPECT_THAT(run_cli({"mass", arm, "--terms"}).out, HasSubstr("Coriolis"));
  EXPECT_THAT(run_cli({"ik", arm, "--position", "1,0.5,0"}).out, HasSubstr("1 solution"));
}

TEST_F(Usage, ControlCharactersOfAFileDoNotReachTheTerminal) {
  const std::string evil = folder.write(
      "evil.yaml",
      "ulna: 1\nname: \"a\\e[31m\"\nbodies:\n  - {name: \"b\\a\", mass: -1}\njoints: []\n");
  EXPECT_THAT(run_cli({"info", evil}).err, Not(::testing::ContainsRegex("[\033\007]")));
}

TEST_F(Usage, AFullDiskIsAFailureAndAReaderThatLeavesIsNot) {
  if (std::filesystem::exists("/dev/full")) {
    const Outcome full = run_cli({"info", arm}, "/dev/full");
    EXPECT_EQ(full.status, 1);
    EXPECT_THAT(full.err, HasSubstr("standard output"));
  }
  const std::string pipeline = "{ '" + testing::ulna_program() + "' info '" + arm +
                               "'; echo $? >'" + folder.path("status") + "'; } 2>'" +
                               folder.path("err") + "' | true";
  EXPECT_EQ(std::system(pipeline.c_str()), 0);
  EXPECT_EQ(content_of(folder.path("status")), "0\n");
  EXPECT_THAT(content_of(folder.path("err")), IsEmpty());
}

TEST_F(Usage, FullPrecisionInJson) {
  const Json result = run_json({"fk", arm, "--q", "0.1,0.2", "--frame", "tool"});
  const double x = result["frames"]["tool"]["position"][0];
  EXPECT_NEAR(x, std::cos(0.1) + 0.5 * std::cos(0.3), 4e-16);
  const Json limits = run_json({"info", arm})["limits"];
  EXPECT_EQ(limits["upper"][0].get<double>(), 170 * pi / 180);
}

}  // namespace
}  // namespace ulna::test
