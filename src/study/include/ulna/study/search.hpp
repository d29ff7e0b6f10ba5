#pragma once
// The least value of a function of bounded variables under constraints c(x) <= 0, by the algorithms
// of NLopt. Variables run from 0 to 1 inside; derivatives, where an algorithm wants them, are
// differences of second order. The same start and seed give the same result.

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct SearchProblem {
  Eigen::VectorXd lower, upper, start;
  /// The value at x, and what the constraints are there. Throws to end the search.
  std::function<double(const Eigen::VectorXd& x, Eigen::VectorXd& constraints)> evaluate;
  int constraints = 0;
};

struct SearchOptions {
  std::string algorithm = "cobyla";
  long evaluations = 500;
  double tolerance = 1e-6;             ///< of the variables, relative to their range
  double constraint_tolerance = 1e-8;  ///< by which constraints may be broken
  std::uint64_t seed = 1;
};

struct SearchResult {
  Eigen::VectorXd x, constraints;
  double value = 0;
  long evaluations = 0;
  bool feasible = false;
  std::string reason;  ///< why it ended
};

/// InputError for unknown algorithms and bounds in the wrong order; ComputationError where Ulna was
/// built without NLopt.
ULNA_API SearchResult search_least(const SearchProblem& problem, const SearchOptions& options = {});

/// cobyla, bobyqa, slsqp, mma, ...
ULNA_API std::vector<std::string> search_algorithms();

}  // namespace ulna
