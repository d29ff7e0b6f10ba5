// ulna.Dynamics: one object that answers every question about a robot of any kind, by the
// formulation, level, closing and actuators chosen when it is made. Scratch memory is the robot's.

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "dynamics_questions.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "stacked.hpp"
#include "wrenches.hpp"

namespace ulna::python {
namespace dynamics_class {
namespace {

struct DynamicsHandle {
  std::shared_ptr<RobotHandle> robot;
  DynamicsOptions options;
  py::dict chosen;  ///< what it was made with, for copies and pickles

  int nq() const { return robot->model->coordinates(); }
  int nv() const { return robot->model->speeds(); }
};

DynamicsHandle make_dynamics(const std::shared_ptr<RobotHandle>& robot, const py::object& method,
                             const py::object& level, const py::object& actuated,
                             const py::object& weights, const py::object& closing) {
  DynamicsHandle out{robot, {}, {}};
  const py::object copied = py::module_::import("copy").attr("deepcopy");
  const std::pair<const char*, const py::object*> given[] = {{"method", &method},
                                                             {"level", &level},
                                                             {"actuated", &actuated},
                                                             {"weights", &weights},
                                                             {"closing", &closing}};
  for (const auto& [name, value] : given)
    if (!value->is_none()) out.chosen[name] = copied(*value);
  if (!method.is_none()) {
    out.options.method = text_argument(method, "method");
    if (out.options.method == "automatic") out.options.method.clear();
  }
  if (!level.is_none()) choose_level(*robot->model, text_argument(level, "level"), out.options);
  if (!actuated.is_none()) out.options.actuated = degrees_argument(*robot, actuated, "actuated");
  if (!weights.is_none()) out.options.weights = vector_of(weights, "weights");
  if (!closing.is_none())
    choose_closing(*robot->model, text_argument(closing, "closing"), out.options);
  check_options(*robot, out.options);
  return out;
}

WrenchArgument loads_on(const DynamicsHandle& d, const py::object& wrenches) {
  return {*d.robot, wrenches.is_none() ? nullptr : wrenches.ptr()};
}

PyObject* given(const py::object& x) { return x.is_none() ? nullptr : x.ptr(); }

py::object inverse(DynamicsHandle& d, const py::object& q, const py::object& v, const py::object& a,
                   const py::object& wrenches) {
  const WrenchArgument loads = loads_on(d, wrenches);
  PyObject* slots[] = {q.ptr(), given(v), given(a)};
  const py::ssize_t closing = closing_efforts(*d.robot, d.options.actuated);
  const States<3> states = states_of<3>(*d.robot, slots, {"q", "v", "a"});
  return over_states<4>(
      *d.robot, with_wrenches<3>(states, loads, {"q", "v", "a"}), {d.nv() + closing}, nullptr,
      dear_share, [&](Context& c, const auto& x, double* out) {
        const ConstVector at(x[0], d.nq()), speeds(x[1], d.nv()), rates(x[2], d.nv());
        require_closed(c, at, &speeds, &rates);
        std::vector<ExternalWrench> room;
        const LoopEfforts& efforts =
            c.dynamics(d.options).inverse(at, speeds, rates, loads.at(x[3], room));
        MutableVector(out, d.nv()) = efforts.tau;
        if (closing > 0) MutableVector(out + d.nv(), closing) = efforts.closing;
      });
}

py::object forward(DynamicsHandle& d, const py::object& q, const py::object& v,
                   const py::object& tau, const py::object& wrenches) {
  const WrenchArgument loads = loads_on(d, wrenches);
  PyObject* slots[] = {q.ptr(), given(v), given(tau)};
  const States<3> states = states_of<3>(*d.robot, slots, {"q", "v", "tau"});
  return over_states<4>(*d.robot, with_wrenches<3>(states, loads, {"q", "v", "tau"}), {d.nv()},
                        nullptr, dear_share, [&](Context& c, const auto& x, double* out) {
                          const ConstVector at(x[0], d.nq()), speeds(x[1], d.nv());
                          require_closed(c, at, &speeds);
                          std::vector<ExternalWrench> room;
                          MutableVector(out, d.nv()) = c.dynamics(d.options).forward(
                              at, speeds, ConstVector(x[2], d.nv()), loads.at(x[3], room));
                        });
}

py::object mass(DynamicsHandle& d, const py::object& q) {
  PyObject* slots[] = {q.ptr()};
  return over_states<1>(*d.robot, states_of<1>(*d.robot, slots, {"q"}), {d.nv(), d.nv()}, nullptr,
                        dear_share, [&](Context& c, const auto& x, double* out) {
                          MutableRows(out, d.nv(), d.nv()) =
                              c.dynamics(d.options).mass_matrix(ConstVector(x[0], d.nq()));
                        });
}

py::object reactions(DynamicsHandle& d, const py::object& q, const py::object& v,
                     const py::object& a, const py::object& wrenches, const py::object& at,
                     const py::object& expressed_in) {
  PyObject* slots[] = {q.ptr(),         given(v),  given(a),
                       given(wrenches), given(at), given(expressed_in)};
  return reactions_of(*d.robot, d.options, slots);
}

py::object energy(DynamicsHandle& d, const py::object& q, const py::object& v) {
  PyObject* slots[] = {q.ptr(), given(v)};
  return energy_of(*d.robot, slots);
}

py::list speed_names(const DynamicsHandle& d, const std::vector<int>& speeds) {
  py::list names;
  for (const int k : speeds) names.append(d.robot->model->speed_names()[k]);
  return names;
}

py::object equations(DynamicsHandle& d, const py::object& q, const py::object& v,
                     const py::object& independent) {
  std::vector<int> chosen;
  if (!independent.is_none()) chosen = speeds_argument(*d.robot, independent, "independent");
  const auto found = stacked(*d.robot, states_from<2>(*d.robot, {&q, &v}, {"q", "v"}), dear_share,
                             [&](Context& c, const auto& x) {
                               const ConstVector at(x[0], d.nq()), speeds(x[1], d.nv());
                               require_closed(c, at, &speeds);
                               return c.dynamics(d.options).equations(at, speeds, chosen);
                             });
  for (const EquationsOfMotion& one : found.results())
    if (one.speeds != found.at[0].speeds)
      throw InputError("the states of the batch have different independent speeds",
                       "independent=[names], the same for all");
  return result_class("EquationsOfMotion")(
      speed_names(d, found.at[0].speeds), found.matrices(&EquationsOfMotion::M),
      found.vectors(&EquationsOfMotion::coriolis), found.vectors(&EquationsOfMotion::gravity),
      found.vectors(&EquationsOfMotion::passive));
}

py::object derivatives(DynamicsHandle& d, const py::object& q, const py::object& v,
                       const py::object& a) {
  const auto found = stacked(*d.robot, states_from<3>(*d.robot, {&q, &v, &a}, {"q", "v", "a"}),
                             dear_share, [&](Context& c, const auto& x) {
                               const ConstVector at(x[0], d.nq()), speeds(x[1], d.nv()),
                                   rates(x[2], d.nv());
                               require_closed(c, at, &speeds, &rates);
                               return LinearTerms(c.dynamics(d.options).linear(at, speeds, rates));
                             });
  return result_class("LinearTerms")(
      speed_names(d, found.at[0].speeds), found.matrices(&LinearTerms::M),
      found.matrices(&LinearTerms::C), found.matrices(&LinearTerms::K), found.at[0].exact);
}

std::string text_of(const DynamicsHandle& d) {
  std::string text = "<ulna.Dynamics of '" + d.robot->model->name() + "'";
  for (const auto& [name, value] : d.chosen)
    text += ", " + std::string(py::str(name)) + "=" + std::string(py::repr(value));
  return text + ">";
}

/// The call that makes it again.
py::tuple reduced(const py::object& self) {
  const auto& d = self.cast<const DynamicsHandle&>();
  const py::object partial = py::module_::import("functools").attr("partial");
  return py::make_tuple(partial(py::type::of(self), **d.chosen), py::make_tuple(d.robot));
}

/// The formulation in force for each question.
py::dict methods(DynamicsHandle& d) {
  RobotHandle::Loan c(*d.robot);
  Dynamics& by = c->dynamics(d.options);
  py::dict out;
  for (int k = 0; k < question_count; ++k) {
    const auto question = static_cast<Question>(k);
    const Formulation& f = by.formulation(question);
    if (why_not(f, *d.robot->model, question).empty()) out[name_of(question)] = f.name;
  }
  return out;
}

}  // namespace
}  // namespace dynamics_class

void add_dynamics_class(py::module_& m) {
  const py::none none;
  py::class_<dynamics_class::DynamicsHandle>(
      m, "Dynamics",
      "The dynamics of a robot of any kind: a tree, loops, flexible links, "
      "a platform.\n\n"
      "method: a formulation, as in ulna.formulations(); level: of flexible "
      "links; actuated,\n"
      "weights, closing: with loops. A single state, or a batch (N, n).")
      .def(py::init(&dynamics_class::make_dynamics), py::arg("robot").none(false), py::kw_only(),
           py::arg("method") = none, py::arg("level") = none, py::arg("actuated") = none,
           py::arg("weights") = none, py::arg("closing") = none)
      .def_property_readonly(
          "robot", [](const dynamics_class::DynamicsHandle& d) { return d.robot; }, "The robot.")
      .def("__repr__", &dynamics_class::text_of)
      .def("__reduce__", &dynamics_class::reduced,
           "For pickle and copy: the arguments that create it again.")
      .def_property_readonly("methods", &dynamics_class::methods,
                             "The formulation that answers each question, by question.")
      .def("inverse", &dynamics_class::inverse, py::arg("q"), py::arg("v") = none,
           py::arg("a") = none, py::kw_only(), py::arg("wrenches") = none,
           "Efforts that give accelerations a.")
      .def("forward", &dynamics_class::forward, py::arg("q"), py::arg("v") = none,
           py::arg("tau") = none, py::kw_only(), py::arg("wrenches") = none,
           "Accelerations under efforts tau.")
      .def("mass_matrix", &dynamics_class::mass, py::arg("q"), "M of the open tree, on all speeds.")
      .def("equations", &dynamics_class::equations, py::arg("q"), py::arg("v") = none,
           py::kw_only(), py::arg("independent") = none,
           "M a + coriolis + gravity + passive = tau on independent speeds: all of a tree; with "
           "loops\n"
           "those named, or chosen by pivoting, tau standing for G' tau.")
      .def("reactions", &dynamics_class::reactions, py::arg("q"), py::arg("v") = none,
           py::arg("a") = none, py::kw_only(), py::arg("wrenches") = none, py::arg("at") = none,
           py::arg("expressed_in") = none,
           "The wrench (moment, force) through every joint, those that close loops included: a "
           "dict.")
      .def("energy", &dynamics_class::energy, py::arg("q"), py::arg("v") = none,
           "Kinetic and potential energy, J; springs of closing joints included.")
      .def("derivatives", &dynamics_class::derivatives, py::arg("q"), py::arg("v") = none,
           py::arg("a") = none,
           "M da + C dv + K dq = dtau about a state, q in the tangent; with loops on independent "
           "speeds.");
}

}  // namespace ulna::python
