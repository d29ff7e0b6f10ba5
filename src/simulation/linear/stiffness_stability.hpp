#pragma once
// Whether an equilibrium is stable, by its linearized motion or, where parts have no mass and that
// has no answer, by its energy: the stiffness, the change of efforts with the coordinates, is
// positive semidefinite at a minimum.

#include <Eigen/Core>
#include <complex>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/simulation/linearize.hpp"

namespace ulna {

/// `stiffness()` is asked for only where the mass matrix is singular. `slack`: growth that counts
/// as none, beside the fastest pole.
template <class Stiffness>
bool is_stable(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& tau,
               double slack, const Stiffness& stiffness) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  Eigen::VectorXcd found;
  try {
    found = poles(linearize(model, q, zero, tau).A);
  } catch (const ComputationError&) {
    const Eigen::MatrixXd K = stiffness();
    if (K.size() == 0) return true;
    const Eigen::VectorXd values = dense::eigenvalues_symmetric((K + K.transpose()) / 2);
    return values(0) >= -slack * values.cwiseAbs().maxCoeff();
  }
  double fastest = 0, growth = 0;
  for (const std::complex<double>& x : found)
    fastest = std::max(fastest, std::abs(x)), growth = std::max(growth, x.real());
  return growth <= slack * fastest;
}

}  // namespace ulna
