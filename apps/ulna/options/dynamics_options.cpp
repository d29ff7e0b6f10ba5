#include "options/dynamics_options.hpp"

#include <fmt/format.h>

#include "options/command_line.hpp"
#include "options/loop_state.hpp"
#include "options/vector_text.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"

namespace ulna::cli {
namespace {

const std::string exact_level = name_of(ElasticLevel::geometrically_exact);

bool has_modes(const Robot& robot) {
  for (const BodyData& body : robot.bodies)
    for (const BeamData& beam : body.beams)
      if (beam.flexible && beam.flexible->family != ModeFamily::geometrically_exact) return true;
  return false;
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
           "Formulation of the equations of motion (default: the fastest)");
}

void add_closing_option(CLI::App& app, DynamicsWords& words) {
  add_text(app, "--closing", words.closing, "multipliers|embedding",
           "With loops: solve by Lagrange multipliers or in independent coordinates");
}

void add_level_option(CLI::App& app, DynamicsWords& words) {
  add_text(app, "--level", words.level, fmt::format("{}", fmt::join(elastic_level_names(), "|")),
           "How flexible bodies are modelled (default: exact); geometrically-exact:N divides each "
           "link into N elements (default: 8)");
}

void add_actuator_options(CLI::App& app, DynamicsWords& words) {
  add_text(app, "--actuated", words.actuated, "NAME,...",
           "With loops: the joints with a motor, including joints that close a loop; at least one "
           "for each degree of freedom");
  add_text(
      app, "--weights", words.weights, "W1,W2,...",
      "With more motors than degrees of freedom: minimise the sum of W effort^2 (default: 1 each)");
}

bool asks_for_elements(const std::string& level) {
  return level.substr(0, level.find(':')) == exact_level;
}

GeometricallyExact elements_in(const char* option, const std::string& word) {
  GeometricallyExact exact;
  if (const std::size_t colon = word.find(':'); colon != std::string::npos)
    exact.elements = parse_count(option, word.substr(colon + 1), 1);
  return exact;
}

Model load_at_level(const RobotOptions& options, const DynamicsWords& words) {
  if (!words.level || !asks_for_elements(*words.level)) return load(options);
  const GeometricallyExact exact = elements_in("--level", *words.level);
  const bool counted = words.level->find(':') != std::string::npos;
  return load(options, [&](Robot robot) {
    return counted || has_modes(robot) ? with_geometrically_exact_links(std::move(robot), exact)
                                       : std::move(robot);
  });
}

DynamicsOptions dynamics_options(const Model& model, Question question,
                                 const DynamicsWords& words) {
  DynamicsOptions options;
  if (words.method && choose_method(model, question, *words.method, options, "--method"))
    warn(fmt::format("--method {0} is now --closing {0}", *words.method));
  if (words.actuated) options.actuated = degrees_named_in(model, "--actuated", *words.actuated);
  if (words.weights) take_weights(model, *words.weights, options);
  if (words.closing) choose_closing(model, *words.closing, options, "--closing");
  if (words.level)
    choose_level(model, asks_for_elements(*words.level) ? exact_level : *words.level, options,
                 "--level");
  return options;
}

}  // namespace ulna::cli
