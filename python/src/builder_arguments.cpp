#include "builder_arguments.hpp"

#include <fmt/format.h>

#include "names.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/model/parts/placement.hpp"

namespace ulna::python {

Pose<double> pose_or_identity(const py::object& object, const char* name) {
  return object.is_none() ? Pose<double>::identity() : pose_of(object, name);
}

Matrix3<double> inertia_of(const py::object& object) {
  if (object.is_none()) return Matrix3<double>::Zero();
  const Array array = numbers(object, "inertia");
  const double* x = array.data();
  if (array.ndim() == 1 && array.shape(0) == 3)
    return Eigen::Vector3d(x[0], x[1], x[2]).asDiagonal();
  Matrix3<double> I;
  if (array.ndim() == 1 && array.shape(0) == 6) {
    I << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
    return I;
  }
  if (array.ndim() == 2 && array.shape(0) == 3 && array.shape(1) == 3)
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x);
  throw InputError(Problem{{},
                           "inertia",
                           "has shape " + shape_text(array),
                           "(3,) ixx, iyy, izz; (6,) with ixy, ixz, iyz besides; or (3, 3)",
                           {}});
}

Inertial inertial(double mass, const py::object& centre, const py::object& inertia) {
  Inertial out;
  out.mass = mass;
  if (!centre.is_none()) out.centre = vector3(centre, "centre");
  out.inertia = inertia_of(inertia);
  return out;
}

namespace {

/// One value for all degrees of freedom, or one for each.
void set_degrees(JointData& joint, const py::object& value, const char* name,
                 double DegreeData::*entry) {
  if (value.is_none()) return;
  const auto speeds = static_cast<std::size_t>(size_of(joint.type).speeds);
  const Array array = numbers(value, name);
  if (array.ndim() > 1 || (array.ndim() == 1 && static_cast<std::size_t>(array.shape(0)) != speeds))
    throw InputError(
        Problem{{},
                name,
                "has shape " + shape_text(array),
                fmt::format("one number, or ({},) for a {} joint", speeds, name_of(joint.type)),
                {}});
  joint.degrees.resize(speeds);
  for (std::size_t k = 0; k < speeds; ++k)
    joint.degrees[k].*entry = array.ndim() == 0 ? array.data()[0] : array.data()[k];
}

void place_by_dh(JointData& joint, const py::object& dh) {
  if (!py::isinstance<py::dict>(dh))
    throw py::type_error("dh must be a dict {'convention': ..., 'theta': ..., ...}");
  const auto given = py::reinterpret_borrow<py::dict>(dh);
  constexpr const char* keys[] = {"convention", "theta", "d", "a", "alpha"};
  for (const auto& [key, value] : given) choice(text_argument(key, "dh"), keys, "dh");
  const auto number = [&](const char* key) {
    return given.contains(key) ? number_argument(given[key], key) : 0.0;
  };
  constexpr const char* conventions[] = {"standard", "modified"};
  if (!given.contains("convention"))
    throw InputError(Problem{{}, "dh", "names no convention", "standard or modified", {}});
  const bool modified = choice(text_argument(given["convention"], "dh convention"), conventions,
                               "dh convention") == 1;
  const Placement placed =
      modified ? modified_dh(number("theta"), number("d"), number("a"), number("alpha"))
               : standard_dh(number("theta"), number("d"), number("a"), number("alpha"));
  joint.X_PF = placed.X_PF;
  joint.X_MC = placed.X_MC;
  joint.axis = Vector3<double>::UnitZ();
}

std::optional<Mimic> mimic_of(const py::object& object) {
  if (object.is_none()) return std::nullopt;
  if (py::isinstance<py::str>(object)) return Mimic{object.cast<std::string>(), 1, 0};
  if (!py::isinstance<py::sequence>(object) || py::len(object) < 1 || py::len(object) > 3)
    throw py::type_error("mimic must be a name or (joint, multiplier, offset)");
  const auto parts = py::reinterpret_borrow<py::sequence>(object);
  Mimic mimic{text_argument(py::object(parts[0]), "mimic"), 1, 0};
  if (parts.size() > 1) mimic.multiplier = number_argument(py::object(parts[1]), "mimic");
  if (parts.size() > 2) mimic.offset = number_argument(py::object(parts[2]), "mimic");
  return mimic;
}

}  // namespace

JointType joint_type_argument(const std::string& name) {
  if (const auto type = joint_type_from_name(name)) return *type;
  const std::vector<std::string>& known = joint_type_names();
  throw InputError(Problem{{},
                           "type",
                           fmt::format("'{}' is not a joint type", name),
                           fmt::format("one of {}", fmt::join(known, ", ")),
                           nearest_name_hint(name, known)});
}

void apply(const JointArguments& given, JointData& data) {
  if (!given.dh.is_none()) {
    if (!given.at.is_none() || !given.child_at.is_none() || !given.axis.is_none())
      throw InputError(
          Problem{{}, "dh", "is given together with at, child_at or axis", "dh alone", {}});
    place_by_dh(data, given.dh);
  }
  if (!given.at.is_none()) data.X_PF = pose_of(given.at, "at");
  if (!given.child_at.is_none()) data.X_MC = pose_of(given.child_at, "child_at");
  if (!given.axis.is_none()) data.axis = vector3(given.axis, "axis");
  if (!given.axis2.is_none()) data.axis2 = vector3(given.axis2, "axis2");
  set_degrees(data, given.lower, "lower", &DegreeData::lower);
  set_degrees(data, given.upper, "upper", &DegreeData::upper);
  set_degrees(data, given.velocity, "velocity", &DegreeData::velocity_limit);
  set_degrees(data, given.effort, "effort", &DegreeData::effort_limit);
  set_degrees(data, given.damping, "damping", &DegreeData::damping);
  set_degrees(data, given.friction, "friction", &DegreeData::friction);
  set_degrees(data, given.stiffness, "stiffness", &DegreeData::stiffness);
  set_degrees(data, given.rest, "rest", &DegreeData::rest);
  set_degrees(data, given.rotor_inertia, "rotor_inertia", &DegreeData::rotor_inertia);
  set_degrees(data, given.gear_ratio, "gear_ratio", &DegreeData::gear_ratio);
  set_degrees(data, given.hardening, "hardening", &DegreeData::hardening);
  set_degrees(data, given.backlash, "backlash", &DegreeData::backlash);
  if (!given.mimic.is_none()) data.mimic = mimic_of(given.mimic);
}

}  // namespace ulna::python
