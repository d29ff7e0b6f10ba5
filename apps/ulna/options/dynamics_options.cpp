#include "options/dynamics_options.hpp"

#include <fmt/format.h>

#include "options/command_line.hpp"
#include "options/loop_state.hpp"
#include "output/terminal.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"

namespace ulna::cli {
namespace {

constexpr LoopMethod closings[] = {LoopMethod::multipliers, LoopMethod::embedding};

std::optional<LoopMethod> closing_named(const std::string& name) {
  for (const LoopMethod closing : closings)
    if (name == name_of(closing)) return closing;
  return {};
}

LoopMethod closing_from(const Model& model, const std::string& name) {
  const std::optional<LoopMethod> closing = closing_named(name);
  if (closing && !model.loops().empty()) return *closing;
  throw InputError(Problem{{},
                           "--closing",
                           closing ? fmt::format("robot '{}' has no loops", model.name())
                                   : fmt::format("'{}' is not available", name),
                           closing ? "a robot with loops" : "multipliers or embedding",
                           {}});
}

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
           "Formulation of the equations of motion; the fastest when absent");
}

void add_closing_option(CLI::App& app, DynamicsWords& words) {
  add_text(app, "--closing", words.closing, "multipliers|embedding",
           "With loops: Lagrange multipliers, or independent coordinates");
}

void add_actuator_options(CLI::App& app, DynamicsWords& words) {
  add_text(
      app, "--actuated", words.actuated, "NAME,...",
      "With loops: the joints that have a motor, also those that close a loop; as many as degrees "
      "of freedom, or more");
  add_text(app, "--weights", words.weights, "W1,W2,...",
           "With more motors than needed: minimise the sum of W effort^2 (1 each)");
}

DynamicsOptions dynamics_options(const Model& model, Question question,
                                 const DynamicsWords& words) {
  DynamicsOptions options;
  std::optional<std::string> closing = words.closing;
  if (words.method && closing_named(*words.method)) {  // as it was called before
    warn(fmt::format("--method {0} is now --closing {0}", *words.method));
    closing = words.method;
  } else if (words.method && *words.method != "automatic") {
    options.method = formulation_for(*words.method, model, question, "--method").name;
  }
  if (words.actuated) options.actuated = degrees_named_in(model, "--actuated", *words.actuated);
  if (words.weights) take_weights(model, *words.weights, options);
  if (closing) options.closing = closing_from(model, *closing);
  return options;
}

}  // namespace ulna::cli
