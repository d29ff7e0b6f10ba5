#include "ulna/simulation/internal/mechanical_system.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"
#include "run/effort_formulas.hpp"
#include "run/times.hpp"
#include "ulna/dynamics/internal/energy_rate.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

Eigen::VectorXd or_zero(const Eigen::VectorXd& x, int n) {
  return x.size() > 0 ? x : Eigen::VectorXd(Eigen::VectorXd::Zero(n));
}

bool is_driven(const Drive& drive) {
  return drive.kind == DriveKind::motion || drive.kind == DriveKind::locked;
}

std::vector<char> driven_speeds(const Model& model, const std::vector<Drive>& drives) {
  std::vector<char> driven(static_cast<std::size_t>(model.speeds()), 0);
  for (std::size_t j = 0; j < drives.size(); ++j)
    for (int k = 0; k < model.joints()[j].speeds; ++k)
      driven[model.joints()[j].v + k] = is_driven(drives[j]);
  return driven;
}

}  // namespace

MechanicalSystem::MechanicalSystem(const Experiment& experiment)
    : reference(experiment),
      work(*experiment.model),
      model_(experiment.model),
      drives_(experiment.drives),
      controllers_(experiment.controllers),
      applied_(experiment.wrenches),
      elastic_(experiment.elastic),
      dynamics_(*model_, experiment.elastic, model_->loops().empty() ? experiment.method : ""),
      closing_(experiment.closing),
      control_work_(*model_),
      modes_(*model_, driven_speeds(*model_, experiment.drives), experiment.stops),
      driven_(driven_speeds(*model_, experiment.drives)),
      held_(driven_),
      place_(driven_.size(), -1),
      start_q_(reference.q),
      start_v_(or_zero(experiment.v, model_->speeds())),
      segment_begin_(0),
      segment_end_(experiment.end) {
  drives_.resize(model_->joints().size());
  reference.update(0);
  if (experiment.q.size() == 0) start_q_ = reference.q;
  // What a reference says of modes is that they are at rest; they start as the experiment says.
  if (experiment.q.size() > 0) start_q_.tail(model_->modes()) = experiment.q.tail(model_->modes());
  if (experiment.v.size() == 0) start_v_ = reference.v;
  if (!model_->loops().empty()) assemble_start(experiment);
  response_ = std::make_unique<SpeedResponse>(*model_, loops_);
  for (const AppliedWrench& w : applied_)
    wrenches_.push_back({.body = w.body, .point = w.point, .expressed_in = w.expressed_in});
  start_contacts(experiment);
  q = raw_q_ = start_q_;
  v = start_v_;
  a = tau = error_ = scratch_ = Eigen::VectorXd::Zero(model_->speeds());
  rates_ = Eigen::VectorXd::Zero(model_->coordinates());

  for (std::size_t j = 0; j < drives_.size(); ++j) {
    const Joint& joint = model_->joints()[j];
    const bool follows = is_driven(drives_[j]);
    for (int k = 0; k < joint.coordinates; ++k)
      (follows ? driven_q_ : free_q_).push_back(joint.q + k);
    for (int k = 0; k < joint.speeds; ++k) {
      (follows ? driven_v_ : free_v_).push_back(joint.v + k);
      if (!follows) place_[joint.v + k] = static_cast<int>(free_v_.size()) - 1;
      if (!drives_[j].effort.empty())
        functions_.push_back({joint.v + k, drives_[j].effort[k].get()});
    }
    const int first = static_cast<int>(free_q_.size()) - joint.coordinates;
    for (const TangentBlock& block : model_->blocks())
      if (block.joint == static_cast<int>(j) && !follows)
        quaternions_.push_back(first + block.q - joint.q);
  }
  for (const FlexibleLink& link : model_->flexible_links())
    for (int k = 0; k < link.modal->modes; ++k) {
      free_q_.push_back(link.q + k);
      free_v_.push_back(link.v + k);
      place_[link.v + k] = static_cast<int>(free_v_.size()) - 1;
    }
  hold_as_modes_say();
  applied_efforts_ = tau;
  curved_ = !quaternions_.empty();
  first_v_ = static_cast<int>(free_q_.size());
  first_z_ = first_v_ + static_cast<int>(free_v_.size());
  first_work_ = first_z_;
  for (const auto& controller : controllers_) {
    if (controller->period > 0) {
      const Eigen::VectorXd zero = Eigen::VectorXd::Zero(controller->states(*model_));
      sampled_.push_back({controller.get(), zero, zero, tau, 0});
    } else {
      continuous_.push_back({controller.get(), first_work_});
      first_work_ += controller->states(*model_);
    }
  }
  controlled_ = !controllers_.empty();
  formulas_ = EffortFormulas::of(experiment);
  always_reference_ = !reference.empty() && (!driven_v_.empty() || !continuous_.empty() ||
                                             (formulas_ && formulas_->use_reference()));
  size_ = first_work_ + 3;
  scratch_step_ = Eigen::VectorXd::Zero(size_);
  collect_breakpoints(experiment);
}

void MechanicalSystem::collect_breakpoints(const Experiment& experiment) {
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

double MechanicalSystem::next_breakpoint(double from) const {
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

double MechanicalSystem::last_breakpoint(double until) const {
  double last = 0;
  for (const double time : breakpoints_)
    if (time <= until || same_time(time, until)) last = time;
  for (const Sampled& s : sampled_)
    last = std::max(last, static_cast<double>(s.count - 1) * s.controller->period);
  return last;
}

void MechanicalSystem::set_segment(double begin, double end) {
  segment_begin_ = begin;
  segment_end_ = end;
}

/// Functions may have another value at a breakpoint than on the side we come from.
double MechanicalSystem::inside(double time) const {
  if (time >= segment_end_) return segment_end_ - time_rounding(segment_end_);
  if (time <= segment_begin_ && time > 0) return time + time_rounding(time);
  return time;
}

Eigen::VectorXd MechanicalSystem::start() {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(size_);
  for (std::size_t i = 0; i < free_q_.size(); ++i) y(i) = start_q_(free_q_[i]);
  for (std::size_t i = 0; i < free_v_.size(); ++i) y(first_v_ + i) = start_v_(free_v_[i]);
  return y;
}

void MechanicalSystem::expand(double time, const double* y) {
  t = time;
  if (always_reference_) reference.update(inside(time));
  for (std::size_t i = 0; i < free_q_.size(); ++i) raw_q_(free_q_[i]) = y[i];
  for (std::size_t i = 0; i < free_v_.size(); ++i) v(free_v_[i]) = y[first_v_ + i];
  // A locked joint has its start as reference and no motion.
  for (const int k : driven_q_) raw_q_(k) = reference.q(k);
  for (const int k : driven_v_) {
    v(k) = reference.v(k);
    a(k) = reference.a(k);
  }
  q = raw_q_;
  for (const int first : quaternions_) q.segment<4>(free_q_[first]).normalize();
}

ControlState MechanicalSystem::control_state() {
  return {*model_,  control_work_,       t, q, v, reference.q, reference.v, reference.a, error_,
          scratch_, control_loops_.get()};
}

void MechanicalSystem::update_efforts(const double* y, double* dz) {
  tau.setZero();
  const double time = inside(t);
  for (const EffortFunction& f : functions_) tau(f.speed) += f.effort->at(time).value;
  if (formulas_) formulas_->add(time, q, v, reference, tau);
  if (!controlled_) return;
  for (const Sampled& s : sampled_) tau += s.tau;
  if (continuous_.empty()) return;
  reference.error_from(q, error_);
  for (const Continuous& c : continuous_)
    c.controller->control(control_state(), y + c.first, tau, dz + (c.first - first_z_));
}

void MechanicalSystem::update_wrenches() {
  const double time = inside(t);
  for (std::size_t i = 0; i < applied_.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      if (applied_[i].force[k]) wrenches_[i].force(k) = applied_[i].force[k]->at(time).value;
      if (applied_[i].moment[k]) wrenches_[i].moment(k) = applied_[i].moment[k]->at(time).value;
    }
}

void MechanicalSystem::rates(double time, const double* y, double* dy) {
  expand(time, y);
  update_efforts(y, dy + first_z_);
  if (!applied_.empty()) update_wrenches();
  if (modes_.any())
    solve_with_modes();
  else
    determined_ = contacts_ ? solve_with_contacts() : solve(wrenches_);
  if (!determined_) [[unlikely]]
    a.setConstant(
        std::numeric_limits<double>::quiet_NaN());  // the step is refused and made smaller
  if (curved_) {
    coordinate_rates(*model_, raw_q_, v, rates_);
    for (std::size_t i = 0; i < free_q_.size(); ++i) dy[i] = rates_(free_q_[i]);
  } else {
    for (std::size_t i = 0; i < free_v_.size(); ++i) dy[i] = v(free_v_[i]);
  }
  for (std::size_t i = 0; i < free_v_.size(); ++i) dy[first_v_ + i] = a(free_v_[i]);
  dy[first_work_] = tau.dot(v);
  dy[first_work_ + 1] = external_power(*model_, work, q, v, applied_wrenches());
  dy[first_work_ + 2] = dissipation();
  // A trial that slips past rest still has the friction of its mode.
  for (const JointModes::Speed& s : modes_.speeds())
    if (s.sense() != 0) dy[first_work_ + 2] += s.friction * (s.sense() * v(s.v) - std::abs(v(s.v)));
}

double MechanicalSystem::dissipation() const {
  const double closing = loops_ ? loops_->closing_power(work).dissipated : 0;
  const double contacts = contacts_ ? contacts_->dissipation() : 0;
  return dissipated_power(*model_, q, v) + closing + contacts;
}

bool MechanicalSystem::project(double time, double* y, double* dy) {
  // The rates are linear in each quaternion and see only its direction otherwise: dividing both by
  // the length keeps them together.
  for (const int first : quaternions_) {
    Eigen::Map<Eigen::Vector4d> x(y + first), rate(dy + first);
    const double length = x.norm();
    x /= length;
    rate /= length;
  }
  return projects() && project_on_constraints(time, y);
}

void MechanicalSystem::put_back(double* y) const {
  for (std::size_t i = 0; i < free_q_.size(); ++i) y[i] = q(free_q_[i]);
  for (std::size_t i = 0; i < free_v_.size(); ++i) y[first_v_ + i] = v(free_v_[i]);
}

void MechanicalSystem::semi_implicit_step(double time, double h, double* y) {
  rates(time, y, scratch_step_.data());
  for (int i = first_v_; i < size_; ++i) y[i] += h * scratch_step_(i);
  if (!curved_) {
    for (int i = 0; i < first_v_; ++i) y[i] += h * y[first_v_ + i];
    return;
  }
  for (std::size_t i = 0; i < free_v_.size(); ++i) v(free_v_[i]) = y[first_v_ + i];
  v *= h;
  model_->move_along(q, v);
  for (std::size_t i = 0; i < free_q_.size(); ++i) y[i] = q(free_q_[i]);
}

void MechanicalSystem::sample(double time, const double* y) {
  if (sampled_.empty()) return;
  expand(time, y);
  reference.update(inside(time));
  reference.error_from(q, error_);
  for (Sampled& s : sampled_) {
    const double due = static_cast<double>(s.count) * s.controller->period;
    if (due > time && !same_time(due, time)) continue;
    s.tau.setZero();
    s.controller->control(control_state(), s.z.data(), s.tau, s.dz.data());
    s.z += s.controller->period * s.dz;
    ++s.count;
  }
}

void MechanicalSystem::evaluate(double time, const double* y) {
  if (!always_reference_) reference.update(inside(time));
  rates(time, y, scratch_step_.data());
  if (contacts_) contacts_->update(q, v, true);
}

Eigen::Vector3d MechanicalSystem::works(const double* y) const {
  return Eigen::Map<const Eigen::Vector3d>(y + first_work_);
}

Eigen::VectorXd MechanicalSystem::memory() const {
  std::vector<double> all;
  for (const Sampled& s : sampled_) {
    all.push_back(static_cast<double>(s.count));
    all.insert(all.end(), s.z.begin(), s.z.end());
    all.insert(all.end(), s.tau.begin(), s.tau.end());
  }
  if (contacts_)
    for (const ContactSystem::Touch& c : contacts_->touches())
      all.insert(all.end(), {static_cast<double>(c.mode), c.reference, c.direction.x(),
                             c.direction.y(), static_cast<double>(c.impacts)});
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<long>(all.size()));
}

void MechanicalSystem::set_memory(const Eigen::VectorXd& memory) {
  long at = 0;
  for (Sampled& s : sampled_) {
    const long n = 1 + s.z.size() + s.tau.size();
    if (at + n > memory.size()) break;
    s.count = static_cast<long>(memory(at));
    s.z = memory.segment(at + 1, s.z.size());
    s.tau = memory.segment(at + 1 + s.z.size(), s.tau.size());
    at += n;
  }
  for (std::size_t k = 0; contacts_ && k < contacts_->touches().size(); ++k, at += 5) {
    if (at + 5 > memory.size()) break;
    ContactSystem::Touch& c = contacts_->touches()[k];
    c.mode = static_cast<ContactMode>(static_cast<int>(memory(at)));
    c.reference = memory(at + 1);
    c.direction = c.now = memory.segment<2>(at + 2);
    c.impacts = static_cast<long>(memory(at + 4));
  }
  if (at != memory.size() || (!sampled_.empty() && at == 0))
    throw InputError("the checkpoint belongs to an experiment with other controllers or contacts");
}

}  // namespace ulna
