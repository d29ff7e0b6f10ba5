// Robot: the loops as equations, independent speeds, efforts of chosen motors.

#include <pybind11/stl.h>

#include <algorithm>

#include "bindings.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "stacked.hpp"

namespace ulna::python {
namespace {

struct ClosureAt {
  Eigen::VectorXd residual, bias, lengths, angles;
  Eigen::MatrixXd jacobian;
  double gap;
};

ClosureAt closure_at(Context& c, const ConstVector& q, const ConstVector& v) {
  LoopClosure& equations = c.closure();
  equations.update(c.work, q);
  const Eigen::Index loops = std::ssize(c.model.loops());
  ClosureAt out;
  out.lengths.resize(loops);
  out.angles.resize(loops);
  for (Eigen::Index k = 0; k < loops; ++k) {
    const LoopGap gap = equations.gap(c.work, static_cast<int>(k));
    out.lengths(k) = gap.length;
    out.angles(k) = gap.angle;
  }
  out.gap = equations.largest_gap(c.work);
  out.residual = equations.residual();
  out.jacobian = equations.jacobian();
  equations.update_rates(c.work, q, v);
  out.bias = equations.bias();
  return out;
}

py::object closure(RobotHandle& robot, const py::object& q, const py::object& v) {
  require_loops(*robot.model, {}, ": there is nothing to close");
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  const auto found = stacked(robot, states_from<2>(robot, {&q, &v}, {"q", "v"}), dear_share,
                             [&](Context& c, const auto& x) {
                               return closure_at(c, ConstVector(x[0], nq), ConstVector(x[1], nv));
                             });
  py::dict gaps;
  int place = 0;
  for (const Loop& loop : robot.model->loops()) {
    gaps[py::str(loop.joint)] =
        py::make_tuple(found.numbers([=](const ClosureAt& f) { return f.lengths(place); }),
                       found.numbers([=](const ClosureAt& f) { return f.angles(place); }));
    ++place;
  }
  return result_class("Closure")(
      found.vectors(&ClosureAt::residual), found.matrices(&ClosureAt::jacobian),
      v.is_none() ? py::object(py::none()) : found.vectors(&ClosureAt::bias),
      found.numbers(&ClosureAt::gap), gaps);
}

struct MapAt {
  SpeedSplit split;
  CoordinateMap map;
  Eigen::MatrixXd mass_matrix;
};

py::object loop_map(RobotHandle& robot, const py::object& q, const py::object& v,
                    const py::object& independent) {
  require_loops(*robot.model, {}, ": every speed is independent");
  const Model& model = *robot.model;
  const int nq = model.coordinates(), nv = model.speeds();
  std::vector<int> chosen;
  if (!independent.is_none()) chosen = speeds_argument(robot, independent, "independent");
  std::sort(chosen.begin(), chosen.end());
  const States<2> states = states_from<2>(robot, {&q, &v}, {"q", "v"});
  if (chosen.empty()) {  // one choice for the whole batch
    RobotHandle::Loan c(robot);
    const ConstVector first(states.x[0].row(0), nq);
    require_closed(*c, first);
    c->closure().update(c->work, first);
    chosen = split_speeds(c->closure()).independent;
  }
  const auto found = stacked(robot, states, dear_share, [&](Context& c, const auto& x) {
    const ConstVector at(x[0], nq);
    require_closed(c, at);
    c.closure().update_rates(c.work, at, ConstVector(x[1], nv));
    MapAt out{split_speeds(c.closure(), chosen), {}, {}};
    out.map = independent_map(c.closure(), out.split);
    out.mass_matrix = c.loops().reduced_mass_matrix(c.work, at, out.split);
    return out;
  });
  py::list names;
  for (const int k : chosen) names.append(model.speed_names()[k]);
  return result_class("IndependentMap")(
      names, found.matrices([](const MapAt& f) { return f.map.G; }),
      found.vectors([](const MapAt& f) { return f.map.gamma; }),
      found.matrices(&MapAt::mass_matrix),
      found.numbers([](const MapAt& f) { return f.split.quality; }));
}

struct EffortsAt {
  LoopEfforts efforts;
  std::vector<Eigen::VectorXd> reactions;
};

py::object loop_efforts(RobotHandle& robot, const py::object& q, const py::object& v,
                        const py::object& a, const py::object& actuated, const py::object& weights,
                        const py::object& wrenches) {
  require_loops(*robot.model, {}, ": use inverse_dynamics");
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  DynamicsOptions options;
  if (!actuated.is_none()) options.actuated = degrees_argument(robot, actuated, "actuated");
  if (!weights.is_none()) options.weights = vector_of(weights, "weights");
  const auto loads = wrenches_argument(robot, wrenches.is_none() ? nullptr : wrenches.ptr());
  check_options(robot, options);
  const int loops = std::ssize(robot.model->loops());
  const auto found =
      stacked(robot, states_from<3>(robot, {&q, &v, &a}, {"q", "v", "a"}), dear_share,
              [&](Context& c, const auto& x) {
                const ConstVector at(x[0], nq), speeds(x[1], nv), rates(x[2], nv);
                require_closed(c, at, &speeds, &rates);
                Dynamics& by = c.dynamics(options);
                EffortsAt out{by.inverse(at, speeds, rates, loads), {}};
                for (int k = 0; k < loops; ++k)
                  out.reactions.push_back(
                      by.loops()->loop_reaction(by.work(), k, out.efforts.lambda).vector());
                return out;
              });
  py::dict reactions;
  for (int k = 0; k < loops; ++k)
    reactions[py::str(robot.model->loops()[k].joint)] =
        found.vectors([=](const EffortsAt& f) { return f.reactions[k]; });
  py::dict closing;
  Eigen::Index first = 0;
  for (const Loop& loop : robot.model->loops()) {
    const auto size = static_cast<Eigen::Index>(closing_speed_names(loop).size());
    if (size == 0) continue;
    closing[py::str(loop.joint)] = found.vectors([=](const EffortsAt& f) -> Eigen::VectorXd {
      return f.efforts.closing.segment(first, size);
    });
    first += size;
  }
  return result_class("LoopEfforts")(
      found.vectors([](const EffortsAt& f) { return f.efforts.tau; }),
      found.vectors([](const EffortsAt& f) { return f.efforts.lambda; }), reactions,
      found.objects([](const EffortsAt& f) { return f.efforts.dof; }),
      found.objects([](const EffortsAt& f) { return f.efforts.redundant_actuation; }),
      found.objects([](const EffortsAt& f) { return !f.efforts.redundant_rows; }), closing);
}

}  // namespace

void add_loop_equations(RobotClass& robot) {
  robot
      .def("closure", &closure, py::arg("q"), py::arg("v") = py::none(),
           "The loops as equations r(q) = 0: residual, jacobian A with dr/dt = A v, and for speeds "
           "v\n"
           "bias b with A a = b; the largest gap, and the gap (m, rad) of each loop.")
      .def("independent_map", &loop_map, py::arg("q"), py::arg("v") = py::none(), py::kw_only(),
           py::arg("independent") = py::none(),
           "The map from independent speeds to all speeds: v = G u, a = G du/dt + gamma, and the "
           "mass\nmatrix G' M G. independent: names of the speeds u (default: selected by "
           "pivoting, for a\nbatch at its first state).")
      .def("loop_efforts", &loop_efforts, py::arg("q"), py::arg("v") = py::none(),
           py::arg("a") = py::none(), py::kw_only(), py::arg("actuated") = py::none(),
           py::arg("weights") = py::none(), py::arg("wrenches") = py::none(),
           "Inverse dynamics with loops: efforts of the motors, multipliers, and the reaction "
           "(moment,\n"
           "force) of every loop on its child. actuated: names of joints, also of those that close "
           "loops,\n"
           "whose efforts are in `closing`. weights: with more motors than degrees of freedom,\n"
           "minimise the sum of weight tau^2.");
}

}  // namespace ulna::python
