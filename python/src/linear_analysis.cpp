// Linear systems in discrete time, Gramians, frequency responses, regulators and filters.

#include <fmt/format.h>
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "abandonable.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "ulna/simulation/kalman.hpp"
#include "ulna/simulation/linear_analysis.hpp"

namespace ulna::python {
namespace {

Eigen::MatrixXd finite_matrix(const py::object& object, const char* name) {
  const Array array = numbers(object, name);
  if (array.ndim() != 2)
    throw InputError(Problem{{}, name, "has shape " + shape_text(array), "a matrix", {}});
  const Eigen::MatrixXd M =
      Eigen::Map<const RowMajor>(array.data(), array.shape(0), array.shape(1));
  if (!M.allFinite())
    throw InputError(Problem{{}, name, "holds a number that is not finite", "finite numbers", {}});
  return M;
}

/// The matrix A of a system.
Eigen::MatrixXd system_matrix(const py::object& object) {
  const Eigen::MatrixXd A = finite_matrix(object, "A");
  if (A.rows() == A.cols() && A.rows() > 0) return A;
  throw InputError(Problem{{},
                           "A",
                           fmt::format("has shape ({}, {})", A.rows(), A.cols()),
                           "a square matrix with at least one row",
                           {}});
}

py::tuple zero_order_hold(const py::object& A, const py::object& B, double period) {
  const Eigen::MatrixXd a = system_matrix(A), b = finite_matrix(B, "B");
  const DiscreteSystem d =
      abandonable(a.rows(), [a, b, period] { return discretize(a, b, period); });
  return py::make_tuple(to_matrix(d.A), to_matrix(d.B));
}

py::tuple both_gramians(const py::object& A, const py::object& B, const py::object& C,
                        bool discrete) {
  const Eigen::MatrixXd a = system_matrix(A), b = finite_matrix(B, "B"), c = finite_matrix(C, "C");
  const Gramians g = abandonable(a.rows(), [a, b, c, discrete] {
    return discrete ? discrete_gramians(a, b, c) : gramians(a, b, c);
  });
  return py::make_tuple(to_matrix(g.controllability), to_matrix(g.observability),
                        to_array(g.hankel));
}

py::object response(const py::object& A, const py::object& B, const py::object& C,
                    const py::object& D, const std::vector<double>& frequencies, double period) {
  const auto all =
      frequency_response(system_matrix(A), finite_matrix(B, "B"), finite_matrix(C, "C"),
                         finite_matrix(D, "D"), frequencies, period);
  const py::ssize_t rows = all.empty() ? 0 : all[0].rows(),
                    columns = all.empty() ? 0 : all[0].cols();
  py::array_t<std::complex<double>> out(
      std::vector<py::ssize_t>{static_cast<py::ssize_t>(all.size()), rows, columns});
  std::complex<double>* to = out.mutable_data();
  for (const Eigen::MatrixXcd& H : all)
    for (py::ssize_t i = 0; i < rows; ++i)
      for (py::ssize_t k = 0; k < columns; ++k) *to++ = H(i, k);
  return out;
}

py::tuple discrete_lqr(const py::object& A, const py::object& B, const py::object& Q,
                       const py::object& R) {
  const Eigen::MatrixXd a = system_matrix(A), b = finite_matrix(B, "B"), q = finite_matrix(Q, "Q"),
                        r = finite_matrix(R, "R");
  const Regulator found =
      abandonable(a.rows(), [a, b, q, r] { return discrete_regulator(a, b, q, r); });
  return py::make_tuple(to_matrix(found.K), to_matrix(found.P));
}

py::tuple kalman(const py::object& A, const py::object& C, const py::object& Q,
                 const py::object& R) {
  const Eigen::MatrixXd a = system_matrix(A);
  const Eigen::MatrixXd c = finite_matrix(C, "C"), q = finite_matrix(Q, "Q"),
                        r = finite_matrix(R, "R");
  const SteadyKalmanFilter filter = abandonable(a.rows(), [a, c, q, r] {
    return steady_kalman_filter(a, Eigen::MatrixXd::Zero(a.rows(), 0), c, q, r);
  });
  return py::make_tuple(to_matrix(filter.gain), to_matrix(filter.P));
}

}  // namespace

void add_linear_analysis(py::module_& m) {
  m.def("discretize", &zero_order_hold, py::arg("A"), py::arg("B"), py::arg("sample_time"),
        "(A, B) of the system whose inputs are held for sample_time: zero-order hold, exact.");
  m.def("gramians", &both_gramians, py::arg("A"), py::arg("B"), py::arg("C"), py::kw_only(),
        py::arg("discrete") = false,
        "(controllability, observability, Hankel's singular values) of a stable system.");
  m.def("frequency_response", &response, py::arg("A"), py::arg("B"), py::arg("C"), py::arg("D"),
        py::arg("frequencies"), py::kw_only(), py::arg("sample_time") = 0.0,
        "C (i w - A)^-1 B + D at angular frequencies w, shape (frequencies, outputs, inputs); "
        "with a\nsample time of the system in discrete time.");
  m.def("dlqr", &discrete_lqr, py::arg("A"), py::arg("B"), py::arg("Q"), py::arg("R"),
        "(K, P): gains u = -K x that minimise the sum of x'Qx + u'Ru over the samples.");
  m.def("kalman", &kalman, py::arg("A"), py::arg("C"), py::arg("Q"), py::arg("R"),
        "(L, P): the gain of the Kalman filter of x+ = A x + w, y = C x + e with covariances Q of "
        "w and\nR of e, and the covariance of its prediction.");
}

}  // namespace ulna::python
