// P. I. Corke and B. Armstrong-Helouvry, "A search for consensus among model parameters reported
// for the PUMA 560 robot", ICRA 1994: gravity torques and mass matrix (rotors included) at the
// nominal pose.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna {
namespace {

TEST(Puma560, GravityAndMassMatrixAtTheNominalPose) {
  const Model model(read_robot("puma560").robot);
  Workspace work(model);
  Eigen::VectorXd q(6), gravity(6);
  q << 0, M_PI / 4, M_PI, 0, M_PI / 4, 0;
  gravity << 0, 31.6399, 6.0351, 0, 0.0283, 0;
  Eigen::MatrixXd M(6, 6);
  M << 3.6594, -0.4044, 0.1006, -0.0025, 0, 0,  //
      -0.4044, 4.4137, 0.3509, 0, 0.0024, 0,    //
      0.1006, 0.3509, 0.9378, 0, 0.0015, 0,     //
      -0.0025, 0, 0, 0.1925, 0, 0,              //
      0, 0.0024, 0.0015, 0, 0.1713, 0,          //
      0, 0, 0, 0, 0, 0.1941;
  // Printed to four decimals.
  EXPECT_LT((gravity_efforts(model, work, q) - gravity).cwiseAbs().maxCoeff(), 0.5001e-4);
  EXPECT_LT((mass_matrix(model, work, q) - M).cwiseAbs().maxCoeff(), 0.5001e-4);
}

}  // namespace
}  // namespace ulna
