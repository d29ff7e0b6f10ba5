#include "ulna/formats/study_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/model/model.hpp"  // nearest_name_hint
#include "ulna/numerics/error.hpp"
#include "ulna/study/search.hpp"

namespace ulna {
namespace {

StudyGoal goal_of(const Study& study) {
  if (study.goal()) return *study.goal();
  throw InputError(
      Problem{{}, "optimize", "the study has no goal", "optimize: {least: MEASURE}", {}});
}

std::size_t place_of(const std::string& name, const std::vector<std::string>& names,
                     const char* element) {
  const auto at = std::ranges::find(names, name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  throw InputError(Problem{{},
                           element,
                           "no measure '" + name + "'",
                           fmt::format("{}", fmt::join(names, ", ")),
                           nearest_name_hint(name, names)});
}

}  // namespace

StudySearches::StudySearches(const Study& study) : StudySearches(study, goal_of(study)) {}

StudySearches::StudySearches(const Study& study, const StudyGoal& goal, Evaluate evaluate)
    : study_(study), goal_(goal), evaluate_(std::move(evaluate)), starts_(study.plan()) {
  check_goal();
  read_bounds();
  const std::vector<std::string> names = study.measure_names();
  first_ = place_of(goal_.measure, names, goal_.largest ? "largest" : "least");
  if (front()) second_ = place_of(goal_.second, names, "and-least");
  starts_.method = SamplingMethod::latin_hypercube;
  starts_.count = goal_.starts, starts_.indices = false;
  starts_.check();
  if (!evaluate_)
    evaluate_ = [own = study_](const std::vector<double>& x, const std::function<bool()>& stop) {
      return own.evaluate_at(x, stop);
    };
}

void StudySearches::check_goal() const {
  const std::vector<std::string> known = search_algorithms();
  if (!known.empty() && std::ranges::count(known, goal_.algorithm) == 0)
    throw InputError(Problem{{},
                             "optimize, algorithm",
                             "found '" + goal_.algorithm + "'",
                             fmt::format("{}", fmt::join(known, ", ")),
                             nearest_name_hint(goal_.algorithm, known)});
  const auto refuse = [](const char* what, auto found, const char* expected) {
    throw InputError(Problem{
        {}, std::string("optimize, ") + what, fmt::format("found {}", found), expected, {}});
  };
  // NLopt counts evaluations in an int.
  if (goal_.evaluations < 1 || goal_.evaluations > 2'000'000'000)
    refuse("evaluations", goal_.evaluations, "a whole number from 1 to 2000000000");
  if (goal_.starts < 1 || goal_.starts > 1'000'000)
    refuse("starts", goal_.starts, "a whole number from 1 to 1000000");
  if (front() && goal_.starts < 2)
    refuse("starts", goal_.starts, "at least the two ends of a Pareto front");
  if (!(goal_.tolerance > 0 && goal_.tolerance < 1))
    refuse("tolerance", goal_.tolerance, "a number between 0 and 1");
}

void StudySearches::read_bounds() {
  const SamplePlan& plan = study_.plan();
  lower_.resize(std::ssize(plan.parameters));
  upper_ = lower_;
  for (std::size_t k = 0; k < plan.parameters.size(); ++k) {
    const SampleParameter& p = plan.parameters[k];
    using Kind = Distribution::Kind;
    if (!p.is_random() ||
        (p.distribution.kind != Kind::uniform && p.distribution.kind != Kind::log_uniform))
      throw InputError(Problem{{},
                               "parameter '" + p.name + "'",
                               "it has no bounds to search between",
                               "uniform: {from: ..., to: ...}",
                               {}});
    lower_(static_cast<long>(k)) = p.distribution.a;
    upper_(static_cast<long>(k)) = p.distribution.b;
  }
}

StudyRow StudySearches::run(long k, const std::function<bool()>& stop) {
  const Eigen::VectorXd middle = 0.5 * (lower_ + upper_);
  if (!front()) {
    const std::vector<double> start = starts_.values(k);
    const Eigen::VectorXd x =
        k == 0 ? middle
               : Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(start.data(), lower_.size()));
    return search(x, false, NAN, k, stop);
  }
  // Both ends of the front say between which values of the second measure its points lie.
  std::call_once(ends_known_, [&] {
    ends_[0] = search(middle, false, NAN, 0, stop);
    ends_[1] = search(middle, true, NAN, 1, stop);
  });
  const long last = count() - 1;
  if (k == 0) return ends_[0];
  if (k == last) return ends_[1];
  for (const StudyRow& end : ends_)
    if (end.status != SampleStatus::ok) return end;
  const double share = double(k) / double(last);
  const double from = ends_[0].measures[second_];
  const double to = ends_[1].measures[second_];
  Eigen::VectorXd x(lower_.size());
  for (long i = 0; i < x.size(); ++i)
    x(i) = (1 - share) * ends_[0].parameters[static_cast<std::size_t>(i)] +
           share * ends_[1].parameters[static_cast<std::size_t>(i)];
  return search(x, false, from + share * (to - from), k, stop);
}

/// `second`: the second measure is made least; `most`: a bound of it, not a number where it has
/// none.
StudyRow StudySearches::search(const Eigen::VectorXd& start, bool second, double most, long k,
                               const std::function<bool()>& stop) const {
  struct Stopped {};
  const auto own = static_cast<int>(study_.constraint_texts().size());
  SearchProblem problem;
  problem.lower = lower_, problem.upper = upper_, problem.start = start;
  problem.constraints = own + (std::isnan(most) ? 0 : 1);
  problem.evaluate = [&](const Eigen::VectorXd& x, Eigen::VectorXd& c) {
    const StudyRow row = evaluate_({x.begin(), x.end()}, stop);
    if (row.status == SampleStatus::missing) throw Stopped{};
    c.setConstant(1e6);  // as bad as can be, so that the search turns away
    if (row.status == SampleStatus::failed) return 1e12;
    const double other = row.measures[front() ? second_ : first_];
    const double value = second ? other : row.measures[first_];
    if (!std::isfinite(value) || !std::isfinite(other)) return 1e12;
    for (int i = 0; i < own; ++i)
      if (const double off = row.excess[static_cast<std::size_t>(i)]; std::isfinite(off))
        c(i) = off;
    if (!std::isnan(most)) c(own) = other - most;
    return !second && goal_.largest ? -value : value;
  };
  SearchOptions options;
  options.algorithm = goal_.algorithm, options.evaluations = goal_.evaluations;
  options.tolerance = goal_.tolerance, options.seed = static_cast<std::uint64_t>(k) + 1;
  try {
    const SearchResult found = search_least(problem, options);
    StudyRow row = evaluate_({found.x.begin(), found.x.end()}, stop);
    if (found.feasible && row.status == SampleStatus::infeasible)
      row.status = SampleStatus::ok, row.reason.clear();  // within the tolerance
    return row;
  } catch (const Stopped&) {
    return {};
  }
}

long StudySearches::best(const std::vector<StudyRow>& ends) const {
  long best = -1;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    if (ends[k].status != SampleStatus::ok) continue;
    const double a = ends[k].measures[first_];
    const double b = best < 0 ? 0 : ends[static_cast<std::size_t>(best)].measures[first_];
    if (best < 0 || (goal_.largest ? a > b : a < b)) best = static_cast<long>(k);
  }
  return best;
}

}  // namespace ulna
