// Robot: the twelve 4x4 matrices of every link and the coefficients of Lagrange's equations.

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "stacked.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"

namespace ulna::python {
namespace {

/// One kind of matrix of every link or closing joint, one below the other: (4 links, 4).
template <class Link, class Kind>
Eigen::MatrixXd column_of(const std::vector<Link>& links, Kind Link::*member) {
  Eigen::MatrixXd all(4 * std::ssize(links), 4);
  for (Eigen::Index i = 0; i < std::ssize(links); ++i)
    all.middleRows(4 * i, 4) = (links[static_cast<std::size_t>(i)].*member).matrix;
  return all;
}

/// Screws of all joints in order, a joint after the other.
template <class Link>
Eigen::MatrixXd screws_of_links(const std::vector<Link>& links) {
  Eigen::Index count = 0, row = 0;
  for (const Link& link : links) count += std::ssize(link.screws);
  Eigen::MatrixXd all(4 * count, 4);
  for (const Link& link : links)
    for (const ScrewMatrix<double>& L : link.screws) {
      all.middleRows(row, 4) = L.matrix;
      row += 4;
    }
  return all;
}

template <class Link>
std::vector<int> screw_counts(const std::vector<Link>& links) {
  std::vector<int> counts;
  for (const Link& link : links) counts.push_back(static_cast<int>(link.screws.size()));
  return counts;
}

using FoundMatrices = Stack<MechanismMatrices>;

py::dict link_arrays(const FoundMatrices& found) {
  using L = LinkMatrices;
  py::dict out;
  const auto add = [&](const char* name, auto member) {
    out[name] =
        found.matrices([member](const MechanismMatrices& m) { return column_of(m.links, member); });
  };
  add("relative_position", &L::relative_position);
  add("absolute_position", &L::absolute_position);
  add("relative_velocity_local", &L::relative_velocity_local);
  add("relative_velocity_base", &L::relative_velocity_base);
  add("absolute_velocity", &L::absolute_velocity);
  add("relative_acceleration_local", &L::relative_acceleration_local);
  add("relative_acceleration_base", &L::relative_acceleration_base);
  add("absolute_acceleration", &L::absolute_acceleration);
  add("inertia_local", &L::inertia_local);
  add("inertia_base", &L::inertia_base);
  add("link_action", &L::link_action);
  add("joint_action", &L::joint_action);
  out["screws"] =
      found.matrices([](const MechanismMatrices& m) { return screws_of_links(m.links); });
  return out;
}

py::dict closing_arrays(const FoundMatrices& found) {
  using C = ClosingMatrices;
  py::dict out;
  const auto add = [&](const char* name, auto member) {
    out[name] = found.matrices(
        [member](const MechanismMatrices& m) { return column_of(m.closing, member); });
  };
  add("relative_position", &C::relative_position);
  add("absolute_position", &C::absolute_position);
  add("relative_velocity_local", &C::relative_velocity_local);
  add("relative_velocity_base", &C::relative_velocity_base);
  add("relative_acceleration_local", &C::relative_acceleration_local);
  add("relative_acceleration_base", &C::relative_acceleration_base);
  add("joint_action", &C::joint_action);
  out["screws"] =
      found.matrices([](const MechanismMatrices& m) { return screws_of_links(m.closing); });
  return out;
}

py::object matrices(RobotHandle& robot, const py::object& q, const py::object& v,
                    const py::object& a, const py::object& wrenches, const py::object& actuated) {
  const Model& model = *robot.model;
  model.require_rigid("the 4x4 matrices");
  const int nq = model.coordinates(), nv = model.speeds();
  const States<3> states = states_from<3>(robot, {&q, &v, &a}, {"q", "v", "a"});
  const std::vector<ExternalWrench> loads =
      wrenches_argument(robot, wrenches.is_none() ? nullptr : wrenches.ptr());
  const LoopInverseOptions motors = motors_argument(robot, actuated);
  const FoundMatrices found = stacked(robot, states, dear_share, [&](Context& c, const auto& x) {
    const ConstVector at(x[0], nq), rates(x[1], nv), accelerations(x[2], nv);
    require_closed(c, at, &rates, &accelerations);
    return mechanism_matrices(c.model, at, rates, accelerations, loads, motors);
  });
  const MechanismMatrices& first = found.at[0];
  py::list bodies, parents, joints, closing;
  for (const LinkMatrices& link : first.links) {
    bodies.append(model.bodies()[link.body].name);
    parents.append(model.bodies()[link.parent].name);
    joints.append(model.joints()[link.joint].name);
  }
  for (const ClosingMatrices& joint : first.closing)
    closing.append(model.loops()[joint.loop].joint);
  return result_class("LinkMatrices")
      .attr("of")(bodies, parents, joints, screw_counts(first.links), link_arrays(found), closing,
                  screw_counts(first.closing), closing_arrays(found),
                  found.vectors(&MechanismMatrices::tau));
}

py::object coefficients(RobotHandle& robot, const py::object& q, const py::object& independent) {
  const Model& model = *robot.model;
  const int nq = model.coordinates();
  const States<1> states = states_from<1>(robot, {&q}, {"q"});
  std::vector<int> chosen;
  if (!independent.is_none()) chosen = speeds_argument(robot, independent, "independent");
  const auto found = stacked(robot, states, dear_share, [&](Context& c, const auto& x) {
    const ConstVector at(x[0], nq);
    require_closed(c, at);
    return lagrange_coefficients(c.model, at, chosen);
  });
  py::list names;
  for (const int k : found.at[0].speeds) names.append(model.speed_names()[k]);
  using D = LagrangeCoefficients;
  return result_class("LagrangeCoefficients")(
      names, found.vectors(&D::D_i), found.matrices(&D::D_ij),
      found.planes([](const D& d) -> const auto& { return d.D_ijk; }));
}

}  // namespace

void add_matrices(RobotClass& robot) {
  robot.def(
      "matrices", &matrices, py::arg("q"), py::arg("v") = py::none(), py::arg("a") = py::none(),
      py::kw_only(), py::arg("wrenches") = py::none(), py::arg("actuated") = py::none(),
      "The twelve 4x4 matrices of every link (Legnani et al. 1996): positions M, velocities W,\n"
      "accelerations H, pseudo-inertias J and actions Y, each an array (links, 4, 4) in the order "
      "of\n"
      ".bodies, with N in front for a batch. Robots with loops: the links of the open tree, acted "
      "on\n"
      "by the joints that close it, whose own matrices are in .closing; actuated names the "
      "motors.");
  robot.def("lagrange_coefficients", &coefficients, py::arg("q"), py::kw_only(),
            py::arg("independent") = py::none(),
            "D_i, D_ij and D_ijk of tau_i = D_i + sum_j D_ij a_j + sum_jk D_ijk v_j v_k: gravity, "
            "inertia,\n"
            "centrifugal and Coriolis terms of the bodies alone, shapes (n,), (n, n), (n, n, n).\n"
            "Robots with loops: on independent speeds, those named or found by pivoting; .speeds "
            "names them.");
}

}  // namespace ulna::python
