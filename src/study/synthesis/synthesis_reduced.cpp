#include "synthesis/synthesis_reduced.hpp"

#include <cmath>

namespace ulna {

ReducedSynthesis::ReducedSynthesis(const SynthesisEquations& equations,
                                   const LeastSquaresProblem& least, const Eigen::VectorXd& start)
    : equations_(equations), least_(least), size_(equations.shared()), x_(start) {}

bool ReducedSynthesis::fit(const Eigen::VectorXd& y, Eigen::VectorXd& x, double& sum) const {
  x = x_;
  x.head(size_) = y;
  const auto design = equations_.design(equations_.values_of(x));
  if (!design) return false;
  sum = 0;
  LeastSquaresOptions options;
  options.max_iterations = 30;
  options.residual_tolerance = 1e-15;
  for (int k = 0; k < equations_.targets(); ++k) {
    const LeastSquaresResult found = solve_least_squares(equations_.posture_problem(*design, x, k),
                                                         equations_.posture_of(x, k), options);
    equations_.set_posture(x, k, found.x);
    sum += found.residual.squaredNorm();
  }
  return std::isfinite(sum);
}

double ReducedSynthesis::value(const Eigen::VectorXd& y) {
  Eigen::VectorXd x;
  double sum = 0;
  if (!fit(y, x, sum)) return std::numeric_limits<double>::infinity();
  if (sum < best_) best_ = sum, x_ = x;
  return sum;
}

Eigen::VectorXd ReducedSynthesis::whole(const Eigen::VectorXd& y) {
  Eigen::VectorXd x;
  double sum = 0;
  return fit(y, x, sum) ? x : x_;
}

MinimizeProblem ReducedSynthesis::problem() {
  MinimizeProblem problem;
  problem.value = [this](const Eigen::VectorXd& y) { return value(y); };
  problem.gradient = [this](const Eigen::VectorXd& y) {
    Eigen::VectorXd r;
    Eigen::MatrixXd J;
    least_.evaluate(whole(y), r, &J);
    return Eigen::VectorXd(2 * J.leftCols(size_).transpose() * r);
  };
  problem.lower = least_.lower.head(size_);
  problem.upper = least_.upper.head(size_);
  return problem;
}

}  // namespace ulna
