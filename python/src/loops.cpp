// Robot: loops. Assembly, mobility, states that fit (loop_equations.cpp: closure and efforts).

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "interrupt.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "row_argument.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/mobility.hpp"

namespace ulna::python {
namespace {

int coordinate_argument(const RobotHandle& robot, py::handle object, const char* argument) {
  const std::vector<std::string>& known = robot.model->coordinate_names();
  const std::string name = text_argument(object, argument);
  for (std::size_t k = 0; k < known.size(); ++k)
    if (known[k] == name) return static_cast<int>(k);
  throw InputError(Problem{{},
                           argument,
                           fmt::format("the robot has no coordinate '{}'", name),
                           "names as in robot.coordinates",
                           nearest_name_hint(name, known)});
}

/// Starts of an assembly: all coordinates, or {name: value}, whose values are kept; one, or a
/// batch.
struct Starts {
  PartArgument q;
  std::vector<int> held;
  AssemblyOptions common;

  AssemblyOptions options(const Model& model, py::ssize_t i) const {
    const AssemblyOptions from = assembly_options(model, q.at(i));
    AssemblyOptions out = common;
    out.start = from.start;
    out.held = from.held;
    out.closing = from.closing;
    out.held.insert(out.held.end(), held.begin(), held.end());
    return out;
  }
};

Starts starts_from(const RobotHandle& robot, const py::object& q, const py::object& held) {
  Starts starts{PartArgument(robot, q, "q", StateKind::coordinates), {}, {}};
  if (py::isinstance<py::str>(held))
    starts.held.push_back(coordinate_argument(robot, held, "held"));
  else if (!held.is_none())
    for (const py::handle name : items_argument(held, "held"))
      starts.held.push_back(coordinate_argument(robot, name, "held"));
  return starts;
}

AssemblyMethod assembly_method(const std::string& name) {
  std::vector<const char*> names;
  for (const AssemblyMethod method : assembly_methods()) names.push_back(name_of(method));
  return assembly_methods()[static_cast<std::size_t>(choice(name, names, "method"))];
}

py::object all_postures(const RobotHandle& robot, const AssemblyResult& found) {
  py::object out = new_array({static_cast<py::ssize_t>(found.solutions.size()),
                              static_cast<py::ssize_t>(robot.model->coordinates())});
  double* row = data_of(out);
  for (const Assembly& solution : found.solutions) {
    MutableVector(row, solution.q.size()) = solution.q;
    row += solution.q.size();
  }
  return out;
}

/// Each row by itself: the starts of a batch.
py::object each_assembled(RobotHandle& robot, const Starts& starts) {
  return for_rows(robot, starts.q.count(), 1,
                  [&](Context& c, py::ssize_t i) {
                    return assembled(c.model, starts.options(c.model, i));
                  })
      .vectors([](const Eigen::VectorXd& found) { return found; });
}

py::object robot_assemble(RobotHandle& robot, const py::object& q, const py::object& held,
                          const std::string& method, bool all, int restarts, unsigned seed,
                          double tolerance) {
  require_loops(*robot.model, {}, ": nothing needs to be assembled");
  Starts starts = starts_from(robot, q, held);
  AssemblyOptions& options = starts.common;
  const bool batch = starts.q.count() >= 0;
  options.method = assembly_method(method);
  options.all = all;
  options.restarts = restarts;
  options.seed = seed;
  if (!(tolerance > 0) || !std::isfinite(tolerance))
    throw InputError(
        Problem{{}, "tolerance", fmt::format("{} found", tolerance), "a number above zero", {}});
  options.tolerance = tolerance;
  if (batch && all)
    throw InputError(Problem{{}, "all", "is given for a batch of starts", "one start", {}});
  if (batch) return each_assembled(robot, starts);
  const AssemblyOptions from = starts.options(*robot.model, 0);
  const AssemblyResult found = interruptible([&] { return assemble(*robot.model, from); });
  if (found.solutions.empty()) throw ComputationError(found.reason, found.nearest_gap);
  return all ? all_postures(robot, found) : to_array(found.solutions.front().q);
}

py::object mobility_result(const Model& model, const Eigen::VectorXd& q, const Mobility& found) {
  py::list independent;
  for (const int k : found.independent) independent.append(model.speed_names()[k]);
  const py::object finite =
      found.determined ? py::object(py::int_(found.full_cycle_dof)) : py::none();
  return result_class("Mobility")(finite, found.dof, found.rank, found.rows, found.gruebler,
                                  found.singular(), independent, to_matrix(found.directions),
                                  to_array(q), mobility_notes(model, found));
}

py::object robot_mobility(RobotHandle& robot, const py::object& q) {
  require_loops(*robot.model, {}, ": its mobility is the number of its speeds");
  const Model& model = *robot.model;
  const int nq = model.coordinates();
  const py::object at = q.is_none() ? to_array(assembled(model)) : q;
  const States<1> states = states_from<1>(robot, {&at}, {"q"});
  const auto found = stacked(robot, states, 1, [&](Context& c, const auto& x) {
    return mobility(c.model, ConstVector(x[0], nq));
  });
  py::list out;
  py::ssize_t i = 0;
  for (const Mobility& one : found.results())
    out.append(mobility_result(model, ConstVector(states.x[0].row(i++), nq), one));
  return states.count < 0 ? py::object(out[0]) : py::object(out);
}

py::tuple complete(RobotHandle& robot, const py::object& q, const py::object& v,
                   const py::object& a) {
  const PartArgument at(robot, q, "q", StateKind::coordinates),
      speeds(robot, v, "v", StateKind::speeds), rates(robot, a, "a", StateKind::speeds);
  const py::ssize_t count =
      count_of({{"q", at.count()}, {"v", speeds.count()}, {"a", rates.count()}});
  const auto found = for_rows(robot, count, dear_share, [&](Context& c, py::ssize_t i) {
    const StateRequest request{.q = at.at(i), .v = speeds.at(i), .a = rates.at(i)};
    return complete_state(c.closure(), c.work, request);
  });
  return py::make_tuple(found.vectors(&State::q), found.vectors(&State::v),
                        found.vectors(&State::a));
}

/// Coordinates, rates and accelerations of the joints that close loops, by joint.
py::dict closing_joints(RobotHandle& robot, const py::object& q, const py::object& v,
                        const py::object& a) {
  const Model& model = *robot.model;
  const int nq = model.coordinates(), nv = model.speeds(), loops = std::ssize(model.loops());
  const auto found =
      stacked(robot, states_from<3>(robot, {&q, &v, &a}, {"q", "v", "a"}), dear_share,
              [&](Context& c, const auto& x) {
                const ConstVector at(x[0], nq), speeds(x[1], nv), rates(x[2], nv);
                std::vector<ClosingJointState> all;
                for (int k = 0; k < loops; ++k)
                  all.push_back(c.closure().closing_state(c.work, k, at, speeds, rates));
                return all;
              });
  py::dict out;
  for (int k = 0; k < loops; ++k) {
    if (closing_speed_names(model.loops()[k]).empty()) continue;
    const auto part = [&](Eigen::VectorXd ClosingJointState::*which) {
      return found.vectors([=](const auto& all) { return all[k].*which; });
    };
    out[py::str(model.loops()[k].joint)] = result_class("ClosingJoint")(
        part(&ClosingJointState::q), part(&ClosingJointState::v), part(&ClosingJointState::a));
  }
  return out;
}

}  // namespace

void add_loops(RobotClass& robot) {
  robot
      .def("assemble", &robot_assemble, py::arg("q") = py::none(), py::kw_only(),
           py::arg("held") = py::none(), py::arg("method") = "gauss-newton", py::arg("all") = false,
           py::arg("restarts") = 100, py::arg("seed") = 1, py::arg("tolerance") = 1e-10,
           "Coordinates near q for which every loop is closed.\n\nq: a start, or {name: value} of "
           "coordinates that keep these values, including joints that close\nloops (default: "
           "neutral).\nheld: names of coordinates that keep the value of the start. A batch of "
           "starts (N, nq), or\nvalues (N,) in the dict, gives as many postures. method: "
           "'gauss-newton',\n'newton-raphson', 'davidon-fletcher-powell', 'hooke-jeeves', "
           "'complex'. all: return every\ndistinct posture as a row. ComputationError, which names "
           "the loop that stays open, if there\nis no solution.")
      .def("mobility", &robot_mobility, py::arg("q") = py::none(),
           "Mobility of the mechanism at q (default: assembled), by rank and by finite motions. A "
           "list\nfor a batch.")
      .def("complete", &complete, py::arg("q") = py::none(), py::arg("v") = py::none(),
           py::arg("a") = py::none(),
           "(q, v, a) that satisfy the loops: close to the given ones, or for dicts {name: value} "
           "with\nthese values, from which the others follow. Joints that close loops are named "
           "like the others.\nFor a tree, values that are not named are neutral or zero. Arrays "
           "(N, n), or (N,) in a dict, make a batch.")
      .def("closing_joints", &closing_joints, py::arg("q"), py::arg("v") = py::none(),
           py::arg("a") = py::none(),
           "The joints that close loops, which have no coordinate in q: their own q, v and a, by "
           "joint.");
}

}  // namespace ulna::python
