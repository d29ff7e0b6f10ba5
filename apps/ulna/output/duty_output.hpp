#pragma once
// The tables of a run about motors, bearings and limits.

#include <string>

#include "ulna/simulation/simulate.hpp"

namespace ulna::cli {

/// Tables of the peak and root mean square effort, speed and power of the motors, of the largest
/// loads of the bearings with their times, and of the times beyond limits; empty where there is
/// nothing to say.
std::string duty_text(const RunSummary& summary);

}  // namespace ulna::cli
