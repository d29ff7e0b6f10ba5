// The quantities of Kane's method by name, in any generalized speeds. That it gives what the other
// methods give is in methods_agree_test.cpp.

#include "ulna/dynamics/kane_dynamics.hpp"

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "support/near.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/kernels/kane.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/symbolic/expression.hpp"
#include "ulna/symbolic/graph.hpp"
#include "ulna/symbolic/program.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::Generator;
using testing::random_entries;
using testing::random_vector;

class KaneOnRandomTrees : public ::testing::TestWithParam<int> {
 protected:
  Generator g{static_cast<unsigned>(GetParam())};
  Model model = make();
  Workspace work{model};
  Kane kane{model};
  Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds()),
                  a = random_entries(g, model.speeds());

  Model make() {
    testing::RobotRecipe recipe;
    recipe.bodies = 3 + GetParam() % 28;
    recipe.types = testing::all_moving_types;
    recipe.branches = true;
    recipe.friction = GetParam() % 2 == 0;
    recipe.mimic = GetParam() % 3 == 0;
    return Model(testing::random_robot(g, recipe));
  }
  /// Any invertible matrix will do, and it may change in time.
  SpeedMap some_speeds() {
    const int n = model.speeds();
    Eigen::MatrixXd Y = Eigen::MatrixXd::Identity(n, n), rate(n, n);
    for (int k = 0; k < n * n; ++k) Y.data()[k] += testing::uniform(g, -0.2, 0.2) / n;
    for (int k = 0; k < n * n; ++k) rate.data()[k] = testing::uniform(g, -1, 1);
    return {"some", Y, rate};
  }
};

TEST_P(KaneOnRandomTrees, InertiaAndActiveForcesAndEffortsBalance) {
  const SpeedMap map = some_speeds();
  const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
  const Eigen::VectorXd u_dot = map.Y * a + map.Y_dot * v;
  const Eigen::VectorXd inertia = kane.inertia_forces(work, q, v, a, map);
  expect_near(inertia, -(kane.matrix(work, q, map) * u_dot + kane.remainder(work, q, v, map)),
              1e-10);
  expect_near(inverse_of(map).transpose() * tau + kane.active_forces(work, q, v, map) + inertia,
              Eigen::VectorXd::Zero(model.speeds()), 1e-9);
}

TEST_P(KaneOnRandomTrees, PartialVelocitiesAddUpToVelocities) {
  const SpeedMap map = some_speeds();
  const int body = static_cast<int>(model.bodies().size()) - 1;
  const BodyPartials partials = kane.partials(q, v, body, map);
  const Eigen::VectorXd u = map.Y * v;
  update_motions(model, work, q, v, a);
  const Matrix3<double> R = frame_pose(model, work, body).rotation;
  expect_near(partials.angular * u, R.transpose() * frame_velocity(model, work, body).angular,
              1e-11);
  expect_near(partials.linear * u, R.transpose() * frame_velocity(model, work, body).linear, 1e-11);
  // d/dt of the components of omega is the angular acceleration in body axes.
  const Eigen::VectorXd u_dot = map.Y * a + map.Y_dot * v;
  expect_near(partials.angular * u_dot + partials.angular_rate * u,
              R.transpose() * frame_acceleration(model, work, body).angular, 1e-10);
}

TEST_P(KaneOnRandomTrees, TheMatrixInOtherSpeedsGivesTheSameKineticEnergy) {
  const SpeedMap map = some_speeds();
  const Eigen::VectorXd u = map.Y * v;
  const double energy = v.dot(mass_matrix(model, work, q) * v);
  EXPECT_NEAR(u.dot(kane.matrix(work, q, map) * u), energy, 1e-12 * energy);
}

TEST(Kane, SpeedsThatDoNotDetermineTheRatesAreRefusedByName) {
  SpeedMap map{"mine", Eigen::MatrixXd::Identity(4, 4), Eigen::MatrixXd::Zero(4, 4)};
  for (double gap : {0.0, 1e-17, 1e-11}) {  // exactly, by rounding, and nearly
    map.Y.row(2) = map.Y.row(1);
    map.Y(2, 2) = gap;
    try {
      SpeedSolver solver(map);
      FAIL() << "no error for " << gap;
    } catch (const ComputationError& error) {
      EXPECT_NE(std::string(error.what()).find("'mine' are singular"), std::string::npos);
      EXPECT_LT(error.measure(), 1e-9);
    }
  }
}

TEST(Kane, AJointThatMovesNoInertiaIsNamed) {
  Generator g(11);
  testing::RobotRecipe recipe;
  recipe.bodies = 4;
  Robot robot = testing::random_robot(g, recipe);
  robot.bodies.back().inertial = {};
  const Model model(robot);
  Workspace work(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(4);
  try {
    Kane(model).forward(work, zero, zero, zero, joint_rate_speeds(model));
    FAIL() << "no error";
  } catch (const ComputationError& error) {
    EXPECT_NE(std::string(error.what()).find("'j3'"), std::string::npos) << error.what();
  }
}

/// Operations of inverse dynamics on a chain of general revolute links.
OperationCount operations(int links) {
  Generator g(1);
  const Model model(testing::general_chain(g, links));
  Graph graph;
  Graph::Scope scope(graph);
  std::vector<Expression> q, v, a, tau(links);
  for (int k = 0; k < links; ++k) {
    q.push_back(graph.input("q" + std::to_string(k)));
    v.push_back(graph.input("v" + std::to_string(k)));
    a.push_back(graph.input("a" + std::to_string(k)));
  }
  const Parameters<Expression> parameters = converted<Expression>(model.parameters());
  Scratch<Expression> scratch(model.topology());
  KaneScratch<Expression> memory(model.topology());
  kane<Expression>(view<Expression>(model.topology(), parameters), scratch.view(), memory.view(),
                   q.data(), v.data(), a.data(), nullptr, tau.data());
  return count_operations(tau);
}

TEST(Kane, CostsWhatTheTheorySays) {  // docs/theory/kane.md, eq. 9
  for (int n = 3; n <= 8; ++n) {
    const OperationCount count = operations(n);
    EXPECT_LE(count.multiplications, 13 * n * n + 43 * n - 64);
    EXPECT_LE(count.additions, 9 * n * n + 45 * n - 69);
    EXPECT_EQ(count.divisions, 0);
    EXPECT_EQ(count.sincos_pairs, n - 1);  // the first angle does not matter
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, KaneOnRandomTrees, ::testing::Range(1, 41));

}  // namespace
}  // namespace ulna
