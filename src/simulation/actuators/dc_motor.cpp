// Motors with one winding, brushed and brushless. docs/theory/actuators.md, eq. 2-5.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ulna/simulation/parts/actuator.hpp"

namespace ulna {

// States: the current where there is an inductance; angle and speed of the rotor, as the joint
// would have them, where the gear gives.

int DcMotor::states() const { return (inductance > 0 ? 1 : 0) + gear.states(); }

double DcMotor::stall_torque() const {
  return torque_constant * std::min(voltage_limit / resistance, current_limit);
}

double DcMotor::no_load_speed() const { return voltage_limit / torque_constant; }

void DcMotor::start(double position, double rate, double* x) const {
  int k = 0;
  if (inductance > 0) x[k++] = 0;
  if (gear.elastic()) {
    x[k++] = position;
    x[k++] = rate;
  }
}

double DcMotor::motor_speed(const ActuatorInput& input, const double* x) const {
  return gear.ratio * (gear.elastic() ? x[states() - 1] : input.speed);
}

DcMotor::Electric DcMotor::electric(const ActuatorInput& input, double w, const double* x) const {
  const double back = torque_constant * w;  // induced voltage
  const double now = inductance > 0 ? x[0] : 0;
  // A brushless motor spends a share of its voltage on turning the current with the rotor (eq. 4).
  const double across = pole_pairs * w * inductance * now;
  const double most =
      across == 0 ? voltage_limit
                  : std::sqrt(std::max(0.0, voltage_limit * voltage_limit - across * across));
  double voltage = input.command;
  double wanted = 0;
  if (command == Command::effort) {
    wanted =
        std::clamp(input.command / (gear.ratio * torque_constant), -current_limit, current_limit);
    voltage = resistance * wanted + back + inductance * bandwidth * (wanted - now);
  }
  voltage = std::clamp(voltage, -most, most);
  if (inductance > 0) return {now, (voltage - resistance * now - back) / inductance, voltage};
  return {(voltage - back) / resistance, 0, voltage};
}

double DcMotor::effort(const ActuatorInput& input, const double* x, double* dx) const {
  const Electric e = electric(input, motor_speed(input, x), x);
  int k = 0;
  if (inductance > 0) dx[k++] = e.rate;
  const double torque = torque_constant * e.current;
  if (!gear.elastic()) return gear.transmitted(torque, input.speed);
  const double angle = x[k], rate = x[k + 1];
  const double flank = gear.flank(angle, rate, input.position, input.speed);
  dx[k] = rate;
  dx[k + 1] = (gear.transmitted(torque, rate) - flank) / (gear.ratio * gear.ratio * gear.inertia);
  return flank;
}

std::span<const ActuatorReading> DcMotor::readings() const {
  static constexpr std::array<ActuatorReading, 3> list = {
      {{"current", "A"}, {"voltage", "V"}, {"power", "W"}}};
  return list;
}

void DcMotor::read(const ActuatorInput& input, const double* x, double* values) const {
  const Electric e = electric(input, motor_speed(input, x), x);
  values[0] = e.current;
  values[1] = e.voltage;
  values[2] = e.voltage * e.current;
}

std::vector<std::pair<std::string, std::string>> DcMotor::problems() const {
  std::vector<std::pair<std::string, std::string>> list = gear.problems();
  const auto need = [&](bool holds, const char* what, double value, const char* expected) {
    if (!holds) list.emplace_back(fmt::format("{} is {}", what, value), expected);
  };
  need(resistance > 0 && std::isfinite(resistance), "resistance", resistance, "above 0");
  need(inductance >= 0 && std::isfinite(inductance), "inductance", inductance, "0 or more");
  need(torque_constant > 0 && std::isfinite(torque_constant), "torque_constant", torque_constant,
       "above 0");
  need(voltage_limit > 0, "voltage_limit", voltage_limit, "above 0");
  need(current_limit > 0, "current_limit", current_limit, "above 0");
  need(bandwidth > 0 && std::isfinite(bandwidth), "bandwidth", bandwidth, "above 0");
  if (command == Command::voltage && std::isfinite(current_limit))
    list.emplace_back("a current limit with a voltage as command",
                      "command: effort, whose current loop keeps the limit");
  return list;
}

}  // namespace ulna
