#pragma once
// First derivatives of inverse and forward dynamics, in closed form. Derivatives with respect to q
// are taken in the tangent (dimension of v): q moves as Model::integrate(q, dv).

#include <memory>

#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {

struct InverseDerivatives {
  Eigen::MatrixXd dtau_dq, dtau_dv, mass_matrix;  ///< dtau/da is the mass matrix
};
struct ForwardDerivatives {
  Eigen::VectorXd acceleration;
  Eigen::MatrixXd da_dq, da_dv, da_dtau;  ///< da/dtau is the inverse of the mass matrix
};

/// Memory for the derivatives of one model, made once per thread, and where the results are left.
class ULNA_API DerivativeWorkspace {
 public:
  explicit DerivativeWorkspace(const Model& model);
  ~DerivativeWorkspace();
  DerivativeWorkspace(const DerivativeWorkspace&) = delete;
  DerivativeWorkspace& operator=(const DerivativeWorkspace&) = delete;

  InverseDerivatives inverse;
  ForwardDerivatives forward;

  struct Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

ULNA_API const InverseDerivatives& inverse_dynamics_derivatives(const Model& model, Workspace& work,
                                                                DerivativeWorkspace& derivatives,
                                                                const VectorRef& q,
                                                                const VectorRef& v,
                                                                const VectorRef& a);
ULNA_API const ForwardDerivatives& forward_dynamics_derivatives(const Model& model, Workspace& work,
                                                                DerivativeWorkspace& derivatives,
                                                                const VectorRef& q,
                                                                const VectorRef& v,
                                                                const VectorRef& tau);

}  // namespace ulna
