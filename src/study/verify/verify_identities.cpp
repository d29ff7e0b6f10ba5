// What holds for any mechanism.

#include "ulna/dynamics/elements.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "verify/on_dual_numbers.hpp"
#include "verify/verifier.hpp"

namespace ulna {

void Verifier::energies() {
  const double kinetic = energy(model, work, q, v).kinetic, form = 0.5 * v.dot(M * v);
  const double terms = 0.5 * v.cwiseAbs().dot(M.cwiseAbs() * v.cwiseAbs());
  ledger.note("kinetic energy", "v' M v / 2", "energy",
              std::abs(kinetic - form) / std::max(terms, 1e-300), 1e-12);
}

void Verifier::power_balance() {
  double dissipated = element_dissipation(model, q, v);
  for (const DegreeTerms& t : model.degree_terms()) {
    const double rate = t.multiplier * v(t.v);
    dissipated += t.damping * rate * rate + t.friction * std::abs(rate);
  }
  const double stored = energy_rate(model, {q, v, v, a});
  const double terms = v.cwiseAbs().dot(terms_of_tau) + dissipated;
  ledger.note("d(energy)/dt", "tau v - dissipation", "power balance",
              std::abs(stored - (tau.dot(v) - dissipated)) / std::max(terms, 1e-300), 1e-11);
}

void Verifier::coriolis() {
  const Eigen::MatrixXd C = coriolis_matrix(model, q, v);
  const Eigen::VectorXd passive = passive_efforts(model, work, q, v),
                        gravity = gravity_efforts(model, work, q);
  ledger.compare("C v", "bias - gravity - passive", "Coriolis matrix", C * v,
                 bias - gravity - passive, 1e-11,
                 size_of(bias) + size_of(passive) + size_of(gravity));
  const Eigen::VectorXd steady = Eigen::VectorXd::Zero(model.speeds());
  const Eigen::MatrixXd M_dot = mass_matrix_rate(model, {q, v, v, steady});
  const Eigen::MatrixXd skew = M_dot - 2 * C;
  ledger.compare("dM/dt - 2 C", "minus its transpose", "Coriolis matrix", skew, -skew.transpose(),
                 1e-11, size_of(M_dot) + 2 * size_of(C) + size_of(M) * size_of(v));
}

void Verifier::virtual_work() {
  std::uniform_int_distribution<int> any(1, static_cast<int>(model.bodies().size()) - 1);
  const int body = any(generator);
  const auto vector = [&] {
    std::uniform_real_distribution<double> one(-1, 1);
    return Vector3<double>(one(generator), one(generator), one(generator));
  };
  ExternalWrench wrench{body, vector(), vector(), vector(), 0};
  Vector6<double> w;
  w << wrench.moment, wrench.force;
  const Eigen::VectorXd with = inverse_dynamics(model, work, q, v, a, {&wrench, 1});
  const Eigen::MatrixXd J = jacobian(model, work, q, {body, wrench.point});
  ledger.compare("J' wrench", "change of efforts", "virtual work", J.transpose() * w, tau - with,
                 1e-11, size_of(tau));
}

}  // namespace ulna
