// Robot: natural modes as an elastic frame, at rest and in motion.

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "names.hpp"
#include "structure_arguments.hpp"
#include "ulna/structure/structure_modes.hpp"
#include "ulna/structure/sweep.hpp"

namespace ulna::python {
namespace {

struct Found {
  Eigen::VectorXd omega, damping_ratio, residual;
  std::vector<Eigen::MatrixXd> shapes, quadrature;  ///< nodes x 3 for each mode
  Eigen::MatrixXd strain, kinetic, joint_motion, effective_mass, nodes;
  std::vector<std::string> node_names;
  std::vector<std::pair<int, int>> elements;
  int freedoms = 0, rigid_body_modes = 0;
  std::string warning;
};

void add_drawing(const RobotFrame& structure, Found& found) {
  const elastic::Frame& frame = structure.frame();
  found.freedoms = frame.size();
  found.nodes.resize(static_cast<Eigen::Index>(frame.nodes().size()), 3);
  for (std::size_t k = 0; k < frame.nodes().size(); ++k) {
    found.nodes.row(static_cast<Eigen::Index>(k)) = frame.nodes()[k].position.transpose();
    found.node_names.push_back(frame.nodes()[k].name);
  }
  for (const elastic::FrameElement& e : frame.elements())
    found.elements.emplace_back(e.start, e.end);
}

Found at_rest(const RobotFrame& structure, int count) {
  Found found;
  const StructureModes modes = structure_modes(structure, {.count = count});
  found.omega = modes.modes.omega;
  found.damping_ratio = Eigen::VectorXd::Zero(modes.modes.count());
  found.residual = modes.modes.residual;
  for (int k = 0; k < modes.modes.count(); ++k)
    found.shapes.push_back(node_displacements(structure, modes.modes.shapes.col(k)));
  found.strain = modes.strain;
  found.kinetic = modes.kinetic;
  found.joint_motion = modes.joint_motion;
  found.effective_mass = modes.effective_mass;
  found.rigid_body_modes = modes.modes.rigid_body_modes;
  found.warning = modes.modes.warning;
  return found;
}

Found in_motion(const RobotFrame& structure, const ConstVector& q, const StructureMotion& motion,
                const MotionTermChoice& terms, int count) {
  Found found;
  const elastic::ComplexModes modes = moving_modes(structure, q, motion, terms, count);
  found.omega = modes.damped_omega;
  found.damping_ratio = modes.damping_ratio;
  found.residual = modes.residual;
  for (int k = 0; k < modes.count(); ++k) {
    found.shapes.push_back(node_displacements(structure, modes.shapes.col(k).real()));
    found.quadrature.push_back(node_displacements(structure, modes.shapes.col(k).imag()));
  }
  return found;
}

MotionTermChoice terms_of(const py::object& terms) {
  if (terms.is_none()) return {};
  constexpr const char* names[] = {"gyroscopic", "centrifugal", "euler", "geometric"};
  MotionTermChoice chosen{false, false, false, false};
  bool* const parts[] = {&chosen.gyroscopic, &chosen.centrifugal, &chosen.euler, &chosen.geometric};
  if (py::isinstance<py::str>(terms)) {
    const auto name = terms.cast<std::string>();
    if (name == "all") return {};
    if (name == "none") return chosen;
    *parts[choice(name, names, "terms")] = true;
    return chosen;
  }
  for (const py::handle name : terms)
    *parts[choice(text_argument(name, "terms"), names, "terms")] = true;
  return chosen;
}

py::object result(const Model& model, const Stack<Found>& found, bool moving) {
  const py::none none;
  std::vector<std::string> parts;
  for (const Body& body : model.bodies()) parts.push_back(body.name);
  const std::vector<std::string> bodies = parts;
  for (const std::string& speed : model.speed_names()) parts.push_back("spring of " + speed);
  return result_class("Modes")(
      found.vectors(&Found::omega), found.planes(&Found::shapes), found.matrices(&Found::nodes),
      found.at[0].node_names, found.at[0].elements, found.at[0].freedoms,
      found.vectors(&Found::residual),
      moving ? found.vectors(&Found::damping_ratio) : py::object(none),
      moving ? found.planes(&Found::quadrature) : py::object(none),
      moving ? py::object(none) : found.matrices(&Found::strain), parts,
      moving ? py::object(none) : found.matrices(&Found::kinetic), bodies,
      moving ? py::object(none) : found.matrices(&Found::joint_motion),
      moving ? py::object(none) : found.matrices(&Found::effective_mass),
      found.objects(&Found::rigid_body_modes), found.objects(&Found::warning));
}

py::object robot_modes(RobotHandle& robot, const py::object& q, const py::object& v,
                       const py::object& a, int count, const py::object& locked,
                       const py::object& elastic, const std::string& theory,
                       const std::string& mass, bool rotatory, const py::object& terms, bool damped,
                       const py::object& freedoms) {
  if (count < 1) throw InputError(Problem{{}, "count", "is not positive", "1 or more", {}});
  const StructureOptions options =
      structure_options(robot, locked, elastic, theory, mass, rotatory, freedoms);
  const MotionTermChoice chosen = terms_of(terms);
  const bool moving = !v.is_none() || !a.is_none() || !terms.is_none() || damped;
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  py::object owner;
  const States<3> states = posture_and_motion(robot, q, v, a, owner);
  const auto found = stacked(robot, states, 1, [&](Context& c, const auto& x) {
    const ConstVector at(x[0], nq);
    const RobotFrame structure = frame_at(c, at, options);
    Found one = moving ? in_motion(structure, at, {ConstVector(x[1], nv), ConstVector(x[2], nv)},
                                   chosen, count)
                       : at_rest(structure, count);
    add_drawing(structure, one);
    return one;
  });
  return result(*robot.model, found, moving);
}

/// Along a line of postures, each mode followed.
py::object modes_along(const RobotHandle& robot, const py::object& q, int count,
                       const py::object& locked, const py::object& elastic,
                       const std::string& theory, const std::string& mass, bool rotatory,
                       const py::object& freedoms) {
  const int nq = robot.model->coordinates();
  const Array rows = numbers(q, "q");
  if (rows.ndim() != 2 || rows.shape(1) != nq || rows.shape(0) < 1)
    throw InputError(Problem{{},
                             "q",
                             "has shape " + shape_text(rows),
                             "(N, " + std::to_string(nq) + "), postures along a line",
                             {}});
  SweepOptions options;
  options.structure = structure_options(robot, locked, elastic, theory, mass, rotatory, freedoms);
  options.count = count;
  options.threads = threads();
  std::vector<StructureVariant> variants;
  for (py::ssize_t i = 0; i < rows.shape(0); ++i)
    variants.push_back({std::to_string(i), static_cast<double>(i), robot.model,
                        robot.model->normalized(ConstVector(rows.data() + i * nq, nq))});
  SweepResult found;
  {
    const py::gil_scoped_release unlocked;
    found = sweep_modes(variants, options);
  }
  return result_class("ModesAlong")(to_matrix(found.omega), to_matrix(found.assurance),
                                    found.warnings);
}

}  // namespace

void add_modes(RobotClass& robot) {
  const py::none none;
  robot
      .def(
          "modes", &robot_modes, py::arg("q") = none, py::arg("v") = none, py::arg("a") = none,
          py::kw_only(), py::arg("count") = 6, py::arg("locked") = none, py::arg("elastic") = none,
          py::arg("theory") = "euler-bernoulli", py::arg("mass") = "consistent",
          py::arg("rotatory") = false, py::arg("terms") = none, py::arg("damped") = false,
          py::arg("freedoms") = none,
          "Natural frequencies and shapes of the robot as an elastic frame at a posture.\n\n"
          "Links bend where the robot gives them a beam; others are rigid. locked: names of "
          "joints, or\n"
          "'all'; the others are free. elastic: {joint: stiffness or (stiffness, damping)} of "
          "drives.\n"
          "theory: 'euler-bernoulli' or 'timoshenko'; mass: 'consistent' or 'lumped'; rotatory: "
          "inertia\n"
          "of the beams in bending, too. With v, a or terms ('all', 'none' or some of "
          "'gyroscopic',\n"
          "'centrifugal', 'euler', 'geometric') the complex modes about that motion; with damped "
          "those\n"
          "with the dampers of joints and drives, also at rest. freedoms: of the nodes, along and "
          "about\n"
          "world axes, some of 'u', 'v', 'w', 'rx', 'ry', 'rz' ('v,rz': bending in the x-y plane); "
          "all\n"
          "when absent.\n\n"
          "A batch of postures gives stacked results, each sorted by frequency; modes_along "
          "follows them.")
      .def("modes_along", &modes_along, py::arg("q"), py::kw_only(), py::arg("count") = 6,
           py::arg("locked") = none, py::arg("elastic") = none,
           py::arg("theory") = "euler-bernoulli", py::arg("mass") = "consistent",
           py::arg("rotatory") = false, py::arg("freedoms") = none,
           "Natural frequencies along a line of postures (N, nq), each mode followed by its shape\n"
           "where frequencies cross.");
}

}  // namespace ulna::python
