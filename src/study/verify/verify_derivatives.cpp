// Derivatives in closed form, along a random direction, against dual numbers and differences.

#include "verify/on_dual_numbers.hpp"
#include "verify/verifier.hpp"

namespace ulna {
namespace {

/// Step of the central differences: their error is delta^2, their noise 1e-16 / delta.
constexpr double delta = 1e-6;

}  // namespace

void Verifier::inverse_derivatives() {
  const InverseDerivatives& d = dynamics.inverse_derivatives(q, v, a);
  const Eigen::VectorXd e = entries(), none = Eigen::VectorXd::Zero(model.speeds());
  const double terms = size_of(terms_of_tau);
  const auto compare = [&](const char* quantity, const Eigen::VectorXd& exact,
                           const Eigen::VectorXd& dq, const Eigen::VectorXd& dv) {
    if (rigid)  // the derivatives of flexible robots are dual numbers themselves
      ledger.compare("closed form", "dual numbers", quantity, exact,
                     inverse_rate(model, {q, v, dq, dv}, a, none), 1e-9, terms);
    const Eigen::VectorXd up = needed(model.integrate(q, delta * dq), v + delta * dv, a),
                          down = needed(model.integrate(q, -delta * dq), v - delta * dv, a);
    ledger.compare("closed form", "differences", quantity, exact, (up - down) / (2 * delta), 1e-6,
                   terms);
  };
  const Eigen::VectorXd by_q = d.dtau_dq * e, by_v = d.dtau_dv * e, by_a = d.mass_matrix * e;
  compare("d tau / d q", by_q, e, none);
  compare("d tau / d v", by_v, none, e);
  ledger.compare("closed form", rigid ? "dual numbers" : "differences", "d tau / d a", by_a,
                 rigid ? inverse_rate(model, {q, v, none, none}, a, e)
                       : Eigen::VectorXd(needed(q, v, a + e) - needed(q, v, a)),
                 1e-9, rigid ? 0 : terms);
}

void Verifier::forward_derivatives() {
  const ForwardDerivatives& d = dynamics.forward_derivatives(q, v, efforts);
  const Eigen::VectorXd e = entries(), none = Eigen::VectorXd::Zero(model.speeds());
  const Eigen::VectorXd push = e * size_of(efforts);
  const double terms = size_of(d.acceleration);
  const Eigen::VectorXd by_q = d.da_dq * e, by_v = d.da_dv * e, by_tau = d.da_dtau * push;
  const auto compare = [&](const char* quantity, const Eigen::VectorXd& exact,
                           const Eigen::VectorXd& dq, const Eigen::VectorXd& dv) {
    if (rigid)
      ledger.compare("closed form", "dual numbers", quantity, exact,
                     forward_rate(model, {q, v, dq, dv}, efforts, none), 1e-9 + forward_bound(),
                     terms);
    const Eigen::VectorXd up = dynamics.forward(model.integrate(q, delta * dq), v + delta * dv,
                                                efforts),
                          down = dynamics.forward(model.integrate(q, -delta * dq), v - delta * dv,
                                                  efforts);
    // The noise of an acceleration, divided by the step.
    ledger.compare("closed form", "differences", quantity, exact, (up - down) / (2 * delta),
                   1e-6 + (rigid ? 1e-16 * condition : forward_bound()) / delta, terms);
  };
  compare("d a / d q", by_q, e, none);
  compare("d a / d v", by_v, none, e);
  if (rigid)
    ledger.compare("closed form", "dual numbers", "d a / d tau", by_tau,
                   forward_rate(model, {q, v, none, none}, efforts, push), 1e-9 + forward_bound());
}

}  // namespace ulna
