// ulna verify: the table, its JSON, and how it ends.

#include <csignal>
#include <set>
#include <thread>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

TEST(VerifyCommand, JsonHoldsEveryPairOfMethods) {
  const Json result = run_json({"verify", "puma560", "--states", "5"});
  EXPECT_EQ(result["states"], 5);
  EXPECT_EQ(result["partial"], false);
  EXPECT_EQ(result["ok"], true);
  std::set<std::set<std::string>> inverse, forward;
  std::set<std::string> quantities;
  for (const Json& pair : result["pairs"]) {
    EXPECT_LE(pair["max_difference"], pair["bound"]);
    EXPECT_EQ(pair["ok"], true);
    quantities.insert(pair["quantity"].get<std::string>());
    if (pair["quantity"] == "inverse dynamics")
      inverse.insert({pair["a"].get<std::string>(), pair["b"].get<std::string>()});
    if (pair["quantity"] == "forward dynamics")
      forward.insert({pair["a"].get<std::string>(), pair["b"].get<std::string>()});
  }
  EXPECT_EQ(inverse.size(), 28u);  // of eight routes, one of them M a + bias
  EXPECT_EQ(forward.size(), 36u);  // of nine
  EXPECT_TRUE(forward.count({"kane", "articulated-body"}));
  for (const char* identity :
       {"energy", "power balance", "Coriolis matrix", "virtual work", "inverse after forward",
        "d tau / d q", "d tau / d v", "d tau / d a", "d a / d q", "d a / d v", "d a / d tau"})
    EXPECT_TRUE(quantities.count(identity)) << identity;
}

TEST(VerifyCommand, TheSeedChoosesTheStates) {
  const Json one = run_json({"verify", "scara", "--states", "3", "--seed", "5"});
  EXPECT_EQ(one, run_json({"verify", "scara", "--states", "3", "--seed", "5"}));
  EXPECT_NE(one, run_json({"verify", "scara", "--states", "3", "--seed", "6"}));
}

TEST(VerifyCommand, AJointThatMovesNoInertiaIsAPropertyOfTheRobot) {
  // A hinge with nothing behind it has no inertia: no acceleration is right, and that is said.
  const TemporaryFolder folder;
  std::string text = planar_arm;
  text.replace(text.find("mass: 1, centre: [0.25, 0, 0], inertia: [0.001, 0.02, 0.02]"), 59, "");
  text.erase(text.find("lower, }") + 5, 2);
  const std::string robot = folder.write("light.yaml", text);
  const Json result = run_json({"verify", robot});
  EXPECT_EQ(result["ok"], true);
  EXPECT_NE(result["notes"].dump().find("'elbow' can move without moving inertia"),
            std::string::npos);
  for (const Json& pair : result["pairs"]) EXPECT_NE(pair["quantity"], "forward dynamics");
}

TEST(VerifyCommand, OneLineTellsAPipeHowLongManyStatesTook) {
  EXPECT_EQ(run_cli({"verify", "scara"}).err, "");
  const std::string line = run_cli({"verify", "scara", "--states", "1000"}).err;
  EXPECT_TRUE(line.starts_with("1000 of 1000 states in ")) << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

TEST(VerifyCommand, AnInterruptLeavesTheTableSoFar) {
  const auto interrupt = [](pid_t program) {
    std::this_thread::sleep_for(std::chrono::seconds(1));  // for it to be under way
    kill(program, SIGINT);
  };
  const Outcome outcome =
      run_cli({"verify", "puma560", "--states", "100000000", "--json"}, {}, interrupt);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result["partial"], true);
  EXPECT_EQ(result["ok"], true);
  EXPECT_GT(result["states"], 0);
}

TEST(VerifyCommand, BadInputIsRefused) {
  for (const char* states : {"0", "-3", "some", "1e3", "99999999999"}) {
    const Outcome outcome = run_cli({"verify", "puma560", "--states", states});
    EXPECT_EQ(outcome.status, 2) << states;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("states"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(run_cli({"verify", "puma560", "--seed", "-1"}).status, 2);
  EXPECT_EQ(run_cli({"verify", "nothing.urdf"}).status, 2);
}

}  // namespace
}  // namespace ulna::test
