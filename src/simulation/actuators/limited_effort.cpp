// An effort within bounds. docs/theory/actuators.md, eq. 1.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/simulation/parts/actuator.hpp"

namespace ulna {

double LimitedEffort::effort(const ActuatorInput& input, const double*, double*) const {
  double forward = peak, backward = peak;
  if (std::isfinite(stall)) {
    // The line stall (1 - v / no_load) in the direction of motion; braking is not limited by it.
    const double droop = std::isfinite(no_load) ? input.speed / no_load : 0;
    forward = std::min(peak, std::max(0.0, stall * (1 - droop)));
    backward = std::min(peak, std::max(0.0, stall * (1 + droop)));
  }
  return std::clamp(input.command, -backward, forward);
}

std::vector<std::pair<std::string, std::string>> LimitedEffort::problems() const {
  std::vector<std::pair<std::string, std::string>> list;
  if (!(stall > 0)) list.emplace_back(fmt::format("stall is {}", stall), "above 0");
  if (!(no_load > 0)) list.emplace_back(fmt::format("no_load is {}", no_load), "above 0");
  if (!(peak > 0)) list.emplace_back(fmt::format("peak is {}", peak), "above 0");
  if (std::isfinite(no_load) && !std::isfinite(stall))
    list.emplace_back("no_load is given without stall", "stall, the effort at rest");
  return list;
}

}  // namespace ulna
