#pragma once
// `--wrench BODY:FX,FY,FZ[,MX,MY,MZ]`: a force through a body's origin and a moment, world axes.

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
