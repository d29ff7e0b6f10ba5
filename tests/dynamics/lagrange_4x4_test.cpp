// What the 4x4 matrices of bodies and joints say, on random trees of all joint types. That their
// methods give what the others give is in methods_agree_test.cpp.

#include "ulna/dynamics/lagrange_4x4.hpp"

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::random_entries;
using testing::random_vector;

// Relative to the largest entry.
double relative_difference(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
  return (x - y).cwiseAbs().maxCoeff() / std::max(1e-300, y.cwiseAbs().maxCoeff());
}

struct RandomMotion {
  RandomMotion(int seed, int bodies) : g(seed), model(make(seed, bodies)), work(model) {
    q = model.random(g);
    v = random_entries(g, model.speeds());
    a = random_entries(g, model.speeds());
  }
  Model make(int seed, int bodies) {
    testing::RobotRecipe recipe;
    recipe.bodies = bodies;
    recipe.types = testing::all_moving_types;
    recipe.branches = seed % 2 == 1;
    recipe.friction = seed % 3 != 0;
    return Model(testing::random_robot(g, recipe));
  }
  Generator g;
  Model model;
  Workspace work;
  Eigen::VectorXd q, v, a;
};

TEST(FourByFour, ClassicalCoefficientsMakeUpTheEfforts) {
  for (int seed = 0; seed < 12; seed += 3) {  // robots without rotors, friction and springs
    RandomMotion c(seed, 5);
    const LagrangeCoefficients D = lagrange_coefficients(c.model, c.q);
    Eigen::VectorXd tau = D.D_i + D.D_ij * c.a;
    for (int i = 0; i < c.model.speeds(); ++i) {
      tau(i) += c.v.dot(D.D_ijk[i] * c.v);
      EXPECT_EQ((D.D_ijk[i] - D.D_ijk[i].transpose()).norm(), 0);
    }
    EXPECT_LT(relative_difference(tau, inverse_dynamics(c.model, c.work, c.q, c.v, c.a)), 1e-12);
    EXPECT_LT(relative_difference(D.D_i, gravity_efforts(c.model, c.work, c.q)), 1e-12);
  }
}

TEST(FourByFour, DerivativesOfBodyMatricesAgreeWithDifferences) {
  const double h = 1e-5;
  for (int seed : {1, 2, 5}) {
    RandomMotion c(seed, 5);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(c.model.speeds());
    const auto links = [&](int k, double step) {
      const Eigen::VectorXd dq = step * Eigen::VectorXd::Unit(c.model.speeds(), k);
      return link_matrices(c.model, c.model.integrate(c.q, dq), c.v, zero);
    };
    for (int k = 0; k < c.model.speeds(); ++k) {
      const auto ahead = links(k, h), behind = links(k, -h);
      for (std::size_t i = 0; i < ahead.size(); ++i) {
        const BodyMatrixDerivatives d = body_matrix_derivatives(
            c.model, c.q, c.v, c.model.bodies()[ahead[i].body].name, c.model.speed_names()[k]);
        const auto rate = [&](const auto& member) {
          return Matrix4<double>((member(ahead[i]).matrix - member(behind[i]).matrix) / (2 * h));
        };
        const Matrix4<double> M = rate([](const LinkMatrices& l) { return l.absolute_position; });
        const Matrix4<double> W = rate([](const LinkMatrices& l) { return l.absolute_velocity; });
        const Matrix4<double> J = rate([](const LinkMatrices& l) { return l.inertia_base; });
        EXPECT_LT((M - d.M).norm(), 1e-7 * (1 + M.norm()));
        EXPECT_LT((W - d.W).norm(), 1e-7 * (1 + W.norm()));
        EXPECT_LT((J - d.J).norm(), 1e-7 * (1 + J.norm()));
      }
    }
  }
}

TEST(FourByFour, LinkMatricesAreTheMotionOfTheBodies) {
  for (int seed = 0; seed < 10; ++seed) {
    RandomMotion c(seed, 6);
    update_poses(c.model, c.work, c.q);
    for (const LinkMatrices& link : link_matrices(c.model, c.q, c.v, c.a)) {
      const Pose<double> X = frame_pose(c.model, c.work, link.body);
      EXPECT_LT((link.absolute_position.matrix - X.matrix()).norm(),
                1e-13 * (1 + X.position.norm()));
      // Actions stay actions and the joint's own motion is along its screws.
      VelocityMatrix<double> along;
      const Joint& joint = c.model.joints()[link.joint];
      for (std::size_t k = 0; k < link.screws.size(); ++k)
        along += velocity(link.screws[k], c.v(joint.v + static_cast<int>(k)));
      EXPECT_LT((along.matrix - link.relative_velocity_base.matrix).norm(),
                1e-12 * (1 + along.matrix.norm()));
      EXPECT_LT((link.joint_action.matrix + link.joint_action.matrix.transpose()).norm(), 1e-12);
    }
  }
}

TEST(FourByFour, EffortsArePseudoProductsOfJointActions) {
  // Fixed joints, joints declared from the outer body inwards, and payloads among the rest.
  for (int seed = 0; seed < 20; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 8;
    recipe.types = {JointType::revolute, JointType::fixed, JointType::cylindrical,
                    JointType::planar,   JointType::screw, JointType::universal};
    recipe.branches = true;
    Robot robot = testing::random_robot(g, recipe);
    for (int j : {2, 5, 7}) {
      JointData& joint = robot.joints[j];
      if (joint.parent != world_name) std::swap(joint.parent, joint.child);
    }
    robot.payloads.push_back({"load",
                              "b3",
                              {testing::random_rotation(g), random_vector(g)},
                              testing::random_inertial(g),
                              {}});
    const Model model(robot);
    Workspace work(model);
    const int n = model.speeds();
    const Eigen::VectorXd q = model.random(g), v = random_entries(g, n), a = random_entries(g, n);
    const ExternalWrench push{4, random_vector(g), random_vector(g), random_vector(g), 2};
    const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a, {&push, 1});
    Eigen::VectorXd found = Eigen::VectorXd::Zero(n);
    for (const LinkMatrices& link : link_matrices(model, q, v, a, {&push, 1})) {
      const Joint& joint = model.joints()[link.joint];
      ASSERT_EQ(static_cast<int>(link.screws.size()), joint.speeds);
      for (int k = 0; k < joint.speeds; ++k)
        found(joint.v + k) = -pseudo_product(link.joint_action, link.screws[k]);
    }
    EXPECT_LT(relative_difference(found, tau), 1e-12) << "seed " << seed;
  }
}

TEST(FourByFour, AJointThatMovesNoInertiaIsNamed) {
  Generator g(11);
  testing::RobotRecipe recipe;
  recipe.bodies = 4;
  Robot robot = testing::random_robot(g, recipe);
  robot.bodies.back().inertial = {};
  const Model model(robot);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(4);
  try {
    forward_dynamics_lagrange_4x4(model, zero, zero, zero);
    FAIL() << "no error";
  } catch (const ComputationError& error) {
    EXPECT_NE(std::string(error.what()).find("'j3'"), std::string::npos) << error.what();
  }
}

TEST(FourByFour, OneTextServesDualNumbers) {
  // The derivative of the efforts along the accelerations is the mass matrix times their change.
  using D = Dual<1>;
  RandomMotion c(6, 5);
  const int n = c.model.speeds();
  std::vector<D> q, v, a, tau(n);
  const Eigen::VectorXd change = random_entries(c.g, n);
  for (double x : c.q) q.emplace_back(x);
  for (int k = 0; k < n; ++k) {
    v.emplace_back(c.v(k));
    a.emplace_back(c.a(k));
    a.back().d[0] = change(k);
  }
  const Parameters<D> parameters = converted<D>(c.model.parameters());
  std::vector<NodeMatrices<D>> nodes(c.model.topology().nodes.size());
  newton_euler_4x4<D>(view<D>(c.model.topology(), parameters), q.data(), v.data(), a.data(),
                      nullptr, nodes.data(), tau.data());
  const Eigen::VectorXd expected = mass_matrix(c.model, c.work, c.q) * change;
  for (int k = 0; k < n; ++k) EXPECT_NEAR(tau[k].d[0], expected(k), 1e-12 * expected.norm());
}

TEST(FourByFour, BadInputIsRefusedByName) {
  RandomMotion c(0, 3);
  const Eigen::VectorXd wrong = Eigen::VectorXd::Zero(c.model.speeds() + 1);
  EXPECT_THROW(inverse_dynamics_newton_euler_4x4(c.model, c.q, c.v, wrong), InputError);
  EXPECT_THROW(inverse_dynamics_lagrange_4x4(c.model, c.q, wrong, c.a), InputError);
  EXPECT_THROW(body_matrix_derivatives(c.model, c.q, c.v, "b0", "nothing"), InputError);
  const ExternalWrench nowhere{99, {}, {}, {}, 0};
  EXPECT_THROW(link_matrices(c.model, c.q, c.v, c.a, {&nowhere, 1}), InputError);
}

}  // namespace
}  // namespace ulna
