#include "ulna/numerics/internal/complex_method.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

class Complex {
 public:
  Complex(const MinimizeProblem& problem, const ComplexMethodOptions& options)
      : problem_(problem), options_(options), generator_(options.seed) {}

  MinimizeResult run(const Eigen::VectorXd& start) {
    spread_vertices(start);
    MinimizeResult result;
    while (!finished(result) && evaluations_ < options_.evaluations) {
      interruption_point();
      ++result.iterations;
      replace_worst();
    }
    const std::size_t best = best_vertex();
    result.x = points_[best];
    result.value = values_[best];
    result.evaluations = evaluations_;
    if (result.reason.empty()) result.reason = "out of evaluations";
    return result;
  }

 private:
  double value(const Eigen::VectorXd& x) {
    ++evaluations_;
    const double f = problem_.value(x);
    return std::isfinite(f) ? f : INFINITY;
  }
  bool feasible(const Eigen::VectorXd& x) const {
    return !options_.feasible || options_.feasible(x);
  }

  void spread_vertices(const Eigen::VectorXd& start) {
    const auto n = static_cast<int>(start.size());
    const int count =
        options_.vertices > 0 ? std::max(options_.vertices, n + 1) : std::max(2 * n, 6);
    std::uniform_real_distribution<double> share(0, 1);
    points_.push_back(start.cwiseMax(problem_.lower).cwiseMin(problem_.upper));
    values_.push_back(value(points_[0]));
    Eigen::VectorXd centre = points_[0];
    while (static_cast<int>(points_.size()) < count) {
      Eigen::VectorXd x(n);
      for (int k = 0; k < n; ++k)
        x(k) = problem_.lower(k) + share(generator_) * (problem_.upper(k) - problem_.lower(k));
      for (int halvings = 0; !feasible(x) && halvings < 60; ++halvings) x = 0.5 * (x + centre);
      points_.push_back(x);
      values_.push_back(value(x));
      centre += (x - centre) / static_cast<double>(points_.size());
    }
  }

  std::size_t best_vertex() const {
    return std::min_element(values_.begin(), values_.end()) - values_.begin();
  }

  bool finished(MinimizeResult& result) const {
    const double best = values_[best_vertex()];
    const double worst = *std::max_element(values_.begin(), values_.end());
    double size = 0;
    for (const Eigen::VectorXd& x : points_)
      size = std::max(size, (x - points_[0]).cwiseAbs().maxCoeff());
    if (best <= options_.value)
      result.reason = "the value wanted was reached";
    else if (worst - best <= options_.spread * std::abs(best))
      result.reason = "all vertices have the same value";
    else if (size <= options_.size)
      result.reason = "all vertices are in one place";
    result.converged = !result.reason.empty();
    return result.converged;
  }

  /// Reflected through the centre of the others; half way back to it as long as it stays the worst,
  /// and in the end towards the best vertex.
  void replace_worst() {
    const std::size_t worst = std::max_element(values_.begin(), values_.end()) - values_.begin();
    const auto others = static_cast<double>(points_.size() - 1);
    Eigen::VectorXd centre = Eigen::VectorXd::Zero(points_[0].size());
    double second = -INFINITY;
    for (std::size_t k = 0; k < points_.size(); ++k)
      if (k != worst) {
        centre += points_[k] / others;
        second = std::max(second, values_[k]);
      }
    const Eigen::VectorXd& best = points_[best_vertex()];
    Eigen::VectorXd x = centre + options_.reflection * (centre - points_[worst]);
    x = x.cwiseMax(problem_.lower).cwiseMin(problem_.upper);
    for (int halvings = 0; !feasible(x) && halvings < 60; ++halvings) x = 0.5 * (x + centre);
    double f = value(x);
    for (int halvings = 0; !(f < second) && halvings < 60; ++halvings) {
      if (evaluations_ >= options_.evaluations) break;
      x = halvings < 5 ? Eigen::VectorXd(0.5 * (x + centre)) : Eigen::VectorXd(0.5 * (x + best));
      f = value(x);
    }
    points_[worst] = x;
    values_[worst] = f;
  }

  const MinimizeProblem& problem_;
  const ComplexMethodOptions& options_;
  std::mt19937_64 generator_;
  std::vector<Eigen::VectorXd> points_;
  std::vector<double> values_;
  int evaluations_ = 0;
};

}  // namespace

MinimizeResult complex_method(const MinimizeProblem& problem, const Eigen::VectorXd& start,
                              const ComplexMethodOptions& options) {
  check_minimize_problem(problem, start);
  if (problem.lower.size() != start.size() || problem.upper.size() != start.size() ||
      !problem.lower.allFinite() || !problem.upper.allFinite())
    throw InputError("the complex method without bounds", "a finite bound below and above each");
  return Complex(problem, options).run(start);
}

}  // namespace ulna
