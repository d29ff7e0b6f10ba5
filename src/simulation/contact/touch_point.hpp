#pragma once
// Where a shape on one body touches a plane on another, and how that place moves: the rows of a
// contact. docs/theory/simulation.md, eq. 44-47.

#include "ulna/kinematics/internal/carrier_motion.hpp"
#include "ulna/simulation/parts/contact.hpp"

namespace ulna {

/// Up to three rows d_k . (velocity of body A - velocity of body B) at one place, world axes.
struct TouchPoint {
  Vector3<double> place = Vector3<double>::Zero();  ///< of the contact
  Vector3<double> drift = Vector3<double>::Zero();  ///< its velocity, geometric
  /// Columns d_k; of a contact: normal, first and second tangent. Zero before anything touches.
  Matrix3<double> directions = Matrix3<double>::Zero();
  Matrix3<double> turning = Matrix3<double>::Zero();  ///< their time derivatives
  double gap = 0;                                     ///< along the normal
  Vector3<double> arm =
      Vector3<double>::Zero();  ///< of a ball or disc: from its centre to the place
  double tilt = 1;              ///< of a disc: sine of the angle between its face and the plane
};

/// What carries the two sides of a contact: the frames of their bodies, as the sections that hold
/// the shape and the point of the plane carry them.
struct Sides {
  Carrier shape, plane;
  Sides() = default;
  Sides(const Model& model, const TouchingShape& of, const ContactPlane& on)
      : shape(section_of(model, of.body, of.point)), plane(section_of(model, on.body, on.point)) {}
};

/// Unit vectors that complete a unit normal to a right-handed frame.
Matrix3<double> frame_on(const Vector3<double>& normal);

/// Of a shape above a plane whose axes are the columns of `axes` (body axes of the plane); after
/// update_motions.
TouchPoint touch(const Workspace& work, const Sides& sides, const TouchingShape& shape,
                 const ContactPlane& plane, const Matrix3<double>& axes);

/// Velocities of side A less those of B along an angular direction, by unit speeds.
Eigen::VectorXd angular_row(const Model& model, Workspace& work, const VectorRef& q,
                            const Sides& sides, const Vector3<double>& direction);

/// Of a blade: the directions are fixed to the body of the shape.
TouchPoint blade(const Workspace& work, const Sides& sides, const NonholonomicConstraint& edge);

/// The first `count` rows C of a place, one per speed of the robot, and what their time derivative
/// adds to C a (eq. 47); after update_motions with a = 0.
void point_rows(const Model& model, Workspace& work, const VectorRef& q, const Sides& sides,
                const TouchPoint& at, int count, Eigen::Ref<Eigen::MatrixXd> rows,
                Eigen::Ref<Eigen::VectorXd> bias);

}  // namespace ulna
