#include "commands/tip_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands/study_output.hpp"
#include "output/interrupt.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/internal/experiment_draft.hpp"
#include "ulna/study/internal/tip_study.hpp"

namespace ulna::cli::tip_study_detail {
namespace {

/// The distances of all methods over one time, from before the first joint moves.
RecordTable table_of(const std::vector<TipRun>& runs) {
  double begin = 0, end = 0;
  for (const TipRun& run : runs) {
    begin = std::min(begin, run.t(0));
    end = std::max(end, run.t(run.t.size() - 1));
  }
  constexpr int rows = 1001;
  RecordTable table;
  table.titles = {"t[s]"};
  table.values.setZero(rows, 1 + static_cast<long>(runs.size()));
  table.values.col(0).setLinSpaced(begin, end);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const TipRun& run = runs[k];
    std::string name = run.method;
    for (char& c : name)
      if (c == ' ' || c == ',') c = '_';
    table.titles.push_back(fmt::format("tip_error.{}[m]", name));
    table.values.col(1 + static_cast<long>(k)) = resampled(run.t, run.error, table.values.col(0));
  }
  return table;
}

StudyTable study_of(const std::vector<TipRun>& runs, const std::string& title) {
  StudyTable study{"tip", table_of(runs), "tip_error", {}};
  study.plot.title = title + ": distance of the frame from its path";
  study.plot.panel_height = 320;
  return study;
}

void print_runs(const std::vector<TipRun>& runs) {
  std::vector<std::string> names;
  Eigen::MatrixXd rows(static_cast<long>(runs.size()), 6);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const TipRun& run = runs[k];
    names.push_back(run.method);
    rows.row(static_cast<long>(k)) << 1e3 * run.peak, 1e3 * run.rms, 1e3 * run.residual,
        run.peak_effort, run.preview, run.end;
  }
  print(Table()
            .words("method", names)
            .matrix({"peak error mm", "rms mm", "after the motion mm", "peak effort", "preview s",
                     "motion s"},
                    rows)
            .text());
  for (const TipRun& run : runs)
    if (!run.complete) print(fmt::format("\n{}: {}\n", run.method, printable(run.reason)));
}

Json json_of(const std::vector<TipRun>& runs) {
  Json out = json_object();
  out["methods"] = Json::array();
  for (const TipRun& run : runs)
    out["methods"].push_back({{"method", run.method},
                              {"peak", run.peak},
                              {"rms", run.rms},
                              {"residual", run.residual},
                              {"peak_effort", run.peak_effort},
                              {"preview", run.preview},
                              {"motion", run.end},
                              {"complete", run.complete},
                              {"reason", run.reason}});
  return out;
}

}  // namespace
}  // namespace ulna::cli::tip_study_detail

namespace ulna::cli {

int run_tip_study(const std::string& experiment, const std::optional<std::string>& output,
                  bool json) {
  const ReadDraft read = read_experiment_draft(experiment, {});
  const InterruptGuard guard;
  const std::vector<TipRun> runs =
      tip_study(read.draft, [&](const std::string&) { return !guard.interrupted(); });
  std::vector<std::string> outputs;
  if (output)
    outputs = write_study(*output, tip_study_detail::study_of(runs, read.draft.experiment.name));
  if (json) {
    Json out = tip_study_detail::json_of(runs);
    out["outputs"] = outputs;
    print_json(out);
    return 0;
  }
  tip_study_detail::print_runs(runs);
  for (const std::string& file : outputs) print("wrote " + file + "\n");
  return 0;
}

}  // namespace ulna::cli
