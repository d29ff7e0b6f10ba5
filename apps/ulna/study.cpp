#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "command.hpp"
#include "decoupling_study.hpp"
#include "fidelity_study.hpp"
#include "ulna/model/model.hpp"

namespace ulna::cli {
namespace {

struct Options : DecouplingOptions {
  std::string study;
  std::optional<std::string> levels;
};

void refuse(const std::string& study, const char* option, bool given) {
  if (given)
    throw InputError(
        Problem{{}, option, fmt::format("the study of {} has no use for it", study), {}, {}});
}

int run(const Options& options) {
  if (options.study == "decoupling") {
    refuse("decoupling", "--levels", options.levels.has_value());
    if (options.experiment.empty())
      throw InputError(
          Problem{{}, "EXPERIMENT", "it is missing", "ulna study decoupling ROBOT EXPERIMENT", {}});
    return run_decoupling_study(options);
  }
  if (options.study == "fidelity") {
    for (const auto& [option, given] : {std::pair{"--inputs", options.inputs.has_value()},
                                        {"--samples", options.samples.has_value()},
                                        {"--gravity", options.gravity.has_value()},
                                        {"--output", options.output.has_value()},
                                        {"EXPERIMENT", !options.experiment.empty()}})
      refuse("fidelity", option, given);
    return run_fidelity_study(options.robot, options.levels, options.json);
  }
  throw InputError(Problem{{},
                           "STUDY",
                           fmt::format("'{}' found", options.study),
                           "decoupling or fidelity",
                           nearest_name_hint(options.study, {"decoupling", "fidelity"})});
}

}  // namespace

Command add_study(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand(
      "study", "Studies of a robot along a motion: decoupling of its inputs, fidelity of levels");
  app->footer(std::string("Examples:\n") + decoupling_examples + "\n\n" + fidelity_examples);
  app->add_option("STUDY", options->study, "decoupling or fidelity")->required()->type_name("");
  app->add_option("ROBOT", options->robot,
                  "decoupling: a robot file or a shipped robot; fidelity: an experiment (.yaml)")
      ->required()
      ->type_name("");
  app->add_option("EXPERIMENT", options->experiment, "decoupling: the experiment with the motions")
      ->type_name("");
  add_json_flag(*app, options->json);
  add_text(*app, "--levels", options->levels, "LEVEL,...",
           "fidelity: which levels; all when absent");
  add_text(*app, "--inputs", options->inputs, "NAME,...", "decoupling: joints that are the inputs");
  add_text(*app, "--samples", options->samples, "N", "decoupling: intervals of time (100)");
  add_text(*app, "-o,--output", options->output, "DIR", "decoupling: folder for plots and table");
  add_text(*app, "--gravity", options->gravity, "X,Y,Z",
           "decoupling: gravity instead of the robot's, m/s^2");
  add_texts(*app, "--package", options->packages, "NAME=DIR",
            "Folder of a package:// name of a URDF; may be repeated");
  app->add_flag("--strict", options->strict,
                "Refuse a file of which anything is changed or ignored");
  return {app, [options] { return run(*options); }};
}

}  // namespace ulna::cli
