#pragma once
// Inverse dynamics and what belongs to it: efforts for given accelerations, bias, gravity, energy,
// momentum. Results are left in the workspace and returned by reference, all efforts in the same
// place: copy one before asking for the next.
//
//   const Eigen::VectorXd& tau = ulna::inverse_dynamics(model, work, q, v, a);

#include <span>

#include "ulna/model/parts/workspace.hpp"
#include "ulna/spatial/twist.hpp"

namespace ulna {

/// A wrench on a body: force through a point, and a moment.
struct ExternalWrench {
  int body;                                         ///< index into Model::bodies()
  Vector3<double> point = Vector3<double>::Zero();  ///< in the body's frame
  Vector3<double> force = Vector3<double>::Zero();
  Vector3<double> moment = Vector3<double>::Zero();
  int expressed_in = 0;  ///< frame whose axes force and moment use; 0: world
};
using ExternalWrenches = std::span<const ExternalWrench>;

/// Efforts that give accelerations a. Gravity, rotors, damping, friction and springs are included.
ULNA_API const Eigen::VectorXd& inverse_dynamics(const Model& model, Workspace& work,
                                                 const VectorRef& q, const VectorRef& v,
                                                 const VectorRef& a,
                                                 ExternalWrenches wrenches = {});

/// Efforts at zero acceleration: Coriolis, centrifugal, gravity, friction and springs.
ULNA_API const Eigen::VectorXd& bias_efforts(const Model& model, Workspace& work,
                                             const VectorRef& q, const VectorRef& v);
/// Efforts that hold the robot still against gravity alone.
ULNA_API const Eigen::VectorXd& gravity_efforts(const Model& model, Workspace& work,
                                                const VectorRef& q);
/// Damping, friction and springs alone: the efforts needed to overcome them.
ULNA_API const Eigen::VectorXd& passive_efforts(const Model& model, Workspace& work,
                                                const VectorRef& q, const VectorRef& v);

struct Energy {
  double kinetic;    ///< rotors included
  double potential;  ///< of gravity, zero at the world's origin, and of springs
};
ULNA_API Energy energy(const Model& model, Workspace& work, const VectorRef& q, const VectorRef& v);
/// Momentum of all bodies about the world's origin, world axes: angular first, then linear.
ULNA_API Vector6<double> momentum(const Model& model, Workspace& work, const VectorRef& q,
                                  const VectorRef& v);

}  // namespace ulna
