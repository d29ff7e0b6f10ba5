#include "arrays.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

namespace ulna::python {
namespace {

using Api = py::detail::npy_api;

/// The one descriptor of float64 that ordinary arrays share.
PyObject* float64() {
  static PyObject* const descriptor = py::dtype::of<double>().release().ptr();
  return descriptor;
}

[[noreturn]] void refuse_shape(const char* name, const py::array& found,
                               const std::string& expected) {
  throw InputError(Problem{{}, name, "has shape " + shape_text(found), expected, {}});
}

void refuse_values(const char* name, const Eigen::Ref<const Eigen::VectorXd>& x, Holds holds) {
  if (holds == Holds::finite && !x.allFinite())
    throw InputError(Problem{{}, name, "holds a number that is not finite", "finite numbers", {}});
  if (holds == Holds::limits && x.hasNaN())
    throw InputError(Problem{{}, name, "holds nan", "numbers; inf where there is no limit", {}});
}

}  // namespace

std::string shape_text(std::span<const py::ssize_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}
std::string shape_text(const py::array& array) {
  return shape_text(std::span(array.shape(), static_cast<std::size_t>(array.ndim())));
}

bool is_plain(PyObject* array) {
  constexpr int wanted = Api::NPY_ARRAY_C_CONTIGUOUS_ | Api::NPY_ARRAY_ALIGNED_;
  const auto* const proxy = py::detail::array_proxy(array);
  return proxy->descr == float64() && (proxy->flags & wanted) == wanted;
}

namespace {

/// numpy.ma: entries that are masked are no numbers.
void refuse_masked(py::handle object, const char* name) {
  if (!py::hasattr(object, "mask")) return;
  if (object.attr("mask").attr("any")().cast<bool>())
    throw InputError(Problem{{},
                             name,
                             "has masked entries",
                             "an array without a mask",
                             "fill them: array.filled(value)"});
}

/// As an array of whatever type; null when it cannot be one. Errors that are no complaint about the
/// object itself (KeyboardInterrupt, MemoryError) are raised.
py::array any_array(py::handle object) {
  PyObject* const found = Api::get().PyArray_FromAny_(object.ptr(), nullptr, 0, 0, 0, nullptr);
  if (found) return py::reinterpret_steal<py::array>(found);
  for (PyObject* kind : {PyExc_TypeError, PyExc_ValueError, PyExc_AttributeError})
    if (PyErr_ExceptionMatches(kind)) {
      PyErr_Clear();
      return py::reinterpret_steal<py::array>(py::handle());
    }
  throw py::error_already_set();
}

}  // namespace

Array numbers(py::handle object, const char* name) {
  const bool is_array = py::isinstance<py::array>(object);
  if (is_array && Py_TYPE(object.ptr()) != Api::get().PyArray_Type_) refuse_masked(object, name);
  if (is_array && is_plain(object.ptr())) return py::reinterpret_borrow<Array>(object);
  // Without a wanted type first: asked for float64, NumPy would read "1.5" as a number, None as
  // nan, and complex numbers without their imaginary part.
  const py::array found = any_array(object);
  if (found && std::string("biuf").find(found.dtype().kind()) != std::string::npos) {
    constexpr int flags = Array::c_style | Array::forcecast | Api::NPY_ARRAY_ALIGNED_;
    const auto array = py::array_t<double, flags>::ensure(found);
    if (array) return py::reinterpret_borrow<Array>(array);
  }
  PyErr_Clear();
  if (is_array)
    throw InputError(Problem{{},
                             name,
                             "is an array of " + std::string(py::str(object.attr("dtype"))),
                             "an array of numbers",
                             {}});
  throw InputError(Problem{
      {},
      name,
      fmt::format("cannot be read as an array: {}", std::string(py::repr(object)).substr(0, 60)),
      "numbers",
      {}});
}

py::object new_array(std::span<const py::ssize_t> shape) {
  const Api& api = Api::get();
  PyObject* descriptor = float64();
  Py_INCREF(descriptor);  // the array takes one
  PyObject* array = api.PyArray_NewFromDescr_(
      api.PyArray_Type_, descriptor, static_cast<int>(shape.size()),
      const_cast<Py_intptr_t*>(reinterpret_cast<const Py_intptr_t*>(shape.data())), nullptr,
      nullptr, 0, nullptr);
  if (!array) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(array);
}

py::object to_array(const Eigen::Ref<const Eigen::VectorXd>& vector) {
  py::object out = new_array({vector.size()});
  MutableVector(data_of(out), vector.size()) = vector;
  return out;
}

py::object to_matrix(const Eigen::MatrixXd& matrix) {
  py::object out = new_array({matrix.rows(), matrix.cols()});
  MutableRows(data_of(out), matrix.rows(), matrix.cols()) = matrix;
  return out;
}

Eigen::VectorXd vector_of(py::handle object, const char* name, py::ssize_t size,
                          const char* meaning, Holds holds) {
  const Array array = numbers(object, name);
  if (array.ndim() != 1 || array.shape(0) != size)
    refuse_shape(name, array, fmt::format("({},){}", size, meaning));
  refuse_values(name, ConstVector(array.data(), size), holds);
  return ConstVector(array.data(), size);
}

Eigen::VectorXd vector_of(py::handle object, const char* name, Holds holds) {
  const Array array = numbers(object, name);
  if (array.ndim() != 1) refuse_shape(name, array, "(n,)");
  refuse_values(name, ConstVector(array.data(), array.shape(0)), holds);
  return ConstVector(array.data(), array.shape(0));
}

Eigen::Vector3d vector3(py::handle object, const char* name) {
  return vector_of(object, name, 3, ", x, y, z");
}

Eigen::MatrixXd matrix_of(py::handle object, const char* name, py::ssize_t rows,
                          py::ssize_t columns, Holds holds) {
  const Array array = numbers(object, name);
  if (array.ndim() != 2 || array.shape(0) != rows || array.shape(1) != columns)
    refuse_shape(name, array, fmt::format("({}, {})", rows, columns));
  refuse_values(name, ConstVector(array.data(), array.size()), holds);
  return Eigen::Map<const RowMajor>(array.data(), rows, columns);
}

namespace {

/// Rotations typed by hand are rounded; anything further off is a mistake.
Matrix3<double> checked_rotation(const Matrix3<double>& R, const char* name) {
  const double off = (R.transpose() * R - Matrix3<double>::Identity()).cwiseAbs().maxCoeff();
  if (!(off < 1e-4) || R.determinant() < 0)
    throw InputError(
        Problem{{},
                name,
                fmt::format("is not a rotation: R'R differs from the identity by {:.3g}", off),
                "an orthogonal 3x3 matrix with determinant 1",
                {}});
  if (off < 8 * std::numeric_limits<double>::epsilon()) return R;
  return Eigen::Quaterniond(R).normalized().toRotationMatrix();
}

}  // namespace

Pose<double> pose_of(py::handle object, const char* name) {
  const Array array = numbers(object, name);
  if (array.ndim() == 1 && array.shape(0) == 3)
    return Pose<double>::translation(vector3(array, name));
  if (array.ndim() != 2 || array.shape(0) != 4 || array.shape(1) != 4)
    refuse_shape(name, array, "(4, 4) for a pose or (3,) for a position");
  return pose_at(array.data(), name);
}

Pose<double> pose_at(const double* rows, const char* name) {
  refuse_values(name, ConstVector(rows, 16), Holds::finite);
  const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> X(rows);
  if ((X.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).cwiseAbs().maxCoeff() > 1e-12)
    throw InputError(Problem{{}, name, "has another last row than (0, 0, 0, 1)", "a pose", {}});
  return {checked_rotation(X.topLeftCorner<3, 3>(), name),
          Eigen::Vector3d(X.topRightCorner<3, 1>())};
}

void store(const Pose<double>& pose, double* rows) {
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>{rows} = pose.matrix();
}

py::object to_array(const Pose<double>& pose) {
  py::object out = new_array({4, 4});
  store(pose, data_of(out));
  return out;
}

Matrix3<double> rotation_of(py::handle object, const char* name) {
  const Array array = numbers(object, name);
  if (array.ndim() == 1 && array.shape(0) == 4) {
    const double* x = array.data();
    const Eigen::Quaterniond turn(x[0], x[1], x[2], x[3]);
    if (!(turn.norm() > 0) || !std::isfinite(turn.norm()))
      throw InputError(Problem{{}, name, "is not a quaternion", "w, x, y, z, not all zero", {}});
    return turn.normalized().toRotationMatrix();
  }
  if (array.ndim() != 2 || array.shape(0) != 3 || array.shape(1) != 3)
    refuse_shape(name, array, "(3, 3) for a matrix or (4,) for a quaternion");
  return checked_rotation(
      Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(array.data()), name);
}

}  // namespace ulna::python
