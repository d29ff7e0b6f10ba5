#pragma once
// Which parameters are asked about besides those of the bodies.

#include "options/robot_options.hpp"
#include "ulna/dynamics/torque_regressor.hpp"

namespace ulna::cli {

struct RegressorOptions : RobotOptions {
  bool rotors = false, friction = false, springs = false;
  RegressorTerms terms() const { return {rotors, friction, friction, springs}; }
};

inline void add_term_flags(CLI::App& app, RegressorOptions& options) {
  add_flag(app, "--rotors", options.rotors, "Include rotor inertias");
  add_flag(app, "--friction", options.friction, "Include viscous and Coulomb friction");
  add_flag(app, "--springs", options.springs, "Include stiffness and preload of springs");
}

}  // namespace ulna::cli
