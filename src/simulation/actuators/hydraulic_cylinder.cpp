// A cylinder at a valve. docs/theory/actuators.md, eq. 9-12.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ulna/simulation/parts/actuator.hpp"

namespace ulna {
namespace {

/// sqrt(|p|) with the sign of p, with a finite slope at 0.
double signed_root(double p) {
  constexpr double smooth = 1e3;  // Pa: laminar below
  return p / std::sqrt(std::sqrt(p * p + smooth * smooth));
}

/// A chamber that is nearly empty keeps a thousandth of its volume.
double left_of(double volume, double whole) { return std::max(volume, 1e-3 * whole); }

}  // namespace

// States: pressure of the chamber, pressure of the chamber with the rod, and the opening of a valve
// that lags.

void HydraulicCylinder::start(double, double, double* x) const {
  x[1] = tank + (supply - tank) / 2;
  x[0] = (start_effort + rod_area * x[1]) / area;
  if (valve_time > 0) x[2] = 0;
}

double HydraulicCylinder::opening(const ActuatorInput& input, const double* x) const {
  if (command == Command::valve) return std::clamp(input.command, -1.0, 1.0);
  // The flow that the motion takes, and more of it while the effort is too small (eq. 11).
  const double conductance = flow / std::sqrt(flow_pressure);
  const double drop = input.speed > 0 ? supply - x[0] : x[0] - tank;
  const double motion =
      area * input.speed / (conductance * std::sqrt(std::max(drop, 0.01 * supply)));
  const double missing = (input.command - (area * x[0] - rod_area * x[1])) / (supply * area);
  return std::clamp(motion + gain * missing, -1.0, 1.0);
}

double HydraulicCylinder::effort(const ActuatorInput& input, const double* x, double* dx) const {
  const double wanted = opening(input, x);
  const double u = valve_time > 0 ? std::clamp(x[2], -1.0, 1.0) : wanted;
  const double conductance = flow / std::sqrt(flow_pressure);
  const double in = u > 0 ? conductance * u * signed_root(supply - x[0])
                          : conductance * u * signed_root(x[0] - tank);
  const double rod = u > 0 ? -conductance * u * signed_root(x[1] - tank)
                           : -conductance * u * signed_root(supply - x[1]);
  const double leak = leakage * (x[0] - x[1]);
  const double chamber = left_of(volume + area * input.position, volume);
  const double rod_chamber = left_of(rod_volume - rod_area * input.position, rod_volume);
  dx[0] = bulk_modulus / chamber * (in - area * input.speed - leak);
  dx[1] = bulk_modulus / rod_chamber * (rod + rod_area * input.speed + leak);
  if (valve_time > 0) dx[2] = (wanted - x[2]) / valve_time;
  return area * x[0] - rod_area * x[1];
}

double HydraulicCylinder::stiffness(double position) const {
  return bulk_modulus *
         (area * area / left_of(volume + area * position, volume) +
          rod_area * rod_area / left_of(rod_volume - rod_area * position, rod_volume));
}

std::span<const ActuatorReading> HydraulicCylinder::readings() const {
  static constexpr std::array<ActuatorReading, 3> list = {
      {{"pressure", "Pa"}, {"rod_pressure", "Pa"}, {"valve", "1"}}};
  return list;
}

void HydraulicCylinder::read(const ActuatorInput& input, const double* x, double* values) const {
  values[0] = x[0];
  values[1] = x[1];
  values[2] = valve_time > 0 ? x[2] : opening(input, x);
}

std::vector<std::pair<std::string, std::string>> HydraulicCylinder::problems() const {
  std::vector<std::pair<std::string, std::string>> list;
  const auto need = [&](bool holds, const char* what, double value, const char* expected) {
    if (!holds) list.emplace_back(fmt::format("{} is {}", what, value), expected);
  };
  const std::pair<const char*, double> positive[] = {{"area", area},
                                                     {"rod_area", rod_area},
                                                     {"bulk_modulus", bulk_modulus},
                                                     {"volume", volume},
                                                     {"rod_volume", rod_volume},
                                                     {"flow", flow},
                                                     {"flow_pressure", flow_pressure},
                                                     {"gain", gain}};
  for (const auto& [what, value] : positive)
    need(value > 0 && std::isfinite(value), what, value, "above 0");
  need(supply > tank, "supply", supply, "a pressure above that of the tank");
  need(tank >= 0, "tank", tank, "0 or more");
  need(leakage >= 0, "leakage", leakage, "0 or more");
  need(valve_time >= 0, "valve_time", valve_time, "0 or more");
  return list;
}

}  // namespace ulna
