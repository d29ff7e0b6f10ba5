// `ulna inverse --reactions`: weights on welds and hinges, worked out by hand.

#include <gmock/gmock.h>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

// A bracket welded to the world, a hinge about y at its end, a rod welded to the hinged hub.
constexpr const char* bracket = R"(
ulna: 1
name: bracket
bodies:
  - {name: plate, mass: 4, inertia: [1, 1, 1]}
  - {name: hub, mass: 1, inertia: [1, 1, 1]}
  - {name: rod, mass: 2, centre: [0.5, 0, 0], inertia: [1, 1, 1]}
joints:
  - {name: wall, type: fixed, parent: world, child: plate, at: [0, 0, 3]}
  - {name: hinge, type: revolute, axis: [0, 1, 0], parent: plate, child: hub, at: [2, 0, 0]}
  - {name: weld, type: fixed, parent: hub, child: rod, at: {position: [0, 0, -0.5], rpy: [0, 0, 90 deg]}}
)";

TEST(Reactions, OfWeldsAndHinges) {
  const TemporaryFolder folder;
  const std::string robot = folder.write("bracket.yaml", bracket);
  // At rest: weights 39.24, 9.81, 19.62 N; the rod's centre is half a metre along y.
  const Json own = run_json({"inverse", robot, "--reactions"});
  EXPECT_NEAR(own["tau"][0].get<double>(), 0, 1e-13);
  // The reaction turns against the weight: about x for what hangs at y, about -y for what hangs at
  // x.
  expect_json(own["reactions"],
              {{"wall", {{"force", {0, 0, 7 * g0}}, {"moment", {g0, -2 * 3 * g0, 0}}}},
               {"hinge", {{"force", {0, 0, 3 * g0}}, {"moment", {g0, 0, 0}}}},
               // In the rod's axes, x of which is the world's y.
               {"weld", {{"force", {0, 0, 2 * g0}}, {"moment", {0, -g0, 0}}}}},
              1e-12);
  const Json at_wall = run_json({"inverse", robot, "--reactions", "--at", "plate", "--expressed-in",
                                 "world", "--method", "newton-euler-4x4"});
  expect_json(at_wall["reactions"]["weld"],
              {{"force", {0, 0, 2 * g0}}, {"moment", {g0, -2 * 2 * g0, 0}}}, 1e-12);
  // A load on the world is the world's own affair; one on the rod goes through all.
  const Json loaded = run_json({"inverse", robot, "--reactions", "--expressed-in", "world",
                                "--wrench", "rod:5,0,0", "--wrench", "world:7,7,7"});
  for (const char* joint : {"wall", "hinge", "weld"})
    EXPECT_NEAR(loaded["reactions"][joint]["force"][0].get<double>(), -5, 1e-13) << joint;
  const Outcome text = run_cli({"inverse", robot, "--reactions"});
  EXPECT_THAT(text.out, HasSubstr("reactions on the child"));
  EXPECT_THAT(text.out, HasSubstr("weld"));
}

TEST(Reactions, OfKanesEquationsAreThoseOfNewtonAndEuler) {
  for (const char* robot : {"flexible-two-link", "puma560", "four-bar"}) {
    const Json expected = run_json({"inverse", robot, "--reactions", "--gravity", "0,-9.81,0"}),
               found = run_json(
                   {"inverse", robot, "--reactions", "--gravity", "0,-9.81,0", "--method", "kane"});
    EXPECT_EQ(found["method"], "kane");
    expect_json(found["reactions"], expected["reactions"], 1e-9);
  }
}

TEST(Reactions, BadInputIsNamed) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--reactions", "--at", "nowhere"}, "'nowhere'"},
      {{"--reactions", "--expressed-in", "nowhere"}, "'nowhere'"},
      {{"--at", "link1"}, "--reactions"},
      {{"--expressed-in", "world"}, "--reactions"},
      {{"--reactions", "--method", "influence-coefficients"}, "'influence-coefficients'"},
      {{"--reactions", "--method", "lagrange-4x4"}, "'lagrange-4x4'"}};
  for (const auto& [words, says] : cases) {
    std::vector<std::string> all = {"inverse", "scara"};
    all.insert(all.end(), words.begin(), words.end());
    expect_refusal(all, {says});
  }
}

}  // namespace
}  // namespace ulna::test
