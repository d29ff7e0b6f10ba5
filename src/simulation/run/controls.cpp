#include "ulna/simulation/internal/controls.hpp"

#include <algorithm>
#include <cmath>

#include "run/effort_formulas.hpp"
#include "run/times.hpp"

namespace ulna {

Controls::Controls(const Experiment& experiment)
    : reference(experiment),
      model_(experiment.model),
      drives_(experiment.drives),
      controllers_(experiment.controllers),
      applied_(experiment.wrenches),
      formulas_(EffortFormulas::of(experiment)),
      work_(*model_),
      error_(Eigen::VectorXd::Zero(model_->speeds())),
      scratch_(error_),
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
  for (const auto& controller : controllers_) {
    const int count = controller->states(*model_);
    if (controller->period > 0) {
      const Eigen::VectorXd zero = Eigen::VectorXd::Zero(count);
      sampled_.push_back({controller.get(), zero, zero, error_, 0});
    } else {
      continuous_.push_back({controller.get(), states_});
      states_ += count;
    }
  }
  if (!controllers_.empty() && !model_->loops().empty())
    loops_ = std::make_unique<LoopDynamics>(*model_);
  always_follows_ = !reference.empty() &&
                    (driven || !continuous_.empty() || (formulas_ && formulas_->use_reference()));
  collect_breakpoints(experiment);
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
  for (const Sampled& s : sampled_)
    next = std::min(next, static_cast<double>(s.count) * s.controller->period);
  return next;
}

double Controls::last_breakpoint(double until) const {
  double last = 0;
  for (const double time : breakpoints_)
    if (time <= until || same_time(time, until)) last = time;
  for (const Sampled& s : sampled_)
    last = std::max(last, static_cast<double>(s.count - 1) * s.controller->period);
  return last;
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

ControlState Controls::state(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  return {*model_,     work_,       t,      q,        v,           reference.q,
          reference.v, reference.a, error_, scratch_, loops_.get()};
}

void Controls::efforts(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                       const double* z, Eigen::VectorXd& tau, double* dz) {
  tau.setZero();
  const double time = inside(t);
  for (const EffortFunction& f : functions_) tau(f.speed) += f.effort->at(time).value;
  if (formulas_) formulas_->add(time, q, v, reference, tau);
  for (const Sampled& s : sampled_) tau += s.tau;
  if (continuous_.empty()) return;
  reference.error_from(q, error_);
  for (const Continuous& c : continuous_)
    c.controller->control(state(t, q, v), z + c.first, tau, dz + c.first);
}

void Controls::sample(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  reference.update(inside(t));
  reference.error_from(q, error_);
  for (Sampled& s : sampled_) {
    const double due = static_cast<double>(s.count) * s.controller->period;
    if (due > t && !same_time(due, t)) continue;
    s.tau.setZero();
    s.controller->control(state(t, q, v), s.z.data(), s.tau, s.dz.data());
    s.z += s.controller->period * s.dz;
    ++s.count;
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
  }
}

long Controls::recall(const Eigen::VectorXd& memory) {
  long at = 0;
  for (Sampled& s : sampled_) {
    const long n = 1 + s.z.size() + s.tau.size();
    if (at + n > memory.size()) break;
    s.count = static_cast<long>(memory(at));
    s.z = memory.segment(at + 1, s.z.size());
    s.tau = memory.segment(at + 1 + s.z.size(), s.tau.size());
    at += n;
  }
  return at;
}

}  // namespace ulna
