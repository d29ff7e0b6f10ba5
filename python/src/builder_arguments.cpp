#include "builder_arguments.hpp"

namespace ulna::python {

Pose<double> pose_or_identity(const py::object& object, const char* name) {
  return object.is_none() ? Pose<double>::identity() : pose_of(object, name);
}

Matrix3<double> inertia_of(const py::object& object) {
  if (object.is_none()) return Matrix3<double>::Zero();
  const Array array = numbers(object, "inertia");
  const double* x = array.data();
  if (array.ndim() == 1 && array.shape(0) == 3)
    return Eigen::Vector3d(x[0], x[1], x[2]).asDiagonal();
  Matrix3<double> I;
  if (array.ndim() == 1 && array.shape(0) == 6) {
    I << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
    return I;
  }
  if (array.ndim() == 2 && array.shape(0) == 3 && array.shape(1) == 3)
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x);
  throw InputError(Problem{{},
                           "inertia",
                           "has shape " + shape_text(array),
                           "(3,) ixx, iyy, izz; (6,) with ixy, ixz, iyz besides; or (3, 3)",
                           {}});
}

Inertial inertial(double mass, const py::object& centre, const py::object& inertia) {
  Inertial out;
  out.mass = mass;
  if (!centre.is_none()) out.centre = vector3(centre, "centre");
  out.inertia = inertia_of(inertia);
  return out;
}

}  // namespace ulna::python
