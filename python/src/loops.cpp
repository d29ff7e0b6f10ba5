// Robot: loops. Assembly, closure equations, mobility, states that fit, efforts of chosen motors.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "fast_method.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "states.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/mobility.hpp"

namespace ulna::python {
namespace {

void require_loops(const RobotHandle& robot, const char* what) {
  if (!robot.has_loops())
    throw InputError("robot '" + robot.model->name() + "' has no loops: " + what,
                     "a robot with loops");
}

int coordinate_argument(const RobotHandle& robot, const std::string& name) {
  const std::vector<std::string>& known = robot.model->coordinate_names();
  for (std::size_t k = 0; k < known.size(); ++k)
    if (known[k] == name) return static_cast<int>(k);
  throw InputError(Problem{{},
                           "q",
                           fmt::format("the robot has no coordinate '{}'", name),
                           "names as in robot.coordinates",
                           nearest_name_hint(name, known)});
}

/// A start: all coordinates, or {name: value}, whose values are kept.
AssemblyOptions start_from(const RobotHandle& robot, const py::object& q, const py::object& held) {
  const Model& model = *robot.model;
  AssemblyOptions options;
  options.start = model.neutral();
  if (py::isinstance<py::dict>(q)) {
    for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(q)) {
      const int place = coordinate_argument(robot, text_argument(name, "q"));
      options.start(place) = value.cast<double>();
      options.held.push_back(place);
    }
  } else if (!q.is_none()) {
    options.start = vector_of(q, "q", model.coordinates(), ", the coordinates");
  }
  options.start = model.normalized(options.start);
  if (!held.is_none())
    for (const py::handle name : held)
      options.held.push_back(coordinate_argument(robot, text_argument(name, "held")));
  return options;
}

AssemblyMethod assembly_method(const std::string& name) {
  std::vector<const char*> names;
  for (const AssemblyMethod method : assembly_methods()) names.push_back(name_of(method));
  return assembly_methods()[static_cast<std::size_t>(choice(name, names, "method"))];
}

py::object robot_assemble(const RobotHandle& robot, const py::object& q, const py::object& held,
                          const std::string& method, bool all, int restarts, unsigned seed,
                          double tolerance) {
  require_loops(robot, "nothing needs to be assembled");
  AssemblyOptions options = start_from(robot, q, held);
  options.method = assembly_method(method);
  options.all = all;
  options.restarts = restarts;
  options.seed = seed;
  options.tolerance = tolerance;
  AssemblyResult found;
  {
    const py::gil_scoped_release unlocked;
    found = assemble(*robot.model, options);
  }
  if (found.solutions.empty()) throw ComputationError(found.reason, found.nearest_gap);
  if (!all) return to_array(found.solutions.front().q);
  py::object out = new_array({static_cast<py::ssize_t>(found.solutions.size()),
                              static_cast<py::ssize_t>(robot.model->coordinates())});
  double* row = data_of(out);
  for (const Assembly& solution : found.solutions) {
    MutableVector(row, solution.q.size()) = solution.q;
    row += solution.q.size();
  }
  return out;
}

py::object closure(RobotHandle& robot, const py::object& q, const py::object& v) {
  require_loops(robot, "there is nothing to close");
  const Model& model = *robot.model;
  const Eigen::VectorXd at =
      model.normalized(vector_of(q, "q", model.coordinates(), ", the coordinates"));
  RobotHandle::Loan c(robot);
  LoopClosure& equations = c->closure();
  equations.update(c->work, at);
  py::dict gaps;
  for (std::size_t k = 0; k < model.loops().size(); ++k) {
    const LoopGap gap = equations.gap(c->work, static_cast<int>(k));
    gaps[py::str(model.loops()[k].joint)] = py::make_tuple(gap.length, gap.angle);
  }
  const double largest = equations.largest_gap(c->work);
  py::object bias = py::none();
  if (!v.is_none()) {
    equations.update_rates(c->work, at, vector_of(v, "v", model.speeds(), ", one per speed"));
    bias = to_array(equations.bias());
  }
  return result_class("Closure")(to_array(equations.residual()), to_matrix(equations.jacobian()),
                                 bias, largest, gaps);
}

py::object robot_mobility(const RobotHandle& robot, const py::object& q) {
  require_loops(robot, "its mobility is the number of its speeds");
  const Model& model = *robot.model;
  const Eigen::VectorXd at =
      q.is_none() ? assembled(model)
                  : model.normalized(vector_of(q, "q", model.coordinates(), ", the coordinates"));
  Mobility found;
  {
    const py::gil_scoped_release unlocked;
    found = mobility(model, at);
  }
  py::list independent;
  for (const int k : found.independent) independent.append(model.speed_names()[k]);
  return result_class("Mobility")(
      found.full_cycle_dof, found.dof, found.rank, found.rows, found.gruebler, found.singular(),
      independent, to_matrix(found.directions), to_array(at), mobility_notes(model, found));
}

/// Speeds or accelerations of all joints from those named, or the nearest that fit.
Eigen::VectorXd completed(const RobotHandle& robot, LoopClosure& closure, const py::object& given,
                          const char* name, bool accelerations) {
  const Model& model = *robot.model;
  if (py::isinstance<py::dict>(given)) {
    std::map<int, double> values;  // ascending, as split_speeds wants them
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given))
      values[speeds_argument(robot, key, name).front()] = value.cast<double>();
    std::vector<int> places;
    Eigen::VectorXd x(static_cast<Eigen::Index>(values.size()));
    for (const auto& [place, value] : values) {
      x(static_cast<Eigen::Index>(places.size())) = value;
      places.push_back(place);
    }
    const CoordinateMap map = independent_map(closure, split_speeds(closure, places));
    return accelerations ? map.accelerations(x) : map.speeds(x);
  }
  const Eigen::VectorXd x = given.is_none()
                                ? Eigen::VectorXd(Eigen::VectorXd::Zero(model.speeds()))
                                : vector_of(given, name, model.speeds(), ", one per speed");
  return accelerations ? compatible_accelerations(closure, x) : compatible_speeds(closure, x);
}

py::tuple complete(RobotHandle& robot, const py::object& q, const py::object& v,
                   const py::object& a) {
  require_loops(robot, "every state fits");
  const Model& model = *robot.model;
  AssemblyOptions options = start_from(robot, q, py::none());
  RobotHandle::Loan c(robot);
  LoopClosure& closure = c->closure();
  closure.update(c->work, options.start);
  if (closure.largest_gap(c->work) > 1e-12) {
    options.tolerance = 1e-11;
    options.start = assembled(model, options);
    closure.update(c->work, options.start);
  }
  const Eigen::VectorXd speeds = completed(robot, closure, v, "v", false);
  closure.update_rates(c->work, options.start, speeds);
  const Eigen::VectorXd rates = completed(robot, closure, a, "a", true);
  return py::make_tuple(to_array(options.start), to_array(speeds), to_array(rates));
}

py::object loop_map(RobotHandle& robot, const py::object& q, const py::object& v,
                    const py::object& independent) {
  require_loops(robot, "every speed is independent");
  const Model& model = *robot.model;
  const Eigen::VectorXd at =
      model.normalized(vector_of(q, "q", model.coordinates(), ", the coordinates"));
  const Eigen::VectorXd speeds = v.is_none()
                                     ? Eigen::VectorXd(Eigen::VectorXd::Zero(model.speeds()))
                                     : vector_of(v, "v", model.speeds(), ", one per speed");
  RobotHandle::Loan c(robot);
  require_closed(*c, ConstVector(at.data(), at.size()));
  c->closure().update_rates(c->work, at, speeds);
  SpeedSplit split;
  if (independent.is_none()) {
    split = split_speeds(c->closure());
  } else {
    std::vector<int> places = speeds_argument(robot, independent, "independent");
    std::sort(places.begin(), places.end());
    split = split_speeds(c->closure(), places);
  }
  const CoordinateMap map = independent_map(c->closure(), split);
  py::list names;
  for (const int k : split.independent) names.append(model.speed_names()[k]);
  return result_class("IndependentMap")(
      names, to_matrix(map.G), to_array(map.gamma),
      to_matrix(c->loops().reduced_mass_matrix(c->work, at, split)), split.quality);
}

py::object loop_efforts(RobotHandle& robot, const py::object& q, const py::object& v,
                        const py::object& a, const py::object& actuated, const py::object& weights,
                        const py::object& wrenches) {
  require_loops(robot, "use inverse_dynamics");
  PyObject* const slots[] = {q.ptr(), v.is_none() ? nullptr : v.ptr(),
                             a.is_none() ? nullptr : a.ptr()};
  const States<3> states = states_of<3>(robot, slots, {"q", "v", "a"});
  if (states.count >= 0)
    throw InputError("loop_efforts takes one state", "q of shape (nq,)",
                     "inverse_dynamics takes batches");
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  const ConstVector at(states.x[0].data, nq), speeds(states.x[1].data, nv),
      rates(states.x[2].data, nv);
  LoopInverseOptions options;
  if (!actuated.is_none()) options.actuated = speeds_argument(robot, actuated, "actuated");
  if (!weights.is_none()) options.weights = vector_of(weights, "weights");
  RobotHandle::Loan c(robot);
  require_closed(*c, at, &speeds, &rates);
  const LoopEfforts efforts =
      c->loops().inverse(c->work, at, speeds, rates, options,
                         wrenches_argument(robot, wrenches.is_none() ? nullptr : wrenches.ptr()));
  py::dict reactions;
  for (std::size_t k = 0; k < robot.model->loops().size(); ++k) {
    const Wrench<double> F = c->loops().loop_reaction(c->work, static_cast<int>(k), efforts.lambda);
    Eigen::VectorXd six(6);
    six << F.moment, F.force;
    reactions[py::str(robot.model->loops()[k].joint)] = to_array(six);
  }
  return result_class("LoopEfforts")(to_array(efforts.tau), to_array(efforts.lambda), reactions,
                                     efforts.dof, efforts.redundant_actuation,
                                     !efforts.redundant_rows);
}

}  // namespace

void add_loops(RobotClass& robot) {
  robot
      .def(
          "assemble", &robot_assemble, py::arg("q") = py::none(), py::kw_only(),
          py::arg("held") = py::none(), py::arg("method") = "gauss-newton", py::arg("all") = false,
          py::arg("restarts") = 100, py::arg("seed") = 1, py::arg("tolerance") = 1e-10,
          "Coordinates at which every loop is closed, near q.\n\n"
          "q: a start, or {name: value} of coordinates that keep these values; neutral when "
          "absent.\n"
          "held: names of coordinates that keep the value of the start. method: 'gauss-newton',\n"
          "'newton-raphson', 'davidon-fletcher-powell', 'hooke-jeeves', 'complex'. all: every\n"
          "different posture that is found, as rows. ComputationError, naming the loop that stays\n"
          "open, when there is none.")
      .def("closure", &closure, py::arg("q"), py::arg("v") = py::none(),
           "The loops as equations r(q) = 0: residual, jacobian A with dr/dt = A v, and for speeds "
           "v\n"
           "bias b with A a = b; the largest gap, and the gap (m, rad) of each loop.")
      .def("mobility", &robot_mobility, py::arg("q") = py::none(),
           "How the mechanism can move at q (assembled when absent), by rank and by moving.")
      .def("complete", &complete, py::arg("q") = py::none(), py::arg("v") = py::none(),
           py::arg("a") = py::none(),
           "(q, v, a) that fit the loops: near those given, or, for dicts {name: value}, with "
           "these\n"
           "values and the others following.")
      .def("independent_map", &loop_map, py::arg("q"), py::arg("v") = py::none(), py::kw_only(),
           py::arg("independent") = py::none(),
           "How all speeds follow from independent ones: v = G u, a = G du/dt + gamma, and the "
           "mass\n"
           "matrix G' M G. independent: names of the speeds u; chosen by pivoting when absent.")
      .def("loop_efforts", &loop_efforts, py::arg("q"), py::arg("v") = py::none(),
           py::arg("a") = py::none(), py::kw_only(), py::arg("actuated") = py::none(),
           py::arg("weights") = py::none(), py::arg("wrenches") = py::none(),
           "Inverse dynamics with loops: efforts of the motors, multipliers, and the reaction "
           "(moment,\n"
           "force) of every loop on its child. weights: with more motors than degrees of freedom,\n"
           "minimise the sum of weight tau^2.");
}

}  // namespace ulna::python
