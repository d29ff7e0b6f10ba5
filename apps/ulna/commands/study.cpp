#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "commands/decoupling_study.hpp"
#include "commands/fidelity_study.hpp"
#include "commands/stability_study.hpp"
#include "commands/tip_study.hpp"
#include "ulna/model/model.hpp"

namespace ulna::cli::study_detail {
namespace {

struct Options : DecouplingOptions {
  std::string study;
  std::optional<std::string> levels, body, spin, axial;
};

void refuse(const std::string& study, const char* option, bool given) {
  if (given)
    throw InputError(
        Problem{{}, option, fmt::format("the study of {} does not take it", study), {}, {}});
}

void refuse_stability_options(const Options& options) {
  refuse(options.study, "--body", options.body.has_value());
  refuse(options.study, "--spin", options.spin.has_value());
  refuse(options.study, "--axial", options.axial.has_value());
}

int run(const Options& options) {
  if (options.study == "stability") {
    for (const auto& [option, given] : {std::pair{"--inputs", options.inputs.has_value()},
                                        {"--samples", options.samples.has_value()},
                                        {"--levels", options.levels.has_value()},
                                        {"EXPERIMENT", !options.experiment.empty()}})
      refuse("stability", option, given);
    StabilityOptions stability;
    static_cast<RobotOptions&>(stability) = options;
    stability.body = options.body, stability.spin = options.spin, stability.axial = options.axial;
    stability.output = options.output;
    return run_stability_study(stability);
  }
  refuse_stability_options(options);
  if (options.study == "decoupling") {
    refuse("decoupling", "--levels", options.levels.has_value());
    if (options.experiment.empty())
      throw InputError(Problem{
          {}, "EXPERIMENT", "it is required", "ulna study decoupling ROBOT EXPERIMENT", {}});
    return run_decoupling_study(options);
  }
  if (options.study == "fidelity") {
    for (const auto& [option, given] : {std::pair{"--inputs", options.inputs.has_value()},
                                        {"--samples", options.samples.has_value()},
                                        {"--gravity", options.gravity.has_value()},
                                        {"EXPERIMENT", !options.experiment.empty()}})
      refuse("fidelity", option, given);
    return run_fidelity_study(options.robot, options.levels, options.output, options.json);
  }
  if (options.study == "tip") {
    for (const auto& [option, given] : {std::pair{"--inputs", options.inputs.has_value()},
                                        {"--samples", options.samples.has_value()},
                                        {"--levels", options.levels.has_value()},
                                        {"--gravity", options.gravity.has_value()},
                                        {"EXPERIMENT", !options.experiment.empty()}})
      refuse("tip", option, given);
    return run_tip_study(options.robot, options.output, options.json);
  }
  throw InputError(
      Problem{{},
              "STUDY",
              fmt::format("'{}' found", options.study),
              "decoupling, fidelity, stability or tip",
              nearest_name_hint(options.study, {"decoupling", "fidelity", "stability", "tip"})});
}

}  // namespace
}  // namespace ulna::cli::study_detail

namespace ulna::cli {

Command add_study(CLI::App& program) {
  auto options = std::make_shared<study_detail::Options>();
  CLI::App* app =
      add_command(program, "study", "Studies: input decoupling, fidelity of levels, stability, tip",
                  fmt::format("{}\n\n{}\n\n{}\n\n{}", decoupling_examples, fidelity_examples,
                              stability_examples, tip_examples));
  add_argument(*app, "STUDY", options->study, "decoupling, fidelity, stability or tip").required();
  add_argument(*app, "ROBOT", options->robot,
               "decoupling, stability: a robot file or a shipped robot; fidelity, tip: an "
               "experiment (.yaml)")
      .required();
  add_argument(*app, "EXPERIMENT", options->experiment,
               "decoupling: the experiment with the motions");
  add_json_flag(*app, options->json);
  add_text(*app, "--levels", options->levels, "LEVEL,...",
           "fidelity: the levels to compare (default: all)");
  add_text(*app, "--inputs", options->inputs, "NAME,...", "decoupling: joints to use as inputs");
  add_text(*app, "--samples", options->samples, "N",
           "decoupling: number of time intervals (default: 100)");
  add_text(*app, "-o,--output", options->output, "PATH",
           "Folder for plots and tables, or one .svg, .png, .pdf or .csv file");
  add_text(*app, "--body", options->body, "BODY",
           "stability: the flexible body (default: the last)");
  add_text(*app, "--spin", options->spin, "A:B:STEP",
           "stability: spin relative to the first frequency (default: 0.25:3:0.25)");
  add_text(*app, "--axial", options->axial, "A:B:STEP",
           "stability: axial acceleration relative to l w1^2 (default: -0.5:0.5:0.25)");
  add_text(*app, "--gravity", options->gravity, "X,Y,Z",
           "decoupling: gravity instead of the robot's, m/s^2");
  add_texts(*app, "--package", options->packages, "NAME=DIR",
            "Folder of a package:// name of a URDF; may be repeated");
  add_flag(*app, "--strict", options->strict,
           "Refuse a file if anything in it is changed or ignored");
  return {app, [options] { return study_detail::run(*options); }};
}

}  // namespace ulna::cli
