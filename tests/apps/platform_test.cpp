// Platforms, influence coefficients and the study of decoupling from the command line.

#include <gmock/gmock.h>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

TEST(PlatformCommand, GivesDrivesRatesAndForces) {
  // The DDTS at rest at its home pose, from the report's geometry.
  const Json home = run_json({"platform", "ddts", "--gravity", "0,0,0"});
  EXPECT_NEAR(double(home["drives"][0]), 3.16948949, 1e-8);
  EXPECT_NEAR(double(home["drives"][1]), 5.20302019, 1e-8);
  EXPECT_NEAR(std::abs(double(home["determinant"])), 19.299, 1e-3);
  for (const Json& F : home["efforts"]) EXPECT_NEAR(double(F), 0, 1e-9);
  // Climbing without turning shortens no leg.
  const Json climbing = run_json({"platform", "ddts", "--twist", "0,0,0,1,0,0"});
  for (const Json& rate : climbing["rates"]) EXPECT_GT(double(rate), 0);
}

TEST(PlatformCommand, DirectUndoesInverse) {
  const Json at = run_json(
      {"platform", "stewart-6-6", "--position", "0.03,-0.02,0.58", "--turn", "5deg,0,10deg"});
  std::string drives;
  for (const Json& q : at["drives"]) drives += (drives.empty() ? "" : ",") + q.dump();
  const Json back = run_json({"platform", "stewart-6-6", "--drives", drives});
  ASSERT_EQ(back["poses"].size(), 1u);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(double(back["poses"][0]["position"][k]), double(at["pose"]["position"][k]), 1e-12);
  const Json all =
      run_json({"platform", "stewart-6-6", "--drives", drives, "--all", "--starts", "500"});
  EXPECT_GE(int(all["found"]), 2);  // the mirror image below the base at least
  EXPECT_EQ(int(all["found"]), static_cast<int>(all["poses"].size()));
}

TEST(PlatformCommand, DrawsSlices) {
  const TemporaryFolder folder;
  const std::string file = folder.path("delta.svg");
  const Json slice = run_json(
      {"platform", "delta", "--slice", "x=-0.5:0.5,z=-0.9:-0.3", "--points", "21", "-o", file});
  EXPECT_EQ(slice["fault"].size(), 21u);
  EXPECT_GT(double(slice["share"]), 0.1);
  EXPECT_LT(double(slice["share"]), 1);
  EXPECT_THAT(content_of(file), HasSubstr("</svg>"));
}

TEST(PlatformCommand, NamesReasonAndPose) {
  Outcome outcome = run_cli({"platform", "ddts", "--position", "8,0,0"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("out of its stroke"));
  EXPECT_THAT(outcome.err, HasSubstr("position (8, 0, 0)"));
  outcome = run_cli({"platform", "ddts", "--position", "3,0,0", "--turn", "30deg,0,0"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("singular at position (3, 0, 0), rotation vector"));
  outcome = run_cli({"influence", "ddts", "--position", "3,0,0", "--turn", "30deg,0,0"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("do not determine robot 'ddts'"));
  EXPECT_THAT(outcome.err, HasSubstr("position (3, 0, 0), rotation vector"));
  outcome = run_cli({"platform", "delta", "--position", "0,0,-2"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("leg 'leg1'"));
  outcome = run_cli({"platform", "delta", "--turn", "0,0,10deg"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("does not turn"));
  // Inputs that never determine the platform: both angles and the length of two legs.
  outcome = run_cli({"influence", "ddts", "--inputs",
                     "leg1,leg1_hinge,leg1_swing,leg2,leg2_hinge,leg2_swing", "--json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("do not determine"));
}

TEST(PlatformCommand, RefusesBadInput) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"platform", "puma560"},
           {"platform", "ddts", "--position", "1,2"},
           {"platform", "ddts", "--rotation", "0,0,0,0"},
           {"platform", "ddts", "--rotation", "1,0,0,0", "--turn", "0,0,0"},
           {"platform", "ddts", "--drives", "1,2,3"},
           {"platform", "ddts", "--drives", "-1,1,1,1,1,1"},
           {"platform", "ddts", "--slice", "x=1:2"},
           {"platform", "ddts", "--slice", "x=1:2,x=1:2"},
           {"platform", "ddts", "--slice", "x=2:1,y=1:2"},
           {"platform", "ddts", "--slice", "w=1:2,y=1:2"},
           {"platform", "ddts", "--stiffness", "-1"},
           {"influence", "ddts", "--inputs", "leg1,leg2"},
           {"influence", "ddts", "--inputs", "leg1,leg2,leg3,leg4,leg5,leg7"},
           {"influence", "puma560", "--turn", "0,0,1"},
           {"study", "recoupling", "ddts", "x.yaml"},
           {"study", "decoupling", "ddts", "no-such-file.yaml"}}) {
    const Outcome outcome = run_cli(words);
    EXPECT_EQ(outcome.status, 2) << words[0] << " " << words.back() << ": " << outcome.err;
    EXPECT_TRUE(outcome.out.empty());
  }
}

TEST(InfluenceCommand, AgreesWithTheJacobian) {
  const Json G = run_json({"influence", "puma560", "--q", "0.1,0.2,0.3,0.4,0.5,0.6"});
  const Json J = run_json({"jacobian", "puma560", "--q", "0.1,0.2,0.3,0.4,0.5,0.6"});
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c)
      EXPECT_NEAR(double(G["G"][r][c]), double(J["jacobian"][r][c]), 1e-14);
  EXPECT_EQ(G["H"].size(), 6u);
  EXPECT_EQ(G["P"].size(), 6u);
}

TEST(InfluenceCommand, PrintsThePlatformInItsLegs) {
  const Json legs = run_json({"influence", "ddts", "--turn", "-30deg,0,0"});
  EXPECT_EQ(legs["legs"].size(), 6u);
  for (int k = 0; k < 6; ++k) EXPECT_GT(double(legs["I"][k][k]), 0);
}

std::string decoupling_experiment(const std::string& motion) {
  return "experiment: 1\nname: d\nrobot: ddts\nduration: 2 s\nmotions:\n  float:\n" + motion;
}

TEST(StudyCommand, ShowsTheCouplingsOfTheDdts) {
  const TemporaryFolder folder;
  const std::string turn = "    - 0\n    - 0\n    - {program: poly345, from: 0, to: -60 deg}\n";
  const std::string law = "{program: poly345, from: 0, to: 1}\n";
  // Trajectories D and E of the report: along X and along Z, which are z and y of the home frame.
  const std::string d =
      folder.write("d.yaml", decoupling_experiment(turn + "    - 0\n    - 0\n    - " + law));
  const std::string e =
      folder.write("e.yaml", decoupling_experiment(turn + "    - 0\n    - " + law + "    - 0\n"));
  for (const auto& [file, ratio] : {std::pair{d, 0.2479}, {e, 0.3310}}) {
    const Json found = run_json(
        {"study", "decoupling", "ddts", file, "--gravity", "0,0,0", "-o", folder.path("out")});
    const Json all = found["variants"]["all masses"];
    EXPECT_NEAR(double(all["rms_ratio"]), ratio, 2e-3);
    EXPECT_GT(double(all["error_without"]["power"]), 0.36);
    EXPECT_LT(double(all["error_without"]["power"]), 0.41);
    EXPECT_GT(double(all["error_without"]["off_diagonal"]), 0.56);
    EXPECT_LT(double(all["error_without"]["off_diagonal"]), 0.61);
    EXPECT_GT(double(all["error_without"]["both"]), 0.48);
    EXPECT_LT(double(all["error_without"]["both"]), 0.51);
    EXPECT_THAT(content_of(folder.path("out/decoupling.svg")), HasSubstr("</svg>"));
  }
  // Report and notes for E: mean off over on 0.24 with all masses, 0.27 platform only, 0.19 legs.
  const Json variants =
      run_json({"study", "decoupling", "ddts", e, "--gravity", "0,0,0"})["variants"];
  EXPECT_NEAR(double(variants["all masses"]["inertia_coupling"]["mean"]), 0.2401, 2e-3);
  EXPECT_NEAR(double(variants["platform only"]["inertia_coupling"]["mean"]), 0.2704, 2e-3);
  EXPECT_NEAR(double(variants["legs only"]["inertia_coupling"]["mean"]), 0.1903, 2e-3);
}

TEST(StudyCommand, TakesSerialArms) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "s.yaml",
      "experiment: 1\nname: s\nrobot: stanford\nduration: 1 s\nmotions:\n  all: 0.5*poly345(t)\n");
  const Json found = run_json({"study", "decoupling", "stanford", file});
  EXPECT_EQ(found["inputs"].size(), 6u);
  EXPECT_EQ(found["variants"].size(), 1u);
  // An experiment for another robot.
  EXPECT_EQ(run_cli({"study", "decoupling", "puma560", file}).status, 2);
}

}  // namespace
}  // namespace ulna::test
