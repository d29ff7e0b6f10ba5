// Flexible robots on the command line.

#include <gmock/gmock.h>

#include <cmath>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FlexibleCommands : public ::testing::Test {
 protected:
  std::string link(const std::string& beam) const {
    return folder.write("link.yaml", "ulna: 1\nname: r\nbodies:\n  - name: link\n    beam: {" +
                                         beam +
                                         "}\njoints:\n  - {name: hub, type: revolute, parent: "
                                         "world, child: link}\n");
  }
  void expect_refusal(const std::string& beam, const std::string& says) const {
    const Outcome outcome = run_cli({"info", link(beam)});
    EXPECT_EQ(outcome.status, 2) << beam;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("link"));
    EXPECT_THAT(outcome.err, HasSubstr(says)) << beam;
  }
  TemporaryFolder folder;
};

TEST_F(FlexibleCommands, QTakesTheJointsAndElasticTheModes) {
  const Json rest = run_json({"fk", "flexible-two-link", "--q", "0,0", "--frame", "tip"});
  EXPECT_NEAR(rest["frames"]["tip"]["position"][0].get<double>(), 2.0447, 1e-12);
  const Json bent = run_json({"fk", "flexible-two-link", "--q", "0,0", "--elastic",
                              "0.01,0,0,0,0,0,0,0", "--frame", "tip"});
  // The first mode: the end of the link moves by twice its coordinate and turns.
  EXPECT_GT(bent["frames"]["tip"]["position"][1].get<double>(), 0.02);
  const Json mass = run_json({"mass", "flexible-two-link", "--q", "0,0"});
  ASSERT_EQ(mass["M"].size(), 10);
  EXPECT_NEAR(mass["M"][0][0].get<double>(), 26.267, 1e-3);
  EXPECT_NEAR(mass["M"][0][1].get<double>(), 4.494, 1e-3);
  EXPECT_NEAR(mass["M"][1][1].get<double>(), 2.1005, 1e-4);
}

TEST_F(FlexibleCommands, ForwardUndoesInverse) {
  const std::vector<std::string> state = {"--q",      "0.1,0.5",   "--v",
                                          "0.3,-0.2", "--elastic", "0.01,0,0,0,0.02,0,0,0"};
  std::vector<std::string> inverse = {"inverse", "flexible-two-link", "--a", "1,2"};
  inverse.insert(inverse.end(), state.begin(), state.end());
  const Json tau = run_json(inverse)["tau"];
  ASSERT_EQ(tau.size(), 10);
  std::string text;
  for (const Json& x : tau) text += (text.empty() ? "" : ",") + x.dump();
  std::vector<std::string> forward = {"forward", "flexible-two-link", "--tau", text};
  forward.insert(forward.end(), state.begin(), state.end());
  const Json a = run_json(forward)["a"];
  EXPECT_NEAR(a[0].get<double>(), 1, 1e-9);
  EXPECT_NEAR(a[1].get<double>(), 2, 1e-9);
}

TEST_F(FlexibleCommands, SimulateTakesALevel) {
  const std::string file =
      folder.write("e.yaml",
                   "experiment: 1\nrobot: flexible-two-link\nduration: 2\nelastic: {modes: 2, "
                   "rigid: [inboard]}\n"
                   "motions: {elbow: {spin-up: 6, time: 15}}\ndrives: {shoulder: locked}\n"
                   "record: {interval: 0.5, channels: [deflection.outboard, elastic]}\n");
  EXPECT_TRUE(run_json({"simulate", file})["complete"]);
  EXPECT_TRUE(run_json({"simulate", file, "--elastic", "ruthless"})["complete"]);
  const Outcome wrong = run_cli({"simulate", file, "--elastic", "ruthles"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("ruthless"));
  const Json study = run_json({"study", "fidelity", file, "--levels", "consistent,ruthless"});
  ASSERT_EQ(study["levels"].size(), 3);
  EXPECT_EQ(study["levels"][0]["level"], "exact");
  EXPECT_LT(study["levels"][1]["deflection_error"].get<double>(), 1e-4);
}

// The drawing has a panel for the direction that bends and a line for each level; each level's
// records are the deflections whose peak the table states.
TEST_F(FlexibleCommands, FidelityDrawsItsLevels) {
  const std::string file =
      folder.write("f.yaml",
                   "experiment: 1\nrobot: flexible-two-link\nduration: 2\nelastic: {modes: 2, "
                   "rigid: [inboard]}\n"
                   "motions: {elbow: {spin-up: 6, time: 15}}\ndrives: {shoulder: locked}\n"
                   "record: {interval: 0.1}\n");
  const std::string out = folder.path("levels");
  const Json study =
      run_json({"study", "fidelity", file, "--levels", "consistent,ruthless", "-o", out});
  EXPECT_EQ(study["outputs"], Json({out + "/fidelity.svg", out + "/exact.csv",
                                    out + "/consistent.csv", out + "/ruthless.csv"}));
  const std::string svg = content_of(out + "/fidelity.svg");
  EXPECT_THAT(svg, HasSubstr("outboard y"));
  EXPECT_THAT(svg, ::testing::Not(HasSubstr("outboard z")));  // nothing bends this way
  for (const char* level : {"exact", "consistent", "ruthless"})
    EXPECT_THAT(svg, HasSubstr(std::string(">") + level + "<"));
  const Outcome plot = run_cli({"plot", out + "/exact.csv", "-o", folder.path("again.svg")});
  EXPECT_EQ(plot.status, 0) << plot.err;
  const std::string one = folder.path("levels.svg");
  run_json({"study", "fidelity", file, "--levels", "consistent", "-o", one});
  EXPECT_THAT(content_of(one), HasSubstr("consistent"));
  EXPECT_THAT(run_cli({"study", "fidelity", file, "-o", folder.path("x.csv")}).err,
              HasSubstr("one .csv for each level"));
  const std::string stability = folder.path("stability");
  run_json({"study", "stability", "flexible-two-link", "--spin", "0,1", "--axial", "0", "-o",
            stability});
  EXPECT_THAT(content_of(stability + "/stability.svg"), HasSubstr("Stability of outboard"));
}

TEST_F(FlexibleCommands, BadBeamsNameTheirLink) {
  const std::string good = "length: 1, EI: 10, mass_per_length: 1, ";
  EXPECT_EQ(run_cli({"info", link(good + "flexible: {modes: {bending_y: 2}}")}).status, 0);
  expect_refusal("length: 1, EI: -10, mass_per_length: 1, flexible: {modes: {bending_y: 2}}", "EI");
  expect_refusal(good + "flexible: {modes: {bending_y: 5}, family: finite-element}", "elements");
  expect_refusal(good + "flexible: {modes: {bending_y: 2, torsion: 1}}", "GJ");
  expect_refusal(good + "flexible: {modes: {bending_y: 2}, damping: [0.1, 0.1, 0.1]}", "damping");
}

TEST_F(FlexibleCommands, ModesFromAFile) {
  folder.write("m.yaml",
               "ulna_modes: 1\nlength: 1\nnodes: [0, 1]\ntranslations: [[[0, 0, 0], [0, 1, 0]]]\n"
               "rotations: [[[0, 0, 0], [0, 0, 1.5]]]\nstiffness: [[30]]\n");
  const std::string rod = "length: 1, EI: 10, mass_per_length: 1, ";
  const Json info =
      run_json({"modes", link(rod + "flexible: {modes: {file: m.yaml}}"), "--locked", "all"});
  // The shape under a tip force has the mass 33/140: w^2 = 3 EI / (33/140).
  ASSERT_EQ(info["frequencies_rad"].size(), 1);
  EXPECT_NEAR(info["frequencies_rad"][0].get<double>(), std::sqrt(30 * 140 / 33.0), 1e-9);
  expect_refusal(rod + "flexible: {modes: {file: none.yaml}}", "none.yaml");
  expect_refusal(rod + "flexible: {modes: {file: m.yaml, bending_y: 1}}", "one of the two");
  expect_refusal(rod + "flexible: {modes: {file: m.yaml}, family: pinned-pinned}", "family");
  expect_refusal("length: 2, EI: 10, mass_per_length: 1, flexible: {modes: {file: m.yaml}}",
                 "length");
}

TEST_F(FlexibleCommands, WhatHasNoFlexibleFormSaysSo) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"inverse", "flexible-two-link", "--method", "lagrange-4x4"},
        {"ik", "flexible-two-link", "--position", "1,0,0"}}) {
    const Outcome outcome = run_cli(command);
    EXPECT_EQ(outcome.status, 2) << command[0];
    EXPECT_THAT(outcome.err, HasSubstr("flexible")) << command[0];
  }
}

/// A round shaft that turns about its own axis: in its own frame, rotating at W, the frequencies
/// w of both planes become w - W and w + W, and beyond the critical speed W - w: no runaway.
TEST_F(FlexibleCommands, AShaftWhirlsAtItsPoles) {
  const std::string shaft = folder.write(
      "shaft.yaml",
      "ulna: 1\nname: shaft\ngravity: [0, 0, 0]\nbodies:\n  - name: shaft\n    beam: {length: 1, "
      "material: steel, section: {round: 20 mm}, elements: 8, flexible: {modes: {bending_y: 2, "
      "bending_z: 2}, family: finite-element}}\njoints:\n  - {name: j, type: revolute, parent: "
      "world, child: shaft, axis: [1, 0, 0]}\n");
  const double w = run_json({"modes", shaft, "--locked", "all"})["frequencies_rad"][0];
  for (const double W : {50.0, 120.0}) {
    const Json found = run_json({"modes", shaft, "--locked", "all", "--v", std::to_string(W)});
    EXPECT_NEAR(found["frequencies_rad"][0].get<double>(), std::abs(w - W), 1e-6 * w);
    EXPECT_NEAR(found["frequencies_rad"][1].get<double>(), w + W, 1e-6 * w);
    EXPECT_EQ(found["growth_rate"].get<double>(), 0);
  }
  // Each whirl is followed, through the critical speed as well.
  const Json sweep = run_json({"modes", shaft, "--locked", "all", "--sweep", "v.j=20:120:20"});
  EXPECT_NEAR(std::abs(sweep["frequencies_rad"][5][0].get<double>()), 120 - w, 1e-6 * w);
  EXPECT_NEAR(sweep["frequencies_rad"][5][1].get<double>(), 120 + w, 1e-6 * w);
  EXPECT_GT(sweep["assurance"][5][0].get<double>(), 0.999);
}

TEST_F(FlexibleCommands, DampedModesKeepTheModalModel) {
  const Json found = run_json({"modes", "flexible-two-link", "--locked", "all", "--damped"});
  EXPECT_EQ(found["freedoms"].size(), 8u);
  EXPECT_LT(found["growth"][0].get<double>(), 0);
  const Outcome frame = run_cli({"modes", "flexible-two-link", "--damping", "0.01"});
  EXPECT_THAT(frame.err, HasSubstr("beam elements"));
}

TEST_F(FlexibleCommands, ElasticCountsItsOwnNumbers) {
  const Outcome outcome = run_cli({"modes", "flexible-two-link", "--elastic", "1,2"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--elastic"));
  EXPECT_THAT(outcome.err, HasSubstr("8"));
}

TEST_F(FlexibleCommands, BeamsHaveALengthAndAFewModes) {
  expect_refusal("length: -1, EI: 10, mass_per_length: 1", "above zero");
  expect_refusal("length: 1, EI: 10, mass_per_length: 1, flexible: {modes: {bending_y: 200}}",
                 "at most 50");
}

TEST_F(FlexibleCommands, NothingSlidesAlongAFlexibleBody) {
  const std::string file = folder.write(
      "rail.yaml",
      "ulna: 1\nname: rail\nbodies:\n  - name: rail\n    beam: {length: 1, EI: 10, "
      "mass_per_length: 1, flexible: {modes: {bending_y: 2}}}\n  - {name: cart, mass: 2, inertia: "
      "[0.01, 0.01, 0.01]}\njoints:\n  - {name: j, type: revolute, parent: world, child: rail}\n  "
      "- {name: s, type: prismatic, parent: rail, child: cart, axis: [1, 0, 0]}\n");
  const Outcome outcome = run_cli({"info", file});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("not modelled"));
}

}  // namespace
}  // namespace ulna::test
