#include "run/rates_jacobian.hpp"

#include <cmath>

namespace ulna {
namespace {

/// Of differences: balances rounding against what is bent.
double difference_step(double x) { return 1e-7 * (1 + std::abs(x)); }

}  // namespace

RatesJacobian::RatesJacobian(MechanicalSystem& system)
    : system_(system), trial_(system.size()), moved_(system.size()) {}

bool RatesJacobian::in_closed_form() const {
  const MechanicalSystem& s = system_;
  return !s.constraints().closes() && !s.contacts().any() && !s.contacts().touching() &&
         s.model().modes() == 0 && !s.layout.curved() && s.controls.wrench_count() == 0;
}

long RatesJacobian::operator()(double t, const double* y, const double* dy, Eigen::MatrixXd& J) {
  if (!in_closed_form()) return by_differences(t, y, dy, J);
  if (!derivatives_) derivatives_ = std::make_shared<DerivativeWorkspace>(system_.model());
  from_derivatives(t, y, J);
  return 1;
}

long RatesJacobian::by_differences(double t, const double* y, const double* dy,
                                   Eigen::MatrixXd& J) {
  const int n = system_.size(), states = system_.layout.first_work;
  J.setZero(n, n);
  trial_ = Eigen::Map<const Eigen::VectorXd>(y, n);
  const Eigen::Map<const Eigen::VectorXd> rates(dy, n);
  for (int j = 0; j < states; ++j) {
    const double step = difference_step(y[j]);
    trial_(j) = y[j] + step;
    system_.rates(t, trial_.data(), moved_.data());
    trial_(j) = y[j];
    // A neighbour that the equations cannot answer says nothing.
    if (moved_.allFinite()) J.col(j) = (moved_ - rates) / step;
  }
  return states;
}

/// Eq. 94: da_F = M_FF^-1 (d efforts - d ID(q, v, a))_F; efforts by differences, which is cheap.
void RatesJacobian::from_derivatives(double t, const double* y, Eigen::MatrixXd& J) {
  MechanicalSystem& s = system_;
  const StateLayout& at = s.layout;
  const auto n = static_cast<Eigen::Index>(at.free_v.size());
  const Eigen::Index states = at.first_work;
  s.rates(t, y, moved_.data());
  const Eigen::VectorXd q = s.q, v = s.v, a = s.a, tau = s.tau;
  const Eigen::VectorXd dz = moved_.segment(at.first_z, states - at.first_z);
  const InverseDerivatives& d =
      inverse_dynamics_derivatives(s.model(), s.work, *derivatives_, q, v, a);
  J.setZero(s.size(), s.size());
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(n, states);
  right.leftCols(n) = -d.dtau_dq(at.free_v, at.free_v);
  right.middleCols(at.first_v, n) = -d.dtau_dv(at.free_v, at.free_v);
  const Eigen::MatrixXd M = d.mass_matrix(at.free_v, at.free_v);
  trial_ = Eigen::Map<const Eigen::VectorXd>(y, s.size());
  for (Eigen::Index j = 0; j < states; ++j) {
    const double step = difference_step(y[j]);
    trial_(j) = y[j] + step;
    s.expand(t, trial_.data());
    s.apply(trial_.data(), moved_.data());
    trial_(j) = y[j];
    const Eigen::VectorXd change = (s.tau - tau) / step;
    for (Eigen::Index i = 0; i < n; ++i) {
      right(i, j) += change(at.free_v[i]);
      J(at.first_work, j) += change(at.free_v[i]) * v(at.free_v[i]);
    }
    J.col(j).segment(at.first_z, dz.size()) = (moved_.head(dz.size()) - dz) / step;
  }
  J.block(0, at.first_v, n, n).setIdentity();
  if (n > 0) J.block(at.first_v, 0, n, states) = dense::Cholesky(M).solve(right);
  for (Eigen::Index i = 0; i < n; ++i) J(at.first_work, at.first_v + i) += tau(at.free_v[i]);
  for (const DegreeTerms& term : s.model().degree_terms())
    if (at.place[term.v] >= 0)
      J(at.first_work + 2, at.first_v + at.place[term.v]) +=
          2 * term.damping * term.multiplier * term.multiplier * v(term.v);
}

}  // namespace ulna
