#include "structure_arguments.hpp"

#include <optional>

#include "loop_state.hpp"
#include "names.hpp"
#include "ulna/kinematics/assembly.hpp"

namespace ulna::python {
namespace {

constexpr const char* theories[] = {"euler-bernoulli", "timoshenko"};
constexpr const char* masses[] = {"consistent", "lumped"};

/// A joint of the tree, or one that closes a loop.
std::string joint_named(const RobotHandle& robot, py::handle object, const char* argument) {
  const std::string name = text_argument(object, argument);
  for (const Loop& loop : robot.model->loops())
    if (loop.joint == name) return name;
  joint_argument(robot, object, argument);  // which throws if there is none
  return name;
}

unsigned freedom_bits(const py::object& freedoms) {
  constexpr const char* words[] = {"u", "v", "w", "rx", "ry", "rz"};
  const py::object parts = py::isinstance<py::str>(freedoms)
                               ? py::object(freedoms.attr("split")(","))
                               : py::object(freedoms);
  unsigned bits = 0;
  for (const py::handle part : items_argument(parts, "freedoms")) {
    const std::string word = py::str(py::str(text_argument(part, "freedoms")).attr("strip")());
    bits |= 1u << choice(word, words, "freedoms");
  }
  if (bits == 0)
    throw InputError(Problem{{}, "freedoms", "none found", "some of u, v, w, rx, ry, rz", {}});
  return bits;
}

JointSupport support_of(py::handle value) {
  const Eigen::VectorXd numbers_given =
      py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value)
          ? Eigen::VectorXd(Eigen::VectorXd::Constant(1, value.cast<double>()))
          : vector_of(value, "elastic");
  const Eigen::VectorXd& k = numbers_given;
  if (k.size() < 1 || k.size() > 2 || !(k.minCoeff() >= 0))
    throw InputError(Problem{{},
                             "elastic",
                             "has other values",
                             "{joint or 'all': stiffness or (stiffness, damping)}",
                             {}});
  JointSupport support;
  support.stiffness = k(0);
  if (k.size() == 2) support.damping = k(1);
  return support;
}

}  // namespace

StructureOptions structure_options(const RobotHandle& robot, const py::object& locked,
                                   const py::object& elastic, const std::string& theory,
                                   const std::string& mass, bool rotatory,
                                   const py::object& freedoms) {
  StructureOptions options;
  if (py::isinstance<py::str>(locked) && locked.cast<std::string>() == "all") {
    options.joints = JointHold::locked;
  } else if (py::isinstance<py::str>(locked)) {
    options.support[joint_named(robot, locked, "locked")] = {JointHold::locked, 0, 0};
  } else if (!locked.is_none()) {
    for (const py::handle name : items_argument(locked, "locked"))
      options.support[joint_named(robot, name, "locked")] = {JointHold::locked, 0, 0};
  }
  if (!elastic.is_none() && !py::isinstance<py::dict>(elastic))
    throw py::type_error(
        "elastic must be a dict: {joint or 'all': stiffness or (stiffness, damping)}");
  if (!elastic.is_none()) {
    std::optional<JointSupport> others;
    for (const auto& [name, value] : entries_of(elastic)) {
      if (py::isinstance<py::str>(name) && name.cast<std::string>() == "all")
        others = support_of(value);
      else
        options.support[joint_named(robot, name, "elastic")] = support_of(value);
    }
    if (others)
      for (const Joint& joint : robot.model->joints())
        if (joint.speeds > 0) options.support.try_emplace(joint.name, *others);
  }
  if (choice(theory, theories, "theory") == 1)
    options.element.theory = elastic::BeamTheory::timoshenko;
  if (choice(mass, masses, "mass") == 1) options.element.mass = elastic::MassMatrix::lumped;
  options.element.rotatory_inertia = rotatory;
  if (!freedoms.is_none()) options.freedoms = freedom_bits(freedoms);
  return options;
}

States<3> posture_and_motion(RobotHandle& robot, const py::object& q, const py::object& v,
                             const py::object& a, py::object& owner) {
  owner = q;
  if (q.is_none()) owner = to_array(assembled(*robot.model));
  return states_from<3>(robot, {&owner, &v, &a}, {"q", "v", "a"});
}

RobotStructure frame_at(Context& context, const ConstVector& q, const StructureOptions& options) {
  require_closed(context, q);
  return {context.model, q, options};
}

}  // namespace ulna::python
