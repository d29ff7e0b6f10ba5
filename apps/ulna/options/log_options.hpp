#pragma once
// Options of the commands that read measured logs.

#include "options/command_line.hpp"
#include "output/json_output.hpp"
#include "ulna/formats/read_log.hpp"

namespace ulna::cli {

struct LogWords {
  std::vector<std::string> columns;  ///< "tau.elbow=current 2*0.11"
  std::optional<std::string> cutoff;
  bool recorded_rates = false;
};

void add_log_options(CLI::App& app, LogWords& words);

struct LoadedLog {
  MeasuredLog log;
  Measurement measured;
};
/// Reads, checks and differentiates; tells on standard error what was recognised and what is
/// doubtful.
LoadedLog load_log(const std::string& file, const Model& model, const LogWords& words);

/// Rate, cut-offs and noise of each coordinate.
Json measurement_to_json(const Measurement& measured);
void print_measurement(const std::string& file, const Measurement& measured);

}  // namespace ulna::cli
