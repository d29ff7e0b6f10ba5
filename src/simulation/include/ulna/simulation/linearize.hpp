#pragma once
// The robot near a state as a linear system, docs/theory/simulation.md, eq. 30-32:
//
//   x = (change of q in the tangent, change of v),  dx/dt = A x + B u,  y = C x + D u
//
// with u the change of the efforts, and of the forces of actuators among the elements. From the
// closed-form derivatives of forward dynamics.
//
// With loops x and u are of independent speeds (eq. 64, 65), as many as degrees of freedom; by
// differences of order four along the closed postures, accurate to about 1e-9. The modes of
// flexible bodies are part of x.

#include <complex>
#include <string>
#include <vector>

#include "ulna/model/parts/workspace.hpp"

namespace ulna {

struct LinearSystem {
  Eigen::MatrixXd A, B, C, D;
  Eigen::VectorXd acceleration;      ///< at the state: 0 when it is an equilibrium
  std::vector<int> speeds;           ///< that x is made of: all without loops
  std::vector<int> inputs;           ///< speeds that u are the efforts of
  std::vector<int> elements;         ///< actuators among Model::elements() whose forces follow in u
  std::vector<std::string> outputs;  ///< what the rows of y are: "q.joint1", "frame.tool.x", ...
};

/// What u and y are.
struct LinearOutput {
  /// y is the turn and displacement of this frame, world axes; -1: the coordinates in the tangent.
  int frame = -1;
  /// With loops: the speeds that x and u are made of. Empty: the drives of a platform, otherwise
  /// those that pivoting finds.
  std::vector<int> independent;
  /// Speeds whose efforts are u. Empty: those of x.
  std::vector<int> actuators = {};
  /// Actuators among Model::elements() whose forces are u, after the efforts. Where only they are
  /// given, u has no efforts.
  std::vector<int> elements = {};
  /// y instead of `frame`: q, v, q.NAME, v.NAME, frame.NAME (turns rx, ry, rz and displacements x,
  /// y, z in world axes) or one of its six such as frame.NAME.x. Empty: as `frame` says.
  std::vector<std::string> outputs = {};
};

ULNA_API LinearSystem linearize(const Model& model, const VectorRef& q, const VectorRef& v,
                                const VectorRef& tau, const LinearOutput& output = {});

/// Independent speeds of a robot with loops, these among them and others as it has more degrees of
/// freedom; none for trees. ComputationError where the loops bind the chosen ones to each other.
ULNA_API std::vector<int> independent_around(const Model& model, const VectorRef& q,
                                             const std::vector<int>& chosen);
/// The independent speeds that `linearize` takes of a robot with loops, if `wanted` is empty.
ULNA_API std::vector<int> independent_for_linearization(const Model& model, const VectorRef& q,
                                                        const std::vector<int>& wanted = {});

/// Eigenvalues, those that grow fastest first.
ULNA_API Eigen::VectorXcd poles(const Eigen::MatrixXd& A);

}  // namespace ulna
