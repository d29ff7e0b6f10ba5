// Joints at rest that hold or give way: the conditions of Coulomb's law, for all of them at once.

#include "ulna/simulation/internal/rest_problem.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ulna {
namespace {

RestProblem random_problem(unsigned seed, int n, int rank) {
  std::mt19937 bits(seed);
  const auto draw = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(bits()) / 4294967296.0);
  };
  Eigen::MatrixXd B(rank, n);
  for (double& x : B.reshaped()) x = draw(-1, 1);
  Eigen::VectorXd b(rank);
  for (double& x : b) x = draw(-3, 3);
  RestProblem problem;
  problem.D = B.transpose() * B;
  problem.a0 = B.transpose() * b;
  problem.upper.resize(n);
  for (double& c : problem.upper) c = draw(0, 1) < 0.2 ? 0 : draw(0.1, 3);
  problem.lower = -problem.upper;
  if (draw(0, 1) < 0.5) problem.upper(0) = INFINITY;  // a stop
  problem.inertia = problem.D.diagonal().cwiseInverse();
  return problem;
}

TEST(RestProblem, WhatHoldsDoesNotMoveAndWhatMovesRubsAgainstIt) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const int n = 1 + static_cast<int>(seed % 8), rank = 1 + static_cast<int>(seed / 8 % n);
    const RestProblem problem = random_problem(seed, n, rank);
    const RestProblem::Answer answer = problem.solve();
    // The accuracy of least squares with bounds.
    const double size = 1 + problem.a0.cwiseAbs().maxCoeff(), little = 1e-9 * size;
    EXPECT_LE((problem.a0 + problem.D * answer.r - answer.a).cwiseAbs().maxCoeff(), little);
    int holding = 0;
    for (int i = 0; i < n; ++i) {
      const double r = answer.r(i), a = answer.a(i);
      holding += answer.holds[i];
      EXPECT_GE(r, problem.lower(i) - 1e-12) << seed;
      EXPECT_LE(r, problem.upper(i) + 1e-12) << seed;
      if (answer.holds[i]) {
        EXPECT_NEAR(a, 0, little) << seed;
      }
      if (a > little) {
        EXPECT_EQ(r, problem.lower(i)) << seed;
      }
      if (a < -little) {
        EXPECT_EQ(r, problem.upper(i)) << seed;
      }
    }
    // No more hold than there are freedoms.
    EXPECT_LE(holding, rank) << seed;
  }
}

// A lever at its dead point: no effort of the joint does anything.
TEST(RestProblem, NothingIsHeldAtADeadPoint) {
  RestProblem problem;
  problem.D = Eigen::MatrixXd::Constant(1, 1, 1e-20);
  problem.a0 = Eigen::VectorXd::Constant(1, -2);
  problem.lower = Eigen::VectorXd::Constant(1, -5);
  problem.upper = -problem.lower;
  problem.inertia = Eigen::VectorXd::Ones(1);
  EXPECT_FALSE(problem.solve().holds[0]);
}

}  // namespace
}  // namespace ulna
