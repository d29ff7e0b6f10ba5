// `ulna deflection`, and `ulna modes` over several parameters and along a motion.

#include <gmock/gmock.h>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

TEST(Deflection, OfACantileverHasTheStressOfItsRoot) {
  TemporaryFolder folder;
  const std::string file = folder.write("arm.yaml", R"(
ulna: 1
name: arm
bodies:
  - {name: arm, beam: {from: [0, 0, 0], to: [2, 0, 0], material: steel, section: {tube: {outer: 80 mm, inner: 60 mm}}, elements: 4}}
joints:
  - {name: base, type: revolute, parent: world, child: arm, axis: [0, 1, 0]}
frames:
  - {name: tip, body: arm, at: [2, 0, 0]}
)");
  const Json out = run_json({"deflection", file, "--wrench", "tip:0,0,-500", "--no-gravity",
                             "--buckling", "2", "--axes"});
  const double I = M_PI / 64 * (std::pow(0.08, 4) - std::pow(0.06, 4)), E = 2e11;
  EXPECT_NEAR(double(out["translation"][2]), -500 * 8 / (3 * E * I), 1e-9);
  EXPECT_NEAR(double(out["stresses"][0]["von_mises"]), 1000 * 0.04 / I, 1e-5 * 1000 * 0.04 / I);
  EXPECT_EQ(out["stresses"][0]["beam"], "arm");
  EXPECT_EQ(double(out["stresses"][0]["station"]), 0);
  EXPECT_EQ(out["axes"]["arm"].size(), 6u);
  EXPECT_NEAR(double(out["axes"]["arm"]["plane"][0][0]), 1, 1e-12);
  // A push along the beam: Euler's load of a cantilever.
  const Json pushed = run_json(
      {"deflection", file, "--wrench", "tip:-1000,0,0", "--no-gravity", "--buckling", "1"});
  const double load = M_PI * M_PI * E * I / 16;
  EXPECT_NEAR(double(pushed["load_factors"][0]) * 1000, load, 2e-4 * load);
  // The same push in the axes of a robot that is turned.
  const Json turned = run_json({"deflection", file, "--q", "0.7", "--wrench", "tip@arm:-1000,0,0",
                                "--no-gravity", "--buckling", "1"});
  EXPECT_NEAR(double(turned["load_factors"][0]), double(pushed["load_factors"][0]), 1e-3);
  const std::string text =
      run_cli({"deflection", file, "--members", "--buckling", "1", "--axes"}).out;
  for (const char* part : {"von Mises", "Mz", "direction cosines", "one-rotation"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Deflection, OfTheArmOfTheNotesNamesItsBeams) {
  const Json out = run_json({"deflection", "t3r3-frame", "--q", "0.1,1,-1.2"});
  ASSERT_EQ(out["stresses"].size(), 3u);
  EXPECT_EQ(out["stresses"][1]["beam"], "forearm.tube");
  EXPECT_GT(double(out["stresses"][0]["von_mises"]), 1e5);
  expect_refusal({"deflection", "t3r3-frame", "--wrench", "tipp:0,0,1"}, {"tip"});
  expect_refusal({"deflection", "t3r3-frame", "--buckling", "0"}, {"--buckling"});
}

TEST(Sweeps, SeveralGiveAllCombinations) {
  TemporaryFolder folder;
  const std::vector<std::string> arm = {"modes", "t3r3-frame", "--locked", "all", "--count", "2"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), arm.begin(), arm.end());
    return more;
  };
  const std::string csv = folder.path("grid.csv"), svg = folder.path("grid.svg");
  const Json grid = run_json(with({"--sweep", "payload=0,25", "--sweep", "joint2=0.2:1:0.4",
                                   "--sweep", "joints.joint3.dh.a=1.4,1.5113", "-o", csv}));
  ASSERT_EQ(grid["parameters"].size(), 3u);
  ASSERT_EQ(grid["values"].size(), 12u);
  EXPECT_EQ(grid["values"][0], Json::array({0.0, 0.2, 1.4}));
  EXPECT_NEAR(double(grid["values"][11][1]), 1, 1e-12);
  // Each point is what its values give alone.
  const Json one = run_json(with({"--q", "0,0.6,0", "--sweep", "payload=25"}));
  EXPECT_NEAR(double(grid["frequencies_hz"][9][0]), double(one["frequencies_hz"][0][0]), 1e-6);
  EXPECT_THAT(content_of(csv), HasSubstr("joints.joint3.dh.a"));
  run_json(with({"--sweep", "payload=0,25", "--sweep", "joint2=0:1:0.5", "-o", svg}));
  EXPECT_THAT(content_of(svg), HasSubstr("payload 25"));
  run_json(with(
      {"--sweep", "payload=0,25", "--sweep", "joint2=0:1:0.5", "-o", folder.path("grid.html")}));
  expect_refusal(with({"--sweep", "payload=0,25", "--sweep", "payload=1,2"}), {"swept twice"});
  expect_refusal(with({"--sweep", "bodies.forarm.mass=1,2"}), {"forearm"});
  expect_refusal(with({"--sweep", "gravity.z=1,2", "--map", "joint2=0:1:1,joint3=0:1:1"}),
                 {"--map", "--sweep"});
}

TEST(Sweeps, OfFlexibleRobotsTakePathsToo) {
  const Json out = run_json({"modes", "spinning-beam", "--locked", "all", "--sweep", "v.hinge=0,5",
                             "--sweep", "gravity.y=0,-9.81"});
  EXPECT_EQ(out["values"].size(), 4u);
  EXPECT_GT(double(out["frequencies_hz"][2][0]), double(out["frequencies_hz"][0][0]));
}

TEST(ModesAlong, AMotionAreThoseOfItsPostures) {
  TemporaryFolder folder;
  const std::string file = folder.write("move.yaml", R"(
experiment: 1
robot: t3r3-frame
duration: 1 s
motions: {joint1: 0, joint2: 0.2 + 0.8*t, joint3: -0.5*t}
record: {interval: 10 ms}
)");
  const Json along = run_json({"modes", file, "--locked", "all", "--points", "5", "--count", "2"});
  EXPECT_EQ(along["parameter"], "t");
  ASSERT_EQ(along["values"].size(), 5u);
  EXPECT_NEAR(double(along["values"][4]), 1, 1e-9);
  const Json last = run_json({"modes", "t3r3-frame", "--q", "0,1,-0.5", "--locked", "all"});
  EXPECT_NEAR(double(along["frequencies_hz"][4][0]), double(last["frequencies_hz"][0]), 1e-6);
  const Json named =
      run_json({"modes", "t3r3-frame", "--along", file, "--locked", "all", "--points", "5"});
  EXPECT_EQ(named["values"], along["values"]);
}

TEST(Modes, BushingsHaveTheirShareOfTheStrainEnergy) {
  TemporaryFolder folder;
  const std::string file = folder.write("carriage.yaml", R"(
ulna: 1
name: carriage
bodies:
  - {name: rail, beam: {from: [0, 0, 0], to: [1, 0, 0], material: steel, section: {round: 60 mm}, elements: 4}}
  - {name: carriage, mass: 20, inertia: [0.1, 0.1, 0.1]}
joints:
  - {name: root, type: fixed, parent: world, child: rail}
  - {name: slide, type: prismatic, parent: rail, child: carriage, axis: [1, 0, 0], bushings: [{at: -50 mm, stiffness: 1e4}, {at: 50 mm, stiffness: 1e4}]}
)");
  const Json out = run_json({"modes", file, "--q", "0.3", "--locked", "all"});
  const Json& shares = out["shapes"][0]["strain_energy"];
  EXPECT_GT(double(shares["bushings and elements"]), 0.9);
  double sum = 0;
  for (const auto& [name, share] : shares.items()) sum += share.get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
}

}  // namespace
}  // namespace ulna::test
