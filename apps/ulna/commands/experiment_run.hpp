#pragma once
// Running an experiment from the command line: the options it takes, a progress bar on a terminal,
// Ctrl-C, and the run directory.

#include <optional>
#include <string>
#include <vector>

#include "options/dynamics_options.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/simulation/simulate.hpp"

namespace CLI {
class App;
}

namespace ulna::cli {

struct ExperimentOptions : DynamicsWords {
  std::string file;
  std::optional<std::string> output, integrator, rtol, elastic;
  std::vector<std::string> packages;
  bool resume = false, strict = false, json = false;
  bool reactions = false;  ///< of `inverse`
};

/// The options besides the file: -o, --resume, --integrator, --rtol, --elastic, --method,
/// --closing.
void add_run_options(CLI::App& command, ExperimentOptions& options);

/// The experiment of the file with the options of the command line; `run_experiment` checks it. The
/// formulation asked for must answer the question.
ReadExperiment load(const ExperimentOptions& options, Question question = Question::forward);

/// Finds the switch times of an experiment with a goal; does nothing without one.
void aim_at_goal(ReadExperiment& read);

struct Ran {
  RunSummary summary;
  std::optional<std::string> directory;  ///< where the run was written
  std::vector<std::string> said = {};    ///< warnings that were printed at the start
};

/// `watch` sees every record; may be empty.
Ran run_experiment(const ReadExperiment& read, const ExperimentOptions& options,
                   const std::function<void(double t, std::span<const double> row)>& watch = {});

/// Says how it ended: a table, or with --json the object of summary.json and `outputs`. Returns the
/// exit status.
int report(const ReadExperiment& read, const ExperimentOptions& options, const Ran& ran);

}  // namespace ulna::cli
