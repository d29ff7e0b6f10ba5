#include "ulna/numerics/internal/hooke_jeeves.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

class Search {
 public:
  Search(const MinimizeProblem& problem, const HookeJeevesOptions& options)
      : problem_(problem), options_(options) {}

  double value(const Eigen::VectorXd& x) {
    ++evaluations_;
    const double f = problem_.value(x);
    return std::isfinite(f) ? f : INFINITY;
  }
  void into_bounds(Eigen::VectorXd& x) const {
    if (problem_.lower.size() > 0) x = x.cwiseMax(problem_.lower);
    if (problem_.upper.size() > 0) x = x.cwiseMin(problem_.upper);
  }
  /// Tries +step and -step of each variable in turn and keeps what helps.
  double explore(Eigen::VectorXd& x, double f, double step) {
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const double before = x(k);
      for (const double sense : {1.0, -1.0}) {
        x(k) = before + sense * step;
        into_bounds(x);
        const double trial = value(x);
        if (trial < f) {
          f = trial;
          break;
        }
        x(k) = before;
      }
    }
    return f;
  }

  MinimizeResult run(const Eigen::VectorXd& start) {
    MinimizeResult result;
    Eigen::VectorXd base = start;
    into_bounds(base);
    double f_base = value(base), step = options_.step;
    const auto done = [&] {
      return f_base <= options_.value || evaluations_ >= options_.evaluations;
    };
    while (step >= options_.least_step && !done()) {
      interruption_point();
      ++result.iterations;
      Eigen::VectorXd x = base;
      double f = explore(x, f_base, step);
      if (!(f < f_base)) {
        step *= options_.shrink;
        continue;
      }
      // The pattern: as long as it helps, jump by the last advance and explore there.
      while (f < f_base && !done()) {
        interruption_point();
        const Eigen::VectorXd before = base;
        base = x;
        f_base = f;
        x = base + (base - before);
        into_bounds(x);
        f = explore(x, value(x), step);
      }
    }
    result.x = base;
    result.value = f_base;
    result.evaluations = evaluations_;
    result.converged = evaluations_ < options_.evaluations || f_base <= options_.value;
    result.reason = f_base <= options_.value ? "the value wanted was reached"
                    : result.converged       ? "no shorter step helps"
                                             : "out of evaluations";
    return result;
  }

 private:
  const MinimizeProblem& problem_;
  const HookeJeevesOptions& options_;
  int evaluations_ = 0;
};

}  // namespace

MinimizeResult hooke_jeeves(const MinimizeProblem& problem, const Eigen::VectorXd& start,
                            const HookeJeevesOptions& options) {
  check_minimize_problem(problem, start);
  return Search(problem, options).run(start);
}

}  // namespace ulna
