#pragma once
// Gains u = -K x for a linear system: the linear quadratic regulator, and given poles.
// docs/theory/simulation.md, eq. 34-37.

#include <Eigen/Core>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct Regulator {
  Eigen::MatrixXd K;  ///< gains
  Eigen::MatrixXd P;  ///< x' P x is the cost to go; solves the Riccati equation
};

/// Minimises the integral of x' Q x + u' R u: the stabilising solution of
/// A' P + P A - P B R^-1 B' P + Q = 0, by the sign function of the Hamiltonian matrix and one
/// Newton step (Kleinman). ComputationError when there is none: a mode that grows cannot be
/// reached, or one that does not decay costs nothing.
ULNA_API Regulator linear_quadratic_regulator(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                                              const Eigen::MatrixXd& Q, const Eigen::MatrixXd& R);

/// K so that A - B K has these eigenvalues (complex ones with their conjugates). Of several random
/// choices the one with the best conditioned eigenvectors. ComputationError when they cannot be
/// reached.
ULNA_API Eigen::MatrixXd place_poles(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                                     const Eigen::VectorXcd& poles);

}  // namespace ulna
