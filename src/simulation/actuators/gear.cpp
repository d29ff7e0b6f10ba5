// Gears with losses and play. docs/theory/actuators.md, eq. 6-8.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/simulation/parts/actuator.hpp"

namespace ulna {

double Gear::transmitted(double motor_torque, double joint_speed) const {
  if (efficiency == 1) return ratio * motor_torque;
  // 1 where the motor drives the joint, -1 where the joint drives the motor.
  const double flow = std::tanh(joint_speed / transition) * (motor_torque * ratio < 0 ? -1.0 : 1.0);
  const double factor = flow > 0 ? 1 - flow * (1 - efficiency) : 1 - flow * (1 / efficiency - 1);
  return ratio * motor_torque * factor;
}

double Gear::flank(double rotor_angle, double rotor_speed, double position, double speed) const {
  const double across = rotor_angle - position;
  const double pressed = across - std::clamp(across, -play / 2, play / 2);
  if (pressed == 0 && play > 0) return 0;
  const double force = stiffness * pressed + damping * (rotor_speed - speed);
  // Flanks push and do not pull.
  if (play > 0 && force * pressed < 0) return 0;
  return force;
}

std::vector<std::pair<std::string, std::string>> Gear::problems() const {
  std::vector<std::pair<std::string, std::string>> list;
  const auto need = [&](bool holds, const char* what, double value, const char* expected) {
    if (!holds) list.emplace_back(fmt::format("{} of the gear is {}", what, value), expected);
  };
  need(std::isfinite(ratio) && ratio != 0, "ratio", ratio, "a number other than 0");
  need(efficiency > 0 && efficiency <= 1, "efficiency", efficiency, "above 0, at most 1");
  need(play >= 0, "play", play, "0 or more");
  need(stiffness >= 0, "stiffness", stiffness, "0 or more");
  need(damping >= 0, "damping", damping, "0 or more");
  need(transition > 0, "transition", transition, "above 0");
  if (play > 0 && !(stiffness > 0))
    list.emplace_back("the gear has play and no stiffness",
                      "stiffness, with which the flanks meet, and the inertia of the rotor");
  if (stiffness > 0) need(inertia > 0, "inertia", inertia, "the inertia of the rotor, above 0");
  if (!(stiffness > 0) && inertia != 0)
    list.emplace_back("the gear has an inertia and is rigid",
                      "rotor_inertia of the joint in the robot file, or stiffness of the gear");
  return list;
}

}  // namespace ulna
