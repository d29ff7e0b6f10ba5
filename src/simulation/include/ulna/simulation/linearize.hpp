#pragma once
// The robot near a state as a linear system, docs/theory/simulation.md, eq. 30-32:
//
//   x = (change of q in the tangent, change of v),  dx/dt = A x + B u,  y = C x + D u
//
// with u the change of the efforts. From the closed-form derivatives of forward dynamics.

#include <complex>

#include "ulna/model/workspace.hpp"

namespace ulna {

struct LinearSystem {
  Eigen::MatrixXd A, B, C, D;
  Eigen::VectorXd acceleration;  ///< at the state: 0 when it is an equilibrium
};

/// What y is: the coordinates in the tangent (frame -1), or the turn and displacement of a frame,
/// world axes.
struct LinearOutput {
  int frame = -1;
};

ULNA_API LinearSystem linearize(const Model& model, const VectorRef& q, const VectorRef& v,
                                const VectorRef& tau, const LinearOutput& output = {});

/// Eigenvalues, those that grow fastest first.
ULNA_API Eigen::VectorXcd poles(const Eigen::MatrixXd& A);

}  // namespace ulna
