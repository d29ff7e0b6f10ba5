// Robot: linear systems near a state, equilibria; regulators.

#include <fmt/format.h>
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "names.hpp"
#include "ulna/simulation/equilibrium.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/state_feedback.hpp"

namespace ulna::python {
namespace {

py::object complex_array(const Eigen::VectorXcd& values) {
  py::array_t<std::complex<double>> out(values.size());
  std::copy(values.begin(), values.end(), out.mutable_data());
  return out;
}

Eigen::VectorXd speeds_or_zero(const Model& model, const py::object& x, const char* name) {
  if (x.is_none()) return Eigen::VectorXd::Zero(model.speeds());
  return vector_of(x, name, model.speeds(), ", one per speed");
}

py::object robot_linearize(const RobotHandle& robot, const py::object& q, const py::object& v,
                           const py::object& tau, const py::object& frame) {
  const Model& model = *robot.model;
  const Eigen::VectorXd at =
      model.normalized(vector_of(q, "q", model.coordinates(), ", the coordinates"));
  LinearOutput output;
  if (!frame.is_none()) output.frame = frame_argument(robot, frame.ptr(), "frame");
  const LinearSystem found = linearize(model, at, speeds_or_zero(model, v, "v"),
                                       speeds_or_zero(model, tau, "tau"), output);
  return result_class("LinearSystem")(to_matrix(found.A), to_matrix(found.B), to_matrix(found.C),
                                      to_matrix(found.D), to_array(found.acceleration),
                                      complex_array(poles(found.A)));
}

py::object robot_equilibrium(const RobotHandle& robot, const py::object& start,
                             const py::object& tau) {
  const Model& model = *robot.model;
  const Eigen::VectorXd from =
      start.is_none()
          ? model.neutral()
          : model.normalized(vector_of(start, "start", model.coordinates(), ", the coordinates"));
  const Equilibrium found = find_equilibrium(model, from, speeds_or_zero(model, tau, "tau"));
  if (!found.found) throw ComputationError(found.reason, found.residual);
  py::list held;
  for (const int k : found.held) held.append(model.speed_names()[k]);
  return result_class("Equilibrium")(to_array(found.q), found.residual, found.stable, held);
}

/// A matrix of any size.
Eigen::MatrixXd matrix(const py::object& object, const char* name) {
  const Array array = numbers(object, name);
  if (array.ndim() != 2)
    throw InputError(Problem{{}, name, "has shape " + shape_text(array), "a matrix", {}});
  return Eigen::Map<const RowMajor>(array.data(), array.shape(0), array.shape(1));
}

/// A and B of one system.
std::pair<Eigen::MatrixXd, Eigen::MatrixXd> system_of(const py::object& A, const py::object& B) {
  const Eigen::MatrixXd a = matrix(A, "A");
  if (a.rows() != a.cols())
    throw InputError(Problem{
        {}, "A", fmt::format("has shape ({}, {})", a.rows(), a.cols()), "a square matrix", {}});
  const Array array = numbers(B, "B");
  return {a, matrix_of(B, "B", a.rows(), array.ndim() == 2 ? array.shape(1) : 1)};
}

py::tuple lqr(const py::object& A, const py::object& B, const py::object& Q, const py::object& R) {
  const auto [a, b] = system_of(A, B);
  const Regulator found = linear_quadratic_regulator(a, b, matrix_of(Q, "Q", a.rows(), a.rows()),
                                                     matrix_of(R, "R", b.cols(), b.cols()));
  return py::make_tuple(to_matrix(found.K), to_matrix(found.P));
}

py::object place(const py::object& A, const py::object& B,
                 const std::vector<std::complex<double>>& wanted) {
  const auto [a, b] = system_of(A, B);
  if (static_cast<Eigen::Index>(wanted.size()) != a.rows())
    throw InputError(Problem{{},
                             "poles",
                             fmt::format("{} found", wanted.size()),
                             fmt::format("{}, as many as states", a.rows()),
                             {}});
  const Eigen::VectorXcd list =
      Eigen::Map<const Eigen::VectorXcd>(wanted.data(), static_cast<Eigen::Index>(wanted.size()));
  return to_matrix(place_poles(a, b, list));
}

}  // namespace

void add_linear(py::module_& m, RobotClass& robot) {
  robot
      .def("linearize", &robot_linearize, py::arg("q"), py::arg("v") = py::none(),
           py::arg("tau") = py::none(), py::kw_only(), py::arg("frame") = py::none(),
           "The robot near a state as dx/dt = A x + B u, y = C x + D u, with its poles.\n\n"
           "x: change of q in the tangent, change of v; u: change of tau; y: the change of q, or "
           "the\n"
           "turn and displacement of a frame.")
      .def("equilibrium", &robot_equilibrium, py::arg("start") = py::none(),
           py::arg("tau") = py::none(),
           "Where the robot rests under efforts tau (zero when absent), near a start.\n\n"
           "ComputationError when there is none.");
  m.def(
      "lqr", &lqr, py::arg("A"), py::arg("B"), py::arg("Q"), py::arg("R"),
      "(K, P): gains u = -K x that minimise the integral of x'Qx + u'Ru, and x'Px the cost to go.");
  m.def("place_poles", &place, py::arg("A"), py::arg("B"), py::arg("poles"),
        "K so that A - B K has these eigenvalues.");
}

}  // namespace ulna::python
