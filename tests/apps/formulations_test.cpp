// Every formulation at the command line: the same number as the default one, or the sentence of the
// table that says why it does not apply.

#include <gmock/gmock.h>

#include "run_cli.hpp"
#include "support/places.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

std::string walk_robot(const std::string& name) {
  return name == "humanoid" ? testing::data_file("humanoid.yaml") : name;
}

/// Small numbers, all different; commands fit them to the loops.
std::string small_numbers(int count, double size) {
  std::string text;
  for (int k = 0; k < count; ++k)
    text += (k ? "," : "") + std::to_string(size * (1 + 0.1 * (k % 7)) * (k % 2 ? -1 : 1));
  return text;
}

double largest_difference(const Json& x, const Json& y) {
  if (!x.is_array()) return std::abs(x.get<double>() - y.get<double>());
  double largest = x.size() == y.size() ? 0 : INFINITY;
  for (std::size_t k = 0; k < std::min(x.size(), y.size()); ++k)
    largest = std::max(largest, largest_difference(x[k], y[k]));
  return largest;
}

double largest_entry(const Json& x) {
  if (!x.is_array()) return std::abs(x.get<double>());
  double largest = 0;
  for (const Json& e : x) largest = std::max(largest, largest_entry(e));
  return largest;
}

class CommandWalk : public ::testing::TestWithParam<const char*> {
 protected:
  const std::string robot = walk_robot(GetParam());
  const Model model{read_robot(robot).robot};

  /// The result under `key` by every formulation.
  void walk(Question question, std::vector<std::string> words, const char* key) const {
    const Json expected = run_json(words)[key];
    for (const Formulation& f : formulations()) {
      SCOPED_TRACE(words[0] + " " + f.name);
      std::vector<std::string> asked = words;
      asked.insert(asked.end(), {"--method", f.name});
      if (const std::string reason = why_not(f, model, question); !reason.empty()) {
        expect_refusal(asked, {"--method", reason});
        continue;
      }
      // Loops multiply rounding by their condition.
      EXPECT_LT(largest_difference(run_json(asked)[key], expected),
                1e-7 * (1 + largest_entry(expected)));
    }
  }
};

TEST_P(CommandWalk, InverseGivesTheSameEfforts) {
  const double size = model.flexible() ? 0.001 : 0.1;
  walk(Question::inverse,
       {"inverse", robot, "--v", small_numbers(model.speeds(), size), "--a",
        small_numbers(model.speeds(), 3 * size)},
       "tau");
}

TEST_P(CommandWalk, ForwardGivesTheSameAccelerations) {
  const double size = model.flexible() ? 0.001 : 0.1;
  walk(Question::forward, {"forward", robot, "--v", small_numbers(model.speeds(), size)}, "a");
}

TEST_P(CommandWalk, MassGivesTheSameMatrix) { walk(Question::mass, {"mass", robot}, "M"); }

TEST_P(CommandWalk, ReactionsAreTheSameOrRefused) {
  const std::vector<std::string> words = {"inverse", robot, "--reactions"};
  const Formulation& standard = formulations().front();
  if (!why_not(standard, model, Question::reactions).empty()) {
    expect_refusal(words, {why_not(standard, model, Question::reactions)});
    return;
  }
  const Json expected = run_json(words)["reactions"];
  for (const Formulation& f : formulations()) {
    std::vector<std::string> asked = words;
    asked.insert(asked.end(), {"--method", f.name});
    if (!why_not(f, model, Question::inverse).empty()) continue;  // told above
    if (const std::string reason = why_not(f, model, Question::reactions); !reason.empty())
      expect_refusal(asked, {reason});
    else
      expect_json(run_json(asked)["reactions"], expected, 1e-8);
  }
}

TEST_P(CommandWalk, AnExperimentGivesTheSameEfforts) {
  const TemporaryFolder folder;
  const Eigen::VectorXd start = assembled(model);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.speeds());
  const std::vector<int> led = Dynamics(model).inverse(start, none, none).actuated;
  std::string motions;  // of the actuated joints with loops, of the first one without
  for (const Joint& j : model.joints()) {
    if (j.speeds != 1 || (led.empty() ? !motions.empty() : !std::ranges::count(led, j.v))) continue;
    motions += "\n  " + j.name + ": " + std::to_string(start(j.q)) + " + 0.1*t^2";
  }
  const std::string file = folder.write("walk.yaml", "experiment: 1\nname: walk\nrobot: " + robot +
                                                         "\nduration: 20 ms\nmotions:" + motions +
                                                         "\nrecord: {interval: 10 ms}\n");
  const Outcome plain = run_cli({"inverse", file, "--json"});
  ASSERT_EQ(plain.status, 0) << plain.err;
  const Json expected = Json::parse(plain.out)["tau"];
  for (const Formulation& f : formulations()) {
    SCOPED_TRACE(f.name);
    const std::vector<std::string> asked = {"inverse", file, "--method", f.name};
    if (const std::string reason = why_not(f, model, Question::inverse); !reason.empty())
      expect_refusal(asked, {reason});
    else
      EXPECT_LT(largest_difference(run_json(asked)["tau"], expected),
                1e-6 * (1 + largest_entry(expected)));
  }
}

INSTANTIATE_TEST_SUITE_P(Walk, CommandWalk,
                         ::testing::Values("four-bar", "ddts", "delta", "flexible-two-link",
                                           "flexible-four-bar", "puma560", "humanoid"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(LoopReactions, MayBeTakenAtAnyFrame) {
  // At the world's origin in its axes: force and moment of all that stands on the ground bear the
  // weight.
  const Json found = run_json({"inverse", "four-bar", "--q", "joint1=1", "--reactions", "--at",
                               "world", "--expressed-in", "world"});
  const Model model(read_robot("four-bar").robot);
  double weight = 0, up = 0;
  for (const BodyData& body : model.robot().bodies) weight += body.inertial.mass * g0;
  int axis = 0;
  model.robot().gravity.cwiseAbs().maxCoeff(&axis);
  for (const JointData& joint : model.robot().joints) {
    const double sense = (joint.parent == "world") - (joint.child == "world");
    if (sense != 0)
      up += sense *
            found["reactions"][joint.name]["force"][static_cast<std::size_t>(axis)].get<double>();
  }
  EXPECT_NEAR(up, weight, 1e-9 * weight);
}

}  // namespace
}  // namespace ulna::test
