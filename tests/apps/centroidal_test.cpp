// `ulna mass --centroidal` and the centre of mass of `ulna energy`, worked out by hand.

#include <gmock/gmock.h>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CentroidalMatrix, OfThePlanarArmBentAtARightAngle) {
  const TemporaryFolder folder;
  const std::string arm = folder.write("planar.yaml", planar_arm);
  const Json found = run_json({"mass", arm, "--q", "0,90deg", "--centroidal"});
  // 2 kg at (0.5, 0), 1 kg at (1, 0.25): centre (2/3, 1/12). Linear columns z x m (centre - joint).
  expect_json(found["centre_of_mass"], {2.0 / 3, 1.0 / 12, 0}, 1e-14);
  const double spin = 0.22 + 2 * (1.0 / 36 + 1.0 / 144) + 1 * (1.0 / 9 + 1.0 / 36);
  const double elbow = 0.02 + 1.0 / 6 * 0.25;  // p = -0.25 along x, 1/6 above the centre
  expect_json(found["A_G"],
              Json::array({{0, 0}, {0, 0}, {spin, elbow}, {-0.25, -0.25}, {2, 0}, {0, 0}}), 1e-14);
}

TEST(CentroidalMatrix, ARobotWithoutMassHasEnergyButNoCentre) {
  const TemporaryFolder folder;
  const std::string robot = folder.write("massless.yaml", R"(
ulna: 1
name: massless
bodies:
  - {name: link}
joints:
  - {name: loose, type: revolute, parent: world, child: link}
)");
  expect_json(run_json({"energy", robot}),
              {{"ulna", 1},
               {"kinetic", 0},
               {"potential", 0},
               {"momentum", {0, 0, 0, 0, 0, 0}},
               {"centre_of_mass", nullptr},
               {"centre_of_mass_velocity", nullptr}},
              0);
  const Outcome outcome = run_cli({"mass", robot, "--centroidal", "--json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("nothing that moves has mass"));
}

}  // namespace
}  // namespace ulna::test
