// `ulna modes` and `ulna condense`: what they tell, and what they refuse.

#include <gmock/gmock.h>

#include <cmath>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using testing::HasSubstr;

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
  const Json out = run_json({"modes", "t3r3-frame", "--q", "0.1,1,-1.2"});
  EXPECT_EQ(out["rigid_body_modes"], 3);
  EXPECT_EQ(out["frequencies_hz"][2], 0);
  EXPECT_GT(out["frequencies_hz"][3].get<double>(), 1);
  const Json held = run_json({"modes", "t3r3-frame", "--q", "0.1,1,-1.2", "--locked", "joint1",
                              "--elastic", "joint2=1e6,joint3=1e6:10"});
  EXPECT_EQ(held["rigid_body_modes"], 0);
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
  EXPECT_EQ(run_cli({"modes", "t3r3-frame", "--statics"}).status, 1);  // free joints
}

TEST(Modes, FrequencyResponse) {
  const Json bent = run_json(with("modes", {"--statics"}));
  const Json h = run_json(with("modes", {"--response", "tip.z:tip.z", "--frequencies", "0,22.66"}));
  // At rest the compliance; at the second frequency, whose shape is vertical, a peak.
  EXPECT_NEAR(h["real"][0].get<double>() / bent["compliance"][2][2].get<double>(), 1, 1e-9);
  EXPECT_GT(std::abs(h["imag"][1].get<double>()), 20 * h["real"][0].get<double>());
  run_json({"modes", "t3r3-frame", "--response", "joint2:tip.x"});
}

TEST(Modes, RefuseBadInput) {
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

TEST(Condense, RefusesBadInput) {
  const TemporaryFolder folder;
  expect_refusal(with("condense", {"--method", "magic"}), {"magic", "guyan"});
  expect_refusal(with("condense", {"--keep", "99"}), {"99", "66"});
  expect_refusal(with("condense", {"--method", "craig-bampton", "--keep", "3"}), {"at least 6"});
  expect_refusal({"condense"}, {"ROBOT"});
  expect_refusal({"condense", "--matrices", "K.mtx"}, {"K.mtx,M.mtx"});
  const std::string bad =
      folder.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n");
  expect_refusal({"condense", "--matrices", bad + "," + bad}, {"bad.mtx:3", "1 .. 2"});
  // The torsion constant of the box is given by number there; CalculiX would take its own.
  const Outcome deck = run_cli(with("condense", {"--export", folder.path("arm.inp")}));
  EXPECT_EQ(deck.status, 0) << deck.err;
  EXPECT_THAT(content_of(folder.path("arm.inp")), HasSubstr("TYPE=B32R"));
}

}  // namespace
}  // namespace ulna::test
