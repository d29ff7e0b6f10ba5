#include "actuators/gear_flanks.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

constexpr double precision = 1e-11;  // to which the ends of sides are known

}  // namespace

double GearFlanks::Flanks::depth(int on) const { return on * across - gear->play / 2; }

double GearFlanks::Flanks::force(int on) const {
  return gear->stiffness * depth(on) + gear->damping * on * rate;
}

double GearFlanks::Flanks::inside(int of) const {
  const auto pressed = [this](int on) { return std::min(depth(on), force(on) / gear->stiffness); };
  return precision + (of != 0 ? pressed(of) : -std::max(pressed(1), pressed(-1)));
}

GearFlanks::GearFlanks(const std::vector<const Actuator*>& actuators) {
  for (const Actuator* actuator : actuators) {
    const auto* motor = dynamic_cast<const DcMotor*>(actuator);
    const bool plays = motor && motor->gear.elastic() && motor->gear.play > 0;
    of_actuator_.push_back(plays ? static_cast<int>(list_.size()) : -1);
    if (plays)
      list_.push_back({.gear = &motor->gear, .speed = motor->speed, .states = motor->states()});
  }
}

double GearFlanks::correct(std::size_t k, const ActuatorInput& input, const double* x,
                           double effort, double* dx) {
  if (of_actuator_[k] < 0) return effort;
  Flanks& f = list_[static_cast<std::size_t>(of_actuator_[k])];
  const double *rotor = x + f.states - 2, angle = rotor[0], speed = rotor[1];
  f.across = angle - input.position;
  f.rate = speed - input.speed;
  const double by_side = f.side == 0 ? 0 : f.side * f.force(f.side);
  const double more = by_side - f.gear->flank(angle, speed, input.position, input.speed);
  dx[f.states - 1] -= more / (f.gear->ratio * f.gear->ratio * f.gear->inertia);
  return effort + more;
}

double GearFlanks::guard() const {
  double least = 1;
  for (const Flanks& f : list_) least = std::min(least, f.inside(f.side));
  return least;
}

bool GearFlanks::choose() {
  bool changed = false;
  for (Flanks& f : list_) {
    // Where they meet, within the precision to which that instant is known, the speed decides.
    const double near = 2 * precision + 2e-10 * std::abs(f.rate);
    int side = 0;
    for (const int on : {1, -1})
      if (f.depth(on) > near || f.rate == 0 ? f.depth(on) > 0 && f.force(on) > 0
                                            : f.depth(on) >= -near && on * f.rate > 0)
        side = on;
    if (side == f.side) continue;
    f.side = side;
    ++f.changes;
    changed = true;
  }
  return changed;
}

std::vector<GearFlanks::Changes> GearFlanks::changes() const {
  std::vector<Changes> all;
  for (const Flanks& f : list_) all.push_back({f.speed, f.changes});
  return all;
}

}  // namespace ulna
