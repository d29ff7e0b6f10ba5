#pragma once
// Inverse dynamics of robots with loops: efforts of chosen motors, and what the loops carry.

#include "options/loop_state.hpp"
#include "options/robot_options.hpp"

namespace ulna::cli {

struct InverseOptions : RobotOptions {
  VectorOption elastic, q, v, a;
  std::optional<std::string> method, speeds;
  std::vector<std::string> wrenches;
  bool reactions = false;
  std::optional<std::string> at, expressed_in;
  std::optional<std::string> actuated, weights;
};

int run_inverse_with_loops(const Model& model, const InverseOptions& options);

}  // namespace ulna::cli
