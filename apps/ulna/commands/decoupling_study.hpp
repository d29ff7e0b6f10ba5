#pragma once
// `ulna study decoupling`: what velocities and couplings add to the efforts of a motion.

#include "options/robot_options.hpp"

namespace ulna::cli {

inline constexpr const char* decoupling_examples =
    R"(  ulna study decoupling ddts examples/ddts.yaml
  ulna study decoupling ddts examples/ddts.yaml --gravity 0,0,0 -o ddts-decoupling
  ulna study decoupling stanford swing.yaml --samples 200 --json

decoupling compares, along the motions of an experiment, the efforts due to accelerations with those
due to velocities and the diagonals of I* and P* with their other entries, and states the error of the
efforts without these entries. For platforms it also considers the platform and the legs alone as
massive. The inputs are the drives of a platform, the joints with motions of another robot with loops,
or all joints of a tree. -o writes plots (.svg) and the table (.csv).)";

struct DecouplingOptions : RobotOptions {
  std::string experiment;
  std::optional<std::string> inputs, samples, output;
};
int run_decoupling_study(const DecouplingOptions& options);

}  // namespace ulna::cli
