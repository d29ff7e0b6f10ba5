#include "ulna/numerics/internal/newton_raphson.hpp"

#include <fmt/format.h>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

LeastSquaresResult newton_raphson(const LeastSquaresProblem& problem, const Eigen::VectorXd& start,
                                  const NewtonRaphsonOptions& options) {
  if (!problem.evaluate) throw InputError("Newton's method without residual");
  if (!start.allFinite()) throw InputError("a start that is not finite");
  LeastSquaresResult result;
  result.x = start;
  Eigen::MatrixXd J;
  // What a bound holds leaves the equations: lower = upper fixes a variable.
  const auto clip = [&](Eigen::VectorXd& x) {
    for (std::size_t j = 0; j < (problem.retract ? problem.euclidean.size() : x.size()); ++j) {
      const int k = problem.retract ? problem.euclidean[j] : static_cast<int>(j);
      if (k < 0) continue;
      if (problem.lower.size() > 0) x(k) = std::max(x(k), problem.lower(k));
      if (problem.upper.size() > 0) x(k) = std::min(x(k), problem.upper(k));
    }
  };
  clip(result.x);
  for (;; ++result.iterations) {
    problem.evaluate(result.x, result.residual, &J);
    ++result.evaluations;
    ++result.jacobians;
    result.residual_norm = result.residual.norm();
    if (!result.residual.allFinite() || !J.allFinite()) {
      result.status = LeastSquaresStatus::stalled;
      result.reason = "the residual is not finite";
      return result;
    }
    if (result.residual_norm <= options.tolerance) {
      result.status = LeastSquaresStatus::converged;
      result.reason = fmt::format("residual {:.3g}", result.residual_norm);
      return result;
    }
    if (result.iterations >= options.iterations) break;
    for (Eigen::Index j = 0; j < J.cols(); ++j) {
      const int k = !problem.retract            ? static_cast<int>(j)
                    : problem.euclidean.empty() ? -1
                                                : problem.euclidean[static_cast<std::size_t>(j)];
      if (k >= 0 && problem.lower.size() > 0 && problem.lower(k) == problem.upper(k))
        J.col(j).setZero();
    }
    Eigen::VectorXd dx = -dense::LeastNorm(J, options.rank_tolerance).solve(result.residual);
    const double length = dx.norm();
    if (length > options.largest_step) dx *= options.largest_step / length;
    result.x = problem.retract ? problem.retract(result.x, dx) : Eigen::VectorXd(result.x + dx);
    clip(result.x);
  }
  result.status = LeastSquaresStatus::iteration_limit;
  result.reason =
      fmt::format("residual {:.3g} after {} steps", result.residual_norm, result.iterations);
  return result;
}

}  // namespace ulna
