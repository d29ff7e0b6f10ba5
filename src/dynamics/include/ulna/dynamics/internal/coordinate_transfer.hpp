#pragma once
// Dynamics as values that move from one set of coordinates to another:
//
//   effort = I* a + v' P* v + gravity + load                docs/theory/influence-coefficients.md,
//                                                           eq. 10
//
// with the effective inertia I* (n x n), the inertia power array P* (one n x n plane for each
// effort), and the efforts that hold the weights and what else acts on the bodies. Rotors are in
// I*; dampers, friction and springs are not (passive_efforts gives them).
//
//   DynamicModel joints = dynamic_model(model, work, q);             // of the tree, eq. 11-13
//   DynamicModel inputs = transfer(joints, map_from_inputs(...));    // of a platform's legs
//
// Of P* only the symmetric part of each plane acts. Cost: n^3 numbers and n^4 work; for studies of
// coupling. What runs along a motion is cheaper by recursion (inverse_dynamics, LoopDynamics).

#include <vector>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"

namespace ulna {

struct DynamicModel {
  Eigen::MatrixXd I;               ///< n x n, symmetric
  std::vector<Eigen::MatrixXd> P;  ///< n planes, n x n
  Eigen::VectorXd gravity;         ///< efforts that hold the weights
  Eigen::VectorXd load;            ///< efforts that hold the external wrenches

  Eigen::Index size() const { return I.rows(); }
  /// I* a: acceleration-related.
  Eigen::VectorXd from_accelerations(const Eigen::VectorXd& a) const { return I * a; }
  /// v' P* v: velocity-related.
  ULNA_API Eigen::VectorXd from_velocities(const Eigen::VectorXd& v) const;
  ULNA_API Eigen::VectorXd efforts(const Eigen::VectorXd& v, const Eigen::VectorXd& a) const;
  /// The accelerations under given efforts (eq. 14). ComputationError where I* is singular.
  ULNA_API Eigen::VectorXd accelerations(const Eigen::VectorXd& v,
                                         const Eigen::VectorXd& tau) const;
  /// C with C v = v' P* v and, in coordinates that have derivatives (not the rates of spherical and
  /// free joints), dI*/dt - 2 C skew: the Christoffel choice (eq. 15).
  ULNA_API Eigen::MatrixXd coriolis(const Eigen::VectorXd& v) const;

  ULNA_API static DynamicModel zero(Eigen::Index n);
  ULNA_API DynamicModel& operator+=(
      const DynamicModel& other);  ///< of other bodies, same coordinates
};

/// A rigid body in the map of its mass centre (rotation rows first): mass and the inertia about
/// that centre in world axes. eq. 11-13
ULNA_API DynamicModel body_model(const CoordinateMap& centre, double mass,
                                 const Matrix3<double>& inertia_W, const Vector3<double>& gravity);

/// The tree of a robot in its speeds, loops open. Updates the poses.
ULNA_API DynamicModel dynamic_model(const Model& model, Workspace& work, const VectorRef& q,
                                    ExternalWrenches wrenches = {});

/// Into the coordinates that `map` takes to the present ones (pull-back, eq. 16); G may have more
/// rows than columns: the loops of a mechanism, the legs of a platform.
ULNA_API DynamicModel transfer(const DynamicModel& model, const CoordinateMap& map);

/// Into the coordinates to which `map` takes the present ones (isomorphic transfer, eq. 17).
/// InputError when the map is redundant or deficient, saying which; ComputationError where it is
/// singular.
ULNA_API DynamicModel transfer_along(const DynamicModel& model, const CoordinateMap& map);

}  // namespace ulna
