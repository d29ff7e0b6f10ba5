#include "ulna/simulation/internal/mechanical_system.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"
#include "ulna/dynamics/internal/energy_rate.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

Eigen::VectorXd or_zero(const Eigen::VectorXd& x, int n) {
  return x.size() > 0 ? x : Eigen::VectorXd(Eigen::VectorXd::Zero(n));
}

}  // namespace

MechanicalSystem::MechanicalSystem(const CheckedExperiment& checked)
    : work(*checked->model),
      model_(checked->model),
      controls_(*checked),
      layout_(*model_, checked->drives, controls_.states()),
      elastic_(checked->elastic),
      dynamics_(*model_, checked->elastic, model_->loops().empty() ? checked->method : ""),
      closing_(checked->closing),
      modes_(*model_, layout_.driven, checked->stops),
      held_(layout_.driven),
      start_q_(controls_.reference.q),
      start_v_(or_zero(checked->v, model_->speeds())),
      wrenches_(controls_.wrenches()) {
  const Experiment& experiment = *checked;
  Reference& reference = controls_.reference;
  reference.update(0);
  if (experiment.q.size() == 0) start_q_ = reference.q;
  // What a reference says of modes is that they are at rest; they start as the experiment says.
  if (experiment.q.size() > 0) start_q_.tail(model_->modes()) = experiment.q.tail(model_->modes());
  if (experiment.v.size() == 0) start_v_ = reference.v;
  if (!model_->loops().empty()) assemble_start(experiment);
  response_ = std::make_unique<SpeedResponse>(*model_, loops_);
  start_contacts(experiment);
  q = raw_q_ = start_q_;
  v = start_v_;
  a = tau = scratch_ = Eigen::VectorXd::Zero(model_->speeds());
  rates_ = Eigen::VectorXd::Zero(model_->coordinates());
  hold_as_modes_say();
  applied_efforts_ = tau;
  scratch_step_ = Eigen::VectorXd::Zero(layout_.size);
}

Eigen::VectorXd MechanicalSystem::start() {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(layout_.size);
  layout_.put(start_q_, start_v_, y.data());
  return y;
}

void MechanicalSystem::expand(double time, const double* y) {
  t = time;
  controls_.follow(time);
  const Reference& reference = controls_.reference;
  layout_.take(y, raw_q_, v);
  // A locked joint has its start as reference and no motion.
  for (const int k : layout_.driven_q) raw_q_(k) = reference.q(k);
  for (const int k : layout_.driven_v) {
    v(k) = reference.v(k);
    a(k) = reference.a(k);
  }
  q = raw_q_;
  for (const int first : layout_.quaternions) q.segment<4>(layout_.free_q[first]).normalize();
}

void MechanicalSystem::update_efforts(const double* y, double* dz) {
  controls_.efforts(t, q, v, y + layout_.first_z, tau, dz);
}

void MechanicalSystem::update_wrenches() {
  if (controls_.wrench_count() > 0) controls_.update_wrenches(t, wrenches_);
}

void MechanicalSystem::rates(double time, const double* y, double* dy) {
  expand(time, y);
  update_efforts(y, dy + layout_.first_z);
  update_wrenches();
  if (modes_.any())
    solve_with_modes();
  else
    determined_ = contacts_ ? solve_with_contacts() : solve(wrenches_);
  if (!determined_) [[unlikely]]
    a.setConstant(
        std::numeric_limits<double>::quiet_NaN());  // the step is refused and made smaller
  if (layout_.curved()) {
    coordinate_rates(*model_, raw_q_, v, rates_);
    for (std::size_t i = 0; i < layout_.free_q.size(); ++i) dy[i] = rates_(layout_.free_q[i]);
  } else {
    for (std::size_t i = 0; i < layout_.free_v.size(); ++i) dy[i] = v(layout_.free_v[i]);
  }
  for (std::size_t i = 0; i < layout_.free_v.size(); ++i)
    dy[layout_.first_v + i] = a(layout_.free_v[i]);
  dy[layout_.first_work] = tau.dot(v);
  dy[layout_.first_work + 1] = external_power(*model_, work, q, v, applied_wrenches());
  dy[layout_.first_work + 2] = dissipation();
  // A trial that slips past rest still has the friction of its mode.
  for (const JointModes::Speed& s : modes_.speeds())
    if (s.sense() != 0)
      dy[layout_.first_work + 2] += s.friction * (s.sense() * v(s.v) - std::abs(v(s.v)));
}

double MechanicalSystem::dissipation() const {
  const double closing = loops_ ? loops_->closing_power(work).dissipated : 0;
  const double contacts = contacts_ ? contacts_->dissipation() : 0;
  return dissipated_power(*model_, q, v) + closing + contacts;
}

bool MechanicalSystem::project(double time, double* y, double* dy) {
  // The rates are linear in each quaternion and see only its direction otherwise: dividing both by
  // the length keeps them together.
  for (const int first : layout_.quaternions) {
    Eigen::Map<Eigen::Vector4d> x(y + first), rate(dy + first);
    const double length = x.norm();
    x /= length;
    rate /= length;
  }
  return projects() && project_on_constraints(time, y);
}

void MechanicalSystem::semi_implicit_step(double time, double h, double* y) {
  rates(time, y, scratch_step_.data());
  for (int i = layout_.first_v; i < layout_.size; ++i) y[i] += h * scratch_step_(i);
  if (!layout_.curved()) {
    for (int i = 0; i < layout_.first_v; ++i) y[i] += h * y[layout_.first_v + i];
    return;
  }
  for (std::size_t i = 0; i < layout_.free_v.size(); ++i)
    v(layout_.free_v[i]) = y[layout_.first_v + i];
  v *= h;
  model_->move_along(q, v);
  for (std::size_t i = 0; i < layout_.free_q.size(); ++i) y[i] = q(layout_.free_q[i]);
}

void MechanicalSystem::sample(double time, const double* y) {
  if (!controls_.samples()) return;
  expand(time, y);
  controls_.sample(time, q, v);
}

void MechanicalSystem::evaluate(double time, const double* y) {
  if (!controls_.always_follows()) controls_.reference.update(controls_.inside(time));
  rates(time, y, scratch_step_.data());
  if (contacts_) contacts_->update(q, v, true);
}

Eigen::Vector3d MechanicalSystem::works(const double* y) const {
  return Eigen::Map<const Eigen::Vector3d>(y + layout_.first_work);
}

Eigen::VectorXd MechanicalSystem::memory() const {
  std::vector<double> all;
  controls_.remember(all);
  if (contacts_)
    for (const ContactSystem::Touch& c : contacts_->touches())
      all.insert(all.end(), {static_cast<double>(c.mode), c.reference, c.direction.x(),
                             c.direction.y(), static_cast<double>(c.impacts)});
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<long>(all.size()));
}

void MechanicalSystem::set_memory(const Eigen::VectorXd& memory) {
  long at = controls_.recall(memory);
  for (std::size_t k = 0; contacts_ && k < contacts_->touches().size(); ++k, at += 5) {
    if (at + 5 > memory.size()) break;
    ContactSystem::Touch& c = contacts_->touches()[k];
    c.mode = static_cast<ContactMode>(static_cast<int>(memory(at)));
    c.reference = memory(at + 1);
    c.direction = c.now = memory.segment<2>(at + 2);
    c.impacts = static_cast<long>(memory(at + 4));
  }
  if (at != memory.size() || (controls_.samples() && at == 0))
    throw InputError("the checkpoint belongs to an experiment with other controllers or contacts");
}

}  // namespace ulna
