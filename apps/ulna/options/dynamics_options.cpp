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

/// Those that answer the question for this robot.
std::string applicable(const Model& model, Question question) {
  std::vector<std::string> names;
  for (const Formulation& f : formulations())
    if (why_not(f, model, question).empty()) names.emplace_back(f.name);
  return fmt::format("{}{}", names.size() > 1 ? "one of " : "", fmt::join(names, ", "));
}

std::string checked_method(const Model& model, Question question, const std::string& name) {
  for (const Formulation& f : formulations()) {
    if (name != f.name) continue;
    const std::string reason = why_not(f, model, question);
    if (reason.empty()) return name;
    throw InputError(Problem{{}, "--method", reason, applicable(model, question), {}});
  }
  throw InputError(Problem{{},
                           "--method",
                           fmt::format("'{}' is not available", name),
                           applicable(model, question),
                           nearest_name_hint(name, formulation_names(question))});
}

void take_closing(const Model& model, const std::string& name, DynamicsOptions& options) {
  const std::optional<LoopMethod> closing = closing_named(name);
  if (!closing)
    throw InputError(Problem{{},
                             "--closing",
                             fmt::format("'{}' is not available", name),
                             "multipliers or embedding",
                             {}});
  if (model.loops().empty())
    throw InputError(Problem{{},
                             "--closing",
                             fmt::format("robot '{}' has no loops", model.name()),
                             "a robot with loops",
                             {}});
  options.closing = *closing;
}

void take_actuators(const Model& model, const DynamicsWords& words, DynamicsOptions& options) {
  if (model.loops().empty())
    throw InputError(
        Problem{{},
                words.actuated ? "--actuated" : "--weights",
                fmt::format("robot '{}' has no loops: every joint has its effort", model.name()),
                "a robot with loops",
                {}});
  if (words.actuated) options.actuated = degrees_named_in(model, "--actuated", *words.actuated);
  if (!words.weights) return;
  std::vector<Entry> entries;
  const std::vector<std::string> names = all_speed_names(model);
  for (int k : options.actuated) entries.push_back({names[k], Dimension::number});
  if (entries.empty())
    throw InputError(Problem{{}, "--weights", "given without --actuated", "--actuated too", {}});
  options.weights = parse_vector("--weights", *words.weights, entries);
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
  if (words.method && closing_named(*words.method)) {  // as it was called before
    warn(fmt::format("--method {0} is now --closing {0}", *words.method));
    take_closing(model, *words.method, options);
  } else if (words.method && *words.method != "automatic") {
    options.method = checked_method(model, question, *words.method);
  }
  if (words.closing) take_closing(model, *words.closing, options);
  if (words.actuated || words.weights) take_actuators(model, words, options);
  return options;
}

}  // namespace ulna::cli
