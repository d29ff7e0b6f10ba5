// Bad input to the methods of inverse and forward dynamics, each method asked: status 2, nothing on
// standard output, and a sentence that names what is wrong.

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using Words = std::vector<std::string>;

const std::vector<std::pair<std::string, std::string>> all_methods = {
    {"inverse", "newton-euler"},   {"inverse", "newton-euler-4x4"}, {"inverse", "lagrange-4x4"},
    {"inverse", "kane"},           {"forward", "automatic"},        {"forward", "articulated-body"},
    {"forward", "composite-body"}, {"forward", "lagrange-4x4"},     {"forward", "kane"}};

class MethodInput : public ::testing::TestWithParam<std::pair<std::string, std::string>> {
 protected:
  /// The words of this method for a robot.
  Words of(const std::string& robot, const Words& more) const {
    Words words = {GetParam().first, robot, "--method", GetParam().second};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string last() const { return GetParam().first == "inverse" ? "--a" : "--tau"; }
};

TEST_P(MethodInput, WrongLength) {
  for (const std::string& option : {std::string("--q"), std::string("--v"), last()}) {
    expect_refusal(of("scara", {option, "1,2"}), {option, "2", "3"});
    expect_refusal(of("scara", {option, "1,2,3,4"}), {option, "4", "3"});
  }
}

TEST_P(MethodInput, NotANumber) {
  for (const std::string& option : {std::string("--q"), std::string("--v"), last()})
    for (const char* text : {"nan", "inf", "one", ""})
      expect_refusal(of("scara", {option, std::string("1,") + text + ",3"}), {option, text});
  expect_refusal(of("scara", {"--wrench", "link3:0,nan,0"}), {"--wrench", "nan"});
  expect_refusal(of("scara", {"--gravity", "0,0,inf"}), {"--gravity", "inf"});
}

TEST_P(MethodInput, TakesARobotWithALoopUnlessItsEquationsCannot) {
  const TemporaryFolder folder;
  const std::string four_bar = folder.write("four-bar.yaml", R"(
ulna: 1
name: four-bar
bodies:
  - {name: crank, mass: 1, inertia: [1, 1, 1]}
  - {name: coupler, mass: 1, inertia: [1, 1, 1]}
  - {name: rocker, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: a, type: revolute, parent: world, child: crank}
  - {name: b, type: revolute, parent: crank, child: coupler, at: [1, 0, 0]}
  - {name: c, type: revolute, parent: world, child: rocker, at: [0, 1, 0]}
  - {name: d, type: revolute, parent: coupler, child: rocker, at: [0, 1, 0], child_at: [-1, 0, 0], cut: true}
)");
  if (GetParam().second == "articulated-body")
    expect_refusal(of(four_bar, {}), {"--method", "four-bar", "loops", "composite-body"});
  else
    EXPECT_EQ(run_cli(of(four_bar, {})).status, 0);
}

TEST_P(MethodInput, UnknownBodyOfAWrench) {
  expect_refusal(of("scara", {"--wrench", "link8:0,0,1"}), {"'link8'"});
}

INSTANTIATE_TEST_SUITE_P(All, MethodInput, ::testing::ValuesIn(all_methods),
                         [](const auto& tested) {
                           std::string name = tested.param.first + "_" + tested.param.second;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(MethodOf, UnknownNameIsToldWithTheKnownOnes) {
  expect_refusal({"inverse", "scara", "--method", "newton"},
                 {"--method", "'newton'", "newton-euler"});
  expect_refusal({"inverse", "scara", "--method", "composite-body"},
                 {"--method", "'composite-body'", "newton-euler"});
}

TEST(MethodOf, ArticulatedBodiesDoNotApplyToFollowers) {
  const TemporaryFolder folder;
  const std::string gripper = folder.write("gripper.yaml", R"(
ulna: 1
name: gripper
bodies:
  - {name: left, mass: 1, inertia: [1, 1, 1]}
  - {name: right, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: open, type: revolute, parent: world, child: left}
  - {name: mirror, type: revolute, parent: world, child: right, mimic: {joint: open, multiplier: -1}}
)");
  expect_refusal({"forward", gripper, "--method", "articulated-body"},
                 {"'gripper'", "mimic", "composite-body"});
  for (const char* method : {"automatic", "composite-body", "kane", "lagrange-4x4"})
    EXPECT_EQ(run_cli({"forward", gripper, "--method", method}).status, 0) << method;
}

TEST(SpeedsOf, WhatIsNoChoiceIsNamed) {
  for (const char* command : {"inverse", "forward"}) {
    const auto refusal = [&](const std::string& robot, const std::string& speeds,
                             const std::vector<std::string>& says,
                             const std::string& method = "kane") {
      expect_refusal({command, robot, "--method", method, "--speeds", speeds}, says);
    };
    refusal("intelledex605", "body:X", {"'X'"});
    refusal("puma560", "body:lnk3", {"'lnk3'", "link3"});
    refusal("puma560", "body:", {"no body ''"});
    refusal("puma560", "rates", {"'rates'", "joint-rates"});
    refusal("scara", "body:world", {"'world'"});  // nothing turns it
    refusal("planar-3r", "missing.yaml", {"missing.yaml"});
    refusal("scara", "joint-rates", {"--speeds", "kane"}, "lagrange-4x4");
  }
}

}  // namespace
}  // namespace ulna::test
