// Robot: linear systems near a state, equilibria; regulators.

#include <fmt/format.h>
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "abandonable.hpp"
#include "bindings.hpp"
#include "names.hpp"
#include "stacked.hpp"
#include "ulna/simulation/equilibrium.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/state_feedback.hpp"

namespace ulna::python {

void add_linear_analysis(py::module_& m);  // linear_analysis.cpp

namespace {

py::object complex_rows(const Stack<LinearSystem>& found) {
  std::vector<Eigen::VectorXcd> each;
  for (const LinearSystem& one : found.at) each.push_back(poles(one.A));
  std::vector<py::ssize_t> shape = {each[0].size()};
  if (found.count() >= 0) shape.insert(shape.begin(), found.count());
  if (found.count() == 0) each.clear();
  py::array_t<std::complex<double>> out(shape);
  std::complex<double>* to = out.mutable_data();
  for (const Eigen::VectorXcd& values : each) {
    if (values.size() != out.shape(out.ndim() - 1)) refuse_ragged();
    to = std::copy(values.begin(), values.end(), to);
  }
  return out;
}

/// Speeds, and actuators among the elements by "element.NAME".
void take_actuators(RobotHandle& robot, const py::object& given, LinearOutput& output) {
  constexpr std::string_view element = "element.";
  py::list speeds;
  const auto take = [&](const py::handle& one) {
    const std::string name = py::isinstance<py::str>(one) ? one.cast<std::string>() : "";
    if (name.starts_with(element))
      output.elements.push_back(robot.model->actuator(name.substr(element.size())));
    else
      speeds.append(one);
  };
  if (py::isinstance<py::str>(given) || !py::isinstance<py::iterable>(given))
    take(given);
  else
    for (const py::handle& one : given) take(one);
  if (!speeds.empty()) output.actuators = speeds_argument(robot, speeds, "actuators");
}

py::object robot_linearize(RobotHandle& robot, const py::object& q, const py::object& v,
                           const py::object& tau, const py::object& frame,
                           const py::object& independent, const py::object& actuators,
                           const py::object& outputs) {
  LinearOutput output;
  if (!independent.is_none())
    output.independent = speeds_argument(robot, independent, "independent");
  if (!frame.is_none()) output.frame = frame_argument(robot, frame.ptr(), "frame");
  if (!actuators.is_none()) take_actuators(robot, actuators, output);
  if (!outputs.is_none())
    output.outputs = py::isinstance<py::str>(outputs)
                         ? std::vector<std::string>{outputs.cast<std::string>()}
                         : outputs.cast<std::vector<std::string>>();
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  const auto found =
      stacked(robot, states_from<3>(robot, {&q, &v, &tau}, {"q", "v", "tau"}), dear_share,
              [&](Context& c, const auto& x) {
                return linearize(c.model, ConstVector(x[0], nq), ConstVector(x[1], nv),
                                 ConstVector(x[2], nv), output);
              });
  return result_class("LinearSystem")(
      found.matrices(&LinearSystem::A), found.matrices(&LinearSystem::B),
      found.matrices(&LinearSystem::C), found.matrices(&LinearSystem::D),
      found.vectors(&LinearSystem::acceleration), complex_rows(found));
}

py::object robot_equilibrium(RobotHandle& robot, const py::object& start, const py::object& tau) {
  const Model& model = *robot.model;
  const py::object from = start.is_none() ? to_array(model.neutral()) : start;
  const int nq = model.coordinates(), nv = model.speeds();
  const auto found = stacked(robot, states_from<2>(robot, {&from, &tau}, {"start", "tau"}),
                             dear_share, [&](Context& c, const auto& x) {
                               Equilibrium one = find_equilibrium(c.model, ConstVector(x[0], nq),
                                                                  ConstVector(x[1], nv));
                               if (!one.found) throw ComputationError(one.reason, one.residual);
                               return one;
                             });
  return result_class("Equilibrium")(
      found.vectors(&Equilibrium::q), found.numbers(&Equilibrium::residual),
      found.objects(&Equilibrium::stable), found.objects([&](const Equilibrium& one) {
        std::vector<std::string> held;
        for (const int k : one.held) held.push_back(model.speed_names()[k]);
        return held;
      }));
}

/// A matrix of any size.
Eigen::MatrixXd matrix(const py::object& object, const char* name) {
  const Array array = numbers(object, name);
  if (array.ndim() != 2)
    throw InputError(Problem{{}, name, "has shape " + shape_text(array), "a matrix", {}});
  return Eigen::Map<const RowMajor>(array.data(), array.shape(0), array.shape(1));
}

void require_finite(const Eigen::MatrixXd& matrix, const char* name) {
  if (!matrix.allFinite())
    throw InputError(Problem{{}, name, "holds a number that is not finite", "finite numbers", {}});
}

/// A and B of one system.
std::pair<Eigen::MatrixXd, Eigen::MatrixXd> system_of(const py::object& A, const py::object& B) {
  const Eigen::MatrixXd a = matrix(A, "A");
  if (a.rows() != a.cols())
    throw InputError(Problem{
        {}, "A", fmt::format("has shape ({}, {})", a.rows(), a.cols()), "a square matrix", {}});
  if (a.rows() == 0)
    throw InputError(Problem{{}, "A", "has no rows", "a system with at least one state", {}});
  const Array array = numbers(B, "B");
  const Eigen::MatrixXd b = matrix_of(B, "B", a.rows(), array.ndim() == 2 ? array.shape(1) : 1);
  if (b.cols() == 0) throw InputError(Problem{{}, "B", "has no columns", "at least one input", {}});
  require_finite(a, "A");
  require_finite(b, "B");
  return {a, b};
}

py::tuple lqr(const py::object& A, const py::object& B, const py::object& Q, const py::object& R) {
  const auto [a, b] = system_of(A, B);
  const Eigen::MatrixXd q = matrix_of(Q, "Q", a.rows(), a.rows()),
                        r = matrix_of(R, "R", b.cols(), b.cols());
  require_finite(q, "Q");
  require_finite(r, "R");
  const Regulator found = abandonable(
      a.rows(), [a = a, b = b, q, r] { return linear_quadratic_regulator(a, b, q, r); });
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
  if (!list.allFinite())
    throw InputError(
        Problem{{}, "poles", "holds a number that is not finite", "finite numbers", {}});
  const Eigen::MatrixXd K =
      abandonable(a.rows(), [a = a, b = b, list] { return place_poles(a, b, list); });
  if (!K.allFinite())
    throw ComputationError("the poles cannot be placed: the inputs do not reach every state");
  return to_matrix(K);
}

}  // namespace

void add_linear(py::module_& m, RobotClass& robot) {
  robot
      .def("linearize", &robot_linearize, py::arg("q"), py::arg("v") = py::none(),
           py::arg("tau") = py::none(), py::kw_only(), py::arg("frame") = py::none(),
           py::arg("independent") = py::none(), py::arg("actuators") = py::none(),
           py::arg("outputs") = py::none(),
           "The robot near a state as dx/dt = A x + B u, y = C x + D u, with its poles.\n\nx: "
           "change of q in the tangent, change of v; u: change of tau; y: the change of q, or "
           "the\nrotation and displacement of a frame. With loops x and u have one speed per "
           "degree of\nfreedom: those of `independent`, the drives of a platform, or a selection "
           "by pivoting.\nactuators: speeds whose efforts are u, then 'element.NAME' for forces of "
           "actuators. outputs: names such as 'q.joint1', 'v', 'frame.tool.x'.")
      .def("equilibrium", &robot_equilibrium, py::arg("start") = py::none(),
           py::arg("tau") = py::none(),
           "Posture of static equilibrium under the efforts tau (default: zero), near a "
           "start.\n\nComputationError if none is found.");
  m.def(
      "lqr", &lqr, py::arg("A"), py::arg("B"), py::arg("Q"), py::arg("R"),
      "(K, P): gains u = -K x that minimise the integral of x'Qx + u'Ru, and x'Px the cost to go.");
  add_linear_analysis(m);
  m.def("place_poles", &place, py::arg("A"), py::arg("B"), py::arg("poles"),
        "K so that A - B K has these eigenvalues.");
}

}  // namespace ulna::python
