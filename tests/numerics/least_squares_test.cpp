// Bounded least squares finds known minima, says which kind it found, and keeps to the bounds.

#include "ulna/numerics/internal/least_squares.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "support/near.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;
using testing::infinity;
using Status = LeastSquaresStatus;

VectorXd list(std::initializer_list<double> values) {
  VectorXd x(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), x.begin());
  return x;
}

/// (10 (y - x^2), 1 - x), with its minimum 0 at (1, 1).
LeastSquaresProblem rosenbrock() {
  LeastSquaresProblem problem;
  problem.evaluate = [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    r = list({10 * (x(1) - x(0) * x(0)), 1 - x(0)});
    if (!J) return;
    J->resize(2, 2);
    *J << -20 * x(0), 10, -1, 0;
  };
  return problem;
}

/// A x - b.
LeastSquaresProblem linear(const MatrixXd& A, const VectorXd& b) {
  LeastSquaresProblem problem;
  problem.evaluate = [A, b](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    r = A * x - b;
    if (J) *J = A;
  };
  return problem;
}

TEST(LeastSquares, FollowsRosenbrocksValleyToItsEnd) {
  for (const auto& start : {list({-1.2, 1}), list({-12, 10}), list({0, 0})}) {
    const auto result = solve_least_squares(rosenbrock(), start);
    EXPECT_EQ(result.status, Status::converged) << result.reason;
    EXPECT_LE((result.x - Vector2d(1, 1)).norm(), 1e-11);
    EXPECT_LE(result.residual_norm, 1e-12);
    EXPECT_LE(result.iterations, 60);
    EXPECT_LE(result.jacobians, result.evaluations);
  }
}

// Near x = 0, where J loses rank, the way leads along a parabola whose walls are 1e5 times as
// steep: straight steps take 2,700 tries.
TEST(LeastSquares, FollowsANarrowValleyAwayFromASingularJacobian) {
  LeastSquaresProblem problem;
  problem.evaluate = [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    r = list({100 * (x(1) - x(0) * x(0)), 1e-3 * x(0) * x(0) - 1e-6});
    if (!J) return;
    J->resize(2, 2);
    *J << -200 * x(0), 100, 2e-3 * x(0), 0;
  };
  LeastSquaresOptions options;
  options.max_iterations = 400;
  const auto result = solve_least_squares(problem, list({1e-4, 0}), options);
  EXPECT_EQ(result.status, Status::converged) << result.reason;
  EXPECT_NEAR(std::abs(result.x(0)), std::sqrt(1e-3), 1e-7);
}

// Problems 2 and 8 of Moré, Garbow, Hillstrom, Testing unconstrained optimization software, 1981,
// with the minimum of |r|^2 printed there.
TEST(LeastSquares, ReachesThePublishedMinimaWithResidual) {
  LeastSquaresProblem freudenstein_roth;
  freudenstein_roth.evaluate = [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    const double y = x(1);
    r = list({-13 + x(0) + ((5 - y) * y - 2) * y, -29 + x(0) + ((y + 1) * y - 14) * y});
    if (!J) return;
    J->resize(2, 2);
    *J << 1, 10 * y - 3 * y * y - 2, 1, 3 * y * y + 2 * y - 14;
  };
  const auto local = solve_least_squares(freudenstein_roth, list({0.5, -2}));
  EXPECT_EQ(local.status, Status::stationary) << local.reason;
  EXPECT_NEAR(local.residual_norm * local.residual_norm, 48.9842, 1e-4);
  EXPECT_NEAR(local.x(0), 11.41, 5e-3);
  EXPECT_NEAR(local.x(1), -0.8968, 5e-5);

  LeastSquaresProblem bard;
  bard.evaluate = [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    const VectorXd y = list(
        {0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39});
    r.resize(15);
    if (J) J->resize(15, 3);
    for (int i = 0; i < 15; ++i) {
      const double u = i + 1, v = 15 - i, w = std::min(u, v), d = v * x(1) + w * x(2);
      r(i) = y(i) - (x(0) + u / d);
      if (J) J->row(i) << -1, u * v / (d * d), u * w / (d * d);
    }
  };
  const auto fit = solve_least_squares(bard, list({1, 1, 1}));
  EXPECT_EQ(fit.status, Status::stationary) << fit.reason;
  EXPECT_NEAR(fit.residual_norm * fit.residual_norm, 8.21487e-3, 1e-8);
}

TEST(LeastSquares, AMinimumOutsideTheBoundsIsFoundOnTheBound) {
  auto problem = rosenbrock();
  problem.upper = list({0.5, infinity});
  const auto result = solve_least_squares(problem, list({-1.2, 1}));
  // With x held at 0.5 the first residual vanishes at y = 0.25 and 1 - x = 0.5 remains.
  EXPECT_EQ(result.status, Status::stationary) << result.reason;
  EXPECT_EQ(result.x(0), 0.5);
  EXPECT_NEAR(result.x(1), 0.25, 1e-9);
  EXPECT_NEAR(result.residual_norm, 0.5, 1e-12);
  EXPECT_EQ(result.held, std::vector<int>{0});
}

TEST(LeastSquares, AVariableLeavesABoundThatItStartsOn) {
  auto problem = rosenbrock();
  problem.lower = list({-2, -2});
  problem.upper = list({2, 2});
  const auto result = solve_least_squares(problem, list({-2, -5}));
  EXPECT_EQ(result.status, Status::converged) << result.reason;
  EXPECT_LE((result.x - Vector2d(1, 1)).norm(), 1e-11);
  EXPECT_TRUE(result.held.empty());
}

TEST(LeastSquares, NoTrialLeavesTheBounds) {
  auto problem = rosenbrock();
  problem.lower = list({-1.5, -0.5});
  problem.upper = list({0.8, 3});
  const auto inner = problem.evaluate;
  problem.evaluate = [&](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    EXPECT_TRUE((x.array() >= problem.lower.array()).all());
    EXPECT_TRUE((x.array() <= problem.upper.array()).all());
    inner(x, r, J);
  };
  const auto result = solve_least_squares(problem, list({-1.5, 3}));
  EXPECT_LE((result.x - Vector2d(0.8, 0.64)).norm(), 1e-8) << result.reason;
}

TEST(LeastSquares, BoundedLinearProblemsSatisfyTheOptimalityConditions) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const auto draw = [&](double) { return normal(random); };
  for (int trial = 0; trial < 50; ++trial) {
    const MatrixXd A = MatrixXd::Zero(9, 6).unaryExpr(draw);
    const VectorXd b = VectorXd::Zero(9).unaryExpr(draw);
    auto problem = linear(A, b);
    problem.lower = VectorXd::Constant(6, -0.1);
    problem.upper = VectorXd::Constant(6, 0.2);
    const auto result = solve_least_squares(problem, VectorXd::Zero(6));
    EXPECT_EQ(result.status, Status::stationary) << result.reason;
    const VectorXd gradient = A.transpose() * (A * result.x - b);
    for (int i = 0; i < 6; ++i) {
      if (result.x(i) == -0.1)
        EXPECT_GE(gradient(i), -1e-6);
      else if (result.x(i) == 0.2)
        EXPECT_LE(gradient(i), 1e-6);
      else
        EXPECT_NEAR(gradient(i), 0, 1e-6);
    }
  }
}

TEST(LeastSquares, ALinearProblemWithResidualAgreesWithQr) {
  MatrixXd A(4, 2);
  A << 1, 2, 3, 4, 5, 6, 7, 9;
  const VectorXd b = list({1, -1, 2, 0});
  const auto result = solve_least_squares(linear(A, b), list({30, -20}));
  EXPECT_EQ(result.status, Status::stationary) << result.reason;
  const VectorXd expected = A.colPivHouseholderQr().solve(b);
  EXPECT_LE((result.x - expected).norm(), 1e-7);
}

TEST(LeastSquares, AVariableAtRoundingDistanceFromItsBoundIsHeld) {
  auto problem = linear(MatrixXd::Identity(2, 2), list({-1, 3}));
  problem.lower = list({0, 0});
  const auto result = solve_least_squares(problem, list({1e-20, 3}));
  EXPECT_EQ(result.status, Status::stationary) << result.reason;
  EXPECT_EQ(result.held, std::vector<int>{0});
  EXPECT_EQ(result.evaluations, 1);
}

TEST(LeastSquares, RankDeficientProblemsStillConverge) {
  // Only x + y and its double are seen; from the origin the shortest solution has x = y.
  MatrixXd A(3, 2);
  A << 1, 1, 2, 2, -1, -1;
  const auto result = solve_least_squares(linear(A, list({2, 4, -2})), list({0, 0}));
  EXPECT_EQ(result.status, Status::converged) << result.reason;
  EXPECT_NEAR(result.x(0), 1, 1e-10);
  EXPECT_NEAR(result.x(1), 1, 1e-10);
}

TEST(LeastSquares, AVariableWithoutInfluenceIsLeftAlone) {
  MatrixXd A(2, 3);
  A << 1, 0, 2, 3, 0, 4;
  const auto result = solve_least_squares(linear(A, list({1, 1})), list({0, 7, 0}));
  EXPECT_EQ(result.status, Status::converged) << result.reason;
  EXPECT_EQ(result.x(1), 7);
}

TEST(LeastSquares, ADoubleRootIsReached) {
  LeastSquaresProblem problem;  // J vanishes at the solution
  problem.evaluate = [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    r = list({(x(0) - 3) * (x(0) - 3)});
    if (J) *J = MatrixXd::Constant(1, 1, 2 * (x(0) - 3));
  };
  const auto result = solve_least_squares(problem, list({10}));
  EXPECT_EQ(result.status, Status::converged) << result.reason;
  EXPECT_NEAR(result.x(0), 3, 1e-6);
}

TEST(LeastSquares, UnitsOfTheVariablesDoNotMatter) {
  // The same problem with y in units a million times smaller takes the same steps.
  const auto metres = solve_least_squares(rosenbrock(), list({-1.2, 1}));
  LeastSquaresProblem problem;
  problem.evaluate = [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    rosenbrock().evaluate(list({x(0), x(1) * 1e-6}), r, J);
    if (J) J->col(1) *= 1e-6;
  };
  const auto micrometres = solve_least_squares(problem, list({-1.2, 1e6}));
  EXPECT_EQ(micrometres.iterations, metres.iterations);
  EXPECT_NEAR(micrometres.x(1), 1e6, 1e-5);
}

TEST(LeastSquares, StepsIntoUndefinedGroundAreShortened) {
  LeastSquaresProblem
      problem;  // log x - 2 is undefined for x <= 0, where the first Newton step leads
  problem.evaluate = [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    r = list({std::log(x(0)) - 2});
    if (J) *J = MatrixXd::Constant(1, 1, 1 / x(0));
  };
  const auto result = solve_least_squares(problem, list({100}));
  EXPECT_EQ(result.status, Status::converged) << result.reason;
  EXPECT_NEAR(result.x(0), std::exp(2), 1e-10);
}

TEST(LeastSquares, AWrongJacobianIsReportedAsStalled) {
  auto problem = rosenbrock();
  const auto inner = problem.evaluate;
  problem.evaluate = [inner](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    inner(x, r, J);
    if (J) *J = -*J;
  };
  const auto result = solve_least_squares(problem, list({-1.2, 1}));
  EXPECT_EQ(result.status, Status::stalled) << result.reason;
  EXPECT_EQ(result.x, list({-1.2, 1}));
}

TEST(LeastSquares, StopsAtTheIterationLimitWithTheBestPointSoFar) {
  LeastSquaresOptions options;
  options.max_iterations = 3;
  const auto result = solve_least_squares(rosenbrock(), list({-1.2, 1}), options);
  EXPECT_EQ(result.status, Status::iteration_limit);
  EXPECT_EQ(result.iterations, 3);
  VectorXd r;
  rosenbrock().evaluate(result.x, r, nullptr);
  EXPECT_DOUBLE_EQ(r.norm(), result.residual_norm);
  EXPECT_LT(result.residual_norm, 4.9);  // 4.92 at the start
}

/// x = (angle as cosine and sine, height): two tangent coordinates, the angle and the height.
LeastSquaresProblem on_a_cylinder() {
  LeastSquaresProblem problem;
  problem.evaluate = [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    // Reach the point (0, 2, 5) from (c, s, h).
    r = list({x(0), x(1) - 2, x(2) - 5});
    if (!J) return;
    J->resize(3, 2);
    *J << -x(1), 0, x(0), 0, 0, 1;
  };
  problem.retract = [](const VectorXd& x, const VectorXd& dx) {
    const double c = std::cos(dx(0)), s = std::sin(dx(0));
    return list({c * x(0) - s * x(1), s * x(0) + c * x(1), x(2) + dx(1)});
  };
  return problem;
}

TEST(LeastSquares, VariablesMayLiveOnAManifold) {
  const auto result = solve_least_squares(on_a_cylinder(), list({1, 0, 0}));
  EXPECT_EQ(result.status, Status::stationary) << result.reason;
  EXPECT_LE((result.x - list({0, 1, 5})).norm(), 1e-7);
  EXPECT_NEAR(result.x.head<2>().norm(), 1, 1e-14);
  EXPECT_NEAR(result.residual_norm, 1, 1e-14);
}

TEST(LeastSquares, OnAManifoldBoundsActOnEuclideanEntries) {
  auto problem = on_a_cylinder();
  problem.lower = list({0.5, 0.5, 0});  // the first two entries are no coordinates: not bounded
  problem.upper = list({0.6, 0.6, 3});
  problem.euclidean = {-1, 2};
  const auto result = solve_least_squares(problem, list({1, 0, 0}));
  EXPECT_EQ(result.x(2), 3);
  EXPECT_NEAR(result.x(1), 1, 1e-7);
  EXPECT_EQ(result.held, std::vector<int>{1});
  problem.euclidean.clear();
  EXPECT_THROW(solve_least_squares(problem, list({1, 0, 0})), InputError);
  problem.euclidean = {-1, 3};
  EXPECT_THROW(solve_least_squares(problem, list({1, 0, 0})), InputError);
  problem.euclidean = {2};
  EXPECT_THROW(solve_least_squares(problem, list({1, 0, 0})), InputError);
}

TEST(LeastSquares, EverythingHeldIsAnAnswerToo) {
  auto problem = rosenbrock();
  problem.lower = problem.upper = list({0.3, 0.4});
  const auto result = solve_least_squares(problem, list({5, 5}));
  EXPECT_EQ(result.status, Status::stationary);
  EXPECT_EQ(result.x, list({0.3, 0.4}));
  EXPECT_EQ(result.evaluations, 1);
}

TEST(LeastSquares, AColumnOfRoundingMovesNothing) {
  // The second variable turns a rod about itself: its column is rounding. Damped in proportion to
  // that it would be thrown far away.
  LeastSquaresProblem problem;
  problem.evaluate = [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    r = list({std::cos(x(0)) - 0.5, std::sin(x(0)) * std::cos(1e-3 * x(1)) - std::sqrt(0.75)});
    if (!J) return;
    J->resize(2, 2);
    *J << -std::sin(x(0)), 1e-17, std::cos(x(0)), -2e-17;
  };
  const auto result = solve_least_squares(problem, list({0.7, 0}));
  EXPECT_EQ(result.status, Status::converged) << result.reason;
  EXPECT_EQ(result.x(1), 0);
}

TEST(LeastSquares, WrongInputIsNamed) {
  auto problem = rosenbrock();
  problem.lower = list({1});
  EXPECT_THROW(solve_least_squares(problem, list({0, 0})), InputError);
  problem.lower = list({1, 1});
  problem.upper = list({2, 0});
  EXPECT_THROW(solve_least_squares(problem, list({0, 0})), InputError);
  EXPECT_THROW(solve_least_squares({}, list({0})), InputError);
  EXPECT_THROW(solve_least_squares(rosenbrock(), list({NAN, 0})), InputError);
  LeastSquaresProblem narrow;  // a Jacobian with a column too few
  narrow.evaluate = [](const VectorXd&, VectorXd& r, MatrixXd* J) {
    r = list({1, 2});
    if (J) *J = MatrixXd::Ones(2, 1);
  };
  EXPECT_THROW(solve_least_squares(narrow, list({0, 0})), InputError);
  LeastSquaresProblem undefined = linear(MatrixXd::Identity(1, 1), list({infinity}));
  EXPECT_THROW(solve_least_squares(undefined, list({0})), ComputationError);
}

TEST(LeastSquares, ExceptionsOfTheResidualReachTheCaller) {
  LeastSquaresProblem problem;
  problem.evaluate = [](const VectorXd&, VectorXd&, MatrixXd*) {
    throw std::domain_error("stop here");
  };
  EXPECT_THROW(solve_least_squares(problem, list({0})), std::domain_error);
}

}  // namespace
}  // namespace ulna
