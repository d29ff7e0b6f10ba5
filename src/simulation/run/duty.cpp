#include "run/duty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

/// Integral of the square of a function that is linear from a to b.
double squared(double a, double b, double dt) { return dt * (a * a + a * b + b * b) / 3; }

/// Integral of the positive part of a function that is linear from a to b.
double positive(double a, double b, double dt) {
  if (a >= 0 && b >= 0) return dt * (a + b) / 2;
  if (a <= 0 && b <= 0) return 0;
  const double top = std::max(a, b);
  return dt * top * top / (2 * std::abs(b - a));
}

/// For how long a function that is linear from a to b is above zero.
double time_above(double a, double b, double dt) {
  if (a > 0 && b > 0) return dt;
  if (a <= 0 && b <= 0) return 0;
  return dt * std::max(a, b) / std::abs(b - a);
}

/// How far beyond a limit, but for rounding; below zero: inside, or there is none.
double beyond(double excess, double limit) {
  constexpr double rounding = 1e-9;
  return std::isfinite(limit) ? excess - rounding * (1 + std::abs(limit)) : -1;
}

}  // namespace

template <class Visit>
void Duty::Degree::remember(const Visit& visit) {
  for (double* x : {&driven, &effort.value, &effort.t, &speed.value, &speed.t, &power.value,
                    &power.t, &effort_squared, &speed_squared, &power_squared, &taken, &given_back,
                    &last_effort, &last_speed, &last_power, &first})
    visit(*x);
  for (int k = 0; k < 3; ++k) visit(last_beyond[k]), visit(outside[k]);
}

template <class Visit>
void Duty::remember(const Visit& visit) {
  for (Degree& degree : degrees_) degree.remember(visit);
  for (Bearing& b : bearings_)
    for (double* x : {&b.peak.force.value, &b.peak.force.t, &b.peak.moment.value, &b.peak.moment.t})
      visit(*x);
  double flags[] = {double(looked_), double(loads_), double(unique_), last_t_};
  for (double& x : flags) visit(x);
  looked_ = flags[0] != 0, loads_ = flags[1] != 0, unique_ = flags[2] != 0, last_t_ = flags[3];
}

Duty::Duty(const Experiment& experiment) : e_(experiment) {
  const Model& model = *experiment.model;
  for (const DegreeOfFreedom& d : model.degrees()) {
    if (d.joint < 0 || d.v < 0) continue;
    Degree degree;
    degree.name = d.name;
    degree.q = d.q, degree.v = d.v;
    degree.unit = effort_unit(model, d.v);
    degree.rate = degree.unit == "N" ? "m/s" : "rad/s";
    degree.lower = d.q < 0 ? -INFINITY : model.lower()(d.q);
    degree.upper = d.q < 0 ? INFINITY : model.upper()(d.q);
    degree.speed_limit = model.velocity_limit()(d.v);
    degree.effort_limit = model.effort_limit()(d.v);
    degrees_.push_back(std::move(degree));
  }
  const std::size_t joints = model.joints().size();
  for (std::size_t j = 0; j < joints; ++j)
    bearings_.push_back({{model.joints()[j].name, false, {}, {}}, j});
  for (std::size_t k = 0; k < model.loops().size(); ++k)
    if (model.loops()[k].kind != LoopKind::coupling)
      bearings_.push_back({{model.loops()[k].joint, true, {}, {}}, joints + k});
}

bool Duty::wants_reactions() const {
  constexpr int few = 60;
  return e_.model->speeds() <= few;
}

void Duty::look(const MechanicalSystem& system, const KnownReactions* reactions) {
  const double t = system.t, dt = looked_ ? std::max(0.0, t - last_t_) : 0;
  for (Degree& degree : degrees_) look_at(degree, system, dt);
  for (const Joint& joint : system.model().joints()) {
    const auto j = static_cast<std::size_t>(&joint - system.model().joints().data());
    if (j >= e_.drives.size() || e_.drives[j].kind == DriveKind::free) continue;
    for (Degree& degree : degrees_)
      if (degree.v >= joint.v && degree.v < joint.v + joint.speeds) degree.driven = 1;
  }
  if (reactions) {
    loads_ = true;
    unique_ = unique_ && reactions->unique;
    for (Bearing& bearing : bearings_) {
      const BearingLoad& load = reactions->bearings[bearing.place];
      bearing.peak.force.look(load.force, t);
      bearing.peak.moment.look(load.moment, t);
    }
  }
  looked_ = true;
  last_t_ = t;
}

void Duty::look_at(Degree& d, const MechanicalSystem& system, double dt) {
  const double t = system.t, effort = system.tau(d.v), speed = system.v(d.v),
               power = effort * speed, q = d.q < 0 ? 0 : system.raw_q(d.q);
  if (effort != 0) d.driven = 1;
  d.effort.look(std::abs(effort), t);
  d.speed.look(std::abs(speed), t);
  d.power.look(std::abs(power), t);
  d.effort_squared += squared(d.last_effort, effort, dt);
  d.speed_squared += squared(d.last_speed, speed, dt);
  d.power_squared += squared(d.last_power, power, dt);
  d.taken += positive(d.last_power, power, dt);
  d.given_back += positive(-d.last_power, -power, dt);
  const double now[3] = {std::max(beyond(q - d.upper, d.upper), beyond(d.lower - q, d.lower)),
                         beyond(std::abs(speed) - d.speed_limit, d.speed_limit),
                         beyond(std::abs(effort) - d.effort_limit, d.effort_limit)};
  for (int k = 0; k < 3; ++k) {
    d.outside[k] += time_above(d.last_beyond[k], now[k], dt);
    if (now[k] > 0 && d.first < 0) d.first = t;
    d.last_beyond[k] = now[k];
  }
  d.last_effort = effort, d.last_speed = speed, d.last_power = power;
}

std::vector<std::string> Duty::beyond_limits(const MechanicalSystem& system) const {
  std::vector<std::string> list;
  for (const Degree& d : degrees_) {
    const double q = d.q < 0 ? 0 : system.raw_q(d.q);
    const char* unit = d.unit == "N" ? "m" : "rad";
    if (d.last_beyond[0] > 0)
      list.push_back(fmt::format("joint '{}' starts outside its limits: {:.6g} {} is {} {:.6g} {}",
                                 d.name, q, unit, q > d.upper ? "above" : "below",
                                 q > d.upper ? d.upper : d.lower, unit));
    if (d.last_beyond[1] > 0)
      list.push_back(fmt::format("joint '{}' starts at {:.6g} {}, above its speed limit {:.6g} {}",
                                 d.name, std::abs(system.v(d.v)), d.rate, d.speed_limit, d.rate));
    if (d.last_beyond[2] > 0)
      list.push_back(
          fmt::format("joint '{}' needs {:.6g} {} at the start, above its effort limit {:.6g} {}",
                      d.name, std::abs(system.tau(d.v)), d.unit, d.effort_limit, d.unit));
  }
  return list;
}

void Duty::put(double t, RunSummary& summary) const {
  const auto rms = [&](double integral) { return t > 0 ? std::sqrt(integral / t) : 0; };
  summary.motors.clear(), summary.bearings.clear(), summary.outside.clear();
  for (const Degree& d : degrees_) {
    if (d.driven != 0)
      summary.motors.push_back({d.name, d.unit, d.effort, d.speed, d.power, rms(d.effort_squared),
                                rms(d.speed_squared), rms(d.power_squared), d.taken, d.given_back});
    if (d.first >= 0)
      summary.outside.push_back({d.name, d.outside[0], d.outside[1], d.outside[2], d.first});
  }
  summary.bearings_unique = unique_;
  if (!loads_) return;
  for (const Bearing& bearing : bearings_) summary.bearings.push_back(bearing.peak);
}

Eigen::VectorXd Duty::memory() const {
  std::vector<double> all;
  const_cast<Duty*>(this)->remember(
      [&](double x) { all.push_back(x); });  // visits, changes nothing
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<long>(all.size()));
}

void Duty::recall(const Eigen::VectorXd& memory) {
  if (memory.size() != this->memory().size()) return;  // of an older version
  long at = 0;
  remember([&](double& x) { x = memory(at++); });
}

}  // namespace ulna
