#include "options/dynamics_options.hpp"

#include <fmt/format.h>

#include "options/command_line.hpp"
#include "options/loop_state.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"

namespace ulna::cli {
namespace {

void take_weights(const Model& model, const std::string& text, DynamicsOptions& options) {
  std::vector<Entry> entries;
  const std::vector<std::string> names = all_speed_names(model);
  for (int k : options.actuated) entries.push_back({names[k], Dimension::number});
  if (entries.empty())
    throw InputError(Problem{{}, "--weights", "given without --actuated", "--actuated too", {}});
  options.weights = parse_vector("--weights", text, entries);
}

}  // namespace

void add_method_option(CLI::App& app, Question question, DynamicsWords& words) {
  add_text(app, "--method", words.method,
           fmt::format("{}{}", question == Question::inverse ? "" : "automatic|",
                       fmt::join(formulation_names(question), "|")),
           "Formulation of the equations of motion (default: the fastest)");
}

void add_closing_option(CLI::App& app, DynamicsWords& words) {
  add_text(app, "--closing", words.closing, "multipliers|embedding",
           "With loops: solve by Lagrange multipliers or in independent coordinates");
}

void add_level_option(CLI::App& app, DynamicsWords& words) {
  add_text(app, "--level", words.level, fmt::format("{}", fmt::join(elastic_level_names(), "|")),
           "How flexible bodies are modelled (default: exact)");
}

void add_actuator_options(CLI::App& app, DynamicsWords& words) {
  add_text(app, "--actuated", words.actuated, "NAME,...",
           "With loops: the joints with a motor, including joints that close a loop; at least one "
           "for each degree of freedom");
  add_text(
      app, "--weights", words.weights, "W1,W2,...",
      "With more motors than degrees of freedom: minimise the sum of W effort^2 (default: 1 each)");
}

DynamicsOptions dynamics_options(const Model& model, Question question,
                                 const DynamicsWords& words) {
  DynamicsOptions options;
  if (words.method && choose_method(model, question, *words.method, options, "--method"))
    warn(fmt::format("--method {0} is now --closing {0}", *words.method));
  if (words.actuated) options.actuated = degrees_named_in(model, "--actuated", *words.actuated);
  if (words.weights) take_weights(model, *words.weights, options);
  if (words.closing) choose_closing(model, *words.closing, options, "--closing");
  if (words.level) choose_level(model, *words.level, options, "--level");
  return options;
}

}  // namespace ulna::cli
