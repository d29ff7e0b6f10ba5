#include "ulna/simulation/internal/controls.hpp"

#include <algorithm>
#include <cmath>

#include "actuators/actuator_bank.hpp"
#include "run/controller_view.hpp"
#include "run/effort_formulas.hpp"
#include "run/element_forces.hpp"
#include "run/times.hpp"
#include "sensors/sensor_bank.hpp"

namespace ulna {

Controls::Controls(const Experiment& experiment)
    : reference(experiment),
      model_(experiment.model),
      drives_(experiment.drives),
      applied_(experiment.wrenches),
      sensors_(std::make_unique<SensorBank>(experiment.sensors)),
      actuators_(std::make_unique<ActuatorBank>(experiment)),
      formulas_(EffortFormulas::of(experiment)),
      segment_end_(experiment.end) {
  drives_.resize(model_->joints().size());
  bool driven = false;
  for (std::size_t j = 0; j < drives_.size(); ++j) {
    const Joint& joint = model_->joints()[j];
    driven = driven || (joint.speeds > 0 && (drives_[j].kind == DriveKind::motion ||
                                             drives_[j].kind == DriveKind::locked));
    for (int k = 0; k < joint.speeds && !drives_[j].effort.empty(); ++k)
      functions_.push_back({joint.v + k, drives_[j].effort[k].get()});
  }
  for (std::size_t i = 0; i < experiment.controllers.size(); ++i) {
    auto view = std::make_unique<ControllerView>(experiment, i, *sensors_);
    const Controller& controller = *experiment.controllers[i];
    const int count = view->states();
    if (controller.period > 0) {
      const Eigen::VectorXd zero = Eigen::VectorXd::Zero(count),
                            none = Eigen::VectorXd::Zero(model_->speeds());
      sampled_.push_back(
          {std::move(view), controller.period, controller.delay, zero, zero, none, none, 0, {}});
    } else {
      continuous_.push_back({std::move(view), states_});
      states_ += count;
    }
  }
  first_actuator_state_ = states_;
  states_ += actuators_->states();
  always_follows_ = !reference.empty() &&
                    (driven || !continuous_.empty() || (formulas_ && formulas_->use_reference()));
  collect_breakpoints(experiment);
}

Eigen::VectorXd Controls::start(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(states_);
  actuators_->start(q, v, z.data() + first_actuator_state_);
  return z;
}

Controls::~Controls() = default;

void Controls::follow(double t) {
  if (always_follows_) reference.update(inside(t));
}

std::vector<ExternalWrench> Controls::wrenches() const {
  std::vector<ExternalWrench> list;
  for (const AppliedWrench& w : applied_)
    list.push_back({.body = w.body, .point = w.point, .expressed_in = w.expressed_in});
  return list;
}

void Controls::collect_breakpoints(const Experiment& experiment) {
  const auto add_times = [&](const std::vector<double>& times) {
    for (const double time : times)
      if (time > 0 && time < experiment.end) breakpoints_.push_back(time);
  };
  const auto add = [&](const ScalarMotionPtr& f) {
    if (f) add_times(f->breakpoints());
  };
  for (const Drive& drive : drives_) {
    for (const ScalarMotionPtr& f : drive.motion) add(f);
    for (const ScalarMotionPtr& f : drive.effort) add(f);
    for (const auto& f : drive.effort_formulas)
      if (f) add_times(f->breakpoints());
  }
  for (const AppliedWrench& w : applied_)
    for (int k = 0; k < 3; ++k) add(w.force[k]), add(w.moment[k]);
  for (const auto& controller : experiment.controllers) add_times(input_breakpoints(*controller));
  std::sort(breakpoints_.begin(), breakpoints_.end());
  const auto same = [](double x, double y) { return same_time(x, y); };
  breakpoints_.erase(std::unique(breakpoints_.begin(), breakpoints_.end(), same),
                     breakpoints_.end());
}

double Controls::next_breakpoint(double from) const {
  double next = std::numeric_limits<double>::infinity();
  const auto later = std::upper_bound(breakpoints_.begin(), breakpoints_.end(), from);
  for (auto it = later; it != breakpoints_.end(); ++it)
    if (!same_time(*it, from)) {
      next = *it;
      break;
    }
  for (const Sampled& s : sampled_) {
    next = std::min(next, static_cast<double>(s.count) * s.period);
    if (!s.pending.empty()) next = std::min(next, s.pending.front().time);
  }
  return std::min(next, sensors_->next_time());
}

double Controls::last_breakpoint(double until) const {
  double last = 0;
  for (const double time : breakpoints_)
    if (time <= until || same_time(time, until)) last = time;
  for (const Sampled& s : sampled_)
    last = std::max(last, static_cast<double>(s.count - 1) * s.period);
  return std::max(last, sensors_->last_time());
}

void Controls::set_segment(double begin, double end) {
  segment_begin_ = begin;
  segment_end_ = end;
}

void Controls::end_segment(double end) { segment_end_ = std::min(segment_end_, end); }

/// Functions may have another value at a breakpoint than on the side we come from.
double Controls::inside(double time) const {
  if (time >= segment_end_) return segment_end_ - time_rounding(segment_end_);
  if (time <= segment_begin_ && time > 0) return time + time_rounding(time);
  return time;
}

void Controls::efforts(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                       const double* z, Eigen::VectorXd& tau, double* dz) {
  tau.setZero();
  const double time = inside(t);
  for (const EffortFunction& f : functions_) tau(f.speed) += f.effort->at(time).value;
  if (formulas_) formulas_->add(time, q, v, reference, sensors_->readings().data(), tau);
  for (const Sampled& s : sampled_) tau += s.tau;
  for (const Continuous& c : continuous_)
    c.view->control(time, q, v, reference, nullptr, z + c.first, tau, dz + c.first);
  actuators_->act(q, v, z + first_actuator_state_, tau, dz + first_actuator_state_);
}

void Controls::compute(Sampled& s, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  thread_local Eigen::VectorXd next;  // no memory is asked for at each sample
  next.setZero(s.given.size());
  s.view->control(t, q, v, reference, &s.given, s.z.data(), next, s.dz.data());
  s.given.swap(next);
  s.z += s.period * s.dz;
  if (s.delay > 0)
    s.pending.push_back({static_cast<double>(s.count) * s.period + s.delay, s.given});
  else
    s.tau = s.given;
  ++s.count;
}

void Controls::sample(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const auto is_due = [t](double time) { return time <= t || same_time(time, t); };
  reference.update(inside(t));
  for (Sampled& s : sampled_) {
    for (; !s.pending.empty() && is_due(s.pending.front().time); s.pending.pop_front())
      s.tau = s.pending.front().tau;
    if (is_due(static_cast<double>(s.count) * s.period)) compute(s, t, q, v);
  }
}

void Controls::update_wrenches(double t, std::span<ExternalWrench> wrenches) const {
  const double time = inside(t);
  for (std::size_t i = 0; i < applied_.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      if (applied_[i].force[k]) wrenches[i].force(k) = applied_[i].force[k]->at(time).value;
      if (applied_[i].moment[k]) wrenches[i].moment(k) = applied_[i].moment[k]->at(time).value;
    }
}

void Controls::remember(std::vector<double>& memory) const {
  for (const Sampled& s : sampled_) {
    memory.push_back(static_cast<double>(s.count));
    memory.insert(memory.end(), s.z.begin(), s.z.end());
    memory.insert(memory.end(), s.tau.begin(), s.tau.end());
    memory.insert(memory.end(), s.given.begin(), s.given.end());
    memory.push_back(static_cast<double>(s.pending.size()));
    for (const Pending& p : s.pending) {
      memory.push_back(p.time);
      memory.insert(memory.end(), p.tau.begin(), p.tau.end());
    }
  }
  if (!sensors_->empty()) sensors_->remember(memory);
}

long Controls::recall(const Eigen::VectorXd& memory) {
  long at = 0;
  for (Sampled& s : sampled_) {
    const long n = s.tau.size();
    if (at + 2 + s.z.size() + 2 * n > memory.size()) return at;
    s.count = static_cast<long>(memory(at++));
    s.z = memory.segment(at, s.z.size());
    at += s.z.size();
    s.tau = memory.segment(at, n);
    s.given = memory.segment(at + n, n);
    at += 2 * n;
    const auto pending = static_cast<long>(memory(at++));
    if (pending < 0 || pending > memory.size() || at + pending * (n + 1) > memory.size()) return at;
    s.pending.clear();
    for (long i = 0; i < pending; ++i, at += n + 1)
      s.pending.push_back({memory(at), memory.segment(at + 1, n)});
  }
  if (sensors_->empty()) return at;
  const long end = sensors_->recall(memory, at);
  return end < 0 ? at : end;
}

}  // namespace ulna
