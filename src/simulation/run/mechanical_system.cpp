#include "run/mechanical_system.hpp"

#include <limits>

#include "ulna/dynamics/internal/energy_rate.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {

MechanicalSystem::MechanicalSystem(const CheckedExperiment& checked, std::optional<double> event)
    : MotionState(*checked),
      constraints_(*this, *checked),
      contacts_(*this, constraints_, *checked),
      start_(Eigen::VectorXd::Zero(layout.size)),
      rates_(Eigen::VectorXd::Zero(model().coordinates())),
      step_(start_) {
  const Experiment& experiment = *checked;
  Reference& reference = controls.reference;
  reference.update(event.value_or(0));
  if (experiment.q.size() == 0) q = reference.q;
  // What a reference says of modes is that they are at rest; they start as the experiment says.
  if (experiment.q.size() > 0) q.tail(model().modes()) = experiment.q.tail(model().modes());
  v = experiment.v.size() > 0 ? experiment.v : reference.v;
  event ? constraints_.go_on(experiment, q, v) : constraints_.close_start(experiment, q, v);
  contacts_.start(experiment, event.has_value(), q, v);
  raw_q = q;
  layout.put(q, v, start_.data());
  start_.segment(layout.first_z, controls.states()) = controls.start(q, v);
}

void MechanicalSystem::rates(double time, const double* y, double* dy) {
  expand(time, y);
  apply(y, dy + layout.first_z);
  contacts_.solve();
  if (layout.curved()) {
    coordinate_rates(model(), raw_q, v, rates_);
    for (std::size_t i = 0; i < layout.free_q.size(); ++i) dy[i] = rates_(layout.free_q[i]);
  } else {
    for (std::size_t i = 0; i < layout.free_v.size(); ++i) dy[i] = v(layout.free_v[i]);
  }
  for (std::size_t i = 0; i < layout.free_v.size(); ++i)
    dy[layout.first_v + i] = a(layout.free_v[i]);
  Eigen::Map<Eigen::Vector3d>(dy + layout.first_work) = powers();
}

Eigen::Vector3d MechanicalSystem::powers() {
  return {tau.dot(v), external_power(model(), work, q, v, applied_wrenches()), dissipation()};
}

double MechanicalSystem::dissipation() const {
  return constraints_.dissipation() + contacts_.dissipation();
}

bool MechanicalSystem::project(double time, double* y, double* dy) {
  // The rates are linear in each quaternion and see only its direction otherwise: dividing both by
  // the length keeps them together.
  for (const int first : layout.quaternions) {
    Eigen::Map<Eigen::Vector4d> x(y + first), rate(dy + first);
    const double length = x.norm();
    x /= length;
    rate /= length;
  }
  return projects() && project_on_constraints(time, y);
}

bool MechanicalSystem::project_on_constraints(double time, double* y) {
  expand(time, y);
  if (!is_finite()) return true;  // after a trial that failed: it said why
  trouble.clear();
  const bool changed = constraints_.close() && contacts_.project();
  if (!trouble.empty()) {
    y[0] = std::numeric_limits<double>::quiet_NaN();  // the step is refused and made smaller
    return true;
  }
  if (!constraints_.closes() && !changed) return false;
  layout.put(q, v, y);
  return true;
}

void MechanicalSystem::semi_implicit_step(double time, double h, double* y) {
  rates(time, y, step_.data());
  for (int i = layout.first_v; i < layout.size; ++i) y[i] += h * step_(i);
  if (!layout.curved()) {
    for (int i = 0; i < layout.first_v; ++i) y[i] += h * y[layout.first_v + i];
    return;
  }
  for (std::size_t i = 0; i < layout.free_v.size(); ++i)
    v(layout.free_v[i]) = y[layout.first_v + i];
  v *= h;
  model().move_along(q, v);
  for (std::size_t i = 0; i < layout.free_q.size(); ++i) y[i] = q(layout.free_q[i]);
}

void MechanicalSystem::sample(double time, const double* y) {
  if (!controls.samples()) return;
  expand(time, y);
  controls.sample(time, q, v);
}

void MechanicalSystem::evaluate(double time, const double* y) {
  if (!controls.always_follows()) controls.reference.update(controls.inside(time));
  rates(time, y, step_.data());
  contacts_.look();
}

double MechanicalSystem::guard(double time, const double* y) {
  evaluate(time, y);
  return contacts_.guard();
}

void MechanicalSystem::choose_contact_states(double time, double* y) {
  evaluate(time, y);
  contacts_.choose_states(time, y);
}

int MechanicalSystem::choose_rows(double time, const double* y) {
  expand(time, y);
  return constraints_.choose_rows();
}

bool MechanicalSystem::consistent_rates(double time, const double* y, double* dy, double* lambda) {
  rates(time, y, dy);
  if (determined) constraints_.chosen_multipliers(lambda);
  return determined;
}

void MechanicalSystem::constraint_residual(double time, const double* y, const double* dy,
                                           const double* lambda, const double* mu,
                                           double* residual) {
  expand(time, y);
  apply(y, residual + layout.first_z);
  for (int i = layout.first_z; i < layout.first_work; ++i) residual[i] = dy[i] - residual[i];
  const Eigen::VectorXd applied = tau;
  contacts_.act();
  constraints_.residual(dy, lambda, mu, residual);
  for (const int k : layout.free_v) tau(k) = applied(k);
  Eigen::Map<Eigen::Vector3d>(residual + layout.first_work) = works(dy) - powers();
}

Eigen::Vector3d MechanicalSystem::works(const double* y) const {
  return Eigen::Map<const Eigen::Vector3d>(y + layout.first_work);
}

Eigen::VectorXd MechanicalSystem::memory() const {
  std::vector<double> all;
  controls.remember(all);
  contacts_.remember(all);
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<long>(all.size()));
}

void MechanicalSystem::set_memory(const Eigen::VectorXd& memory) {
  const long at = contacts_.recall(memory, controls.recall(memory));
  if (at != memory.size() || (controls.samples() && at == 0))
    throw InputError("the checkpoint belongs to an experiment with other controllers or contacts");
}

}  // namespace ulna
