#pragma once
// `--method`, `--closing`, `--actuated` and `--weights`: how a command asks for dynamics.

#include <optional>
#include <string>

#include "options/robot_options.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/elastic/geometrically_exact.hpp"

namespace CLI {
class App;
}

namespace ulna::cli {

struct DynamicsWords {
  std::optional<std::string> method, closing, actuated, weights, level;
};

/// Adds --method with the formulations that answer the question.
void add_method_option(CLI::App& app, Question question, DynamicsWords& words);
/// Adds --closing.
void add_closing_option(CLI::App& app, DynamicsWords& words);
/// Adds --level of flexible bodies.
void add_level_option(CLI::App& app, DynamicsWords& words);
/// Adds --actuated and --weights.
void add_actuator_options(CLI::App& app, DynamicsWords& words);

/// The robot; its links cut into elements where --level geometrically-exact[:N] asks for them.
Model load_at_level(const RobotOptions& options, const DynamicsWords& words);
/// geometrically-exact, with or without a number of elements.
bool asks_for_elements(const std::string& level);
/// geometrically-exact:12 is twelve elements in each link.
GeometricallyExact elements_in(const char* option, const std::string& word);

/// InputError naming the option where it does not go with the robot.
DynamicsOptions dynamics_options(const Model& model, Question question, const DynamicsWords& words);

}  // namespace ulna::cli
