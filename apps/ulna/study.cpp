#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "command.hpp"
#include "fidelity_study.hpp"
#include "robot_options.hpp"
#include "ulna/model/model.hpp"

namespace ulna::cli {
namespace {

struct Options {
  std::string study, experiment;
  std::optional<std::string> levels;
  bool json = false;
};

int run(const Options& options) {
  if (options.study == "fidelity")
    return run_fidelity_study(options.experiment, options.levels, options.json);
  throw InputError(Problem{{},
                           "STUDY",
                           fmt::format("'{}' found", options.study),
                           "fidelity",
                           nearest_name_hint(options.study, {"fidelity"})});
}

}  // namespace

Command add_study(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("study", "Studies of an experiment: fidelity");
  app->footer(std::string("Examples:\n") + fidelity_examples);
  app->add_option("STUDY", options->study, "fidelity")->required()->type_name("");
  app->add_option("EXPERIMENT", options->experiment, "An experiment file (.yaml)")
      ->required()
      ->type_name("");
  add_text(*app, "--levels", options->levels, "LEVEL,...", "Which levels; all when absent");
  add_json_flag(*app, options->json);
  return {app, [options] { return run(*options); }};
}

}  // namespace ulna::cli
