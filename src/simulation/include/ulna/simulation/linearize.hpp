#pragma once
// The robot near a state as a linear system, docs/theory/simulation.md, eq. 30-32:
//
//   x = (change of q in the tangent, change of v),  dx/dt = A x + B u,  y = C x + D u
//
// with u the change of the efforts. From the closed-form derivatives of forward dynamics.
//
// With loops x and u are of independent speeds (eq. 64, 65), as many as degrees of freedom; by
// differences of order four along the closed postures, accurate to about 1e-9.

#include <complex>
#include <vector>

#include "ulna/model/workspace.hpp"

namespace ulna {

struct LinearSystem {
  Eigen::MatrixXd A, B, C, D;
  Eigen::VectorXd acceleration;  ///< at the state: 0 when it is an equilibrium
  std::vector<int> speeds;       ///< that x and u are made of: all without loops
};

/// What y is: the coordinates in the tangent (frame -1), or the turn and displacement of a frame,
/// world axes.
struct LinearOutput {
  int frame = -1;
  /// With loops: the speeds that x and u are made of. Empty: the drives of a platform, otherwise
  /// those that pivoting finds.
  std::vector<int> independent;
};

ULNA_API LinearSystem linearize(const Model& model, const VectorRef& q, const VectorRef& v,
                                const VectorRef& tau, const LinearOutput& output = {});

/// The independent speeds that `linearize` takes of a robot with loops, if `wanted` is empty.
ULNA_API std::vector<int> independent_for_linearization(const Model& model, const VectorRef& q,
                                                        const std::vector<int>& wanted = {});

/// Eigenvalues, those that grow fastest first.
ULNA_API Eigen::VectorXcd poles(const Eigen::MatrixXd& A);

}  // namespace ulna
