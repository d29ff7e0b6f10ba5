#pragma once
// What the minimisers of this module share: the question and the answer.

#include <Eigen/Core>
#include <functional>
#include <string>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct MinimizeProblem {
  /// The function. A value that is not finite means "not here".
  std::function<double(const Eigen::VectorXd& x)> value;
  /// Its gradient, for the methods that follow it.
  std::function<Eigen::VectorXd(const Eigen::VectorXd& x)> gradient;
  /// Bounds of x; empty for none.
  Eigen::VectorXd lower, upper;
};

struct MinimizeResult {
  Eigen::VectorXd x;
  double value = 0;
  int iterations = 0;
  int evaluations = 0;     ///< calls of `value`, and of `gradient` once each
  bool converged = false;  ///< the method's own test, or value at most the value wanted
  std::string reason;      ///< why it stopped
};

/// InputError unless sizes fit and bounds are in order.
ULNA_API void check_minimize_problem(const MinimizeProblem& problem, const Eigen::VectorXd& start);

}  // namespace ulna
