#include "ulna/numerics/internal/davidon_fletcher_powell.hpp"

#include <cmath>

#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

struct Point {
  Eigen::VectorXd x;
  double f = 0;
  Eigen::VectorXd g;
};

class Descent {
 public:
  explicit Descent(const MinimizeProblem& problem) : problem_(problem) {}

  Point at(const Eigen::VectorXd& x) {
    evaluations += 2;
    Point point{x, problem_.value(x), problem_.gradient(x)};
    if (!std::isfinite(point.f)) point.f = INFINITY;
    return point;
  }

  /// A step along d that reduces f enough and the slope too (Wolfe), by bisection.
  bool line_search(const Point& from, const Eigen::VectorXd& d, Point& to) {
    constexpr double enough = 1e-4, flat = 0.1;
    const double slope = from.g.dot(d);
    double low = 0, high = INFINITY, t = 1;
    for (int trial = 0; trial < 60; ++trial) {
      interruption_point();
      to = at(from.x + t * d);
      if (to.f > from.f + enough * t * slope)
        high = t;
      else if (to.g.dot(d) < flat * slope)
        low = t;
      else
        return true;
      t = std::isfinite(high) ? 0.5 * (low + high) : 2 * t;
    }
    return to.f < from.f;
  }

  int evaluations = 0;

 private:
  const MinimizeProblem& problem_;
};

}  // namespace

MinimizeResult davidon_fletcher_powell(const MinimizeProblem& problem, const Eigen::VectorXd& start,
                                       const DavidonFletcherPowellOptions& options) {
  check_minimize_problem(problem, start);
  if (!problem.gradient) throw InputError("the variable metric method without gradient");
  Descent descent(problem);
  const Eigen::Index n = start.size();
  Eigen::MatrixXd H = Eigen::MatrixXd::Identity(n, n);
  Point now = descent.at(start), next;
  MinimizeResult result;
  bool fresh = true;  // H is the identity
  for (; result.iterations < options.iterations; ++result.iterations) {
    if (now.f <= options.value || now.g.norm() <= options.gradient) {
      result.converged = true;
      result.reason = now.f <= options.value ? "the value wanted was reached" : "the gradient is 0";
      break;
    }
    Eigen::VectorXd d = -H * now.g;
    if (!(d.dot(now.g) < 0)) {
      H.setIdentity();
      d = -now.g;
      fresh = true;
    }
    if (!descent.line_search(now, d, next)) {
      if (fresh) {
        result.reason = "no step reduces the function";
        break;
      }
      H.setIdentity();
      fresh = true;
      continue;
    }
    const Eigen::VectorXd s = next.x - now.x, y = next.g - now.g, Hy = H * y;
    if (s.dot(y) > 0 && y.dot(Hy) > 0) {
      H += s * s.transpose() / s.dot(y) - Hy * Hy.transpose() / y.dot(Hy);
      fresh = false;
    }
    now = next;
  }
  if (result.reason.empty()) result.reason = "out of iterations";
  result.x = now.x;
  result.value = now.f;
  result.evaluations = descent.evaluations;
  return result;
}

}  // namespace ulna
