#pragma once
// `--speeds` and `--time`: the generalized speeds of Kane's method.

#include <optional>
#include <string>

#include "options/command_line.hpp"
#include "ulna/kinematics/generalized_speeds.hpp"

namespace ulna::cli {

struct SpeedWords {
  std::optional<std::string> speeds;
  std::optional<double> time;
};

void add_speeds_options(CLI::App& app, SpeedWords& words, const std::string& help);

/// Joint rates when none were asked for; a name, or a file of formulas. InputError naming --speeds.
GeneralizedSpeeds speeds_from(const Model& model, const SpeedWords& words);

}  // namespace ulna::cli
