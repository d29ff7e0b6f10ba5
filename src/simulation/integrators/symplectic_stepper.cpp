#include "integrators/symplectic_stepper.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {
namespace {

/// The transposed adjoint action of a twist x (angular, then linear) on a wrench-like p.
void coadjoint(const TangentBlock& block, const Eigen::VectorXd& x, Eigen::VectorXd& p) {
  const Vector3<double> w = x.segment<3>(block.v);
  const Vector3<double> m = p.segment<3>(block.v);
  p.segment<3>(block.v) = -w.cross(m);
  if (block.kind != TangentBlock::Kind::free) return;
  const Vector3<double> u = x.segment<3>(block.v + 3), f = p.segment<3>(block.v + 3);
  p.segment<3>(block.v) -= u.cross(f);
  p.segment<3>(block.v + 3) = -w.cross(f);
}

/// sum of c_k (ad_x')^k p over the joints whose axes turn with them; elsewhere p.
Eigen::VectorXd series(const Model& model, const Eigen::VectorXd& x, const Eigen::VectorXd& p,
                       std::initializer_list<double> c) {
  Eigen::VectorXd power = p, sum = p;
  for (const double factor : c) {
    for (const TangentBlock& block : model.blocks()) {
      if (block.kind == TangentBlock::Kind::line) continue;
      coadjoint(block, x, power);
      sum.segment(block.v, block.speeds) += factor * power.segment(block.v, block.speeds);
    }
  }
  return sum;
}

/// Transposed inverse of the left Jacobian of exp at x; of the right one at -x.
Eigen::VectorXd inverse_left(const Model& model, const Eigen::VectorXd& x,
                             const Eigen::VectorXd& p) {
  return series(
      model, x, p,
      {-1.0 / 2, 1.0 / 12, 0, -1.0 / 720, 0, 1.0 / 30240, 0, -1.0 / 1209600, 0, 1.0 / 47900160});
}
/// Transposed right Jacobian of exp at x.
Eigen::VectorXd right(const Model& model, const Eigen::VectorXd& x, const Eigen::VectorXd& p) {
  return series(model, x, p,
                {-1.0 / 2, 1.0 / 6, -1.0 / 24, 1.0 / 120, -1.0 / 720, 1.0 / 5040, -1.0 / 40320,
                 1.0 / 362880});
}
/// Transposed Ad of exp(-x).
Eigen::VectorXd transported_back(const Model& model, const Eigen::VectorXd& x,
                                 const Eigen::VectorXd& p) {
  return series(model, x, p,
                {-1.0, 1.0 / 2, -1.0 / 6, 1.0 / 24, -1.0 / 120, 1.0 / 720, -1.0 / 5040, 1.0 / 40320,
                 -1.0 / 362880});
}

}  // namespace

SymplecticStepper::SymplecticStepper(MechanicalSystem& system, double step)
    : system_(system),
      h_(step),
      y_(system.size()),
      old_(system.size()),
      middle_(system.size()),
      rates_(system.size()),
      derivatives_(system.model()) {}

void SymplecticStepper::start(double t, const double* y, double) {
  t_ = old_t_ = t;
  y_ = Eigen::Map<const Eigen::VectorXd>(y, y_.size());
}

void SymplecticStepper::step(double stop) {
  const double left = stop - t_;
  const double count = std::ceil(left / h_ * (1 - 1e-9));
  old_ = y_;
  old_t_ = t_;
  t_ = count <= 1 ? stop : t_ + left / count;
  advance();
  ++statistics.steps;
}

void SymplecticStepper::end_last_step_at(double t) {
  t_ = t;
  y_ = old_;
  advance();
}

Eigen::VectorXd SymplecticStepper::momentum(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  return mass_matrix(system_.model(), system_.work, q) * v;
}

/// At (q0 exp(h twist / 2), twist): eq. 96.
void SymplecticStepper::evaluate_middle(double h) {
  const Model& model = system_.model();
  const StateLayout& layout = system_.layout;
  Eigen::VectorXd q = old_.head(layout.first_v);
  model.move_along(q, h / 2 * twist_);
  middle_ = old_;
  middle_.segment(layout.first_z, layout.first_work - layout.first_z) +=
      h / 2 * rates_.segment(layout.first_z, layout.first_work - layout.first_z);
  layout.put(q, twist_, middle_.data());
  system_.rates(old_t_ + h / 2, middle_.data(), rates_.data());
  ++statistics.evaluations;
  if (!system_.a.allFinite())
    throw ComputationError(fmt::format("the step from t = {:.9g} s fails", old_t_));
  const Eigen::VectorXd a = system_.a, zero = Eigen::VectorXd::Zero(model.speeds());
  const Eigen::MatrixXd M = mass_matrix(model, system_.work, q);
  mass_.compute(M);
  if (!mass_.ok())
    throw ComputationError(
        fmt::format("at t = {:.9g} s the masses do not determine the accelerations", old_t_));
  // The rate of M along the twist, times it: what M twist changes by while the robot moves.
  Eigen::VectorXd bend =
      inverse_dynamics_derivatives(model, system_.work, derivatives_, q, zero, twist_).dtau_dq *
      twist_;
  bend -= inverse_dynamics_derivatives(model, system_.work, derivatives_, q, zero, zero).dtau_dq *
          twist_;
  const Eigen::VectorXd p = M * twist_;
  Eigen::VectorXd turned = p;
  for (const TangentBlock& block : model.blocks())
    if (block.kind == TangentBlock::Kind::line)
      turned.segment(block.v, block.speeds).setZero();
    else
      coadjoint(block, twist_, turned);
  force_ = bend - turned + M * a;
  impulse_ = p + h / 2 * right(model, h / 2 * twist_, force_);
}

/// One step of the simplified Newton method for the twist; returns its size.
double SymplecticStepper::correct(double h, const Eigen::VectorXd& begin) {
  evaluate_middle(h);
  const Model& model = system_.model();
  Eigen::VectorXd change = begin - inverse_left(model, h * twist_, impulse_) +
                           h * transported_back(model, h / 2 * twist_, force_);
  mass_.solve_in_place(change);
  twist_ += change;
  return change.norm();
}

void SymplecticStepper::put_end(double h) {
  const Model& model = system_.model();
  const StateLayout& layout = system_.layout;
  Eigen::VectorXd q = old_.head(layout.first_v);
  model.move_along(q, h * twist_);
  const Eigen::VectorXd p = inverse_left(model, -h * twist_, impulse_);
  const Eigen::VectorXd v = dense::Cholesky(mass_matrix(model, system_.work, q)).solve(p);
  y_ = old_ + h * rates_;
  layout.put(q, v, y_.data());
}

void SymplecticStepper::advance() {
  constexpr int most_rounds = 60;
  const double h = t_ - old_t_;
  const StateLayout& layout = system_.layout;
  const Eigen::VectorXd v = old_.segment(layout.first_v, system_.model().speeds());
  const Eigen::VectorXd begin = momentum(old_.head(layout.first_v), v);
  twist_ = v;
  rates_.setZero();
  double before = INFINITY;
  for (int round = 0; round < most_rounds; ++round) {
    const double change = correct(h, begin);
    // Down to rounding: what is left would drift.
    if (change <= 1e-15 * twist_.norm() || (change >= before && change <= 1e-12 * twist_.norm())) {
      evaluate_middle(h);
      return put_end(h);
    }
    before = change;
  }
  throw ComputationError(
      fmt::format("the implicit equations of the symplectic step from t = {:.9g} s do not "
                  "converge; try a smaller step than {:.3g} s",
                  old_t_, h));
}

}  // namespace ulna
