// Robot: natural modes as an elastic frame, at rest and in motion.

#include <fmt/format.h>
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "names.hpp"
#include "row_argument.hpp"
#include "structure_arguments.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/model/internal/actuator_inputs.hpp"
#include "ulna/structure/beam_mesh.hpp"
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

void add_drawing(const RobotStructure& structure, Found& found) {
  const elastic::BeamStructure& frame = structure.frame();
  found.freedoms = frame.size();
  found.nodes.resize(static_cast<Eigen::Index>(frame.nodes().size()), 3);
  for (std::size_t k = 0; k < frame.nodes().size(); ++k) {
    found.nodes.row(static_cast<Eigen::Index>(k)) = frame.nodes()[k].position.transpose();
    found.node_names.push_back(frame.nodes()[k].name);
  }
  for (const elastic::StructureElement& e : frame.elements())
    found.elements.emplace_back(e.start, e.end);
}

Found at_rest(const RobotStructure& structure, int count) {
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

Found in_motion(const RobotStructure& structure, const ConstVector& q,
                const StructureMotion& motion, const MotionTermChoice& terms, int count) {
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
  for (const py::handle name : items_argument(terms, "terms"))
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

/// Robots with the same beams, cut more and more finely.
class Meshes {
 public:
  Meshes(RobotHandle& robot, const StructureOptions& options, const ConstVector& q, int count)
      : robot_(robot), options_(options), q_(q), count_(count) {}

  std::shared_ptr<RobotHandle> cut(int factor) const {
    return std::make_shared<RobotHandle>(std::make_shared<const Model>(
        made_from(*robot_.model, with_finer_beams(robot_.model->robot(), factor))));
  }
  Eigen::VectorXd frequencies(const Model& model) const {
    const Unlocked unlocked;
    return elastic::natural_modes(RobotStructure(model, q_, options_).system(), {.count = count_})
        .omega;
  }
  /// Half the largest element of which the frequencies still change by `most`.
  std::shared_ptr<RobotHandle> converged(double most) const {
    constexpr int finest = 32;
    Eigen::VectorXd coarse = frequencies(*robot_.model);
    for (int factor = 2; factor <= finest; factor *= 2) {
      std::shared_ptr<RobotHandle> finer = cut(factor);
      const Eigen::VectorXd fine = frequencies(*finer->model);
      if (mesh_error(coarse, fine) < most) return finer;
      coarse = fine;
    }
    throw ComputationError(
        fmt::format("the frequencies still change by more than {} with {} elements instead of one; "
                    "compute fewer modes",
                    most, finest));
  }
  void warn_if_coarse(double most) const {
    const double error = mesh_error(frequencies(*robot_.model), frequencies(*cut(2)->model));
    if (!(error > most)) return;
    const std::string text = fmt::format(
        "the beams of robot '{}' have too few elements for {} modes: a frequency changes by {:.1f} "
        "% with elements half as long; refine='converged' refines them sufficiently, refine=1 "
        "accepts them as they are",
        robot_.model->name(), count_, 100 * error);
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw py::error_already_set();
  }

 private:
  RobotHandle& robot_;
  const StructureOptions& options_;
  ConstVector q_;
  int count_;
};

/// None: as the robot says, with a warning where that is too coarse. A number: elements in the
/// place of one. "converged": as many as the frequencies need.
std::shared_ptr<RobotHandle> refined(RobotHandle& robot, const py::object& refine,
                                     const StructureOptions& options, const ConstVector& q,
                                     int count) {
  const auto has_beams = [&] {
    for (const BodyData& body : robot.model->robot().bodies)
      if (!body.beams.empty()) return true;
    return false;
  };
  constexpr double visible = 0.02, settled = 0.001;
  const Meshes meshes(robot, options, q, count);
  if (refine.is_none()) {
    if (has_beams()) meshes.warn_if_coarse(visible);
    return nullptr;
  }
  if (py::isinstance<py::str>(refine)) {
    constexpr const char* words[] = {"converged"};
    choice(refine.cast<std::string>(), words, "refine");
    return has_beams() ? meshes.converged(settled) : nullptr;
  }
  if (!PyIndex_Check(refine.ptr()) || PyBool_Check(refine.ptr()))
    throw py::type_error("refine must be None, an int or 'converged', not " +
                         std::string(py::str(py::type::of(refine).attr("__name__"))));
  const auto factor = refine.cast<long>();
  if (factor < 1 || factor > 64)
    throw InputError(
        Problem{{}, "refine", fmt::format("{} found", factor), "1 to 64, or 'converged'", {}});
  return factor == 1 ? nullptr : meshes.cut(static_cast<int>(factor));
}

py::object robot_modes(RobotHandle& given, const py::object& q, const py::object& v,
                       const py::object& a, int count, const py::object& locked,
                       const py::object& elastic, const std::string& theory,
                       const std::string& mass, bool rotatory, const py::object& terms, bool damped,
                       const py::object& freedoms, const py::object& refine) {
  if (count < 1) throw InputError(Problem{{}, "count", "is not positive", "1 or more", {}});
  const StructureOptions options =
      structure_options(given, locked, elastic, theory, mass, rotatory, freedoms);
  const MotionTermChoice chosen = terms_of(terms);
  const bool moving = !v.is_none() || !a.is_none() || !terms.is_none() || damped;
  const int nq = given.model->coordinates(), nv = given.model->speeds();
  py::object owner;
  const States<3> states = posture_and_motion(given, q, v, a, owner);
  const std::shared_ptr<RobotHandle> finer =
      refined(given, refine, options, ConstVector(states.row(0)[0], nq), count);
  RobotHandle& robot = finer ? *finer : given;
  const auto found = stacked(robot, states, 1, [&](Context& c, const auto& x) {
    const ConstVector at(x[0], nq);
    const RobotStructure structure = frame_at(c, at, options);
    Found one = moving ? in_motion(structure, at, {ConstVector(x[1], nv), ConstVector(x[2], nv)},
                                   chosen, count)
                       : at_rest(structure, count);
    add_drawing(structure, one);
    return one;
  });
  return result(*robot.model, found, moving);
}

SweepResult followed(const std::vector<StructureVariant>& variants, SweepOptions& options) {
  options.threads = threads();
  InterruptWatch watch;
  options.stop = [&] { return watch.interrupted_now(); };
  SweepResult found;
  try {
    const Unlocked unlocked;
    found = sweep_modes(variants, options);
  } catch (const ComputationError&) {
    watch.rethrow();
    throw;
  }
  return found;
}

py::object along_result(const SweepResult& found) {
  return result_class("ModesAlong")(to_matrix(found.omega), to_matrix(found.assurance),
                                    found.warnings);
}

/// Over robots that differ in something, each at its posture.
py::object modes_of_variants(const std::vector<std::shared_ptr<RobotHandle>>& robots,
                             const py::object& q, int count, const py::object& locked,
                             const py::object& elastic, const std::string& theory,
                             const std::string& mass, bool rotatory, const py::object& freedoms) {
  if (robots.empty()) throw InputError(Problem{{}, "robots", "is empty", "one or more", {}});
  for (const std::shared_ptr<RobotHandle>& robot : robots)
    if (!robot) throw py::type_error("robots must hold ulna.Robot objects, not None");
  if (count < 1) throw InputError(Problem{{}, "count", "is not positive", "1 or more", {}});
  const int nq = robots.front()->model->coordinates();
  const auto n = static_cast<py::ssize_t>(robots.size());
  const RowArgument at = row_argument(q.is_none() ? to_array(assembled(*robots.front()->model)) : q,
                                      "q", nq, "the coordinates");
  if (at.count > 1 && at.count != n)
    throw InputError(Problem{{},
                             "q",
                             fmt::format("has {} postures", at.count),
                             fmt::format("one, or {}, one for each robot", n),
                             {}});
  SweepOptions options;
  options.structure =
      structure_options(*robots.front(), locked, elastic, theory, mass, rotatory, freedoms);
  options.count = count;
  std::vector<StructureVariant> variants;
  for (py::ssize_t i = 0; i < n; ++i) {
    const std::shared_ptr<RobotHandle>& robot = robots[static_cast<std::size_t>(i)];
    if (robot->model->coordinates() != nq)
      throw InputError(Problem{{}, "robots", "have different coordinates", "robots alike", {}});
    variants.push_back({std::to_string(i), static_cast<double>(i), robot->model,
                        robot->model->normalized(at.row(i))});
  }
  return along_result(followed(variants, options));
}

/// Along a line of postures, each mode followed.
py::object modes_along(const RobotHandle& robot, const py::object& q, int count,
                       const py::object& locked, const py::object& elastic,
                       const std::string& theory, const std::string& mass, bool rotatory,
                       const py::object& freedoms) {
  if (count < 1) throw InputError(Problem{{}, "count", "is not positive", "1 or more", {}});
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
  std::vector<StructureVariant> variants;
  for (py::ssize_t i = 0; i < rows.shape(0); ++i)
    variants.push_back({std::to_string(i), static_cast<double>(i), robot.model,
                        robot.model->normalized(ConstVector(rows.data() + i * nq, nq))});
  return along_result(followed(variants, options));
}

}  // namespace

void add_modes(py::module_& m, RobotClass& robot) {
  const py::none none;
  robot
      .def(
          "modes", &robot_modes, py::arg("q") = none, py::arg("v") = none, py::arg("a") = none,
          py::kw_only(), py::arg("count") = 6, py::arg("locked") = none, py::arg("elastic") = none,
          py::arg("theory") = "euler-bernoulli", py::arg("mass") = "consistent",
          py::arg("rotatory") = false, py::arg("terms") = none, py::arg("damped") = false,
          py::arg("freedoms") = none, py::arg("refine") = none,
          "Natural frequencies and mode shapes of the robot as an elastic structure at a "
          "posture.\n\nLinks with a beam bend; other links are rigid. locked: names of joints, "
          "or\n'all'; the others are free (`ulna modes` locks the drives of an arm by default). "
          "elastic: {joint:\nstiffness or (stiffness, damping)} of transmissions; 'all' stands for "
          "the joints that are neither\nnamed nor locked. theory: 'euler-bernoulli' or "
          "'timoshenko'; mass: 'consistent' or 'lumped'; "
          "rotatory: inertia\nof the beams in bending, too. With v, a or terms ('all', 'none' or "
          "some of 'gyroscopic',\n'centrifugal', 'euler', 'geometric') the complex modes about "
          "that motion; with damped those\nwith the dampers of joints and drives, also at rest. "
          "freedoms: of the nodes, along and about\nworld axes, some of 'u', 'v', 'w', 'rx', "
          "'ry', 'rz' ('v,rz': bending in the x-y plane); by default\nall. refine: None takes "
          "the elements of the robot and warns where the lowest `count`\nfrequencies would change "
          "by 2 % on a mesh twice as fine; a number puts so many elements in the\nplace of one; "
          "'converged' halves them until no frequency changes by 0.1 %.\n\nA batch of postures "
          "gives stacked results, each sorted by frequency; modes_along follows them.")
      .def("modes_along", &modes_along, py::arg("q"), py::kw_only(), py::arg("count") = 6,
           py::arg("locked") = none, py::arg("elastic") = none,
           py::arg("theory") = "euler-bernoulli", py::arg("mass") = "consistent",
           py::arg("rotatory") = false, py::arg("freedoms") = none,
           "Natural frequencies along a line of postures (N, nq), each mode followed by its shape\n"
           "where frequencies cross.");
  m.def("_modes_of_variants", &modes_of_variants, py::arg("robots"), py::arg("q") = none,
        py::kw_only(), py::arg("count") = 6, py::arg("locked") = none, py::arg("elastic") = none,
        py::arg("theory") = "euler-bernoulli", py::arg("mass") = "consistent",
        py::arg("rotatory") = false, py::arg("freedoms") = none,
        "Natural frequencies over robots that differ in something, each mode followed.");
}

}  // namespace ulna::python
