#pragma once
// Forward dynamics and the mass matrix. Results are left in the workspace and returned by
// reference.

#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna {

enum class ForwardMethod {
  automatic,         ///< articulated bodies, or composite bodies where mimic joints couple the tree
  articulated_body,  ///< cost linear in the number of joints
  composite_body     ///< mass matrix, then Cholesky
};

/// What `automatic` stands for with this robot.
ULNA_API ForwardMethod automatic_method(const Model& model);
ULNA_API const char* name_of(ForwardMethod method);

/// Accelerations under efforts tau. ComputationError naming the joint when the mass matrix is
/// singular.
ULNA_API const Eigen::VectorXd& forward_dynamics(const Model& model, Workspace& work,
                                                 const VectorRef& q, const VectorRef& v,
                                                 const VectorRef& tau,
                                                 ExternalWrenches wrenches = {},
                                                 ForwardMethod method = ForwardMethod::automatic);

/// M(q), symmetric, rotors included.
ULNA_API const Eigen::MatrixXd& mass_matrix(const Model& model, Workspace& work,
                                            const VectorRef& q);

/// C(q, v) with C v the Coriolis and centrifugal efforts and dM/dt - 2 C skew-symmetric
/// (Christoffel symbols of the tangent). Allocates its own scratch.
ULNA_API Eigen::MatrixXd coriolis_matrix(const Model& model, const VectorRef& q,
                                         const VectorRef& v);

}  // namespace ulna
