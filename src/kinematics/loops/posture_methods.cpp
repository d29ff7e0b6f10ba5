#include "loops/posture_methods.hpp"

#include <algorithm>
#include <cmath>

#include "loops/posture_search.hpp"
#include "ulna/numerics/internal/complex_method.hpp"
#include "ulna/numerics/internal/davidon_fletcher_powell.hpp"
#include "ulna/numerics/internal/hooke_jeeves.hpp"
#include "ulna/numerics/internal/newton_raphson.hpp"

namespace ulna {
namespace {

/// The equations in the free coordinates as displacements x from a start, all of them pure numbers:
/// radians, and lengths over the robot's own.
class Displacement {
 public:
  Displacement(const PostureSearchProblem& problem, const Eigen::VectorXd& start)
      : problem_(problem), start_(start), scale_(problem.scale(problem.free)) {}
  Eigen::VectorXd q(const Eigen::VectorXd& x) const {
    Eigen::VectorXd step = Eigen::VectorXd::Zero(problem_.model.speeds());
    step(problem_.free) = scale_.cwiseProduct(x);
    return problem_.model.integrate(start_, step);
  }
  double sum_of_squares(const Eigen::VectorXd& x) const {
    Eigen::VectorXd r;
    problem_.evaluate(q(x), r, nullptr);
    return r.squaredNorm();
  }
  /// Exact but for quaternions away from the start, where the tangent has turned a little.
  Eigen::VectorXd gradient(const Eigen::VectorXd& x) const {
    Eigen::VectorXd r;
    Eigen::MatrixXd J;
    problem_.evaluate(q(x), r, &J);
    return 2 * scale_.cwiseProduct(J(Eigen::all, problem_.free).transpose() * r);
  }
  /// Limits as bounds of x; half a turn and the robot's length where there is none.
  void bounds(bool limits, Eigen::VectorXd& lower, Eigen::VectorXd& upper) const {
    const Model& model = problem_.model;
    const auto n = static_cast<Eigen::Index>(problem_.free.size());
    lower = Eigen::VectorXd::Constant(n, -M_PI);
    upper = Eigen::VectorXd::Constant(n, M_PI);
    if (!limits) return;
    const LeastSquaresProblem box = posture_problem(model);
    for (Eigen::Index k = 0; k < n; ++k) {
      const int entry = box.retract ? box.euclidean[problem_.free[k]] : problem_.free[k];
      if (entry < 0) continue;
      lower(k) = std::max(lower(k), (model.lower()(entry) - start_(entry)) / scale_(k));
      upper(k) = std::min(upper(k), (model.upper()(entry) - start_(entry)) / scale_(k));
    }
    lower = lower.cwiseMin(0);
    upper = upper.cwiseMax(0);
  }
  Eigen::VectorXd origin() const {
    return Eigen::VectorXd::Zero(static_cast<Eigen::Index>(problem_.free.size()));
  }

 private:
  const PostureSearchProblem& problem_;
  const Eigen::VectorXd& start_;
  Eigen::VectorXd scale_;
};

/// Least squares in the coordinates themselves: held ones between equal bounds, or with no column
/// where they have none (quaternions).
LeastSquaresProblem least_squares_of(const PostureSearchProblem& search,
                                     const Eigen::VectorXd& start, bool limits) {
  const Model& model = search.model;
  const std::vector<int>& free = search.free;
  LeastSquaresProblem problem = posture_problem(model);
  if (!limits) {
    problem.lower.setConstant(-INFINITY);
    problem.upper.setConstant(INFINITY);
  }
  std::vector<int> held;
  for (int k = 0, next = 0; k < model.speeds(); ++k) {
    if (next < static_cast<int>(free.size()) && free[next] == k) {
      ++next;
      continue;
    }
    held.push_back(k);
    const int entry = problem.retract ? problem.euclidean[k] : k;
    if (entry >= 0) problem.lower(entry) = problem.upper(entry) = start(entry);
  }
  problem.evaluate = [&search, held](const Eigen::VectorXd& q, Eigen::VectorXd& r,
                                     Eigen::MatrixXd* J) {
    search.evaluate(q, r, J);
    if (!J) return;
    for (int k : held) J->col(k).setZero();
  };
  return problem;
}

SearchOutcome gauss_newton(const LeastSquaresProblem& problem, const Eigen::VectorXd& start,
                           double tolerance) {
  LeastSquaresOptions options;
  options.residual_tolerance = 1e-3 * tolerance;  // a step more costs little and polishes
  const LeastSquaresResult found = solve_least_squares(problem, start, options);
  return {found.x, found.iterations, found.evaluations};
}

SearchOutcome newton(const LeastSquaresProblem& problem, const Eigen::VectorXd& start,
                     double tolerance) {
  NewtonRaphsonOptions options;
  options.tolerance = 1e-3 * tolerance;
  options.largest_step = M_PI_2;
  const LeastSquaresResult found = newton_raphson(problem, start, options);
  return {found.x, found.iterations, found.evaluations};
}

/// With the nearest-solution term: the weight of the closure rises until the way from the start
/// does not count.
SearchOutcome by_complex_method(const Displacement& way, const PostureSearchOptions& options) {
  MinimizeProblem problem;
  way.bounds(options.limits, problem.lower, problem.upper);
  ComplexMethodOptions solver;
  solver.seed = options.seed;
  SearchOutcome outcome;
  Eigen::VectorXd x = way.origin();
  for (const double weight : {1e3, 1e5, 1e7, 1e10, 0.0}) {
    problem.value = [&, weight](const Eigen::VectorXd& y) {
      return weight > 0 ? weight * way.sum_of_squares(y) + y.squaredNorm() : way.sum_of_squares(y);
    };
    solver.value = weight > 0 ? 0 : 0.01 * options.tolerance * options.tolerance;
    const MinimizeResult found = complex_method(problem, x, solver);
    x = found.x;
    outcome.iterations += found.iterations;
    outcome.evaluations += found.evaluations;
    // Each stage searches around the last.
    const double reach = weight > 0 ? 10 / std::sqrt(weight) : 0.01;
    problem.lower = problem.lower.cwiseMax((x.array() - reach).matrix());
    problem.upper = problem.upper.cwiseMin((x.array() + reach).matrix());
  }
  outcome.q = way.q(x);
  return outcome;
}

SearchOutcome by_minimizer(const Displacement& way, const PostureSearchOptions& options) {
  MinimizeProblem problem;
  problem.value = [&](const Eigen::VectorXd& x) { return way.sum_of_squares(x); };
  problem.gradient = [&](const Eigen::VectorXd& x) { return way.gradient(x); };
  const double wanted = 0.01 * options.tolerance * options.tolerance;
  MinimizeResult found;
  if (options.method == AssemblyMethod::hooke_jeeves) {
    HookeJeevesOptions solver;
    solver.value = wanted;
    solver.step = 0.25;
    found = hooke_jeeves(problem, way.origin(), solver);
  } else {
    DavidonFletcherPowellOptions solver;
    solver.value = wanted;
    solver.gradient = 1e-16;
    found = davidon_fletcher_powell(problem, way.origin(), solver);
  }
  return {way.q(found.x), found.iterations, found.evaluations};
}

}  // namespace

SearchOutcome search_posture(const PostureSearchProblem& problem,
                             const PostureSearchOptions& options, const Eigen::VectorXd& start) {
  if (problem.free.empty()) return {start, 0, 0};
  switch (options.method) {
    case AssemblyMethod::gauss_newton:
      return gauss_newton(least_squares_of(problem, start, options.limits), start,
                          options.tolerance);
    case AssemblyMethod::newton_raphson:
      return newton(least_squares_of(problem, start, false), start, options.tolerance);
    default:
      break;
  }
  const Displacement way(problem, start);
  return options.method == AssemblyMethod::complex_method ? by_complex_method(way, options)
                                                          : by_minimizer(way, options);
}

}  // namespace ulna
