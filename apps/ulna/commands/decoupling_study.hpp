#pragma once
// `ulna study decoupling`: what velocities and couplings add to the efforts of a motion.

#include "options/robot_options.hpp"

namespace ulna::cli {

inline constexpr const char* decoupling_examples =
    R"(  ulna study decoupling ddts examples/ddts.yaml
  ulna study decoupling ddts examples/ddts.yaml --gravity 0,0,0 -o ddts-decoupling
  ulna study decoupling stanford swing.yaml --samples 200 --json

decoupling: along the motions of an experiment, the efforts that accelerations need against those
that velocities need, the diagonals of I* and P* against the rest, and by how much the efforts would
be wrong without them. For platforms, also with only the platform or only the legs heavy. Inputs
are the drives of a platform, the joints with motions of another robot with loops, all of a tree.
With -o, plots (.svg) and the table (.csv) are written there.)";

struct DecouplingOptions : RobotOptions {
  std::string experiment;
  std::optional<std::string> inputs, samples, output;
};
int run_decoupling_study(const DecouplingOptions& options);

}  // namespace ulna::cli
