// `ulna optimize`: the parameters of a study that make a measure least or largest.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "command.hpp"
#include "commands/sweep_summary.hpp"
#include "options/command_line.hpp"
#include "options/vector_text.hpp"
#include "output/interrupt.hpp"
#include "output/json_output.hpp"
#include "output/progress.hpp"
#include "output/terminal.hpp"
#include "sweep/ranks.hpp"
#include "ulna/study/search.hpp"

namespace ulna::cli::optimize_detail {
namespace {

constexpr const char* examples = R"(  ulna optimize study.yaml -o out
  mpirun -n 16 ulna optimize study.yaml -o out

The study file says under optimize: which measure is to be least or largest, and by which algorithm; its constraints
hold, and its parameters stay between the ends of their uniform distributions. Several starts, or the points of a Pareto
front of two measures, are spread over all threads and processes.)";

struct Options {
  std::string file;
  std::optional<std::string> output, threads;
  bool resume = false, json = false;
};

/// Searches in the place of samples: number k is the search from start k, or point k of a front.
class Searches {
 public:
  explicit Searches(const Study& study) : study_(study), goal_(*study.goal()) {
    const SamplePlan& plan = study.plan();
    lower_.resize(static_cast<long>(plan.parameters.size()));
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
    const std::vector<std::string> names = study.measure_names();
    first_ = std::ranges::find(names, goal_.measure) - names.begin();
    second_ = std::ranges::find(names, goal_.second) - names.begin();
    starts_ = plan;
    starts_.method = SamplingMethod::latin_hypercube;
    starts_.count = std::max(1L, goal_.starts), starts_.indices = false;
    starts_.check();
  }

  long count() const { return std::max(1L, goal_.starts); }
  bool front() const { return !goal_.second.empty(); }

  StudyRow run(long k, const std::function<bool()>& stop) {
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
    const double from = ends_[0].measures[static_cast<std::size_t>(second_)];
    const double to = ends_[1].measures[static_cast<std::size_t>(second_)];
    Eigen::VectorXd x(lower_.size());
    for (long i = 0; i < x.size(); ++i)
      x(i) = (1 - share) * ends_[0].parameters[static_cast<std::size_t>(i)] +
             share * ends_[1].parameters[static_cast<std::size_t>(i)];
    return search(x, false, from + share * (to - from), k, stop);
  }

 private:
  /// `most`: a bound of the second measure; not a number: none.
  StudyRow search(const Eigen::VectorXd& start, bool second, double most, long k,
                  const std::function<bool()>& stop) const {
    struct Stopped {};
    const auto own = static_cast<int>(study_.constraint_texts().size());
    SearchProblem problem;
    problem.lower = lower_, problem.upper = upper_, problem.start = start;
    problem.constraints = own + (std::isnan(most) ? 0 : 1);
    StudyRow failed;
    problem.evaluate = [&](const Eigen::VectorXd& x, Eigen::VectorXd& c) {
      const StudyRow row = study_.evaluate_at({x.begin(), x.end()}, stop);
      if (row.status == SampleStatus::missing) throw Stopped{};
      if (row.status == SampleStatus::failed) {
        failed = row;
        c.setConstant(1e6);  // as bad as can be, so that the search turns away
        return 1e12;
      }
      const std::vector<double> excess = study_.excess(row);
      for (int i = 0; i < own; ++i) c(i) = excess[static_cast<std::size_t>(i)];
      const double other =
          row.measures[static_cast<std::size_t>(second_ < std::ssize(row.measures) ? second_ : 0)];
      if (!std::isnan(most)) c(own) = other - most;
      const double value = row.measures[static_cast<std::size_t>(first_)];
      return second ? other : goal_.largest ? -value : value;
    };
    SearchOptions options;
    options.algorithm = goal_.algorithm, options.evaluations = goal_.evaluations;
    options.tolerance = goal_.tolerance, options.seed = static_cast<std::uint64_t>(k) + 1;
    try {
      const SearchResult found = search_least(problem, options);
      StudyRow row = study_.evaluate_at({found.x.begin(), found.x.end()}, stop);
      if (found.feasible && row.status == SampleStatus::infeasible)
        row.status = SampleStatus::ok, row.reason.clear();  // within the tolerance
      return row;
    } catch (const Stopped&) {
      return {};
    }
  }

  const Study& study_;
  const StudyGoal& goal_;
  SamplePlan starts_;
  Eigen::VectorXd lower_, upper_;
  std::ptrdiff_t first_ = 0, second_ = 0;
  std::once_flag ends_known_;
  StudyRow ends_[2];
};

/// The best of all searches; -1 where none is feasible.
long best_of(const Study& study, const StudyStore& store) {
  const std::vector<std::string> names = study.measure_names();
  const auto column =
      static_cast<int>(std::ssize(study.plan().parameters) +
                       (std::ranges::find(names, study.goal()->measure) - names.begin()));
  const std::vector<double> values = store.column(column);
  const std::vector<SampleStatus> status = store.statuses();
  long best = -1;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (status[k] != SampleStatus::ok) continue;
    const double a = values[k], b = best < 0 ? 0 : values[static_cast<std::size_t>(best)];
    if (best < 0 || (study.goal()->largest ? a > b : a < b)) best = static_cast<long>(k);
  }
  return best;
}

void tell(const Study& study, const StudyStore& store, bool front, const Options& options,
          const std::string& directory, long best) {
  const auto numbers =
      static_cast<int>(study.plan().parameters.size() + study.measure_names().size());
  std::vector<std::vector<double>> columns;
  for (int k = 0; k < numbers; ++k) columns.push_back(store.column(k));
  const std::vector<SampleStatus> status = store.statuses();
  const auto row_of = [&](long k) {
    StudyRow row;
    row.status = status[static_cast<std::size_t>(k)];
    for (std::size_t i = 0; i < columns.size(); ++i)
      (i < study.plan().parameters.size() ? row.parameters : row.measures)
          .push_back(columns[i][static_cast<std::size_t>(k)]);
    return row;
  };
  if (!options.json && !front && best >= 0) print_row(study, best, row_of(best), false);
  if (!options.json && front)
    for (long k = 0; k < store.size(); ++k) print_row(study, k, row_of(k), false);
  if (options.json) {
    Json out = json_object();
    out["best"] = best;
    out["searches"] = Json::array();
    for (long k = 0; k < store.size(); ++k) {
      const StudyRow row = row_of(k);
      Json one;
      one["status"] = name_of(row.status);
      for (std::size_t i = 0; i < row.parameters.size(); ++i)
        one["parameters"][study.plan().parameters[i].name] =
            std::isfinite(row.parameters[i]) ? Json(row.parameters[i]) : Json(nullptr);
      const std::vector<std::string> names = study.measure_names();
      for (std::size_t i = 0; i < row.measures.size(); ++i)
        one["measures"][names[i]] =
            std::isfinite(row.measures[i]) ? Json(row.measures[i]) : Json(nullptr);
      out["searches"].push_back(one);
    }
    out["directory"] = directory;
    print_json(out);
  } else {
    print(fmt::format("\nwrote {}\n", printable(directory)));
  }
}

int lead(Ranks& ranks, const Study& study, Searches& searches, const Options& options, int threads,
         const Evaluate& evaluate) {
  StudyStore store(*options.output, study, 0, searches.count(), options.resume);
  StoreSource source(store, ranks.total_threads(threads));
  const InterruptGuard guard;
  {
    Progress progress("searches", store.size(), 1000);
    run_threads(threads, source, evaluate, [&](bool finished) {
      if (guard.interrupted()) source.stop();
      while (ranks.serve(source)) {
      }
      if (finished) ranks.serve_to_the_end(source);
      progress.update(source.finished());
      return ranks.count() == 1 ? 0.05 : 0.0005;
    });
  }
  if (source.failure()) std::rethrow_exception(source.failure());
  const long best = best_of(study, store);
  // The rows are read before finish() takes their file away.
  const bool complete = store.done() == store.size();
  const std::string directory = complete ? *options.output : *options.output + ".partial";
  tell(study, store, searches.front(), options, directory, best);
  store.finish(true, {});
  if (!complete) {
    warn("the searches were interrupted; --resume goes on with the others");
    return 1;
  }
  if (best >= 0) return 0;
  error("no search found parameters that meet all constraints");
  return 1;
}

int run(const Options& options) {
  Ranks ranks;
  try {
    const Study study(options.file);
    if (!study.goal())
      throw InputError(Problem{
          {options.file}, "optimize", "the study has no goal", "optimize: {least: MEASURE}", {}});
    if (!options.output)
      throw InputError(Problem{{}, "-o", "there is no place for the results", "-o DIR", {}});
    const std::vector<std::string> known = search_algorithms();
    if (!known.empty() && std::ranges::count(known, study.goal()->algorithm) == 0)
      throw InputError(Problem{{options.file},
                               "optimize, algorithm",
                               "found '" + study.goal()->algorithm + "'",
                               fmt::format("{}", fmt::join(known, ", ")),
                               nearest_name_hint(study.goal()->algorithm, known)});
    Searches searches(study);
    const int threads =
        options.threads ? parse_count("--threads", *options.threads, 1) : ranks.fair_threads();
    const Evaluate evaluate = [&](long k, const std::function<bool()>& stop) {
      return searches.run(k, stop);
    };
    if (ranks.rank() == 0) return lead(ranks, study, searches, options, threads, evaluate);
    ranks.total_threads(threads);
    const InterruptGuard guard;
    ranks.compute(threads, evaluate, [&] { return guard.interrupted(); });
    return 0;
  } catch (const InputError& problems) {
    if (ranks.count() == 1) throw;
    if (ranks.rank() == 0) error(problems);
    if (ranks.rank() == 0) ranks.dismiss();
    return 2;
  }
}

}  // namespace
}  // namespace ulna::cli::optimize_detail

namespace ulna::cli {

Command add_optimize(CLI::App& program) {
  auto options = std::make_shared<optimize_detail::Options>();
  CLI::App* app =
      add_command(program, "optimize", "Parameters that make a measure of a study least or largest",
                  optimize_detail::examples);
  add_argument(*app, "STUDY", options->file, "A study file with optimize: (docs/study-file.md)")
      .required();
  add_json_flag(*app, options->json);
  add_text(*app, "-o,--output", options->output, "DIR", "Where the results of all searches go");
  add_flag(*app, "--resume", options->resume, "Go on with the interrupted searches in DIR.partial");
  add_text(*app, "--threads", options->threads, "N",
           "Threads of each process; when absent as many as it has processors");
  return {app, [options] { return optimize_detail::run(*options); }};
}

}  // namespace ulna::cli
