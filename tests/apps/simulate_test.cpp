// ulna simulate, inverse EXPERIMENT, linearize and equilibrium as a user runs them.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <set>

#include "run_cli.hpp"
#include "support/places.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class Simulate : public ::testing::Test {
 protected:
  std::string experiment(const std::string& rest, const std::string& name = "e.yaml") const {
    return folder.write(name, "experiment: 1\nrobot: planar.yaml\n" + rest);
  }
  TemporaryFolder folder;
  std::string arm = folder.write("planar.yaml", planar_arm);
};

TEST_F(Simulate, TheSummaryHoldsWhatWasPromised) {
  const std::string file = experiment("duration: 1\nintegrator: {rtol: 1e-10}\n");
  const std::string directory = folder.path("run");
  const Json out = run_json({"simulate", file, "-o", directory});
  for (const char* key : {"steps", "rejected", "evaluations", "wall_seconds", "final", "drift",
                          "outputs", "model_hash", "version", "events", "channels"})
    EXPECT_TRUE(out.contains(key)) << key;
  EXPECT_TRUE(out["complete"]);
  EXPECT_EQ(out["integrator"]["method"], "dop853");
  EXPECT_EQ(out["final"]["q"].size(), 2);
  EXPECT_LT(out["drift"]["energy_relative"].get<double>(), 1e-9);
  EXPECT_EQ(out["outputs"][0], directory);
  const std::string csv = content_of(directory + "/run.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "t[s],q.shoulder[rad],q.elbow[rad],v.shoulder[rad/s],v.elbow[rad/s],tau.shoulder[Nm],"
            "tau.elbow[Nm],energy.kinetic[J],energy.potential[J],energy.total[J],energy.work[J],"
            "energy.external[J],energy.dissipated[J],energy.balance[J]");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 102);
  EXPECT_EQ(run_cli({"info", directory + "/robot.yaml"}).status, 0);  // the robot is in the run
  EXPECT_EQ(Json::parse(content_of(directory + "/summary.json"))["steps"], out["steps"]);
  EXPECT_FALSE(fs::exists(directory + ".partial"));
  EXPECT_EQ(run_cli({"simulate", file, "-o", directory}).status, 0);  // replaces the earlier run
}

TEST_F(Simulate, ReplacingARunTouchesNothingElse) {
  const std::string file = experiment("duration: 0.1\n"), directory = folder.path("run");
  for (const char* beside : {"run.old", "run.new", "run.replaced"}) {
    fs::create_directory(folder.path(beside));
    folder.write(std::string(beside) + "/mine", "kept");
  }
  for (int k = 0; k < 2; ++k) ASSERT_EQ(run_cli({"simulate", file, "-o", directory}).status, 0);
  for (const char* beside : {"run.old", "run.new", "run.replaced"})
    EXPECT_EQ(content_of(folder.path(beside) + "/mine"), "kept");
  std::set<std::string> there;
  for (const auto& entry : fs::directory_iterator(directory))
    there.insert(entry.path().filename().string());
  EXPECT_EQ(there,
            (std::set<std::string>{"experiment.yaml", "robot.yaml", "run.csv", "summary.json"}));
  for (const auto& entry : fs::directory_iterator(folder.path("")))
    EXPECT_EQ(entry.path().filename().string().find("run.replaced-"), std::string::npos);
}

TEST_F(Simulate, TwoRunsDoNotShareAFolder) {
  const std::string file = experiment("duration: 0.1\n"), directory = folder.path("run");
  fs::create_directory(directory + ".partial");
  const int lock = open((directory + ".partial/lock").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  ASSERT_EQ(write(lock, "4711\n", 5), 5);
  const Outcome refused = run_cli({"simulate", file, "-o", directory});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("process 4711 is writing a run there"));
  close(lock);
  EXPECT_EQ(run_cli({"simulate", file, "-o", directory}).status, 0);  // a lock that nobody holds
}

TEST_F(Simulate, InverseTakesAnExperiment) {
  const std::string file = experiment(
      "duration: 1\nmotions: {shoulder: 0.5*t^2, elbow: 0.3}\nrecord: {interval: 0.5}\n");
  const Json out = run_json({"inverse", file});
  ASSERT_EQ(out["t"].size(), 3);
  const Json once = run_json({"inverse", arm, "--q", "0.125,0.3", "--v", "0.5,0", "--a", "1,0"});
  expect_json(out["tau"][1], once["tau"], 1e-12);
  EXPECT_THAT(run_cli({"inverse", file}).out, HasSubstr("tau shoulder"));
  const Outcome refused = run_cli({"inverse", file, "--q", "0,0"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--q does not go with an experiment"));
}

TEST_F(Simulate, BadInputLeavesNothingBehind) {
  const auto refuse = [&](const std::string& rest, const std::vector<std::string>& more,
                          const std::string& part) {
    std::vector<std::string> words = {"simulate", experiment(rest), "-o", folder.path("run")};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_cli(words);
    EXPECT_EQ(outcome.status, 2) << rest << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_FALSE(fs::exists(folder.path("run"))) << rest;
    EXPECT_FALSE(fs::exists(folder.path("run.partial"))) << rest;
  };
  refuse("duration: 0\n", {}, "e.yaml:3");
  refuse("duration: 1\nmotions: {shoulder: 4*t}\n", {}, "outside the joint's limits");
  refuse("duration: 1\nmotions: {sholder: t}\n", {}, "did you mean 'shoulder'");
  refuse("duration: 1\n", {"--rtol", "0"}, "relative tolerance");
  refuse("duration: 1\n", {"--integrator", "euler"}, "--integrator");
  refuse("duration: 1\n", {"--resume"}, "no run to resume");
  EXPECT_EQ(run_cli({"simulate", folder.path("none.yaml")}).status, 2);
  EXPECT_EQ(run_cli({"simulate", arm}).status, 2);  // a robot is no experiment
  EXPECT_EQ(run_cli({"simulate"}).status, 2);
  EXPECT_EQ(run_cli({"simulate", experiment("duration: 1\n"), "--resume"}).status, 2);
}

/// Runs a line of the shell; returns its status.
int shell(const std::string& line) { return WEXITSTATUS(std::system(line.c_str())); }

TEST_F(Simulate, CtrlCLeavesAPartialRunThatCanBeResumed) {
  // Long enough to be caught in the middle.
  const std::string file =
      experiment("duration: 4000\nintegrator: {rtol: 1e-11}\nrecord: {interval: 1}\n");
  const std::string directory = folder.path("run");
  const std::string command = testing::ulna_program() + " simulate " + file + " -o " + directory;
  // In the foreground the signal goes to the program alone; else it would come twice, and a second
  // Ctrl-C ends at once.
  const int status = shell("timeout --foreground -s INT 0.7 " + command + " >" +
                           folder.path("out") + " 2>" + folder.path("err") + "; exit $?");
  if (fs::exists(directory)) GTEST_SKIP() << "the machine was too fast to interrupt";
  EXPECT_NE(status, 0);
  ASSERT_TRUE(fs::exists(directory + ".partial/summary.json"));
  const Json partial = Json::parse(content_of(directory + ".partial/summary.json"));
  EXPECT_FALSE(partial["complete"]);
  EXPECT_EQ(partial["reason"], "interrupted");
  EXPECT_THAT(content_of(folder.path("err")), HasSubstr("--resume"));
  // A shorter experiment under the same name would not be the same one.
  folder.write("e.yaml", content_of(file) + "name: other\n");
  EXPECT_EQ(run_cli({"simulate", file, "-o", directory, "--resume"}).status, 2);
}

TEST_F(Simulate, AFullDiskIsAClearErrorAndNoRun) {
  const std::string file = experiment("duration: 10\nrecord: {interval: 1 ms}\n");
  const std::string directory = folder.path("run");
  // A limit on the size of files, in kilobytes, stands for the disk.
  const int status =
      shell("ulimit -f 64; exec " + testing::ulna_program() + " simulate " + file + " -o " +
            directory + " >" + folder.path("out") + " 2>" + folder.path("err"));
  EXPECT_EQ(status, 1);
  EXPECT_THAT(content_of(folder.path("err")), HasSubstr("run.csv: cannot be written"));
  EXPECT_FALSE(fs::exists(directory));
  EXPECT_TRUE(fs::exists(directory + ".partial"));
  EXPECT_FALSE(Json::parse(content_of(directory + ".partial/summary.json"))["complete"]);
}

TEST_F(Simulate, LinearizeAndEquilibrium) {
  const Json linear = run_json({"linearize", arm, "--q", "-90deg,0", "--frame", "tool"});
  EXPECT_EQ(linear["A"].size(), 4);
  EXPECT_EQ(linear["B"][0].size(), 2);
  EXPECT_EQ(linear["C"].size(), 6);
  EXPECT_EQ(linear["poles"].size(), 4);
  for (const Json& pole : linear["poles"])
    EXPECT_NEAR(pole[0].get<double>(), 0, 1e-12);  // it hangs
  const Json placed = run_json({"linearize", arm, "--poles=-1,-2,-3+1i,-3-1i"});
  EXPECT_NEAR(placed["closed_loop_poles"][0][0].get<double>(), -1, 1e-6);
  const Json lqr = run_json({"linearize", arm, "--q", "90deg,0", "--lqr", "1,1,1"});
  for (const Json& pole : lqr["closed_loop_poles"]) EXPECT_LT(pole[0].get<double>(), 0);
  const Json rest = run_json({"equilibrium", arm, "--q=-80deg,0.1"});
  EXPECT_TRUE(rest["stable"]);
  EXPECT_NEAR(rest["q"][0].get<double>(), -1.5707963267948966, 1e-9);
  EXPECT_EQ(run_cli({"equilibrium", arm, "--tau", "90,0"}).status, 1);
  EXPECT_EQ(run_cli({"linearize", arm, "--poles=-1,x"}).status, 2);
  EXPECT_EQ(run_cli({"linearize", arm, "--poles=-1,-2"}).status, 2);
  EXPECT_EQ(run_cli({"linearize", arm, "--lqr", "1,1,0"}).status, 2);
}

}  // namespace
}  // namespace ulna::test
