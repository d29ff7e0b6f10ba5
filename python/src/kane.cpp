// Robot: the quantities of Kane's equations in any generalized speeds.

#include "kane.hpp"

#include <pybind11/stl.h>

#include "loop_state.hpp"
#include "names.hpp"
#include "stacked.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"

namespace ulna::python {

GeneralizedSpeeds speeds_choice(py::handle object) {
  if (!py::isinstance<py::dict>(object)) return {text_argument(object, "speeds")};
  GeneralizedSpeeds speeds{"formulas", {}};
  for (const auto& [name, text] : entries_of(object))
    speeds.formulas.emplace_back(text_argument(name, "speeds"), text_argument(text, "speeds"));
  if (speeds.formulas.empty())
    throw InputError(Problem{{}, "speeds", "an empty dict", "a formula for each speed", {}});
  return speeds;
}

namespace {

/// What a moving y adds, (bodies, 3).
template <class Get>
Eigen::MatrixXd rests(const KaneQuantities& k, const Get& get) {
  Eigen::MatrixXd rows(std::ssize(k.bodies), 3);
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    rows.row(i) = get(k.bodies[static_cast<std::size_t>(i)]).transpose();
  return rows;
}

py::object kane_quantities(RobotHandle& robot, const py::object& q, const py::object& v,
                           const py::object& a, const py::object& speeds, double time,
                           const py::object& wrenches, const py::object& actuated) {
  const Model& model = *robot.model;
  const int nq = model.coordinates(), nv = model.speeds();
  model.require_rigid("Kane's method");
  const States<3> states = states_from<3>(robot, {&q, &v, &a}, {"q", "v", "a"});
  const GeneralizedSpeeds chosen = speeds.is_none() ? GeneralizedSpeeds{} : speeds_choice(speeds);
  const std::vector<ExternalWrench> loads =
      wrenches_argument(robot, wrenches.is_none() ? nullptr : wrenches.ptr());
  const LoopInverseOptions motors = motors_argument(robot, actuated);
  const auto found = stacked(robot, states, dear_share, [&](Context& c, const auto& x) {
    const ConstVector at(x[0], nq), rates(x[1], nv), accelerations(x[2], nv);
    require_closed(c, at, &rates, &accelerations);
    return c.kane().quantities(c.work, at, rates, accelerations, chosen, time, loads, motors);
  });
  py::list bodies;
  for (std::size_t k = 1; k < model.bodies().size(); ++k) bodies.append(model.bodies()[k].name);
  using K = KaneQuantities;
  using P = BodyPartials;
  const auto planes = [&](auto member) {
    return found.matrices([&, member](const K& k) -> Eigen::MatrixXd {
      // Bodies one below the other; Python makes (bodies, 3, speeds) of it.
      Eigen::MatrixXd all(3 * std::ssize(k.bodies), k.u.size());
      for (Eigen::Index i = 0; i < std::ssize(k.bodies); ++i)
        all.middleRows(3 * i, 3) = k.bodies[static_cast<std::size_t>(i)].*member;
      return all;
    });
  };
  return result_class("KaneQuantities")(
      found.at[0].names, bodies, found.vectors(&K::u), found.vectors(&K::u_dot),
      found.matrices(&K::Y), found.vectors(&K::y), found.matrices(&K::B), found.matrices(&K::F),
      found.vectors(&K::Z), found.vectors(&K::K_star), found.vectors(&K::K),
      found.vectors(&K::K_applied), found.vectors(&K::tau), planes(&P::angular), planes(&P::linear),
      planes(&P::centre), found.matrices([](const K& k) {
        return rests(k, [](const P& p) { return p.angular_rest; });
      }),
      found.matrices([](const K& k) { return rests(k, [](const P& p) { return p.linear_rest; }); }),
      found.matrices(
          [](const K& k) { return rests(k, [](const P& p) { return p.centre_rest; }); }));
}

}  // namespace

void add_kane(RobotClass& robot) {
  robot.def(
      "kane", &kane_quantities, py::arg("q"), py::arg("v") = py::none(), py::arg("a") = py::none(),
      py::kw_only(), py::arg("speeds") = py::none(), py::arg("time") = 0.0,
      py::arg("wrenches") = py::none(), py::arg("actuated") = py::none(),
      "Every quantity of Kane's equations: K + K* = 0, F du/dt + Z = K.\n\n"
      "speeds: the generalized speeds u = Y v + y: 'joint-rates' (default), 'middle', "
      "'body:NAME',\n"
      "or a dict of formulas linear in the joint rates, {'u1': 'cos(q.joint2)*v.joint1 + t', "
      "...},\n"
      "one for each speed, taken at `time`. Robots with loops: as many speeds as degrees of "
      "freedom;\n"
      "partial velocities, forces and F are the constrained ones, and actuated names the motors.\n"
      "Partial velocities are in the axes of each body: of its frame's origin (linear) and of its\n"
      "mass centre (centre), shape (bodies, 3, speeds); all with N in front for a batch.");
}

}  // namespace ulna::python
