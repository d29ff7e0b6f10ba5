#pragma once
// (lambda^2 M + lambda C + K) x = 0 with damping, and with a skew part of C for gyroscopic terms:
// the complex modes, in first-order form (docs/theory/structure.md, eqs. 22-24). Dense; a large
// system is first projected on its lowest undamped modes.

#include <Eigen/Core>
#include <complex>

#include "ulna/elastic/parts/system_matrices.hpp"

namespace ulna::elastic {

struct ComplexModes {
  Eigen::VectorXcd lambda;       ///< one of each conjugate pair (imaginary part >= 0), lowest first
  Eigen::MatrixXcd shapes;       ///< largest entry 1
  Eigen::VectorXd omega;         ///< |lambda|
  Eigen::VectorXd damped_omega;  ///< imaginary part
  Eigen::VectorXd damping_ratio;  ///< -Re/|lambda|
  Eigen::VectorXd residual;       ///< |(...) x| relative to (|l|^2 |M| + |l| |C| + |K|) |x|

  int count() const { return static_cast<int>(lambda.size()); }
};

/// M, C and K dense; C may be any matrix, K too. `shift` > 0 moves the eigenproblem away from
/// zero, for stiffness that is singular; it does not change the result.
ULNA_API ComplexModes complex_modes(const Eigen::MatrixXd& M, const Eigen::MatrixXd& C,
                                    const Eigen::MatrixXd& K, int count);

/// Of a sparse system: dense up to `projection_size` freedoms, else in that many undamped modes.
ULNA_API ComplexModes complex_modes(const SystemMatrices& system, int count,
                                    int projection_size = 300);

/// Rayleigh damping a M + b K.
ULNA_API SparseMatrix rayleigh_damping(const SystemMatrices& system, double a, double b);

/// The a, b that give two damping ratios at two frequencies (rad/s).
ULNA_API std::pair<double, double> rayleigh_coefficients(double omega1, double zeta1, double omega2,
                                                         double zeta2);

/// C = M Phi diag(2 zeta omega) Phi' M: damping ratios by mode, none beyond those given.
ULNA_API Eigen::MatrixXd modal_damping(const SystemMatrices& system, const Eigen::VectorXd& omega,
                                       const Eigen::MatrixXd& shapes, const Eigen::VectorXd& zeta);

}  // namespace ulna::elastic
