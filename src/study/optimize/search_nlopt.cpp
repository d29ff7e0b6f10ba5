#include <nlopt.h>

#include <cmath>
#include <exception>
#include <memory>
#include <utility>

#include "ulna/numerics/error.hpp"
#include "ulna/study/search.hpp"

namespace ulna {
namespace {

struct Algorithm {
  const char* name;
  nlopt_algorithm code;
  bool constraints;  ///< by itself; else through an augmented Lagrangian
};

constexpr Algorithm algorithms[] = {
    {"cobyla", NLOPT_LN_COBYLA, true}, {"bobyqa", NLOPT_LN_BOBYQA, false},
    {"sbplx", NLOPT_LN_SBPLX, false},  {"nelder-mead", NLOPT_LN_NELDERMEAD, false},
    {"slsqp", NLOPT_LD_SLSQP, true},   {"mma", NLOPT_LD_MMA, true},
    {"lbfgs", NLOPT_LD_LBFGS, false},  {"direct", NLOPT_GN_DIRECT_L, false},
    {"crs", NLOPT_GN_CRS2_LM, false},  {"isres", NLOPT_GN_ISRES, true}};

const Algorithm& algorithm_named(const std::string& name) {
  std::string all;
  for (const Algorithm& one : algorithms) {
    if (one.name == name) return one;
    all += (all.empty() ? "" : ", ") + std::string(one.name);
  }
  throw InputError(Problem{{}, "algorithm", "found '" + name + "'", all, {}});
}

/// What the callbacks share. No exception crosses NLopt.
struct Search {
  const SearchProblem& problem;
  const SearchOptions& options;
  nlopt_opt handle = nullptr;
  std::exception_ptr failure = nullptr;
  long evaluations = 0;
  Eigen::VectorXd last = {}, last_constraints = {};
  double last_value = 0;
  SearchResult best = {};
  double best_excess = INFINITY;

  Eigen::VectorXd scaled(const Eigen::VectorXd& y) const {
    return problem.lower + y.cwiseProduct(problem.upper - problem.lower);
  }

  void at(const Eigen::VectorXd& y) {
    if (last.size() == y.size() && last == y) return;
    Eigen::VectorXd c = Eigen::VectorXd::Zero(problem.constraints);
    const Eigen::VectorXd x = scaled(y);
    const double value = problem.evaluate(x, c);
    ++evaluations;
    last = y, last_constraints = c, last_value = value;
    const double excess = c.size() > 0 ? std::max(0.0, c.maxCoeff()) : 0;
    const bool feasible = excess <= options.constraint_tolerance;
    const bool was = best_excess <= options.constraint_tolerance;
    if (best.x.size() > 0 && (was ? !feasible || value >= best.value : excess >= best_excess))
      return;
    best.x = x, best.constraints = c, best.value = value, best_excess = excess;
    best.feasible = feasible;
  }
};

/// `row` < 0: the value; else a constraint.
double part(Search& search, const double* y, double* gradient, int row) {
  const auto n = search.problem.lower.size();
  if (search.failure) return 0;
  try {
    Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(y, n);
    const auto value_at = [&](const Eigen::VectorXd& place) {
      search.at(place);
      return row < 0 ? search.last_value : search.last_constraints(row);
    };
    if (gradient)
      for (Eigen::Index k = 0; k < n; ++k) {
        // Central inside of the bounds, from one side at them.
        const double h = 1e-5;
        Eigen::VectorXd up = at, down = at;
        up(k) = std::min(1.0, at(k) + h), down(k) = std::max(0.0, at(k) - h);
        const double high = value_at(up);
        gradient[k] = (high - value_at(down)) / (up(k) - down(k));
      }
    return value_at(at);
  } catch (...) {
    search.failure = std::current_exception();
    nlopt_force_stop(search.handle);
    return 0;
  }
}

struct Row {
  Search* search;
  int row;
};

double nlopt_part(unsigned, const double* y, double* gradient, void* data) {
  const Row& row = *static_cast<Row*>(data);
  return part(*row.search, y, gradient, row.row);
}

const char* reason_of(nlopt_result result) {
  switch (result) {
    case NLOPT_XTOL_REACHED:
      return "the parameters are accurate to the tolerance";
    case NLOPT_FTOL_REACHED:
      return "the value is accurate to the tolerance";
    case NLOPT_MAXEVAL_REACHED:
      return "the number of evaluations is used up";
    case NLOPT_ROUNDOFF_LIMITED:
      return "rounding limits progress";
    case NLOPT_SUCCESS:
      return "done";
    default:
      return "the search failed";
  }
}

using Handle = std::unique_ptr<std::remove_pointer_t<nlopt_opt>, void (*)(nlopt_opt)>;

Handle made(nlopt_algorithm code, const Search& search) {
  const auto n = static_cast<unsigned>(search.problem.lower.size());
  Handle handle(nlopt_create(code, n), nlopt_destroy);
  nlopt_set_lower_bounds1(handle.get(), 0);
  nlopt_set_upper_bounds1(handle.get(), 1);
  nlopt_set_xtol_abs1(handle.get(), search.options.tolerance);
  nlopt_set_maxeval(handle.get(), static_cast<int>(search.options.evaluations));
  return handle;
}

}  // namespace

std::vector<std::string> search_algorithms() {
  std::vector<std::string> names;
  for (const Algorithm& one : algorithms) names.emplace_back(one.name);
  return names;
}

SearchResult search_least(const SearchProblem& problem, const SearchOptions& options) {
  const Algorithm& algorithm = algorithm_named(options.algorithm);
  if (problem.lower.size() == 0 || !((problem.upper - problem.lower).array() > 0).all())
    throw InputError("the bounds of a search", "lower ones below upper ones");
  Search search{problem, options};
  nlopt_srand(options.seed);  // of this thread
  const bool wrapped = problem.constraints > 0 && !algorithm.constraints;
  const Handle inner = made(algorithm.code, search);
  const Handle handle = wrapped ? made(NLOPT_AUGLAG, search) : made(algorithm.code, search);
  if (wrapped) nlopt_set_local_optimizer(handle.get(), inner.get());
  search.handle = handle.get();
  std::vector<Row> rows;
  for (int k = -1; k < problem.constraints; ++k) rows.push_back({&search, k});
  nlopt_set_min_objective(handle.get(), nlopt_part, rows.data());
  for (std::size_t k = 1; k < rows.size(); ++k)
    nlopt_add_inequality_constraint(handle.get(), nlopt_part, &rows[k],
                                    options.constraint_tolerance);
  Eigen::VectorXd y = (problem.start - problem.lower)
                          .cwiseQuotient(problem.upper - problem.lower)
                          .cwiseMax(0)
                          .cwiseMin(1);
  double value = 0;
  const nlopt_result result = nlopt_optimize(handle.get(), y.data(), &value);
  if (search.failure) std::rethrow_exception(search.failure);
  search.best.evaluations = search.evaluations;
  search.best.reason = reason_of(result);
  return search.best;
}

}  // namespace ulna
