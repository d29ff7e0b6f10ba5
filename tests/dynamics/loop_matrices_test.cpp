// The 4x4 matrices of robots with loops: actions that balance every body, joints that close loops
// seen as joints like others, and the coefficients of Lagrange on independent speeds.

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "support/near.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"

namespace ulna {
namespace {

using testing::expect_near;

class LoopMatrices : public ::testing::TestWithParam<const char*> {
 protected:
  Model model{read_robot(GetParam()).robot};
  Workspace work{model};
  LoopClosure closure{model};
  Eigen::VectorXd q, v, a;

  void SetUp() override {
    testing::Generator g(3);
    AssemblyOptions options;
    options.start = model.random(g);
    options.restarts = 30;
    options.tolerance = 1e-13;
    q = assembled(model, options);
    closure.update(work, q);
    v = compatible_speeds(closure, testing::random_entries(g, model.speeds()));
    closure.update_rates(work, q, v);
    a = compatible_accelerations(closure, testing::random_entries(g, model.speeds()));
  }
};

TEST_P(LoopMatrices, JointActionsGiveTheEffortsOfTheMotorsAndNoneElsewhere) {
  Dynamics dynamics(model);
  const LoopEfforts efforts = dynamics.inverse(q, v, a);
  const MechanismMatrices all = mechanism_matrices(model, q, v, a, {}, {efforts.actuated, {}});
  expect_near(all.tau, efforts.tau, 1e-9 * (1 + efforts.tau.cwiseAbs().maxCoeff()));
  // What the joint itself takes: rotors, springs and friction are not in Y.
  const Eigen::VectorXd own =
      passive_efforts(model, work, q, v) +
      Eigen::Map<const Eigen::VectorXd>(model.parameters().armature.data(), model.speeds())
          .cwiseProduct(a);
  const double size = 1 + efforts.tau.cwiseAbs().maxCoeff();
  for (const LinkMatrices& link : all.links) {
    const Joint& joint = model.joints()[link.joint];
    for (int k = 0; k < joint.speeds; ++k) {
      const double effort = -pseudo_product(link.joint_action, link.screws[k]);
      EXPECT_NEAR(effort + own(joint.v + k), efforts.tau(joint.v + k), 1e-7 * size) << joint.name;
    }
  }
  ASSERT_FALSE(all.closing.empty());
  for (const ClosingMatrices& joint : all.closing) {
    if (!model.loops()[joint.loop].degrees.empty()) continue;
    for (const ScrewMatrix<double>& L : joint.screws)
      EXPECT_NEAR(pseudo_product(joint.joint_action, L), 0, 1e-7 * size);
  }
}

TEST_P(LoopMatrices, AClosingJointMovesAlongItsScrewsAlone) {
  const MechanismMatrices all = mechanism_matrices(model, q, v, a);
  for (const ClosingMatrices& joint : all.closing) {
    if (model.loops()[joint.loop].kind != LoopKind::joint) continue;
    closure.update_rates(work, q, v);
    const ClosingJointState state = closure.closing_state(work, joint.loop, q, v, a);
    Matrix4<double> W = Matrix4<double>::Zero();
    for (std::size_t k = 0; k < joint.screws.size(); ++k)
      W += joint.screws[k].matrix * state.v(static_cast<Eigen::Index>(k));
    expect_near(joint.relative_velocity_base.matrix, W, 1e-8 * (1 + W.cwiseAbs().maxCoeff()));
  }
}

TEST_P(LoopMatrices, CoefficientsOnIndependentSpeedsAreTheEquationsOfMotion) {
  const LagrangeCoefficients D = lagrange_coefficients(model, q);
  Dynamics dynamics(model);
  const EquationsOfMotion e = dynamics.equations(q, v, D.speeds);
  Eigen::VectorXd u(std::ssize(D.speeds)), coriolis(std::ssize(D.speeds));
  for (Eigen::Index k = 0; k < u.size(); ++k) u(k) = v(D.speeds[static_cast<std::size_t>(k)]);
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    const Eigen::MatrixXd& plane = D.D_ijk[static_cast<std::size_t>(k)];
    coriolis(k) = u.dot(plane * u);
    expect_near(plane, plane.transpose(), 1e-12 * (1 + plane.cwiseAbs().maxCoeff()));
  }
  expect_near(D.D_i, e.gravity, 1e-8 * (1 + e.gravity.cwiseAbs().maxCoeff()));
  // Rotors are in M and, where the map from independent speeds changes, in the Coriolis terms.
  for (const double rotor : model.parameters().armature)
    if (rotor != 0) return;
  expect_near(D.D_ij, e.M, 1e-8 * (1 + e.M.cwiseAbs().maxCoeff()));
  expect_near(coriolis, e.coriolis, 1e-7 * (1 + e.coriolis.cwiseAbs().maxCoeff()));
}

INSTANTIATE_TEST_SUITE_P(Robots, LoopMatrices,
                         ::testing::Values("four-bar", "five-bar", "slider-crank", "delta",
                                           "planar-3rrr", "palletiser"));

}  // namespace
}  // namespace ulna
