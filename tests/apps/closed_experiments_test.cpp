// Commands and experiments of robots with loops: paths, motions that cannot be followed, linear
// systems, rigid structures.

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

void refused(const std::vector<std::string>& words, int status, const char* text) {
  const Outcome outcome = run_cli(words);
  EXPECT_EQ(outcome.status, status) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr(text));
}

/// Time and the first three channels, to 1e-8.
std::vector<double> last_record(const std::string& run) {
  std::ifstream in(run + "/run.csv");
  std::string text, last;
  while (std::getline(in, text)) last = text;
  std::vector<double> values(4, NAN);
  std::sscanf(last.c_str(), "%lf,%lf,%lf,%lf", &values[0], &values[1], &values[2], &values[3]);
  for (double& x : values) x = std::round(x * 1e8) / 1e8 + 0.0;
  return values;
}

constexpr const char* truss = R"(
ulna: 1
name: truss
bodies:
  - {name: left, mass: 1, inertia: [1, 1, 1]}
  - {name: right, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: foot, type: revolute, parent: world, child: left}
  - {name: heel, type: revolute, parent: world, child: right, at: [1, 0, 0]}
  - {name: top, type: revolute, parent: left, child: right, at: [1, 0, 0], child_at: [-1, 0, 0]}
)";

TEST(ClosedExperiments, ARigidStructureIsNamedWhereverItIsAskedToMove) {
  TemporaryFolder folder;
  const std::string file = folder.write("truss.yaml", truss);
  for (const char* command : {"forward", "inverse"}) {
    const Outcome outcome = run_cli({command, file});
    EXPECT_THAT(outcome.err, HasSubstr("robot 'truss' is a rigid structure")) << command;
  }
  const std::string run =
      folder.write("run.yaml", "experiment: 1\nrobot: truss.yaml\nduration: 0.01\n");
  const Outcome outcome = run_cli({"simulate", run});
  EXPECT_THAT(outcome.err, HasSubstr("robot 'truss' is a rigid structure")) << outcome.out;
}

TEST(ClosedExperiments, ALinearSystemMayBeInTheJointThatClosesTheLoop) {
  // Poles at an equilibrium do not depend on the coordinate.
  const std::vector<std::string> words = {"linearize", "four-bar",
                                          "--q",       "joint1=-0.46,joint2=-2.155113828901202",
                                          "--tau",     "joint1=0.354176590328974",
                                          "--json"};
  std::vector<std::string> other = words;
  other.insert(other.end(), {"--independent", "joint4"});
  const Json first = run_json(words), second = run_json(other);
  ASSERT_EQ(first["poles"].size(), 2);
  for (int k = 0; k < 2; ++k)
    for (int part = 0; part < 2; ++part)
      EXPECT_NEAR(first["poles"][k][part].get<double>(), second["poles"][k][part].get<double>(),
                  1e-6);
  EXPECT_EQ(second["speeds"][0], "joint4");
  refused({"linearize", "four-bar", "--q", "0,0,0", "--independent", "joint4"}, 2, "by name");
}

TEST(ClosedExperiments, AMotionThatTheLoopsCannotFollowNamesTheLoopAndKeepsWhatWas) {
  TemporaryFolder folder;
  // The four-bar 4-18-11-10 has no link that turns fully.
  const std::string file = folder.write("turn.yaml", R"(
experiment: 1
robot: four-bar
duration: 2 s
start: {q: {joint1: 300 deg}}
motions: {joint1: 300*deg - t}
)");
  const std::string out = folder.path("run");
  for (const char* method : {"dormand-prince", "rk4"}) {
    std::vector<std::string> words = {"simulate", file, "-o", out, "--integrator", method};
    if (std::string(method) == "rk4") {
      std::ofstream(file, std::ios::app) << "integrator: {step: 1 ms}\n";
    }
    const Outcome outcome = run_cli(words);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("cannot follow the motion of 'joint1' beyond t = 1.51"));
    EXPECT_THAT(outcome.err, HasSubstr("loop closed by joint 'joint4' would be open by"));
    EXPECT_THAT(outcome.err, HasSubstr("run.partial holds the run until then"));
    std::ifstream in(out + ".partial/summary.json");
    const Json summary = Json::parse(in);
    EXPECT_EQ(summary["complete"], false);
    EXPECT_THAT(std::string(summary["reason"]), HasSubstr("cannot follow"));
    EXPECT_NEAR(double(summary["t"]), 1.5, 0.03);
  }
}

TEST(ClosedExperiments, PathsLeadPlatformsAndTools) {
  TemporaryFolder folder;
  const std::string tool = folder.write("tool.yaml", R"(
experiment: 1
robot: five-bar
start: {q: {left: 120 deg, right: 60 deg}}
path: {frame: tool, position_only: true, line: {to: [0.05, 0.35, 0]}, time: 0.5}
drives: {left: motion, right: motion}
record: {interval: 0.1, channels: [frame.tool]}
)");
  const Json line = run_json({"simulate", tool, "-o", folder.path("line")});
  EXPECT_EQ(line["complete"], true);
  EXPECT_THAT(last_record(folder.path("line")), ::testing::ElementsAre(0.5, 0.05, 0.35, 0));

  const std::string platform = folder.write("platform.yaml", R"(
experiment: 1
robot: ddts
path: {frame: platform, line: {to: [3.2, 0.02, 0.03]}, time: 0.5}
record: {interval: 0.1, channels: [frame.platform]}
)");
  const Json moved = run_json({"simulate", platform, "-o", folder.path("moved")});
  EXPECT_EQ(moved["complete"], true);
  EXPECT_LT(double(moved["drift"]["closure"]), 1e-10);
  EXPECT_THAT(last_record(folder.path("moved")), ::testing::ElementsAre(0.5, 3.2, 0.02, 0.03));

  refused({"simulate", folder.write("all.yaml", R"(
experiment: 1
robot: five-bar
start: {q: {left: 120 deg, right: 60 deg}}
path: {frame: tool, position_only: true, line: {to: [0.05, 0.35, 0]}, time: 0.5}
drives: {all: motion}
)")},
          2, "at most 2 independent joints");
  refused({"simulate", folder.write("far.yaml", R"(
experiment: 1
robot: five-bar
start: {q: {left: 120 deg, right: 60 deg}}
path: {frame: tool, position_only: true, line: {to: [0.05, 3, 0]}, time: 0.5}
)")},
          1, "cannot be carried along");
}

TEST(ClosedExperiments, MechanismsAreLinearisedOnIndependentSpeeds) {
  const std::vector<std::string> state = {"--q", "left=120deg,right=60deg"};
  std::vector<std::string> words = {"linearize", "five-bar",      state[0],
                                    state[1],    "--independent", "left,right"};
  const Json result = run_json(words);
  EXPECT_EQ(result["speeds"], Json({"left", "right"}));
  EXPECT_EQ(result["A"].size(), 4u);
  EXPECT_EQ(result["q"].size(), 4u);
  words.insert(words.end(), {"--lqr", "1,1,1"});
  for (const Json& pole : run_json(words)["closed_loop_poles"]) EXPECT_LT(double(pole[0]), 0);
  refused({"linearize", "five-bar", "--independent", "left"}, 2, "2");
  refused({"linearize", "puma560", "--independent", "joint1"}, 2, "has no loops");
  const Json rest = run_json({"equilibrium", "crank-rocker"});
  EXPECT_EQ(rest["found"], true);
  refused({"regressor", "five-bar"}, 2, "without loops only");
}

TEST(ClosedExperiments, TheTipOfAPlatformIsThePlatform) {
  for (const char* robot : {"ddts", "stewart-6-6", "stewart-6-3", "delta", "rotary-hexapod"})
    EXPECT_EQ(run_json({"info", robot})["tip"], "platform") << robot;
  EXPECT_EQ(run_json({"jacobian", "ddts"})["frame"], "platform");
  const Json found = run_json({"ik", "ddts", "--position", "2.7,0.05,0.02"});
  ASSERT_EQ(found["solutions"].size(), 1u);
}

TEST(ClosedExperiments, AssembliesAndSlicesPrintPlainNumbers) {
  const Json all = run_json({"assemble", "stewart-6-3", "--all", "--restarts", "20"});
  for (const Json& solution : all["solutions"])
    for (const Json& angle : solution["q"]) EXPECT_LE(std::abs(double(angle)), 10);
  const Outcome slice =
      run_cli({"platform", "delta", "--slice", "x=-0.5:0.5,z=-0.9:-0.3", "--points", "11"});
  EXPECT_EQ(slice.status, 0);
  const std::size_t good = slice.out.find("good");
  ASSERT_NE(good, std::string::npos) << slice.out;
  const std::string line = slice.out.substr(good, slice.out.find('\n', good) - good);
  EXPECT_EQ(line.find('.'), std::string::npos) << line;
}

}  // namespace
}  // namespace ulna::test
