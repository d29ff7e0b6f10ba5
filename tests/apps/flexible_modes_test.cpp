// ulna modes, study stability, channels of sections, generate and linearize of flexible robots.

#include <gmock/gmock.h>

#include <cmath>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

class FlexibleModes : public ::testing::Test {
 protected:
  TemporaryFolder folder;
};

TEST_F(FlexibleModes, FrequenciesOfThePublishedArm) {
  // Table 3.1 of the source, locked joints at 0 degrees: the first is 3.85 rad/s or so with all
  // that hangs on the arm; free joints have two zero frequencies.
  const Json locked = run_json({"modes", "flexible-two-link", "--q", "0,0", "--locked", "all"});
  ASSERT_EQ(locked["frequencies_rad"].size(), 8);
  const Json free = run_json({"modes", "flexible-two-link", "--free", "--q", "0,0"});
  ASSERT_EQ(free["frequencies_rad"].size(), 10);
  EXPECT_NEAR(free["frequencies_rad"][1].get<double>(), 0, 1e-2);
  EXPECT_GT(free["frequencies_rad"][2].get<double>(), 1);
  EXPECT_NEAR(locked["frequencies_hz"][0].get<double>() * 2 * M_PI,
              locked["frequencies_rad"][0].get<double>(), 1e-9);
  EXPECT_TRUE(locked["shapes"][0].contains("inboard.y1"));
  const Json rigid = run_json(
      {"modes", "flexible-two-link", "--locked", "all", "--rigid", "inboard", "--matrices"});
  EXPECT_EQ(rigid["frequencies_rad"].size(), 4);
  EXPECT_EQ(rigid["K"].size(), 4);
  EXPECT_EQ(rigid["D"].size(), 4);
}

TEST_F(FlexibleModes, SpinStiffensASweepOfSpeeds) {
  const Json sweep =
      run_json({"modes", "spinning-beam", "--locked", "all", "--sweep", "v.hinge=0:7.596:3.798"});
  ASSERT_EQ(sweep["frequencies_rad"].size(), 3);
  const double rest = sweep["frequencies_rad"][0][0].get<double>();
  // Spin by the first frequency: sqrt(1 + 0.193) for one mode, a little less with three.
  EXPECT_NEAR(sweep["frequencies_rad"][1][0].get<double>() / rest, 1.0866, 2e-4);
  EXPECT_GT(sweep["frequencies_rad"][2][0].get<double>(),
            sweep["frequencies_rad"][1][0].get<double>());
  const Json softened = run_json(
      {"modes", "spinning-beam", "--locked", "all", "--level", "inconsistent", "--v", "3"});
  EXPECT_LT(softened["frequencies_rad"][0].get<double>(), rest);
}

TEST_F(FlexibleModes, LoopsVibrateToo) {
  const Json modes =
      run_json({"modes", "flexible-four-bar", "--q", "crank=1", "--locked", "crank"});
  ASSERT_EQ(modes["frequencies_rad"].size(), 4);
  EXPECT_TRUE(modes["shapes"][0].contains("pivot"));
}

TEST_F(FlexibleModes, BadInputIsNamed) {
  EXPECT_EQ(run_cli({"modes", "flexible-two-link", "--rigid", "inbord"}).status, 2);
  EXPECT_EQ(run_cli({"modes", "flexible-two-link", "--level", "exakt"}).status, 2);
  EXPECT_EQ(run_cli({"modes", "flexible-two-link", "--sweep", "v.elbo=0:1:0.5"}).status, 2);
  EXPECT_EQ(run_cli({"modes", "flexible-two-link", "--elastic", "1,2"}).status, 2);
  EXPECT_EQ(run_cli({"modes", "t3r3-frame", "--matrices"}).status, 2);
  EXPECT_EQ(run_cli({"study", "stability", "puma560"}).status, 2);
  EXPECT_EQ(run_cli({"study", "stability", "flexible-two-link", "--body", "arm"}).status, 2);
  EXPECT_EQ(run_cli({"study", "fidelity", "x.yaml", "--spin", "1"}).status, 2);
}

TEST_F(FlexibleModes, StabilityOfTheOutboardLink) {
  const Json study =
      run_json({"study", "stability", "flexible-two-link", "--spin", "0,1,2", "--axial", "0,0.1"});
  EXPECT_EQ(study["body"], "outboard");
  // With four clamped-free modes; two have 1.77 g.
  EXPECT_NEAR(study["critical_acceleration"].get<double>() / 9.81, 1.76, 0.02);
  EXPECT_EQ(study["y"].size(), 3);
  EXPECT_TRUE(study["y"][0][0].is_null());
}

TEST_F(FlexibleModes, MomentsAlongABeamAndTheBalanceOfMomentum) {
  const std::string file =
      folder.write("e.yaml",
                   "experiment: 1\nrobot: flexible-two-link\nduration: 1\nelastic: {modes: 2}\n"
                   "motions: {elbow: {spin-up: 6, time: 2}}\ndrives: {shoulder: locked}\n"
                   "record: {interval: 0.5, channels: [moment.outboard, moment.outboard@0.5, "
                   "moment.outboard@1.z, momentum_balance]}\n");
  const Outcome done = run_cli({"simulate", file, "-o", folder.path("run"), "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  const Json run = Json::parse(done.out);
  EXPECT_THAT(run["channels"].dump(), HasSubstr("moment.outboard@0.5.z[Nm]"));
  EXPECT_THAT(run["channels"].dump(), HasSubstr("momentum_balance.angular[Nm]"));
  EXPECT_EQ(
      run_cli({"simulate", folder.write("bad.yaml",
                                        "experiment: 1\nrobot: flexible-two-link\nduration: 1\n"
                                        "record: {channels: [moment.outboard@1.5]}\n")})
          .status,
      2);
}

TEST_F(FlexibleModes, LinearizeAndGenerate) {
  const Json linear = run_json({"linearize", "flexible-single-link"});
  EXPECT_GT(linear["A"].size(), 2);
  EXPECT_EQ(run_cli({"generate", "flexible-single-link", "--function", "inverse", "--language", "c",
                     "-o", folder.path("code")})
                .status,
            0);
}

}  // namespace
}  // namespace ulna::test
