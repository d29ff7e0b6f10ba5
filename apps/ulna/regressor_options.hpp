#pragma once
// Which parameters are asked about besides those of the bodies.

#include <CLI/App.hpp>

#include "robot_options.hpp"
#include "ulna/dynamics/torque_regressor.hpp"

namespace ulna::cli {

struct RegressorOptions : RobotOptions {
  bool rotors = false, friction = false, springs = false;
  RegressorTerms terms() const { return {rotors, friction, friction, springs}; }
};

inline void add_term_flags(CLI::App& app, RegressorOptions& options) {
  app.add_flag("--rotors", options.rotors, "Rotor inertias too");
  app.add_flag("--friction", options.friction, "Viscous and Coulomb friction too");
  app.add_flag("--springs", options.springs, "Stiffness and preload of springs too");
}

}  // namespace ulna::cli
