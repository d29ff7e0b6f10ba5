// What holds for any mechanism.

#include "ulna/dynamics/internal/energy_rate.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "verify/on_dual_numbers.hpp"
#include "verify/verifier.hpp"

namespace ulna {

void Verifier::energies() {
  const double kinetic = dynamics.energy(q, v).kinetic, form = 0.5 * v.dot(M * v);
  const double terms = 0.5 * v.cwiseAbs().dot(M.cwiseAbs() * v.cwiseAbs());
  ledger.note("kinetic energy", "v' M v / 2", "energy",
              std::abs(kinetic - form) / std::max(terms, 1e-300), rigid ? 1e-12 : 1e-11);
}

/// The energy gains the power of the efforts less what dampers and friction take.
void Verifier::power_balance() {
  const EnergyRate rate = energy_rate(model, work, q, v, a);
  double gained = rate.kinetic + rate.potential, taken = dissipated_power(model, q, v);
  if (closed) {
    const ClosingPower closing = dynamics.loops()->closing_power(work, q, v);
    gained += closing.stored_rate;
    taken += closing.dissipated;
  }
  const double terms = v.cwiseAbs().dot(terms_of_tau) + taken + std::abs(rate.kinetic) +
                       std::abs(rate.potential) + std::abs(gained);
  ledger.note("d(energy)/dt", "tau v - dissipation", "power balance",
              std::abs(gained - (tau.dot(v) - taken)) / std::max(terms, 1e-300),
              closed ? forward_bound() : 1e-11);
  constexpr double h = 1e-5;
  const auto total = [&](double t) {
    const Eigen::VectorXd step = t * v + 0.5 * t * t * a;
    const Energy e = dynamics.energy(model.integrate(q, step), v + t * a);
    return e.kinetic + e.potential;
  };
  constexpr double bound = 1e-6;
  // The energies carry the rounding of their terms.
  const double energies = std::abs(total(0)) + model.mass() * model.robot().gravity.norm() *
                                                   std::max(1.0, model.length_scale());
  const double scale = terms + 1e-15 * energies / (h * bound);
  ledger.note("d(energy)/dt", "differences", "power balance",
              std::abs(gained - (total(h) - total(-h)) / (2 * h)) / std::max(scale, 1e-300), bound);
}

void Verifier::virtual_work() {
  std::vector<int> bodies;  // rigid ones: a point of a flexible body moves with its section
  for (int body = 1; body < static_cast<int>(model.bodies().size()); ++body)
    if (std::ranges::find(model.flexible_links(), body, &FlexibleLink::body) ==
        model.flexible_links().end())
      bodies.push_back(body);
  if (bodies.empty()) return;
  std::uniform_int_distribution<std::size_t> any(0, bodies.size() - 1);
  const auto vector = [&] {
    std::uniform_real_distribution<double> one(-1, 1);
    return Vector3<double>(one(generator), one(generator), one(generator));
  };
  ExternalWrench wrench{bodies[any(generator)], vector(), vector(), vector(), 0};
  Vector6<double> w;
  w << wrench.moment, wrench.force;
  const Eigen::VectorXd with = dynamics.inverse(q, v, a, {&wrench, 1}).tau;
  const Eigen::MatrixXd J = jacobian(model, work, q, {wrench.body, wrench.point});
  ledger.compare("J' wrench", "change of efforts", "virtual work",
                 on_independent(J.transpose() * w), on_independent(tau - with),
                 closed ? forward_bound() : 1e-11, rigid ? size_of(tau) : size_of(terms_of_tau));
}

void Verifier::tip_motion() {
  const int tip = model.tip_frame();
  update_motions(model, work, q, v, a);
  const Vector6<double> V = frame_velocity(model, work, tip).vector(),
                        A = frame_acceleration(model, work, tip).vector();
  const Jacobian J = jacobian(model, work, q, {tip});
  const double reach = std::max(1.0, model.length_scale());
  ledger.compare("jacobian", "motion", "tip velocity", J * v, V, 1e-11, v.norm() * reach);
  ledger.compare("jacobian", "motion", "tip acceleration",
                 J * a + jacobian_derivative(model, q, v, {tip}) * v, A, 1e-11,
                 (a.norm() + v.squaredNorm()) * reach);
}

void Verifier::coriolis() {
  const Eigen::MatrixXd C = coriolis_matrix(model, q, v);
  const Eigen::VectorXd passive = passive_efforts(model, work, q, v),
                        gravity = gravity_efforts(model, work, q);
  ledger.compare(
      "C v", "bias - gravity - passive", "Coriolis matrix", C * v, bias - gravity - passive, 1e-11,
      size_of(bias) + size_of(passive) + size_of(gravity) + size_of(M) * size_of(v) * size_of(v));
  const Eigen::VectorXd steady = Eigen::VectorXd::Zero(model.speeds());
  const Eigen::MatrixXd M_dot = mass_matrix_rate(model, {q, v, v, steady});
  const Eigen::MatrixXd skew = M_dot - 2 * C;
  ledger.compare("dM/dt - 2 C", "minus its transpose", "Coriolis matrix", skew, -skew.transpose(),
                 1e-11, size_of(M_dot) + 2 * size_of(C) + size_of(M) * size_of(v));
}

}  // namespace ulna
