#pragma once
// How fast the energy of a robot changes, body by body: the power of each body's inertia force and
// of gravity and springs. It uses no recursion over joints, so that comparing it with the power of
// the efforts checks the dynamics. docs/theory/simulation.md, eq. 13.

#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna {

/// Time derivatives of kinetic and potential energy when the robot at (q, v) accelerates with a.
struct EnergyRate {
  double kinetic, potential;
};
ULNA_API EnergyRate energy_rate(const Model& model, Workspace& work, const VectorRef& q,
                                const VectorRef& v, const VectorRef& a);

/// Power that damping and friction take away.
ULNA_API double dissipated_power(const Model& model, const VectorRef& q, const VectorRef& v);

/// Power of external wrenches. Updates the motions in `work`.
ULNA_API double external_power(const Model& model, Workspace& work, const VectorRef& q,
                               const VectorRef& v, ExternalWrenches wrenches);

}  // namespace ulna
