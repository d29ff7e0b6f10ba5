#pragma once
// Does the momentum of a robot change by what acts on it? The rate of the momentum about the
// world's origin, from numbers that carry their rates, less gravity, external wrenches and what
// the ground exerts by Newton-Euler: two independent routes, whose difference is rounding. Rigid
// and flexible trees. docs/theory/flexible.md, eq. 32.

#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna {

/// Norms of the difference: angular (N m), linear (N). Allocates. InputError for robots with loops:
/// what closing joints exert is not part of Newton-Euler on the tree.
ULNA_API Eigen::Vector2d momentum_balance(const Model& model, Workspace& work, const VectorRef& q,
                                          const VectorRef& v, const VectorRef& a,
                                          ExternalWrenches wrenches = {});

/// The rate of the momentum alone: angular about the world's origin, linear; world axes.
ULNA_API Vector6<double> momentum_rate(const Model& model, const VectorRef& q, const VectorRef& v,
                                       const VectorRef& a);

}  // namespace ulna
