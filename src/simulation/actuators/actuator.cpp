#include "ulna/simulation/parts/actuator.hpp"

#include <array>

namespace ulna {

Actuator::~Actuator() = default;

void Actuator::start(double, double, double* x) const {
  for (int k = 0; k < states(); ++k) x[k] = 0;
}

void Actuator::read(const ActuatorInput&, const double*, double*) const {}

std::span<const ActuatorKind> actuator_kinds() {
  static constexpr std::array<ActuatorKind, 4> kinds = {{
      {"limited", "effort within bounds, and within a line from stall effort to no-load speed"},
      {"dc", "brushed motor: resistance, inductance, current loop, gear"},
      {"brushless", "synchronous motor in the axes of its rotor, current loop, gear"},
      {"hydraulic", "double-acting cylinder with compressible oil at a proportional valve"},
  }};
  return kinds;
}

}  // namespace ulna
