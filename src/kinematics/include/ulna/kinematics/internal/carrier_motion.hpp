#pragma once
// Motion of what a node of the tree carries: a point of a rigid body, or of a section of a flexible
// one, which moves with its modes as well (docs/theory/flexible.md, eq. 16). The functions are
// those of kinematics.hpp for a Carrier in place of a frame.

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

/// The frame of a body as the section that holds `point` carries it: of a rigid body its own frame,
/// wherever the point is. InputError where a flexible body has no section there.
ULNA_API Carrier section_of(const Model& model, int body, const Vector3<double>& point);

/// X_WF after update_poses.
ULNA_API Pose<double> carrier_pose(const Workspace& work, const Carrier& carrier);
/// Velocity of its origin and angular velocity, world axes; after update_motions.
ULNA_API Twist<double> carrier_velocity(const Workspace& work, const Carrier& carrier);
ULNA_API Twist<double> carrier_acceleration(const Workspace& work, const Carrier& carrier);
/// J with (angular velocity; velocity of the point) = J v, world axes. The point is fixed to the
/// carrier and given in its axes.
ULNA_API const Jacobian& carrier_jacobian(const Model& model, Workspace& work, const VectorRef& q,
                                          const Carrier& carrier, const Vector3<double>& point);

}  // namespace ulna
