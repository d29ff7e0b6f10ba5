#include <memory>

#include "command.hpp"
#include "commands/experiment_run.hpp"
#include "options/command_line.hpp"

namespace ulna::cli::simulate_detail {
namespace {

constexpr const char* examples = R"(  ulna simulate examples/intelledex605.yaml
  ulna simulate swing.yaml -o out/swing
  ulna simulate swing.yaml -o out/swing --resume
  ulna simulate swing.yaml --rtol 1e-12 --integrator dop853 --json

EXPERIMENT is described in docs/experiment-file.md. Ctrl-C ends the run; the records so far remain in
DIR.partial. Exit status 1: the integration failed or was interrupted.)";

int run(const ExperimentOptions& options) {
  ReadExperiment read = load(options);
  aim_at_goal(read);
  return report(read, options, run_experiment(read, options));
}

}  // namespace
}  // namespace ulna::cli::simulate_detail

namespace ulna::cli {

Command add_simulate(CLI::App& program) {
  auto options = std::make_shared<ExperimentOptions>();
  CLI::App* app = add_command(program, "simulate", "Run an experiment and record it",
                              simulate_detail::examples);
  add_argument(*app, "EXPERIMENT", options->file, "An experiment file (.yaml)").required();
  add_run_options(*app, *options);
  add_json_flag(*app, options->json);
  add_texts(*app, "--package", options->packages, "NAME=DIR",
            "Folder of a package:// name of a URDF; may be repeated");
  add_flag(*app, "--strict", options->strict,
           "Refuse a robot file if anything in it is changed or ignored");
  return {app, [options] { return simulate_detail::run(*options); }};
}

}  // namespace ulna::cli
