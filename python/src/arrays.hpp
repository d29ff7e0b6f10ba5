#pragma once
// NumPy arrays in and out. States come as (n,) or (N, n) arrays; those that are float64 and
// C-contiguous are read where they are, all else (lists, integers, slices with steps) is converted.
// Errors name the argument, its shape and the expected one.

#include <pybind11/numpy.h>

#include <Eigen/Core>
#include <initializer_list>
#include <span>
#include <string>

#include "ulna/model/model.hpp"

namespace ulna::python {

namespace py = pybind11;

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using MutableVector = Eigen::Map<Eigen::VectorXd>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MutableRows = Eigen::Map<RowMajor>;

/// "(5,)", "(3, 6)".
std::string shape_text(std::span<const py::ssize_t> shape);
std::string shape_text(const py::array& array);

/// float64, C-contiguous and aligned; converted if need be. InputError naming the argument for what
/// holds no numbers.
Array numbers(py::handle object, const char* name);

/// float64, C-contiguous and aligned already: an array that needs no conversion.
bool is_plain(PyObject* array);

/// A new array, uninitialised. Steps round pybind11's own constructor, which takes three times as
/// long.
py::object new_array(std::span<const py::ssize_t> shape);
inline py::object new_array(std::initializer_list<py::ssize_t> shape) {
  return new_array(std::span<const py::ssize_t>(shape.begin(), shape.size()));
}
inline double* data_of(const py::object& array) {
  return static_cast<double*>(static_cast<void*>(py::detail::array_proxy(array.ptr())->data));
}

py::object to_array(const Eigen::Ref<const Eigen::VectorXd>& vector);
py::object to_matrix(const Eigen::MatrixXd& matrix);

/// What else than finite numbers an argument may hold: InputError for anything else. States and
/// samples go past this door (states.hpp): of them nan gives nan.
enum class Holds { finite, limits, anything };  ///< limits: infinite ones too

/// A vector of exactly this many numbers. `meaning` ends the sentence of the error.
Eigen::VectorXd vector_of(py::handle object, const char* name, py::ssize_t size,
                          const char* meaning = "", Holds holds = Holds::finite);
/// A vector of any length.
Eigen::VectorXd vector_of(py::handle object, const char* name, Holds holds = Holds::finite);
Eigen::Vector3d vector3(py::handle object, const char* name);
Eigen::MatrixXd matrix_of(py::handle object, const char* name, py::ssize_t rows,
                          py::ssize_t columns, Holds holds = Holds::finite);
/// A pose: 4x4 matrix, or three numbers for a shift.
Pose<double> pose_of(py::handle object, const char* name);
/// The 4x4 matrix at `rows`.
Pose<double> pose_at(const double* rows, const char* name);
py::object to_array(const Pose<double>& pose);
void store(const Pose<double>& pose, double* rows);  ///< 4x4 by rows
/// A rotation: 3x3 matrix, or quaternion (w, x, y, z).
Matrix3<double> rotation_of(py::handle object, const char* name);

}  // namespace ulna::python
