// `ulna optimize`: the parameters of a study that make a measure least or largest.

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "command.hpp"
#include "commands/optimize_page.hpp"
#include "commands/sweep_summary.hpp"
#include "options/command_line.hpp"
#include "options/vector_text.hpp"
#include "output/json_output.hpp"
#include "output/terminal.hpp"
#include "sweep/study_command.hpp"
#include "ulna/formats/study_search.hpp"

namespace ulna::cli::optimize_detail {
namespace {

constexpr const char* examples = R"(  ulna optimize study.yaml -o out
  mpirun -n 16 ulna optimize study.yaml -o out

The key optimize of the study file names the measure to minimize or maximize and the algorithm. The
constraints of the study hold, and its parameters stay within their uniform distributions. Several
starts, or the points of a Pareto front of two measures, run in parallel on all threads and processes.)";

using Options = StudyWords;

/// The ends of all searches, in their order.
std::vector<StudyRow> ends_of(const Study& study, const StudyStore& store) {
  std::vector<StudyRow> rows(static_cast<std::size_t>(store.size()));
  const std::size_t parameters = study.plan().parameters.size();
  for (std::size_t i = 0; i < parameters + study.measure_names().size(); ++i) {
    const std::vector<double> column = store.column(static_cast<int>(i));
    for (std::size_t k = 0; k < rows.size(); ++k)
      (i < parameters ? rows[k].parameters : rows[k].measures).push_back(column[k]);
  }
  store.each([&](const StudyStore::Sample& sample) {
    rows[static_cast<std::size_t>(sample.number - store.first())].status = sample.status;
  });
  store.each_reason([&](const StudyStore::Sample& sample, const std::string& reason) {
    rows[static_cast<std::size_t>(sample.number - store.first())].reason = reason;
  });
  return rows;
}

void tell(const Study& study, const std::vector<StudyRow>& rows, bool front, const Options& options,
          const std::string& directory, long best) {
  if (!options.json && !front && best >= 0)
    print_row(study, best, rows[static_cast<std::size_t>(best)], false);
  if (!options.json && front)
    for (std::size_t k = 0; k < rows.size(); ++k)
      print_row(study, static_cast<long>(k), rows[k], false);
  if (options.json) {
    Json out = json_object();
    out["best"] = best;
    out["searches"] = Json::array();
    for (const StudyRow& row : rows) {
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

int lead(Ranks& ranks, const Study& study, StudySearches& searches, const Options& options,
         int threads, const Evaluate& evaluate) {
  StudyStore store(*options.output, study, 0, searches.count(), options.resume, "searches");
  fill_store(ranks, store, options, threads, "searches", evaluate);
  // The rows are read before finish() takes their file away.
  const std::vector<StudyRow> ends = ends_of(study, store);
  const long best = searches.best(ends);
  const bool complete = store.done() == store.size();
  const std::string directory = complete ? *options.output : *options.output + ".partial";
  tell(study, ends, searches.front(), options, directory, best);
  store.finish(true,
               {{"index.html", searches_page(study, searches.goal(), options.file, ends, best)}});
  if (!complete) {
    warn("the searches were interrupted; --resume continues with the remaining ones");
    return 1;
  }
  if (best >= 0) return 0;
  error("no search found parameters that meet all constraints");
  return 1;
}

int run(const Options& options) {
  std::shared_ptr<StudySearches> searches;
  return run_on_ranks(
      options,
      [&](const Study& study) -> Evaluate {
        if (!study.goal())
          throw InputError(Problem{{options.file},
                                   "optimize",
                                   "the study has no goal",
                                   "optimize: {least: MEASURE}",
                                   {}});
        searches = std::make_shared<StudySearches>(study);
        return [searches](long k, const std::function<bool()>& stop) {
          return searches->run(k, stop);
        };
      },
      [&](Ranks& ranks, const Study& study, int threads, const Evaluate& evaluate) {
        return lead(ranks, study, *searches, options, threads, evaluate);
      });
}

}  // namespace
}  // namespace ulna::cli::optimize_detail

namespace ulna::cli {

Command add_optimize(CLI::App& program) {
  auto options = std::make_shared<optimize_detail::Options>();
  CLI::App* app =
      add_command(program, "optimize", "Parameters that minimize or maximize a measure of a study",
                  optimize_detail::examples);
  add_study_options(
      *app, *options, "A study file with optimize: (docs/study-file.md)",
      "Folder for the results of all searches",
      "Continue the interrupted searches in DIR.partial, or begin where there are none");
  return {app, [options] { return optimize_detail::run(*options); }};
}

}  // namespace ulna::cli
