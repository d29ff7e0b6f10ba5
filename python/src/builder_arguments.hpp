#pragma once
// What the pieces of a robot made in code have in common.

#include "arrays.hpp"
#include "ulna/model/robot.hpp"

namespace ulna::python {

Pose<double> pose_or_identity(const py::object& object, const char* name);
/// (ixx, iyy, izz), with (ixy, ixz, iyz) besides, or 3x3; zero for None.
Matrix3<double> inertia_of(const py::object& object);
Inertial inertial(double mass, const py::object& centre, const py::object& inertia);

JointType joint_type_argument(const std::string& name);

/// What may be said about a joint besides its name, type and bodies; None leaves it as it is.
struct JointArguments {
  const py::object &axis, &at, &child_at, &dh, &axis2, &lower, &upper, &velocity, &effort, &damping,
      &friction, &stiffness, &rest, &rotor_inertia, &gear_ratio, &hardening, &backlash, &mimic;
};
void apply(const JointArguments& given, JointData& joint);

}  // namespace ulna::python
