// Derivatives in closed form, along a random direction, against dual numbers and differences.

#include "verify/on_dual_numbers.hpp"
#include "verify/verifier.hpp"

namespace ulna {
namespace {

/// Step of the central differences: their error is delta^2, their noise 1e-16 / delta.
constexpr double delta = 1e-6;

}  // namespace

void Verifier::inverse_derivatives() {
  const InverseDerivatives& d = inverse_dynamics_derivatives(model, work, derivatives, q, v, a);
  const Eigen::VectorXd e = entries(), none = Eigen::VectorXd::Zero(model.speeds());
  const double terms = size_of(terms_of_tau);
  const auto compare = [&](const char* quantity, const Eigen::VectorXd& exact,
                           const Eigen::VectorXd& dual, const Eigen::VectorXd& difference) {
    ledger.compare("closed form", "dual numbers", quantity, exact, dual, 1e-9, terms);
    ledger.compare("closed form", "differences", quantity, exact, difference, 1e-6, terms);
  };
  const auto along = [&](const Eigen::VectorXd& dq, const Eigen::VectorXd& dv) -> Eigen::VectorXd {
    const Eigen::VectorXd up =
        inverse_dynamics(model, work, model.integrate(q, delta * dq), v + delta * dv, a);
    const Eigen::VectorXd down =
        inverse_dynamics(model, work, model.integrate(q, -delta * dq), v - delta * dv, a);
    return (up - down) / (2 * delta);
  };
  const Eigen::VectorXd by_q = d.dtau_dq * e, by_v = d.dtau_dv * e, by_a = d.mass_matrix * e;
  compare("d tau / d q", by_q, inverse_rate(model, {q, v, e, none}, a, none), along(e, none));
  compare("d tau / d v", by_v, inverse_rate(model, {q, v, none, e}, a, none), along(none, e));
  ledger.compare("closed form", "dual numbers", "d tau / d a", by_a,
                 inverse_rate(model, {q, v, none, none}, a, e), 1e-9);
}

void Verifier::forward_derivatives() {
  const ForwardDerivatives& d =
      forward_dynamics_derivatives(model, work, derivatives, q, v, efforts);
  const Eigen::VectorXd e = entries(), none = Eigen::VectorXd::Zero(model.speeds());
  const Eigen::VectorXd push = e * size_of(efforts);
  const double terms = size_of(d.acceleration);
  const auto compare = [&](const char* quantity, const Eigen::VectorXd& exact,
                           const Eigen::VectorXd& dual, const Eigen::VectorXd& difference) {
    ledger.compare("closed form", "dual numbers", quantity, exact, dual, 1e-9 + forward_bound(),
                   terms);
    // The noise of an acceleration, divided by the step.
    ledger.compare("closed form", "differences", quantity, exact, difference,
                   1e-6 + 1e-16 * condition / delta, terms);
  };
  const auto along = [&](const Eigen::VectorXd& dq, const Eigen::VectorXd& dv) -> Eigen::VectorXd {
    const Eigen::VectorXd up =
        forward_dynamics(model, work, model.integrate(q, delta * dq), v + delta * dv, efforts);
    const Eigen::VectorXd down =
        forward_dynamics(model, work, model.integrate(q, -delta * dq), v - delta * dv, efforts);
    return (up - down) / (2 * delta);
  };
  const Eigen::VectorXd by_q = d.da_dq * e, by_v = d.da_dv * e, by_tau = d.da_dtau * push;
  compare("d a / d q", by_q, forward_rate(model, {q, v, e, none}, efforts, none), along(e, none));
  compare("d a / d v", by_v, forward_rate(model, {q, v, none, e}, efforts, none), along(none, e));
  ledger.compare("closed form", "dual numbers", "d a / d tau", by_tau,
                 forward_rate(model, {q, v, none, none}, efforts, push), 1e-9 + forward_bound());
}

}  // namespace ulna
