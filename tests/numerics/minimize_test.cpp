// The minimisers of the older literature on the valley of Rosenbrock, and Newton-Raphson on
// redundant equations.

#include <gtest/gtest.h>

#include "ulna/numerics/error.hpp"
#include "ulna/numerics/internal/complex_method.hpp"
#include "ulna/numerics/internal/davidon_fletcher_powell.hpp"
#include "ulna/numerics/internal/hooke_jeeves.hpp"
#include "ulna/numerics/internal/newton_raphson.hpp"

namespace ulna {
namespace {

using Eigen::Vector2d;
using Eigen::VectorXd;

MinimizeProblem rosenbrock_function() {
  MinimizeProblem problem;
  problem.value = [](const VectorXd& x) {
    const double a = x(1) - x(0) * x(0), b = 1 - x(0);
    return 100 * a * a + b * b;
  };
  problem.gradient = [](const VectorXd& x) -> VectorXd {
    const double a = x(1) - x(0) * x(0);
    return Vector2d(-400 * a * x(0) - 2 * (1 - x(0)), 200 * a);
  };
  return problem;
}

TEST(Minimize, EveryMethodFindsTheEndOfTheValley) {
  const Vector2d start(-1.2, 1);
  MinimizeProblem problem = rosenbrock_function();
  const MinimizeResult pattern = hooke_jeeves(problem, start);
  EXPECT_LT((pattern.x - Vector2d(1, 1)).norm(), 1e-5) << pattern.reason;
  const MinimizeResult metric = davidon_fletcher_powell(problem, start);
  EXPECT_LT((metric.x - Vector2d(1, 1)).norm(), 1e-7) << metric.reason;
  problem.lower = Vector2d(-2, -2);
  problem.upper = Vector2d(2, 2);
  const MinimizeResult cloud = complex_method(problem, start);
  EXPECT_LT((cloud.x - Vector2d(1, 1)).norm(), 1e-5) << cloud.reason;
  for (const MinimizeResult& result : {pattern, metric, cloud}) EXPECT_GT(result.evaluations, 0);
}

TEST(Minimize, BoundsAndConstraintsHold) {
  MinimizeProblem problem = rosenbrock_function();
  problem.lower = Vector2d(-2, -2);
  problem.upper = Vector2d(0.5, 2);  // the minimum in the box is at (0.5, 0.25)
  EXPECT_LT((hooke_jeeves(problem, Vector2d(-1.2, 1)).x - Vector2d(0.5, 0.25)).norm(), 1e-4);
  ComplexMethodOptions options;
  options.feasible = [](const VectorXd& x) { return x(0) + x(1) <= 0.5; };
  const MinimizeResult result = complex_method(problem, Vector2d(-1.2, 1), options);
  EXPECT_LE(result.x.sum(), 0.5 + 1e-12);
  problem.lower.resize(0);
  EXPECT_THROW(complex_method(problem, Vector2d(0, 0)), InputError);
}

TEST(NewtonRaphson, TakesRedundantRowsAndColumns) {
  // A circle, said twice, in three unknowns.
  LeastSquaresProblem problem;
  problem.evaluate = [](const VectorXd& x, VectorXd& r, Eigen::MatrixXd* J) {
    const double f = x.squaredNorm() - 4;
    r = Vector2d(f, 2 * f);
    if (!J) return;
    J->resize(2, 3);
    J->row(0) = 2 * x.transpose();
    J->row(1) = 4 * x.transpose();
  };
  const LeastSquaresResult found = newton_raphson(problem, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(found.status, LeastSquaresStatus::converged);
  EXPECT_NEAR(found.x.norm(), 2, 1e-13);
  EXPECT_LT(found.iterations, 10);
  // The step of least norm stays on the line through the start.
  EXPECT_LT((found.x.normalized() - Eigen::Vector3d(1, 2, 3).normalized()).norm(), 1e-14);
}

}  // namespace
}  // namespace ulna
