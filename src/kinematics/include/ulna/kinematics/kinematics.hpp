#pragma once
// Where things are and how they move. Poses come from one pass over the tree (`update_poses`),
// after which any frame can be asked for.
//
//   ulna::Workspace work(model);
//   ulna::update_poses(model, work, q);
//   ulna::Pose<double> X_WF = ulna::frame_pose(model, work, model.frame("wrist"));

#include "ulna/model/parts/workspace.hpp"
#include "ulna/spatial/twist.hpp"

namespace ulna {

using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Poses of all bodies at q. Loops are not closed by this.
ULNA_API void update_poses(const Model& model, Workspace& work, const VectorRef& q);
/// Velocities and accelerations of all bodies; also updates the poses.
ULNA_API void update_motions(const Model& model, Workspace& work, const VectorRef& q,
                             const VectorRef& v, const VectorRef& a);

/// X_WF after update_poses.
ULNA_API Pose<double> frame_pose(const Model& model, const Workspace& work, int frame);
/// Velocity of the frame's origin and its angular velocity in the world, world axes; after
/// update_motions.
ULNA_API Twist<double> frame_velocity(const Model& model, const Workspace& work, int frame);
/// Their time derivatives: angular acceleration and acceleration of the origin, world axes.
ULNA_API Twist<double> frame_acceleration(const Model& model, const Workspace& work, int frame);

/// What a Jacobian is of. The point is fixed to `frame` and given in its axes.
struct JacobianQuery {
  int frame;
  Vector3<double> point = Vector3<double>::Zero();
  int relative_to = 0;   ///< a frame; 0 is the world
  int expressed_in = 0;  ///< a frame whose axes are used; 0 is the world
};

/// J with (angular velocity; velocity of the point) = J v. Rotation rows first.
ULNA_API const Jacobian& jacobian(const Model& model, Workspace& work, const VectorRef& q,
                                  const JacobianQuery& query);
/// The time derivative of the entries of that J when q moves with v. Allocates: it runs the same
/// text on dual numbers.
ULNA_API Jacobian jacobian_derivative(const Model& model, const VectorRef& q, const VectorRef& v,
                                      const JacobianQuery& query);

/// Centre of mass of everything that moves, in the world; after update_poses.
ULNA_API Vector3<double> centre_of_mass(const Model& model, const Workspace& work);

}  // namespace ulna
