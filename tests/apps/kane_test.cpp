// `ulna kane`: the quantities of Kane's equations, and the other commands that take speeds.

#include <gmock/gmock.h>

#include <fstream>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> intelledex_state = {
    "intelledex605", "--q",        "0.5,1.3,0.5,0.5,0.5,0.5", "--v", "1,-0.5,1,1,1,1",
    "--a",           "1,2,3,1,2,3"};

std::vector<std::string> about(const std::string& command, const std::vector<std::string>& robot,
                               const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {command};
  words.insert(words.end(), robot.begin(), robot.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

double entry(const Json& matrix, std::size_t i, std::size_t k) { return matrix[i][k]; }

TEST(KaneCommand, TheEquationsHoldInTheSpeedsOfNie) {
  const Json k = run_json(about("kane", intelledex_state, {"--speeds", "body:C"}));
  ASSERT_EQ(k["names"], (Json{"C.wx", "C.wy", "C.wz", "joint4", "joint5", "joint6"}));
  for (std::size_t r = 0; r < 6; ++r) {
    double inertia = k["Z"][r];
    for (std::size_t s = 0; s < 6; ++s) inertia += entry(k["F"], r, s) * double(k["u_dot"][s]);
    EXPECT_NEAR(inertia, k["K"][r], 1e-10);
    EXPECT_NEAR(double(k["K"][r]) + double(k["K_star"][r]), 0, 1e-10);
  }
  expect_json(k["tau"], run_json(about("inverse", intelledex_state))["tau"], 1e-9);
  EXPECT_EQ(k["bodies"].size(), 6u);
  // The partial angular velocities of C are the axes themselves.
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t r = 0; r < 6; ++r)
      EXPECT_NEAR(entry(k["bodies"][2]["angular"], i, r), i == r ? 1 : 0, 1e-13);
  const Json one = run_json(about("kane", intelledex_state, {"--body", "D"}));
  EXPECT_EQ(one["bodies"].size(), 1u);
  EXPECT_EQ(one["speeds"], "joint-rates");
}

TEST(KaneCommand, LoopsHaveAsManySpeedsAsDegreesOfFreedom) {
  const std::vector<std::string> state = {"four-bar", "--q", "joint1=30deg", "--v", "joint1=2"};
  const Json k = run_json(about("kane", state));
  EXPECT_EQ(k["names"].size(), 1u);
  const Json efforts = run_json(about("inverse", state));
  expect_json(k["tau"], efforts["tau"], 1e-9);
  expect_json(
      run_json(about("inverse", state, {"--method", "kane", "--speeds", "body:coupler"}))["tau"],
      efforts["tau"], 1e-9);
  const Json free = run_json(about("forward", state));
  expect_json(
      run_json(about("forward", state, {"--method", "kane", "--speeds", "body:coupler"}))["a"],
      free["a"], 1e-8);
}

TEST(KaneCommand, SpeedsComeFromAFile) {
  const TemporaryFolder folder;
  const std::string file = folder.path("speeds.yaml");
  std::ofstream(file) << "speeds:\n  u1: cos(q.joint2)*v.joint1 + t\n  u2: v.joint2 - v.joint1\n"
                         "  u3: v.joint3\n";
  const std::vector<std::string> state = {"scara", "--q", "0.3,0.5,0.1", "--v", "1,2,0.5"};
  const Json k = run_json(about("kane", state, {"--speeds", file, "--time", "0.25"}));
  EXPECT_EQ(k["names"], (Json{"u1", "u2", "u3"}));
  EXPECT_NEAR(k["u"][0], std::cos(0.5) + 0.25, 1e-14);
  EXPECT_NEAR(k["u"][1], 1, 1e-14);
  expect_json(k["tau"], run_json(about("inverse", state))["tau"], 1e-9);
  const Json M = run_json({"mass", "scara", "--q", "0.3,0.5,0.1", "--speeds", file});
  expect_json(M["M"], k["F"], 1e-9);
  std::ofstream(folder.path("wrong.yaml")) << "u1: v.joint1\nu2: v.joint2^2\nu3: v.joint3\n";
  expect_refusal(about("kane", state, {"--speeds", folder.path("wrong.yaml")}),
                 {"speed 'u2'", "wrong.yaml", "linear"});
}

TEST(KaneCommand, TheMassMatrixTakesSpeeds) {
  const Json middle = run_json({"mass", "planar-3r", "--q", "0.3,0.5,0.1", "--speeds", "middle"});
  EXPECT_EQ(middle["names"].size(), 3u);
  expect_refusal({"mass", "planar-3r", "--speeds", "middle", "--terms"}, {"--terms"});
  expect_refusal({"kane", "flexible-two-link"}, {"flexible"});
}

}  // namespace
}  // namespace ulna::test
