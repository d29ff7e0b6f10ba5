#pragma once
// First derivatives of the dynamics of trees with flexible bodies: Newton-Euler on dual numbers,
// some directions at a time. docs/theory/flexible.md, eq. 33.

#include "ulna/dynamics/derivatives.hpp"

namespace ulna {

/// Without what springs, dampers and friction of the joints add.
void flexible_inverse_derivatives(const Model& model, Workspace& work, const VectorRef& q,
                                  const VectorRef& v, const VectorRef& a, InverseDerivatives& out);

}  // namespace ulna
