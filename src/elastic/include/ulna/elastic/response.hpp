#pragma once
// What a structure answers to a force: x(omega) under a harmonic one, x(t) under one given in time,
// by modes (docs/theory/structure.md, eqs. 25-27).

#include <Eigen/Core>
#include <complex>

#include "ulna/elastic/natural_modes.hpp"
#include "ulna/elastic/parts/system_matrices.hpp"

namespace ulna::elastic {

/// output' (K + i w C - w^2 M)^-1 input for each frequency (rad/s), solved directly.
ULNA_API Eigen::VectorXcd frequency_response(const SystemMatrices& system,
                                             const Eigen::VectorXd& input,
                                             const Eigen::VectorXd& output,
                                             const Eigen::VectorXd& omega);

/// The same from modes with damping ratios, and the static rest of the modes left out when the
/// `static_response` (output' K^-1 input) is given.
ULNA_API Eigen::VectorXcd modal_frequency_response(const NaturalModes& modes,
                                                   const Eigen::VectorXd& zeta,
                                                   const Eigen::VectorXd& input,
                                                   const Eigen::VectorXd& output,
                                                   const Eigen::VectorXd& omega,
                                                   const double* static_response = nullptr);

/// x(t) = shapes * the result (modes x times) from rest, under `force` (freedoms) times `history`,
/// which runs straight between the times, after a blow of `impulse` times the force at the first.
/// Exact for each mode whatever the step. |zeta| < 1.
ULNA_API Eigen::MatrixXd modal_transient(const NaturalModes& modes, const Eigen::VectorXd& zeta,
                                         const Eigen::VectorXd& force, const Eigen::VectorXd& times,
                                         const Eigen::VectorXd& history, double impulse = 0);

}  // namespace ulna::elastic
