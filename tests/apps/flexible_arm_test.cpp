// Flexible arms by command: levels, gravity of studies, responses and pictures in modal
// coordinates, the study of tip tracking.

#include <gmock/gmock.h>

#include <cmath>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FlexibleArm : public ::testing::Test {
 protected:
  TemporaryFolder folder;
};

TEST_F(FlexibleArm, ForwardInverseAndMassHaveLevels) {
  const std::vector<std::string> state = {"flexible-two-link", "--q", "0,0.7", "--elastic",
                                          "0.02,0,0,0,0.03,0,0,0"};
  const auto with = [&](const std::string& command, std::vector<std::string> more) {
    std::vector<std::string> words = {command};
    words.insert(words.end(), state.begin(), state.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Json exact = run_json(with("forward", {"--v", "2,-1"})),
             ruthless = run_json(with("forward", {"--v", "2,-1", "--level", "ruthless"}));
  EXPECT_GT(std::abs(exact["a"][1].get<double>() - ruthless["a"][1].get<double>()), 1e-3);
  // The mass matrix of ruthless is that of the straight links.
  const Json straight = run_json({"mass", "flexible-two-link", "--q", "0,0.7"}),
             level = run_json(with("mass", {"--level", "ruthless"}));
  EXPECT_NEAR(straight["M"][0][0].get<double>(), level["M"][0][0].get<double>(), 1e-12);
  const Json tau = run_json(with("inverse", {"--v", "2,-1", "--level", "consistent"}));
  EXPECT_EQ(tau["tau"].size(), 10);
  const Outcome wrong = run_cli({"forward", "puma560", "--level", "ruthless"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("flexible"));
  EXPECT_EQ(run_cli(with("forward", {"--level", "rough"})).status, 2);
}

TEST_F(FlexibleArm, ForwardInverseAndMassAreThoseOfGeometricallyExactLinks) {
  const std::vector<std::string> state = {"flexible-two-link", "--q", "shoulder=0,elbow=0.7"};
  const auto at = [&](const std::string& command, const std::string& level,
                      std::vector<std::string> more = {}) {
    std::vector<std::string> words = {command};
    words.insert(words.end(), state.begin(), state.end());
    words.insert(words.end(), {"--level", level});
    words.insert(words.end(), more.begin(), more.end());
    return run_json(words);
  };
  // Straight links have the inertia of rods, whatever may bend them.
  const Json modes = at("mass", "exact"), elements = at("mass", "geometrically-exact");
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      EXPECT_NEAR(double(elements["M"][i][j]), double(modes["M"][i][j]), 1e-9);
  EXPECT_EQ(at("mass", "geometrically-exact:3")["M"].size(), 2u + 2 * 2 * 3);
  // Efforts put in come out.
  const Json a = at("forward", "geometrically-exact:3", {"--v", "shoulder=2", "--tau", "elbow=1"});
  std::string accelerations;
  for (const Json& x : a["a"]) accelerations += (accelerations.empty() ? "" : ",") + x.dump();
  const Json tau =
      at("inverse", "geometrically-exact:3", {"--v", "shoulder=2", "--a", accelerations});
  for (std::size_t k = 0; k < tau["tau"].size(); ++k)
    EXPECT_NEAR(double(tau["tau"][k]), k == 1 ? 1 : 0, 1e-7) << k;
  // Nothing is left out, so that every method answers.
  const Json kane = at("inverse", "geometrically-exact:3",
                       {"--v", "shoulder=2", "--a", accelerations, "--method", "kane"});
  for (std::size_t k = 0; k < tau["tau"].size(); ++k)
    EXPECT_NEAR(double(kane["tau"][k]), double(tau["tau"][k]), 1e-7) << k;
  EXPECT_EQ(run_json({"modes", "flexible-two-link", "--level", "geometrically-exact:3", "--locked",
                      "all"})["frequencies_hz"]
                .size(),
            12u);
  EXPECT_EQ(run_cli({"mass", "flexible-two-link", "--level", "exact:3"}).status, 2);
  EXPECT_EQ(run_cli({"mass", "flexible-two-link", "--level", "geometrically-exact:0"}).status, 2);
}

TEST_F(FlexibleArm, SweepsOfJointsAreThoseOfTheModalModel) {
  const Json sweep = run_json({"modes", "flexible-two-link", "--locked", "all", "--sweep",
                               "elbow=0deg:180deg:45deg", "--count", "2"});
  const Json one = run_json({"modes", "flexible-two-link", "--locked", "all", "--q", "0,90deg"});
  EXPECT_NEAR(sweep["frequencies_hz"][2][0].get<double>(), one["frequencies_hz"][0].get<double>(),
              1e-9);
}

TEST_F(FlexibleArm, TheResponseHasTheDampingOfTheRobot) {
  const Json modes =
      run_json({"modes", "flexible-two-link", "--locked", "all", "--q", "0,90deg", "--damped"});
  const double f = modes["frequencies_hz"][0].get<double>();
  const std::string at = std::to_string(f) + ":" + std::to_string(f) + ":1";
  const auto size = [&](const std::string& frequencies) {
    const Json r = run_json({"modes", "flexible-two-link", "--locked", "all", "--q", "0,90deg",
                             "--response", "tip.y:tip.y", "--frequencies", frequencies});
    return std::hypot(r["real"][0].get<double>(), r["imag"][0].get<double>());
  };
  // At rest the compliance; at the frequency of a mode that decays at 0.00407/s, 0.115 % of
  // critical, up to 1 / (2 * 0.00115) = 434 times as much.
  const double rest = size("0.0001:0.0001:1"), peak = size(at);
  EXPECT_GT(peak, 100 * rest);
  EXPECT_LT(peak, 440 * rest);
  const Outcome outcome = run_cli({"modes", "flexible-two-link", "--locked", "all", "--response",
                                   "tip.y:elbow", "--frequencies", "1:2:1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("locked"));
}

TEST_F(FlexibleArm, MapsAndPagesAreThoseOfTheModalModel) {
  const Json map = run_json({"modes", "flexible-two-link", "--locked", "all", "--map",
                             "shoulder=0:1:1,elbow=0deg:90deg:90deg"});
  const Json one = run_json({"modes", "flexible-two-link", "--locked", "all", "--q", "0,90deg"});
  EXPECT_NEAR(map["frequencies_hz"][0][0][1].get<double>(), one["frequencies_hz"][0].get<double>(),
              1e-9);
  const std::string page = folder.path("modes.html");
  const Outcome outcome =
      run_cli({"modes", "flexible-two-link", "--locked", "all", "--q", "0,1", "-o", page});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("damping of flexible bodies is left out")));
  EXPECT_GT(content_of(page).size(), 10000u);
  const std::string film = folder.path("sweep.html");
  EXPECT_EQ(run_cli({"modes", "flexible-two-link", "--locked", "all", "--sweep",
                     "elbow=0deg:90deg:45deg", "-o", film})
                .status,
            0);
  EXPECT_GT(content_of(film).size(), 10000u);
}

TEST_F(FlexibleArm, DecouplingHasTheGravityOfTheExperiment) {
  const std::string body = R"(experiment: 1
robot: puma560
duration: 1 s
motions: {joint2: 0.3*poly345(t), joint3: 0.2*poly345(t)}
)";
  const auto gravity = [&](const std::string& text, std::vector<std::string> more = {}) {
    const std::string file = folder.write("e.yaml", text);
    std::vector<std::string> words = {"study", "decoupling", "puma560", file, "--samples", "4"};
    words.insert(words.end(), more.begin(), more.end());
    double largest = 0;
    const Json study = run_json(words);
    for (const Json& row : study["gravity"])
      for (const Json& x : row) largest = std::max(largest, std::abs(x.get<double>()));
    return largest;
  };
  const double earth = gravity(body);
  EXPECT_GT(earth, 1);
  EXPECT_EQ(gravity(body + "gravity: [0, 0, 0]\n"), 0);
  EXPECT_NEAR(gravity(body + "gravity: [0, 0, -1.62]\n"), earth * 1.62 / 9.81, 1e-6 * earth);
  EXPECT_EQ(gravity(body, {"--gravity", "0,0,0"}), 0);
}

TEST_F(FlexibleArm, OneLegOfAPlatformIsAParallelRobotLikeAnyOther) {
  const Json leg = run_json({"platform", "gough-leg"});
  EXPECT_EQ(leg["drives"].size(), 6);
}

TEST_F(FlexibleArm, TheTipStudyComparesAllMethods) {
  const std::string file = folder.write("tip.yaml", R"(experiment: 1
robot: flexible-two-link
elastic: {modes: 1}
duration: 1.5 s
motions: {shoulder: 0.6*poly4567(t/1.5), elbow: 0.6 + 0.6*poly4567(t/1.5)}
tip: {frame: tip}
drives: {all: controller}
controllers:
  - {law: feed-forward, kp: {shoulder: 2000, elbow: 200}, kd: {shoulder: 400, elbow: 40}}
record: {interval: 20 ms}
)");
  const Json study = run_json({"study", "tip", file, "-o", folder.path("tip")});
  double plain = 0, stable = 1;
  for (const Json& row : study["methods"]) {
    EXPECT_TRUE(row["complete"].get<bool>()) << row["method"];
    if (row["method"] == "joint control") plain = row["peak"].get<double>();
    if (row["method"] == "stable inversion") stable = row["peak"].get<double>();
  }
  EXPECT_EQ(study["methods"].size(), 6);
  EXPECT_GT(plain, 1e-3);
  EXPECT_LT(stable, 0.02 * plain);
  EXPECT_THAT(content_of(folder.path("tip/tip.svg")), HasSubstr("<svg"));
  const std::string without = folder.write("w.yaml",
                                           "experiment: 1\nrobot: flexible-two-link\n"
                                           "duration: 1 s\nmotions: {elbow: poly345(t)}\n");
  const Outcome outcome = run_cli({"study", "tip", without});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("tip: {frame: NAME}"));
}

}  // namespace
}  // namespace ulna::test
