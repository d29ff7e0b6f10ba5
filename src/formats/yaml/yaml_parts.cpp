#include "yaml/yaml_parts.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "orientation.hpp"
#include "ulna/spatial/inertia.hpp"
#include "ulna/spatial/rotation.hpp"
#include "wording.hpp"

namespace ulna {

namespace {

// Typed rotations are rounded; beyond this they are wrong rather than rounded.
constexpr double refused_error = 1e-4;
// Up to this they stay as typed, bit by bit.
constexpr double accepted_error = 1e-12;

Matrix3<double> read_typed_matrix(YamlContext& context, const YamlMap& map) {
  const YamlNode& node = *map.find("rotation");
  const std::size_t before = context.problems.count();
  const Matrix3<double> R =
      read_matrix(context, node, map.element() + ", rotation", quantity::number);
  if (context.problems.count() != before) return Matrix3<double>::Identity();
  const double error = orthonormality_error(R);
  if (!(error <= refused_error)) {
    map.complain("rotation", fmt::format("the rows are not orthonormal (off by {:.3g})", error),
                 "a rotation matrix: columns are the axes of the placed frame");
    return Matrix3<double>::Identity();
  }
  if (R.determinant() < 0) {
    map.complain("rotation", "the matrix is a reflection (determinant -1)", "a rotation matrix");
    return Matrix3<double>::Identity();
  }
  if (error <= accepted_error) return R;
  context.report.changed.push_back(
      {context.mark(node), map.element(),
       fmt::format("rotation made orthonormal (it was off by {:.3g})", error)});
  return nearest_rotation(R);
}

Matrix3<double> read_quaternion(YamlContext& context, const YamlMap& map) {
  const YamlNode& node = *map.find("quaternion");
  const std::vector<double> values =
      read_numbers(context, node, map.element() + ", quaternion", quantity::number, 4);
  const Eigen::Vector4d wxyz(values[0], values[1], values[2], values[3]);
  const double error = std::abs(wxyz.norm() - 1);
  if (!(error <= refused_error)) {
    if (node.items.size() == 4)
      map.complain("quaternion", fmt::format("the length is {:.6g}, not 1", wxyz.norm()),
                   "a unit quaternion [w, x, y, z]");
    return Matrix3<double>::Identity();
  }
  if (error > accepted_error)
    context.report.changed.push_back(
        {context.mark(node), map.element(),
         fmt::format("quaternion normalized (its length was off by {:.3g})", error)});
  return rotation_from_wxyz(wxyz / wxyz.norm());
}

// [x, y, z, angle]
Matrix3<double> read_axis_angle(YamlContext& context, const YamlMap& map) {
  const YamlNode& node = *map.find("axis-angle");
  const std::string element = map.element() + ", axis-angle";
  if (node.kind != YamlNode::Kind::sequence || node.items.size() != 4) {
    map.complain("axis-angle", "found " + describe(node), "[x, y, z, angle]");
    return Matrix3<double>::Identity();
  }
  Vector3<double> axis;
  for (std::size_t k = 0; k < 3; ++k)
    axis(static_cast<int>(k)) = read_number(context, node.items[k], element, quantity::number);
  const double angle = read_number(context, node.items[3], element, quantity::angle);
  if (axis.stableNorm() > 0) return rotation_from_axis_angle(axis, angle);
  map.complain("axis-angle", "the axis is zero", "a direction and an angle, [0, 0, 1, 90 deg]");
  return Matrix3<double>::Identity();
}

// The orientation keys of a map that also may hold others.
Matrix3<double> read_orientation(YamlContext& context, const YamlMap& map) {
  const bool by_axis = map.has("axis") || map.has("angle");
  const int ways = int(map.has("rpy")) + int(map.has("quaternion")) + int(map.has("rotation")) +
                   int(map.has("axis-angle")) + int(by_axis);
  if (ways > 1) {
    map.complain({}, "the orientation is given in several ways",
                 "one of rpy, quaternion, rotation, axis-angle, or axis and angle");
    return Matrix3<double>::Identity();
  }
  if (map.has("rpy"))
    return rotation_from_rpy(map.vector("rpy", quantity::angle, Vector3<double>::Zero()));
  if (map.has("quaternion")) return read_quaternion(context, map);
  if (map.has("rotation")) return read_typed_matrix(context, map);
  if (map.has("axis-angle")) return read_axis_angle(context, map);
  if (!by_axis) return Matrix3<double>::Identity();
  const bool complete = map.need("axis", "the axis to turn about, such as [0, 0, 1]") &&
                        map.need("angle", "the angle to turn by, such as 90 deg");
  const Vector3<double> axis = map.vector("axis", quantity::number, Vector3<double>::UnitZ());
  const double angle = map.number("angle", quantity::angle, 0);
  if (!complete) return Matrix3<double>::Identity();
  if (!(axis.stableNorm() > 0)) {
    if (map.find("axis")->items.size() == 3)
      map.complain("axis", "the axis is zero", "a direction such as [0, 0, 1]");
    return Matrix3<double>::Identity();
  }
  return rotation_from_axis_angle(axis, angle);
}

const std::vector<std::string> orientation_keys = {"rpy",        "quaternion", "rotation",
                                                   "axis-angle", "axis",       "angle"};

std::vector<std::string> with_orientation(std::vector<std::string> keys) {
  keys.insert(keys.end(), orientation_keys.begin(), orientation_keys.end());
  return keys;
}

// [ixx, iyy, izz], [ixx, iyy, izz, ixy, ixz, iyz] or three rows.
Matrix3<double> read_inertia_values(YamlContext& context, const YamlNode& node,
                                    const std::string& element) {
  const bool rows = node.items.size() == 3 && node.items[0].kind == YamlNode::Kind::sequence;
  if (rows) return read_matrix(context, node, element, quantity::inertia);
  const std::size_t count = node.items.size() == 6 ? 6 : 3;
  if (node.kind != YamlNode::Kind::sequence || node.items.size() != count) {
    context.problems.add(context.mark(node), element, "found " + describe(node),
                         "[ixx, iyy, izz] or [ixx, iyy, izz, ixy, ixz, iyz]");
    return Matrix3<double>::Zero();
  }
  std::vector<double> v = read_numbers(context, node, element, quantity::inertia, count);
  v.resize(6, 0.0);
  Matrix3<double> inertia;
  inertia << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
  return inertia;
}

// {about: centre | origin | [x, y, z], values: [...], and an orientation of the axes}.
Matrix3<double> read_stated_inertia(YamlContext& context, const YamlNode& node,
                                    const std::string& element, const Inertial& body) {
  const YamlMap map(context, node, element, with_orientation({"about", "values"}));
  const YamlNode* values = map.need("values", "[ixx, iyy, izz] or six numbers");
  if (!values) return Matrix3<double>::Zero();
  const Matrix3<double> R = read_orientation(context, map);
  const Matrix3<double> typed = read_inertia_values(context, *values, element + ", values");
  const Matrix3<double> about_point = R.isIdentity(0) ? typed : R * typed * R.transpose();

  Vector3<double> point = body.centre;
  if (const YamlNode* about = map.find("about")) {
    if (about->kind == YamlNode::Kind::sequence)
      point = map.vector("about", quantity::length, body.centre);
    else if (about->text == "origin")
      point = Vector3<double>::Zero();
    else if (about->text != "centre")
      map.complain("about", "about: found " + describe(*about), "centre, origin or [x, y, z]");
  }
  if (point == body.centre) return about_point;
  return about_point - Inertia<double>::parallel_axis(body.mass, body.centre - point);
}

// A 4x4 matrix by rows, the only key of its map; the last row may be absent.
Pose<double> read_homogeneous(YamlContext& context, const YamlMap& map) {
  const YamlNode& node = *map.find("matrix");
  Eigen::Matrix<double, 4, 4> X = Eigen::Matrix<double, 4, 4>::Identity();
  const auto refuse = [&](const std::string& found) {
    map.complain("matrix", found, "four rows of four numbers, a rotation with a position");
    return Pose<double>{};
  };
  if (map.node().entries.size() > 1) return refuse("the pose is given in several ways");
  const auto rows = static_cast<Eigen::Index>(node.items.size());
  if (node.kind != YamlNode::Kind::sequence || rows < 3 || rows > 4)
    return refuse("found " + describe(node));
  for (Eigen::Index k = 0; k < rows; ++k) {
    const std::vector<double> row = read_numbers(context, node.items[static_cast<std::size_t>(k)],
                                                 map.element() + ", matrix", quantity::number, 4);
    X.row(k) = Eigen::Map<const Eigen::RowVector4d>(row.data());
  }
  if (X.row(3) != Eigen::RowVector4d(0, 0, 0, 1)) return refuse("the last row is not 0, 0, 0, 1");
  const Matrix3<double> R = X.topLeftCorner<3, 3>();
  const double error = orthonormality_error(R);
  if (!(error <= refused_error) || R.determinant() < 0)
    return refuse("its rows are not those of a rotation");
  return {error <= accepted_error ? R : nearest_rotation(R), X.topRightCorner<3, 1>()};
}

}  // namespace

Pose<double> read_pose(YamlContext& context, const YamlMap& owner, const std::string& key) {
  Pose<double> pose;
  const YamlNode* node = owner.find(key);
  if (!node) return pose;
  const std::string element = owner.element() + ", " + key;
  if (node->kind == YamlNode::Kind::sequence) {
    pose.position = read_vector(context, *node, element, quantity::length);
    return pose;
  }
  const YamlMap map(context, *node, element, with_orientation({"position", "matrix"}));
  if (map.has("matrix")) return read_homogeneous(context, map);
  pose.position = map.vector("position", quantity::length, pose.position);
  pose.rotation = read_orientation(context, map);
  return pose;
}

Inertial read_inertial(YamlContext& context, const YamlMap& map) {
  Inertial inertial;
  inertial.mass = map.number("mass", quantity::mass, 0);
  inertial.centre = map.vector("centre", quantity::length, Vector3<double>::Zero());
  const YamlNode* inertia = map.find("inertia");
  if (inertia && !(inertia->kind == YamlNode::Kind::scalar && inertia->text == "from-geometry")) {
    const std::string element = map.element() + ", inertia";
    inertial.inertia = inertia->kind == YamlNode::Kind::map
                           ? read_stated_inertia(context, *inertia, element, inertial)
                           : read_inertia_values(context, *inertia, element);
  }
  return inertial;
}

}  // namespace ulna
