#pragma once
// Reading experiment files (docs/experiment-file.md). All problems of a file are collected into one
// InputError with file, line and column.

#include <string>

#include "ulna/formats/read_robot.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// An experiment with the text it was read from.
struct ReadExperiment {
  Experiment experiment;
  ImportReport report;  ///< of the robot file
  std::string text;
};

ULNA_API ReadExperiment read_experiment(const std::string& path, const ReadOptions& options = {});

/// The same from text in memory; `file_name` appears in messages, and the robot and tables named in
/// the text are looked for beside it.
ULNA_API ReadExperiment read_experiment_text(const std::string& text, const std::string& file_name,
                                             const ReadOptions& options = {});

/// Adds sensors, actuators, controllers and events, written as in an experiment file under these
/// keys (JSON will do), to an experiment.
ULNA_API void add_to_experiment(Experiment& experiment, const std::string& text,
                                const std::string& file_name, const ReadOptions& options = {});

/// Whether a file is an experiment: it has a line that begins with `experiment:`. False when it
/// cannot be read.
ULNA_API bool is_experiment_file(const std::string& path);

}  // namespace ulna
