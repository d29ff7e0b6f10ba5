// `ulna modes` and `ulna condense`: what they tell, and what they refuse.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "run_cli.hpp"
#include "support/places.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> posture = {
    "t3r3-frame", "--q", "0.124354994547,1.00244141036,-1.24042022153", "--locked", "all"};

std::vector<std::string> with(const std::string& command, std::vector<std::string> more) {
  std::vector<std::string> words = {command};
  words.insert(words.end(), posture.begin(), posture.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Modes, OfTheArmOfTheNotes) {
  const Json out = run_json(with("modes", {"--count", "6"}));
  EXPECT_NEAR(out["frequencies_hz"][0].get<double>(), 21.7537602, 1e-6);
  EXPECT_NEAR(out["frequencies_rad"][0].get<double>(),
              out["frequencies_hz"][0].get<double>() * 2 * M_PI, 1e-9);
  EXPECT_EQ(out["freedoms"], 66);
  ASSERT_EQ(out["shapes"].size(), 6u);
  const std::size_t nodes = out["nodes"].size();
  EXPECT_EQ(out["shapes"][0]["displacements"].size(), nodes);
  EXPECT_EQ(out["elements"].size(), 11u);
  double strain = 0;
  for (const auto& [name, share] : out["shapes"][0]["strain_energy"].items())
    strain += share.get<double>();
  EXPECT_NEAR(strain, 1, 1e-9);
  EXPECT_THAT(run_cli(with("modes", {})).out, HasSubstr("21.75"));
}

TEST(Modes, FreeJointsGiveRigidBodyModes) {
  const Json out = run_json({"modes", "t3r3-frame", "--free", "--q", "0.1,1,-1.2"});
  EXPECT_EQ(out["rigid_body_modes"], 3);
  EXPECT_EQ(out["frequencies_hz"][2], 0);
  EXPECT_GT(out["frequencies_hz"][3].get<double>(), 1);
  const Json held = run_json({"modes", "t3r3-frame", "--q", "0.1,1,-1.2", "--locked", "joint1",
                              "--elastic", "joint2=1e6,joint3=1e6:10"});
  EXPECT_EQ(held["rigid_body_modes"], 0);
}

// Beams with EI alone in a robot that moves in a plane: the frame of that plane, a little softer
// than four clamped-free modes a link.
TEST(Modes, OfAPlanarRobotWithoutDataForSpace) {
  const auto first = [](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"modes", "flexible-two-link", "--locked", "all"};
    words.insert(words.end(), more.begin(), more.end());
    return run_json(words)["frequencies_hz"][0].get<double>();
  };
  const double modal = first({}), frame = first({"--elements"});
  EXPECT_LT(frame, modal);
  EXPECT_GT(frame, 0.98 * modal);
  EXPECT_THAT(run_cli({"modes", "flexible-two-link", "--locked", "all", "--elements"}).err,
              HasSubstr("x-y plane"));
}

TEST(Modes, SweepsFollowAParameter) {
  const TemporaryFolder folder;
  const std::string svg = folder.path("sweep.svg");
  const Json out = run_json(with("modes", {"--sweep", "payload=0:25:5", "-o", svg}));
  ASSERT_EQ(out["values"].size(), 6u);
  EXPECT_NEAR(out["frequencies_hz"][0][0].get<double>(), 39.994, 0.01);
  EXPECT_NEAR(out["frequencies_hz"][5][0].get<double>(), 21.754, 0.001);
  EXPECT_THAT(content_of(svg), HasSubstr("<svg"));
  const Json angle = run_json(with("modes", {"--sweep", "joint2=0deg:90deg:30deg"}));
  EXPECT_EQ(angle["frequencies_hz"].size(), 4u);
  const Json material = run_json(with("modes", {"--sweep", "upper_arm.material=steel,aluminium"}));
  EXPECT_EQ(material["values"][1], "aluminium");
  EXPECT_NEAR(material["frequencies_hz"][1][0].get<double>(), 16.001, 0.01);
  run_json(with("modes", {"--sweep", "forearm.section.ratio=1.5,2"}));
}

TEST(Modes, MotionTermsAndStatics) {
  const Json all = run_json(with("modes", {"--v", "0.3,-0.6,1.4", "--terms", "all"}));
  const Json none = run_json(with("modes", {"--v", "0.3,-0.6,1.4", "--terms", "none"}));
  EXPECT_NEAR(none["frequencies_hz"][0].get<double>(), 21.7537602, 1e-5);
  EXPECT_NEAR(all["frequencies_hz"][0].get<double>(), 21.75, 0.05);
  EXPECT_NE(all["frequencies_hz"][0], none["frequencies_hz"][0]);
  const Json bent = run_json(with("modes", {"--statics"}));
  EXPECT_LT(bent["translation"][2].get<double>(), 0);
  EXPECT_EQ(bent["compliance"].size(), 6u);
  EXPECT_EQ(run_cli({"modes", "t3r3-frame", "--free", "--statics"}).status, 1);  // free joints
}

TEST(Modes, FrequencyResponse) {
  const Json bent = run_json(with("modes", {"--statics"}));
  const Json h = run_json(with("modes", {"--response", "tip.z:tip.z", "--frequencies", "0,22.66"}));
  // At rest the compliance; at the second frequency, whose shape is vertical, a peak.
  EXPECT_NEAR(h["real"][0].get<double>() / bent["compliance"][2][2].get<double>(), 1, 1e-9);
  EXPECT_GT(std::abs(h["imag"][1].get<double>()), 20 * h["real"][0].get<double>());
  run_json({"modes", "t3r3-frame", "--response", "joint2:tip.x"});
}

TEST(Modes, DampingByModesAndByMatrices) {
  const Json modal = run_json(with("modes", {"--damping", "0.03", "--count", "4"}));
  for (const Json& ratio : modal["damping_ratio"]) EXPECT_NEAR(ratio.get<double>(), 0.03, 1e-9);
  const Json rayleigh = run_json(with("modes", {"--rayleigh", "2,1e-5", "--count", "4"}));
  for (int k = 0; k < 4; ++k) {
    const double w =
        std::hypot(rayleigh["real"][k].get<double>(), rayleigh["imag"][k].get<double>());
    EXPECT_NEAR(rayleigh["damping_ratio"][k].get<double>(), 1 / w + 0.5e-5 * w, 1e-8);
  }
  expect_refusal(with("modes", {"--rayleigh", "2"}), {"--rayleigh", "two numbers"});
}

TEST(Modes, MapOverTwoCoordinates) {
  const TemporaryFolder folder;
  const std::string svg = folder.path("map.svg"), csv = folder.path("map.csv");
  const std::string grid = "joint2=0deg:90deg:30deg,joint3=-1.5:-0.5:0.5";
  const Json map = run_json(with("modes", {"--count", "3", "--map", grid, "-o", svg}));
  ASSERT_EQ(map["frequencies_hz"].size(), 3u);  // modes, then joint2, then joint3
  ASSERT_EQ(map["frequencies_hz"][0].size(), 4u);
  ASSERT_EQ(map["frequencies_hz"][0][0].size(), 3u);
  EXPECT_EQ(map["reached"], 12);
  EXPECT_THAT(content_of(svg), HasSubstr("joint3 [rad]"));
  // A point of the map is the robot at that posture.
  const Json one = run_json(
      {"modes", "t3r3-frame", "--locked", "all", "--count", "3", "--q", "0.124354994547,60deg,-1"});
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(map["frequencies_hz"][k][2][1].get<double>(),
                one["frequencies_hz"][k].get<double>(), 1e-9);
  const Json tip = run_json({"fk", "t3r3-frame", "--q", "0.124354994547,60deg,-1"});
  EXPECT_NEAR(map["places"][2][2][1].get<double>(),
              tip["frames"]["tip"]["position"][2].get<double>(), 1e-12);
  run_json(with("modes", {"--map", grid, "--mode", "2", "-o", csv}));
  EXPECT_THAT(content_of(csv), HasSubstr("frequency.mode 2[Hz]"));
}

TEST(Modes, TransientResponse) {
  const TemporaryFolder folder;
  const std::string svg = folder.path("step.svg");
  const Json bent = run_json(with("modes", {"--statics"}));
  const double compliance = bent["compliance"][2][2];
  // A step of 100 N swings about the static deflection and, damped, comes to rest there.
  const Json step =
      run_json(with("modes", {"--transient", "tip.z:tip.z,tip.x", "--amplitude", "100", "--times",
                              "0:10:0.005", "--damping", "0.05", "-o", svg}));
  ASSERT_EQ(step["times"].size(), 2001u);
  EXPECT_NEAR(step["motion"]["tip.z"][2000].get<double>() / (100 * compliance), 1, 1e-9);
  double most = 0;
  for (const Json& z : step["motion"]["tip.z"]) most = std::max(most, z.get<double>());
  EXPECT_GT(most, 1.7 * 100 * compliance);
  EXPECT_THAT(content_of(svg), HasSubstr("<svg"));
  // The response to a step is the integral of that to a blow.
  const Json blow = run_json(with("modes", {"--transient", "tip.z:tip.z", "--load", "impulse",
                                            "--times", "0:0.1:0.0001", "--count", "4"}));
  const Json unit = run_json(
      with("modes", {"--transient", "tip.z:tip.z", "--times", "0:0.1:0.0001", "--count", "4"}));
  double sum = 0;
  for (int k = 1; k <= 1000; ++k)
    sum += 0.5e-4 * (blow["motion"]["tip.z"][k].get<double>() +
                     blow["motion"]["tip.z"][k - 1].get<double>());
  const double rest = unit["motion"]["tip.z"][0];  // of the modes left out, at once
  EXPECT_NEAR(sum / (unit["motion"]["tip.z"][1000].get<double>() - rest), 1, 1e-3);
  const std::string file = folder.write("push.csv", "t,f\n0,0\n0.1,1\n0.3,0\n");
  const Json push = run_json(
      with("modes", {"--transient", "tip.z:tip.z", "--load", file, "--times", "0:0.4:0.05"}));
  EXPECT_NEAR(push["force"][3].get<double>(), 0.75, 1e-12);
  run_json({"modes", "t3r3-frame", "--transient", "joint2:joint2,tip.x", "--times", "0:1:0.1"});
}

TEST(Modes, OfTheLatheSpindle) {
  const std::string spindle = testing::example_file("lathe-spindle/spindle.yaml");
  const Json out = run_json({"modes", spindle, "--freedoms", "v,rz"});
  EXPECT_EQ(out["freedoms"], 25);
  EXPECT_NEAR(out["frequencies_hz"][0].get<double>(), 471.940051411, 1e-6);
  EXPECT_NEAR(out["shapes"][0]["strain_energy"]["spring of rear"].get<double>(), 0.794178, 1e-6);
  const Json damped = run_json({"modes", spindle, "--freedoms", "v,rz", "--damped"});
  EXPECT_NEAR(damped["frequencies_hz"][4].get<double>(), 2891.16635927, 1e-5);
  EXPECT_NEAR(damped["damping_ratio"][0].get<double>(), 0.0378406202358, 1e-9);
  const Json small =
      run_json({"condense", spindle, "--freedoms", "v,rz", "--method", "craig-bampton,guyan",
                "--interface", "front_bearing,rear_bearing", "--keep", "12", "--count", "5"});
  EXPECT_NEAR(small["damped_hz"][1].get<double>(), 590.445225488, 1e-6);
  const Json& cms = small["reductions"][0];
  EXPECT_EQ(cms["component_modes"], 8);
  EXPECT_NEAR(cms["damped_hz"][4].get<double>(), 2893.33301132, 1e-4);
  EXPECT_NEAR(small["reductions"][1]["damped_hz"][4].get<double>(), 2895.53176264, 1e-4);
}

TEST(Modes, SweepsOfAMechanismStayClosed) {
  const TemporaryFolder folder;
  const std::string bar = ", material: aluminium, section: {round: 20 mm}, elements: 3}}\n";
  const std::string file = folder.write(
      "bars.yaml",
      "ulna: 1\nname: bars\nbodies:\n  - {name: crank, beam: {length: 0.2" + bar +
          "  - {name: rod, beam: {length: 0.6" + bar + "  - {name: rocker, beam: {length: 0.4" +
          bar +
          "joints:\n  - {name: a, type: revolute, parent: world, child: crank}\n"
          "  - {name: b, type: revolute, parent: crank, child: rod, at: [0.2, 0, 0]}\n"
          "  - {name: d, type: revolute, parent: world, child: rocker, at: [0.5, 0, 0]}\n"
          "  - {name: c, type: revolute, parent: rod, child: rocker, at: [0.6, 0, 0], "
          "child_at: [-0.4, 0, 0], cut: true, spring: {stiffness: 50}}\n");
  const Json sweep = run_json(
      {"modes", file, "--q", "a=60deg", "--locked", "a", "--sweep", "a=60deg:120deg:30deg"});
  const Json last = run_json({"modes", file, "--q", "a=120deg", "--locked", "a"});
  ASSERT_EQ(sweep["frequencies_hz"].size(), 3u);
  std::vector<double> found = sweep["frequencies_hz"][2], alone = last["frequencies_hz"];
  std::sort(found.begin(), found.end());
  for (std::size_t k = 0; k < alone.size(); ++k) EXPECT_NEAR(found[k] / alone[k], 1, 1e-6);
}

TEST(Modes, RefuseBadInput) {
  expect_refusal(with("modes", {"--map", "joint2=0:1:1"}), {"--map", "COORDINATE"});
  expect_refusal(with("modes", {"--map", "joint2=0:1:1,joint2=0:1:1"}), {"--map", "differ"});
  expect_refusal(with("modes", {"--map", "joint2=0:1:1,elbow=0:1:1"}), {"--map", "elbow"});
  expect_refusal(with("modes", {"--map", "joint2=0:1:1,joint3=0:1:1", "--mode", "99"}), {"--mode"});
  expect_refusal(with("modes", {"--map", "joint2=0:1:1,joint3=0:1:1", "-o", "x.html"}), {".svg"});
  expect_refusal(with("modes", {"--map", "joint2=0:1:1,joint3=0:1:1", "--statics"}),
                 {"--statics", "--map"});
  expect_refusal(with("modes", {"--transient", "tip.z"}), {"--transient", "FROM:TO"});
  expect_refusal(with("modes", {"--transient", "tip.z:tip.z", "--load", "bump"}),
                 {"--load", "step"});
  expect_refusal(with("modes", {"--transient", "tip.z:tip.z", "--load", "none.csv"}), {"none.csv"});
  expect_refusal(with("modes", {"--transient", "tip.z:tip.z", "--times", "1"}), {"--times"});
  expect_refusal(with("modes", {"--transient", "tip.z:tip.z", "--damping", "-1"}), {"--damping"});
  expect_refusal(with("modes", {"--freedoms", "u,q"}), {"--freedoms", "rz"});
  expect_refusal({"modes", "t3r3-frame", "--freedoms", "v,rz", "--free"}, {"joint2", "freedoms"});

  expect_refusal(with("modes", {"--response", "tip.z"}), {"--response", "FROM:TO"});
  expect_refusal(with("modes", {"--response", "joint1:tip.z"}), {"joint1", "locked"});
  expect_refusal(with("modes", {"--response", "tip.q:tip.z"}), {"tip.q"});
  expect_refusal(with("modes", {"--response", "tip.z:tip.z", "--frequencies", "5:1:1"}),
                 {"--frequencies"});

  expect_refusal({"modes", "t3r3-frame", "--locked", "joint9"}, {"joint9"});
  expect_refusal(with("modes", {"--count", "0"}), {"--count"});
  expect_refusal(with("modes", {"--sweep", "joint2=0:1"}), {"--sweep", "START:END:STEP"});
  expect_refusal(with("modes", {"--sweep", "joint2=0:1:-1"}), {"--sweep", "towards the end"});
  expect_refusal(with("modes", {"--sweep", "wrist=0:1:1"}), {"--sweep", "wrist"});
  expect_refusal(with("modes", {"--sweep", "forearm.material=wood"}), {"wood"});
  expect_refusal(with("modes", {"--terms", "coriolis"}), {"--terms", "gyroscopic"});
  expect_refusal(with("modes", {"--theory", "mindlin"}), {"--theory", "timoshenko"});
  expect_refusal(with("modes", {"--elastic", "joint1=-5"}), {"--elastic"});
  expect_refusal(with("modes", {"-o", "x.svg"}), {"--sweep"});
  expect_refusal({"modes", "puma560", "--locked", "all"}, {"no freedom to move", "beam"});
}

TEST(Condense, ComparesMethods) {
  const Json out = run_json(with("condense", {"--method", "all", "--keep", "13,24"}));
  EXPECT_EQ(out["freedoms"], 66);
  ASSERT_EQ(out["reductions"].size(), 12u);
  for (const Json& row : out["reductions"]) {
    EXPECT_EQ(row["errors"].size(), 6u);
    if (row["method"] == "craig-bampton" && row["keep"] == 13) {
      EXPECT_EQ(row["component_modes"], 7);
      for (const Json& e : row["errors"]) EXPECT_LT(e.get<double>(), 7e-4);
    }
    if (row["method"] == "serep") {
      EXPECT_NEAR(row["errors"][5].get<double>(), 0, 1e-8);
    }
  }
  EXPECT_THAT(run_cli(with("condense", {})).out, HasSubstr("guyan"));
}

TEST(Condense, DrawsErrorsOverTheCoordinatesKept) {
  const TemporaryFolder folder;
  const std::string picture = folder.path("errors.svg"), table = folder.path("errors.csv");
  const Json out =
      run_json(with("condense", {"--method", "guyan,irs", "--keep", "12,16,24", "-o", picture}));
  EXPECT_EQ(out["file"], picture);
  EXPECT_THAT(content_of(picture), AllOf(HasSubstr("<svg"), HasSubstr("guyan"), HasSubstr("irs")));
  run_json(with("condense", {"--keep", "8,24", "-o", table}));
  EXPECT_THAT(content_of(table), HasSubstr("coordinates kept,error by guyan.mode 1"));
  expect_refusal(with("condense", {"--keep", "12", "-o", picture}), {"--keep", "two or more"});
  expect_refusal(with("condense", {"--keep", "8,12", "-o", "x.pdf"}), {"x.pdf", ".svg"});
}

TEST(Condense, ExportsAndReadsMatrices) {
  const TemporaryFolder folder;
  const std::string name = folder.path("arm");
  run_json(with("condense", {"--method", "craig-bampton", "--keep", "20", "--export", name}));
  const Json again = run_json({"condense", "--matrices", name + ".K.mtx," + name + ".M.mtx",
                               "--method", "guyan", "--keep", "12"});
  EXPECT_EQ(again["freedoms"], 20);
  EXPECT_NEAR(again["frequencies_hz"][0].get<double>(), 21.7538, 1e-3);
}

TEST(Condense, WritesABeamForAFlexibleLink) {
  const TemporaryFolder folder;
  const std::string file = folder.path("forearm.yaml");
  const Json out = run_json({"condense", "t3r3-frame", "--beam", "forearm.tube", "--elements", "10",
                             "--method", "craig-bampton", "--keep", "9", "--write", file});
  EXPECT_EQ(out["freedoms"], 60);
  EXPECT_EQ(out["reductions"][0]["component_modes"], 3);
  EXPECT_THAT(content_of(file), HasSubstr("ulna_modes: 1"));
  const Json flat = run_json({"condense", "t3r3-frame", "--beam", "upper_arm", "--freedoms", "v,rz",
                              "--method", "craig-bampton", "--keep", "4"});
  EXPECT_EQ(flat["freedoms"], 10);
  expect_refusal({"condense", "t3r3-frame", "--beam", "forearm"}, {"--beam", "several"});
  expect_refusal({"condense", "t3r3-frame", "--beam", "hand"}, {"--beam", "hand"});
  expect_refusal(with("condense", {"--write", file}), {"--write", "--beam"});
  expect_refusal({"condense", "t3r3-frame", "--beam", "upper_arm", "--interface", "tip"},
                 {"--interface"});
  expect_refusal({"condense", "t3r3-frame", "--beam", "upper_arm", "--elements", "0"},
                 {"--elements"});
}

TEST(Condense, RefusesBadInput) {
  const TemporaryFolder folder;
  expect_refusal(with("condense", {"--method", "magic"}), {"magic", "guyan"});
  expect_refusal(with("condense", {"--keep", "99"}), {"99", "66"});
  expect_refusal(with("condense", {"--method", "craig-bampton", "--keep", "3"}), {"at least 6"});
  expect_refusal(with("condense", {"--interface", "tip,nose"}), {"nose"});
  expect_refusal({"condense"}, {"ROBOT"});
  expect_refusal({"condense", "--matrices", "K.mtx"}, {"K.mtx,M.mtx"});
  const std::string bad =
      folder.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n");
  expect_refusal({"condense", "--matrices", bad + "," + bad}, {"bad.mtx:3", "1 .. 2"});
  // The torsion constant of the box is given by number there; CalculiX would take its own.
  const Outcome deck = run_cli(with("condense", {"--export", folder.path("arm.inp")}));
  EXPECT_EQ(deck.status, 0) << deck.err;
  EXPECT_THAT(deck.err, HasSubstr("J = "));
  EXPECT_THAT(content_of(folder.path("arm.inp")), HasSubstr("TYPE=B32R"));
}

TEST(Condense, TheExampleOfItsHelpRuns) {
  const Json out = run_json(
      {"condense", "t3r3-frame", "--locked", "all", "--method", "all", "--keep", "11,13,24"});
  ASSERT_EQ(out["reductions"].size(), 18u);
  for (const Json& row : out["reductions"]) EXPECT_FALSE(row.contains("failure")) << row;
}

TEST(Condense, AMethodThatFailsIsARowWithItsReason) {
  const Json out = run_json(with("condense", {"--method", "craig-bampton,guyan", "--keep", "4"}));
  EXPECT_THAT(out["reductions"][0]["failure"].get<std::string>(), HasSubstr("interface of 6"));
  const Json& guyan = out["reductions"][1];
  EXPECT_FALSE(guyan.contains("failure"));
  // Four coordinates have four frequencies: no error is told of the others.
  ASSERT_EQ(guyan["errors"].size(), 6u);
  EXPECT_TRUE(guyan["errors"][3].is_number());
  EXPECT_TRUE(guyan["errors"][4].is_null());
  EXPECT_THAT(run_cli(with("condense", {"--keep", "4"})).out, HasSubstr(" - "));
  expect_refusal(with("condense", {"--method", "guyan,magic"}), {"magic", "--method"});
}

TEST(Modes, OfSweepsKnowTheForcesOfActuatorsThatWereSet) {
  // Along the bar, with 100 N in it over 0.5 m: the end moves across by r.
  TemporaryFolder folder;
  const double rate = std::sqrt(100 / 0.5 / (0.25 + 3 * 0.25));
  for (const auto& [force, option, value] : {std::tuple("input", "--actuator-forces", "e=-100"),
                                             std::tuple("7", "--actuator-forces", "e=-100"),
                                             std::tuple("-50*t", "--actuator-time", "2 s")}) {
    const std::string bar = folder.write("bar.yaml", std::string(R"(ulna: 1
name: bar
gravity: [0, 0, 0]
bodies:
  - {name: bar, mass: 3, centre: [0.5, 0, 0], inertia: [0.01, 0.25, 0.25]}
joints:
  - {name: hinge, type: revolute, parent: world, child: bar}
elements:
  - {name: e, type: actuator, from: {body: world, point: [1.5, 0, 0]}, to: {body: bar, point: [1, 0, 0]}, force: )") +
                                                         force + "}\n");
    const Json one = run_json({"modes", bar, option, value});
    EXPECT_NEAR(double(one["frequencies_rad"][0]), rate, 1e-9) << force;
    const Json two =
        run_json({"modes", bar, option, value, "--sweep", "bodies.bar.mass=3,4", "--count", "1"});
    EXPECT_NEAR(double(two["frequencies_hz"][0][0]) * 2 * M_PI, rate, 1e-9) << force;
    EXPECT_NEAR(double(two["frequencies_hz"][1][0]) * 2 * M_PI, std::sqrt(200 / 1.25), 1e-9);
  }
}

TEST(Condense, SaysWhenNothingBends) {
  expect_refusal({"condense", "puma560"}, {"puma560", "beam"});
  for (const char* robot : {"four-bar", "bennett", "stewart-6-6"})
    EXPECT_THAT(run_cli({"modes", robot, "--locked", "all"}).err, HasSubstr("no freedom to move"));
  EXPECT_THAT(run_cli({"modes", "puma560"}).out, HasSubstr("no link bends"));
  EXPECT_THAT(run_cli({"modes", "ur5e"}).out, HasSubstr("nothing resists the motions shown"));
  EXPECT_THAT(std::string(run_json({"modes", "ur5e"})["remark"]), HasSubstr("--elastic all="));
  expect_refusal({"modes", "t3r3-frame", "--level", "linear"}, {"flexible:"});
}

TEST(Condense, FreeJointsByComponentModes) {
  const Json out = run_json(
      {"condense", "t3r3-frame", "--q", "0.1,1,-1.2", "--method", "craig-bampton", "--keep", "20"});
  EXPECT_EQ(out["reductions"][0]["errors"].size(), 6u);
}

TEST(Modes, WithoutFramesWatchesTheEndOfTheLastBeam) {
  const TemporaryFolder folder;
  const std::string file = folder.path("arm.yaml");
  std::ofstream(file)
      << "ulna: 1\nname: arm\nbodies:\n  - name: arm\n    beam: {length: 2, EA: 1e7, "
         "EIy: 6, EIz: 3, GJ: 5, mass_per_length: 1, polar_inertia: 1e-3}\n"
         "joints:\n  - {name: hub, type: revolute, parent: world, child: arm}\n";
  const Json bent = run_json({"modes", file, "--locked", "all", "--statics"});
  EXPECT_EQ(bent["frame"], "end");
  EXPECT_NEAR(bent["compliance"][1][1].get<double>(), 8.0 / 9, 1e-9);  // L^3 / 3 EI
  const Outcome blow = run_cli(
      {"modes", file, "--locked", "all", "--transient", "end.y:end.y", "--amplitude", "-1"});
  EXPECT_THAT(blow.out, HasSubstr("largest -"));
}

}  // namespace
}  // namespace ulna::test
