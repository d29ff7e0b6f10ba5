#pragma once
// `--wrench BODY[@FRAME]:FX,FY,FZ[,MX,MY,MZ]`: a force through a body's origin and a moment, in
// world axes or in those of a frame, which may be the body itself. A frame fixed to a body stands
// for the body: the force then acts at the frame's origin.

#include <string>
#include <vector>

#include "ulna/dynamics/inverse_dynamics.hpp"

namespace CLI {
class App;
}

namespace ulna::cli {

void add_wrench_option(CLI::App& command, std::vector<std::string>& texts);
std::vector<ExternalWrench> wrenches_from(const Model& model,
                                          const std::vector<std::string>& texts);

}  // namespace ulna::cli
