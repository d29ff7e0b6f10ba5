// Robot: influence coefficients of a frame and the dynamics in any inputs, I* and P*.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "bindings.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "stacked.hpp"
#include "ulna/dynamics/internal/coordinate_transfer.hpp"
#include "ulna/kinematics/internal/drive_choice.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "wrenches.hpp"

namespace ulna::python {
namespace {

/// Names of speeds, rates of closing joints among them.
std::vector<int> inputs_argument(const Model& model, const py::object& given) {
  const std::vector<std::string> known = all_speed_names(model);
  std::vector<int> inputs;
  const auto add = [&](const std::string& name) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      throw InputError(Problem{{},
                               "inputs",
                               fmt::format("the robot has no speed '{}'", name),
                               "names as in robot.speeds, or of closing joints (ball.wx)",
                               nearest_name_hint(name, known)});
    inputs.push_back(static_cast<int>(found - known.begin()));
    if (std::count(inputs.begin(), inputs.end(), inputs.back()) > 1)
      throw InputError(
          Problem{{}, "inputs", fmt::format("'{}' is given twice", name), "each once", {}});
  };
  if (py::isinstance<py::str>(given))
    add(given.cast<std::string>());
  else
    for (const py::handle name : items_argument(given, "inputs"))
      add(text_argument(name, "inputs"));
  return inputs;
}

struct Influence {
  CoordinateMap map;
  DynamicModel dynamics;
};

Influence influence_at(Context& c, const ConstVector& q, int frame, const Vector3<double>& point,
                       const std::vector<int>& inputs, ExternalWrenches wrenches) {
  require_closed(c, q);
  c.closure().update(c.work, q);
  const CoordinateMap speeds = map_from_inputs(c.closure(), c.work, q, inputs);
  Influence found;
  found.dynamics = transfer(dynamic_model(c.model, c.work, q, wrenches), speeds);
  found.map = compose(influence_coefficients(c.model, c.work, frame, point), speeds);
  return found;
}

std::vector<int> usual_inputs_at(RobotHandle& robot, const ConstVector& q) {
  RobotHandle::Loan c(robot);
  require_closed(*c, q);
  c->closure().update(c->work, q);
  return usual_inputs(c->closure());
}

py::object influence(RobotHandle& robot, const py::object& q, const py::object& frame,
                     const py::object& inputs, const py::object& point,
                     const py::object& wrenches) {
  const Model& model = *robot.model;
  model.require_rigid("the map of influence coefficients");
  const int nq = model.coordinates();
  const WrenchArgument loads(robot, wrenches.is_none() ? nullptr : wrenches.ptr());
  const States<1> given = states_from<1>(robot, {&q}, {"q"});
  States<2> states = with_wrenches<1>(given, loads, {"q"});
  if (given.count == 0) states.count = 0;
  const PlatformData* platform = model.platform();
  const int of = frame.is_none() && platform
                     ? model.frame(platform->platform_body)
                     : frame_argument(robot, frame.is_none() ? nullptr : frame.ptr(), "frame");
  const Vector3<double> at =
      point.is_none() ? Vector3<double>(Vector3<double>::Zero()) : vector3(point, "point");
  const std::vector<int> chosen = inputs.is_none()
                                      ? usual_inputs_at(robot, ConstVector(states.x[0].row(0), nq))
                                      : inputs_argument(model, inputs);
  const auto found = stacked(robot, states, dear_share, [&](Context& c, const auto& x) {
    std::vector<ExternalWrench> room;
    return influence_at(c, ConstVector(x[0], nq), of, at, chosen, loads.at(x[1], room));
  });
  py::list names;
  for (const int k : chosen) names.append(all_speed_names(model)[k]);
  return result_class("InfluenceCoefficients")(
      names, model.frames()[of].name, found.matrices([](const auto& f) { return f.map.G; }),
      found.planes([](const auto& f) -> const auto& { return f.map.H; }),
      found.matrices([](const auto& f) { return f.dynamics.I; }),
      found.planes([](const auto& f) -> const auto& { return f.dynamics.P; }),
      found.vectors([](const auto& f) { return f.dynamics.gravity; }),
      found.vectors([](const auto& f) { return f.dynamics.load; }));
}

}  // namespace

void add_influence(RobotClass& robot) {
  robot.def(
      "influence_coefficients", &influence, py::arg("q"), py::arg("frame") = py::none(),
      py::kw_only(), py::arg("inputs") = py::none(), py::arg("point") = py::none(),
      py::arg("wrenches") = py::none(),
      "First and second order influence coefficients of a frame, and the dynamics in the inputs.\n"
      "\n"
      "With u the rates of the inputs: (angular velocity; velocity) = G u, their rates G du/dt +\n"
      "u' H u, rotation rows first, world axes; efforts = I du/dt + u' P u + gravity + load, "
      "where\n"
      "load holds the external wrenches ({frame: force} or a list of ulna.Wrench). Only the "
      "symmetric\npart of each plane of H and P acts.\n\n"
      "frame: by default the tip, or the platform. inputs: names of speeds that\n"
      "determine the robot, closing joints included; by default all speeds of a tree, "
      "the\n"
      "drives of a platform, independent speeds of another robot with loops. point: fixed to the\n"
      "frame, in its axes. Shapes: G (6, n), H (6, n, n), I (n, n), P (n, n, n), with N in front "
      "for\na batch.");
}

}  // namespace ulna::python
