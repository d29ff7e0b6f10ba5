#pragma once
// Bounded nonlinear least squares by Levenberg-Marquardt: minimise |r(x)|^2 in
// lower <= x <= upper.
//
// Each step solves min |J dx + r|^2 + lambda |D dx|^2 within the bounds, by active sets and QR of
// [J; sqrt(lambda) D]: the condition of J is not squared. A variable at a bound whose gradient
// points outwards is held. D is the largest norm each column of J has had (Moré), so the result
// does not depend on the units of x. lambda follows the ratio of actual to predicted reduction
// (Nielsen). Only steps that reduce |r| are taken.
//
// Sources: Moré, The Levenberg-Marquardt algorithm: implementation and theory, 1978; Madsen,
// Nielsen, Tingleff, Methods for non-linear least squares problems, 2004, section 3.2; Stark,
// Parker, Bounded-variable least-squares, 1995.
//
// Cost per step: a residual; a QR of (m + n) x n, once more for each bound met; and a Jacobian when
// the step is taken. Where |r| > 0 at the minimum, its flatness leaves x accurate to about 1e-8.

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// What to minimise and where.
struct LeastSquaresProblem {
  /// Fills the residual r at x, and also its Jacobian J unless J is null. Both may be resized. A
  /// residual that is not finite means "not here": the step is shortened. What it throws reaches
  /// the caller.
  std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* J)> evaluate;

  /// Bounds of x, in the order of x; empty for none; infinite entries allowed.
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;

  /// For x on a manifold (a quaternion among the coordinates): x after the tangent step dx. J then
  /// has one column per tangent coordinate. Empty: x + dx.
  std::function<Eigen::VectorXd(const Eigen::VectorXd& x, const Eigen::VectorXd& dx)> retract;

  /// With `retract` and bounds: for each column of J the entry of x that grows one to one with it,
  /// or -1 if there is none. Bounds act on those entries of x alone and are ignored on all others.
  std::vector<int> euclidean;
};

struct LeastSquaresOptions {
  int max_iterations = 200;           ///< steps tried
  double residual_tolerance = 1e-12;  ///< converged when |r| is at most this, in the units of r
  /// Stationary when the cosine between r and every free column of J is at most this.
  double gradient_tolerance = 1e-10;
  double step_tolerance = 1e-15;   ///< stalled when |D dx| is at most this times |r|
  double initial_damping = 1e-3;   ///< lambda of the first step; larger is more careful
  double minimum_damping = 1e-16;  ///< keeps steps bounded where J loses rank
};

enum class LeastSquaresStatus {
  converged,   ///< |r| is within the residual tolerance
  stationary,  ///< a minimum (bounded, if so) with |r| above the tolerance
  stalled,     ///< no step reduces |r|, though the gradient says so: a wrong J, or a corner of r
  iteration_limit,  ///< still improving
};

struct LeastSquaresResult {
  Eigen::VectorXd x;
  Eigen::VectorXd residual;
  double residual_norm = 0;
  double gradient_cosine = 0;  ///< largest cosine between r and a free column of J, at x
  int iterations = 0;          ///< steps tried
  int evaluations = 0;         ///< calls of `evaluate`
  int jacobians = 0;           ///< those that asked for J
  std::vector<int> held;       ///< columns held at a bound at x
  LeastSquaresStatus status = LeastSquaresStatus::iteration_limit;
  std::string reason;  ///< the status in words, with the numbers that decided
};

/// Starts from `start` moved inside the bounds. Throws InputError for sizes or bounds that do not
/// fit, ComputationError when the residual or Jacobian is not finite at the start or J is not
/// finite later.
ULNA_API LeastSquaresResult solve_least_squares(const LeastSquaresProblem& problem,
                                                const Eigen::VectorXd& start,
                                                const LeastSquaresOptions& options = {});

}  // namespace ulna
