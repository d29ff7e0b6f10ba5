#pragma once
// `--method`, `--closing`, `--actuated` and `--weights`: how a command asks for dynamics.

#include <optional>
#include <string>

#include "ulna/dynamics/dynamics.hpp"

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

/// InputError naming the option where it does not go with the robot.
DynamicsOptions dynamics_options(const Model& model, Question question, const DynamicsWords& words);

}  // namespace ulna::cli
