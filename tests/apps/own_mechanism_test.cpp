// Mechanisms as a newcomer writes them: joint by joint, where each sits on its two bodies, with
// nothing said about cuts, motors or the posture to start in.

#include <gmock/gmock.h>

#include <Eigen/Core>
#include <cmath>
#include <sstream>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

std::string own_four_bar(const std::string& last) {
  return R"(
ulna: 1
name: own
planar: true
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 0.5, centre: [0.05, 0, 0], inertia: [0, 0, 0.0005]}
  - {name: coupler, mass: 1, centre: [0.2, 0, 0], inertia: [0, 0, 0.014]}
  - {name: rocker, mass: 0.8, centre: [0.15, 0, 0], inertia: [0, 0, 0.006]}
joints:
  - {name: A, type: revolute, parent: world, child: crank}
  - {name: B, type: revolute, parent: crank, child: coupler, at: [0.1, 0, 0]}
  - {name: C, type: revolute, parent: coupler, child: rocker, at: [0.4, 0, 0]}
  - {name: D, type: revolute, parent: rocker, child: world, at: [0.3, 0, 0], )" +
         last + "}\nframes:\n  - {name: pivot, body: rocker, at: [0.3, 0, 0]}\n";
}

// `on_child` is to the child what `at` is to the parent; `child_at` is its inverse.
TEST(OwnMechanism, AJointSitsOnBothOfItsBodies) {
  TemporaryFolder folder;
  const std::string robot = folder.write("a.yaml", own_four_bar("on_child: [0.35, 0, 0]"));
  for (const char* angle : {"30deg", "120deg", "250deg"}) {
    const std::string q = std::string("A=") + angle;
    expect_json(run_json({"fk", robot, "--q", q})["frames"]["pivot"]["position"], {0.35, 0, 0},
                1e-10);
    const std::string other = folder.write("b.yaml", own_four_bar("child_at: [-0.35, 0, 0]"));
    expect_json(run_json({"inverse", other, "--q", q})["tau"],
                run_json({"inverse", robot, "--q", q})["tau"], 1e-12);
  }
  expect_refusal(
      {"info", folder.write("c.yaml", own_four_bar("on_child: [1, 0, 0], child_at: [1, 0, 0]"))},
      {"joint 'D'", "on_child", "one of them"});
  // A pose with a rotation: the same mechanism from the other side.
  const Json turned = run_json(
      {"fk",
       folder.write("d.yaml",
                    own_four_bar("on_child: {position: [0.35, 0, 0], rpy: [0, 0, 90 deg]}")),
       "--q", "A=30deg"});
  expect_json(turned["frames"]["pivot"]["position"], {0.35, 0, 0}, 1e-10);
}

/// Six legs of universal joint, slide and ball; base radius 0.6 m, platform 0.3 m.
std::string own_hexapod(const std::string& carried) {
  std::ostringstream bodies, joints;
  bodies.precision(17), joints.precision(17);
  for (int k = 0; k < 6; ++k) {
    const double third = k / 2 * 2 * M_PI / 3, side = k % 2 ? 1 : -1;
    const double a = third + side * M_PI / 18, b = third + side * M_PI * 50 / 180;
    const std::string n = std::to_string(k + 1);
    bodies << "  - {name: lower" << n
           << ", mass: 2, centre: [0, 0, 0.2], inertia: [0.03, 0.03, 0.002]}\n  - {name: upper" << n
           << ", mass: 1, centre: [0, 0, -0.2], inertia: [0.015, 0.015, 0.001]}\n";
    joints << "  - {name: base" << n << ", type: universal, parent: world, child: lower" << n
           << ", axis: [1, 0, 0], axis2: [0, 1, 0], at: [" << 0.6 * std::cos(a) << ", "
           << 0.6 * std::sin(a) << ", 0]}\n  - {name: leg" << n
           << ", type: prismatic, parent: lower" << n << ", child: upper" << n
           << ", limits: {lower: 0.5, upper: 1.2}}\n  - {name: ball" << n
           << ", type: spherical, parent: upper" << n << ", child: plate, on_child: ["
           << 0.3 * std::cos(b) << ", " << 0.3 * std::sin(b) << ", 0]}\n";
  }
  return "ulna: 1\nname: own-hexapod\nbodies:\n  - {name: plate, mass: 20, inertia: [0.5, 0.5, "
         "1]}\n" +
         bodies.str() + "joints:\n" + joints.str() + carried;
}

// The free joint of a platform says where it stands; legs close loops at their balls.
TEST(OwnMechanism, APlatformStandsWhereItsFreeJointPutsIt) {
  TemporaryFolder folder;
  const std::string robot = folder.write(
      "hexapod.yaml",
      own_hexapod("  - {name: float, type: free, parent: world, child: plate, at: [0, 0, 0.8]}\n"));
  const Json home = run_json({"platform", robot});
  expect_json(home["pose"]["position"], {0, 0, 0.8}, 1e-10);
  // Base and platform points are 40 degrees apart.
  const double across = 0.36 + 0.09 - 2 * 0.6 * 0.3 * std::cos(40 * M_PI / 180);
  const double length = std::sqrt(across + 0.64);
  ASSERT_EQ(home["drives"].size(), 6u);
  for (const Json& drive : home["drives"]) EXPECT_NEAR(double(drive), length, 1e-9);
  // The legs hold it: by symmetry with equal forces, each of which does the work of the weight.
  const Json inverse = run_json({"inverse", robot});
  EXPECT_EQ(inverse["actuated"], Json({"leg1", "leg2", "leg3", "leg4", "leg5", "leg6"}));
  const std::string experiment = folder.write("e.yaml", R"(experiment: 1
robot: hexapod.yaml
duration: 1 s
path: {frame: plate, line: {to: {position: [0.05, 0, 0.9], rpy: [0, 5 deg, 10 deg]}}}
record: {interval: 10 ms, channels: [q, tau, reaction]}
)");
  const Json run = run_json({"simulate", experiment});
  EXPECT_EQ(run["motors"].size(), 6u);
  expect_json(run_json({"fk", robot})["frames"]["plate"]["position"], {0, 0, 0.8}, 1e-10);
}

// Without it the posture is one of many, but the motors are still the slides.
TEST(OwnMechanism, MotorsAreSlidesRatherThanBalls) {
  TemporaryFolder folder;
  const std::string robot = folder.write("hexapod.yaml", own_hexapod(""));
  const Outcome outcome = run_cli({"inverse", robot, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["actuated"],
            Json({"leg1", "leg2", "leg3", "leg4", "leg5", "leg6"}));
  EXPECT_THAT(outcome.err, HasSubstr("the motors are taken to be at leg1, leg2"));
  EXPECT_THAT(outcome.err, HasSubstr("--actuated names others"));
  // They carry paths, too.
  std::string start;
  for (int k = 1; k <= 6; ++k) start += (k > 1 ? ", leg" : "leg") + std::to_string(k) + ": 0.85";
  const Json run = run_json(
      {"simulate",
       folder.write("path.yaml", "experiment: 1\nrobot: hexapod.yaml\nstart: {q: {" + start +
                                     "}}\npath: {frame: plate, line: {to: {position: "
                                     "[0.02, 0, 0.7], rpy: [0, 5 deg, 0]}}, time: 1 "
                                     "s}\nrecord: {interval: 20 ms}\n")});
  EXPECT_EQ(run["motors"].size(), 6u);
  const std::string q = run["final"]["q"].dump();
  expect_json(
      run_json({"fk", robot, "--q", q.substr(1, q.size() - 2)})["frames"]["plate"]["position"],
      {0.02, 0, 0.7}, 1e-8);
  const Json told = run_json({"inverse", robot, "--actuated",
                              "base1.first,base1.second,base2.first,base3.first,leg1,leg2"});
  EXPECT_EQ(told["actuated"].size(), 6u);
}

}  // namespace
}  // namespace ulna::test
