// `ulna sweep`: many runs over parameters, on the threads of this process and of others (MPI).

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "command.hpp"
#include "commands/experiment_run.hpp"
#include "commands/sweep_summary.hpp"
#include "options/command_line.hpp"
#include "options/vector_text.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/terminal.hpp"
#include "sweep/study_command.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/report/report.hpp"

namespace ulna::cli::sweep_detail {
namespace {

constexpr const char* examples = R"(  ulna sweep study.yaml -o out
  ulna sweep study.yaml -o out --threads 4 --csv
  ulna sweep study.yaml -o out --resume
  mpirun -n 256 ulna sweep study.yaml -o out
  ulna sweep study.yaml -o part2 --samples 5000:10000
  ulna sweep study.yaml --sample 4711 -o run

Runs a study: for every sample of its parameters the computation of the study file is done and its
measures are evaluated. The result is the same, to the last bit, for any number of threads and processes.
A sample that fails is recorded with its reason. --resume continues an interrupted study.)";

struct Options : StudyWords {
  std::optional<std::string> samples, sample;
  bool csv = false;
};

/// "A:B", samples A to B - 1.
std::pair<long, long> range_of(const Study& study, const Options& options) {
  if (!options.samples) return {0, study.total()};
  const std::size_t colon = options.samples->find(':');
  if (colon == std::string::npos)
    throw InputError(Problem{{}, "--samples", "found '" + *options.samples + "'", "A:B", {}});
  const long first = parse_count("--samples", options.samples->substr(0, colon), 0);
  const long end = parse_count("--samples", options.samples->substr(colon + 1), 0);
  if (first >= end || end > study.total())
    throw InputError(Problem{{},
                             "--samples",
                             "found '" + *options.samples + "'",
                             fmt::format("A below B, at most {}", study.total()),
                             {}});
  return {first, end};
}

/// The report stands beside the folder of the run, which holds nothing but the run.
void tell_run(std::string directory, const Options& options) {
  while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  std::string wrote = directory;
  if (has_report_page()) {
    write_file(directory + ".html", report_html(read_run(directory)));
    wrote += " and " + directory + ".html";
  }
  if (!options.json) print(fmt::format("\nwrote {}\n", printable(wrote)));
}

void write_sample(const Study& study, long k, const Options& options) {
  if (study.has_experiment()) {
    const ReadExperiment read = study.experiment(k);
    ExperimentOptions run;
    run.file = options.file, run.output = options.output, run.json = true;
    const Ran ran = run_experiment(read, run);
    if (ran.directory) tell_run(*ran.directory, options);
    return;
  }
  write_file(*options.output, write_robot_yaml(study.robot(k)));
  if (!options.json) print(fmt::format("\nwrote {}\n", printable(*options.output)));
}

/// One sample alone: its row, and of an experiment the whole run with its report.
int run_sample(const Study& study, const Options& options) {
  const long k = parse_count("--sample", *options.sample, 0);
  if (k >= study.total())
    throw InputError(Problem{{},
                             "--sample",
                             fmt::format("sample {}", k),
                             fmt::format("0 to {}", study.total() - 1),
                             {}});
  const StudyRow row = study.evaluate(k);
  print_row(study, k, row, options.json);
  const bool failed = row.status == SampleStatus::failed;
  try {
    if (options.output) write_sample(study, k, options);
  } catch (const InputError&) {
    if (!failed) throw;  // else the row says why there is nothing to be run
  }
  return failed ? 1 : 0;
}

/// Rank 0, or the only process.
int lead(Ranks& ranks, const Study& study, const Options& options, int threads,
         const Evaluate& evaluate) {
  const auto [first, end] = range_of(study, options);
  StudyStore store(*options.output, study, first, end, options.resume);
  const long before = store.done();
  const auto start = std::chrono::steady_clock::now();
  fill_store(ranks, store, options, threads, "samples", evaluate);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const SweepRun run{ranks.count(), threads, store.done() - before, seconds, ranks.costs()};
  const StudySummary summary = summarize(study, store, options.file);
  const std::string directory =
      store.finish(options.csv, {{"summary.json", json_text(summary_json(summary, run)) + "\n"},
                                 {"index.html", summary_page(summary)}});
  if (options.json) {
    Json out = summary_json(summary, run);
    out["directory"] = directory;
    print_json(out);
  } else {
    print_summary(summary, run);
    print(fmt::format("\nwrote {}\n", printable(directory)));
  }
  if (summary.complete) return 0;
  warn(fmt::format("{} of {} samples are done; --resume continues with the others", store.done(),
                   store.size()));
  return 1;
}

int run(const Options& options) {
  if (options.sample) {
    const Ranks ranks;
    return ranks.rank() == 0 ? run_sample(Study(options.file), options) : 0;
  }
  return run_on_ranks(
      options,
      [](const Study& study) -> Evaluate {
        return
            [&study](long k, const std::function<bool()>& stop) { return study.evaluate(k, stop); };
      },
      [&](Ranks& ranks, const Study& study, int threads, const Evaluate& evaluate) {
        return lead(ranks, study, options, threads, evaluate);
      });
}

}  // namespace
}  // namespace ulna::cli::sweep_detail

namespace ulna::cli {

Command add_sweep(CLI::App& program) {
  auto options = std::make_shared<sweep_detail::Options>();
  CLI::App* app =
      add_command(program, "sweep", "Many runs over parameters: grids, tolerances, sensitivities",
                  sweep_detail::examples);
  add_study_options(
      *app, *options, "A study file (docs/study-file.md)",
      "Folder for the results (results.h5, summary.json, index.html); with --sample the run",
      "Continue the interrupted study in DIR.partial, or begin where there is none");
  add_text(*app, "--samples", options->samples, "A:B", "Run only samples A to B - 1");
  add_text(*app, "--sample", options->sample, "K",
           "Run only sample K, with its complete run in DIR and its report in DIR.html");
  add_flag(*app, "--csv", options->csv, "Write results.csv as well");
  return {app, [options] { return sweep_detail::run(*options); }};
}

}  // namespace ulna::cli
