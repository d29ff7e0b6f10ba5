// The examples of control, and linearize with its files, as a user runs them.

#include <gmock/gmock.h>

#include <Eigen/Core>
#include <algorithm>

#include "run_cli.hpp"
#include "support/places.hpp"
#include "ulna/formats/read_table.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

TEST(Control, APickAndPlaceCycleRunsFromOneFile) {
  const Json out = run_json({"simulate", testing::example_file("control/pick-and-place.yaml")});
  EXPECT_TRUE(out["complete"]);
  EXPECT_EQ(out["reason"], "event 'home'");
  std::vector<std::string> names;
  for (const Json& event : out["events"])
    if (event["name"] != "lifted") names.push_back(event["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"reach", "grasp", "put", "release", "home"}));
  EXPECT_NEAR(out["t"].get<double>(), 4.3, 1e-9);  // 0.1 + 1 + 1.4 + 0.8 + 1
}

TEST(Control, TheSummaryOfMotorsHasATableOfSizes) {
  const std::string file = testing::example_file("control/motors.yaml");
  const Json out = run_json({"simulate", file});
  ASSERT_EQ(out["sizing"].size(), 3u);
  for (const Json& row : out["sizing"]) {
    EXPECT_GT(row["peak_effort"].get<double>(), row["rms_effort"].get<double>());
    EXPECT_GT(row["peak_current"].get<double>(), 0);
    EXPECT_LE(row["peak_voltage"].get<double>(), 80 + 1e-9);
  }
  EXPECT_THAT(run_cli({"simulate", file}).out, HasSubstr("joint2 (brushless)"));
}

TEST(Control, EveryExampleRuns) {
  for (const char* name : {"hydraulic-press", "adaptive", "impedance", "lqg", "robustness"}) {
    const Outcome run =
        run_cli({"simulate", testing::example_file(std::string("control/") + name + ".yaml")});
    EXPECT_EQ(run.status, 0) << name << run.err;
  }
}

TEST(Control, APushMovesTheHandByForceOverStiffness) {
  const TemporaryFolder folder;
  const std::string directory = folder.path("run");
  run_json({"simulate", testing::example_file("control/impedance.yaml"), "-o", directory});
  const RecordTable table = read_table(directory + "/run.csv");
  const auto at = std::find(table.titles.begin(), table.titles.end(), "frame.tip.x[m]");
  ASSERT_NE(at, table.titles.end());
  const long x = at - table.titles.begin(), last = table.values.rows() - 1;
  EXPECT_NEAR(table.values(last, x) - table.values(0, x), 20.0 / 800, 1e-9);
}

TEST(Control, LinearizeWritesFilesAndPictures) {
  const TemporaryFolder folder;
  const std::string model = folder.path("model.m"), bode = folder.path("bode.svg"),
                    table = folder.path("bode.csv");
  const Json out =
      run_json({"linearize", "scara", "--actuators", "joint1,joint3", "--outputs",
                "q.joint1,frame.tip.z", "--sample-time", "2ms", "-o", model, "--bode", bode});
  EXPECT_EQ(out["inputs"], (Json{"joint1", "joint3"}));
  EXPECT_EQ(out["outputs"], (Json{"q.joint1", "frame.tip.z"}));
  EXPECT_EQ(out["B"][0].size(), 2u);
  EXPECT_EQ(out["sample_time"], 0.002);
  EXPECT_THAT(content_of(model), HasSubstr("sys = ss(A, B, C, D, sample_time)"));
  EXPECT_THAT(content_of(bode), HasSubstr("<svg"));
  run_json({"linearize", "scara", "--bode", table});
  EXPECT_THAT(content_of(table), HasSubstr("magnitude.q.joint1 by joint1[dB]"));
}

/// exp(A h) and its integral, times B, by their series.
std::pair<Eigen::MatrixXd, Eigen::MatrixXd> held(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                                                 double h) {
  Eigen::MatrixXd power = Eigen::MatrixXd::Identity(A.rows(), A.cols()), sum = power,
                  integral = h * power;
  for (int k = 1; k < 60; ++k) {
    power = power * A * h / k;
    sum += power;
    integral += power * h / (k + 1);
  }
  return {sum, integral * B};
}

Eigen::MatrixXd matrix_in(const Json& rows) {
  Eigen::MatrixXd out(rows.size(), rows.at(0).size());
  for (long i = 0; i < out.rows(); ++i)
    for (long k = 0; k < out.cols(); ++k)
      out(i, k) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  return out;
}

// All files hold the matrices of the answer; with a sample time they are those of a held input.
TEST(Control, SystemsAreWrittenForOtherPrograms) {
  const TemporaryFolder folder;
  const Json plain = run_json({"linearize", "puma560", "--q", "0,0.3,0.5,0,0.2,0"});
  for (const char* ending : {"csv", "json", "m"}) {
    const std::string file = folder.path(std::string("m.") + ending);
    const Json out = run_json(
        {"linearize", "puma560", "--q", "0,0.3,0.5,0,0.2,0", "--sample-time", "5 ms", "-o", file});
    const auto [A, B] = held(matrix_in(plain["A"]), matrix_in(plain["B"]), 0.005);
    EXPECT_LT((matrix_in(out["A"]) - A).norm(), 1e-12 * A.norm());
    EXPECT_LT((matrix_in(out["B"]) - B).norm(), 1e-12 * B.norm());
    const std::string text = content_of(file);
    if (ending == std::string("json")) {
      EXPECT_EQ(Json::parse(text)["A"], out["A"]);
      EXPECT_EQ(Json::parse(text)["states"].size(), 12u);
      EXPECT_EQ(Json::parse(text)["sample_time"], 0.005);
    } else if (ending == std::string("csv")) {
      EXPECT_THAT(text, HasSubstr("# A, 12 x 12\n"));
      EXPECT_THAT(text, HasSubstr("# sample time, s\n0.005\n"));
    } else {
      for (const char* name : {"A = [", "B = [", "C = [", "D = [", "states = {", "inputs = {"})
        EXPECT_THAT(text, HasSubstr(name));
      EXPECT_THAT(text, HasSubstr("sys = ss(A, B, C, D, sample_time)"));
    }
  }
}

TEST(Control, LinearizeTakesFlexibleAndClosedRobots) {
  const Json flexible = run_json({"linearize", "flexible-two-link", "--outputs", "q,v"});
  EXPECT_GT(flexible["A"].size(), 4u);
  const Json closed =
      run_json({"linearize", "five-bar", "--q", "left=120deg,right=60deg", "--independent",
                "left,right", "--outputs", "q,frame.tool.x", "--sample-time", "1ms"});
  EXPECT_EQ(closed["A"].size(), 4u);
}

TEST(Control, WrongWordsOfLinearizeAreRefused) {
  EXPECT_EQ(run_cli({"linearize", "scara", "--lqr=-1,1,1"}).status, 2);
  EXPECT_EQ(run_cli({"linearize", "scara", "--sample-time", "0"}).status, 2);
  EXPECT_EQ(run_cli({"linearize", "scara", "--outputs", "q.elbow"}).status, 2);
  EXPECT_EQ(run_cli({"linearize", "scara", "-o", "model.txt"}).status, 2);
  EXPECT_EQ(run_cli({"linearize", "scara", "--Q", "1,2"}).status, 2);
}

}  // namespace
}  // namespace ulna::test
