#pragma once
// What the pieces of a robot made in code have in common.

#include "arrays.hpp"
#include "ulna/model/inertial.hpp"

namespace ulna::python {

Pose<double> pose_or_identity(const py::object& object, const char* name);
/// (ixx, iyy, izz), with (ixy, ixz, iyz) besides, or 3x3; zero for None.
Matrix3<double> inertia_of(const py::object& object);
Inertial inertial(double mass, const py::object& centre, const py::object& inertia);

}  // namespace ulna::python
