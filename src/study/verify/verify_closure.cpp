// Loops: their equations against differences, and the two ways to close them.

#include "verify/verifier.hpp"

namespace ulna {
namespace {

/// Step of the differences. A fine thread turns a slide into turns in proportion to its pitch,
/// which the step must not make large.
double difference_step(const Model& model) {
  double finest = model.length_scale();
  for (const Loop& loop : model.loops())
    if (loop.kind == LoopKind::joint && loop.pitch != 0)
      finest = std::min(finest, std::abs(loop.pitch));
  return 1e-5 * finest / model.length_scale();
}

}  // namespace

void Verifier::closure_equations() {
  using Vector = Eigen::VectorXd;
  LoopClosure& closure = closed->closure;
  closure.update_rates(work, q, v);
  const Vector zero = Vector::Zero(closure.rows());
  // Loops that may stay open a little are askew by as much.
  const double askew = 10 * model.robot().loop_tolerance;
  ledger.compare("A v", "zero", "closure of speeds", closure.times(v), zero, 1e-12 + askew,
                 closed->drawn);
  ledger.compare("A a", "b", "closure of accelerations", closure.times(a), closure.bias(),
                 1e-10 + askew, a.norm());
  const Vector b = closure.bias(), direction = entries();
  const Vector rate = closure.times(direction);
  const double h = difference_step(model);
  const double length = std::max(1.0, model.length_scale());
  const auto residual = [&](double t, const Vector& d) {
    closure.update(work, model.integrate(q, t * d));
    return Vector(closure.residual());
  };
  ledger.compare("A", "differences", "Jacobian of the closure", rate,
                 (residual(h, direction) - residual(-h, direction)) / (2 * h), 1e-6,
                 direction.norm() * length);
  const auto speed = [&](double t) {
    closure.update(work, model.integrate(q, t * v));
    return closure.times(v);
  };
  ledger.compare("b", "differences", "bias of the closure", -b, (speed(h) - speed(-h)) / (2 * h),
                 1e-6, closed->drawn * closed->drawn * length);
  closure.update_rates(work, q, v);
}

void Verifier::closing_methods() {
  LoopDynamics& loops = *dynamics.loops();
  // Efforts along all speeds, whether they have an actuator or not.
  const Eigen::VectorXd any = entries().cwiseQuotient(closed->closure.column_scale().cwiseAbs2()) *
                              model.mass() * model.length_scale();
  const auto by = [&](const Eigen::VectorXd& x, LoopMethod method) -> Eigen::VectorXd {
    return loops.forward(work, q, v, x, {}, method);
  };
  const Eigen::VectorXd found = by(any, LoopMethod::multipliers);
  const Eigen::VectorXd lambda = loops.lambda();
  ledger.compare("multipliers", "embedding", "closing of loops", found,
                 by(any, LoopMethod::embedding), forward_bound());
  const double power = lambda.dot(loops.closure().times(v));
  ledger.note("lambda' A v", "zero", "power of the reactions",
              std::abs(power) / std::max(lambda.norm() * std::max(v.norm(), closed->drawn), 1e-300),
              1e-11);
  for (const LoopMethod method : {LoopMethod::multipliers, LoopMethod::embedding})
    ledger.compare(name_of(method), "inverse dynamics undone", "closing of loops", by(tau, method),
                   a, 100 * forward_bound());
}

}  // namespace ulna
