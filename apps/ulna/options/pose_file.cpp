#include "options/pose_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "output/json_input.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::cli {
namespace {

constexpr const char* expected_pose =
    "the JSON of 'ulna fk', an object with position and rotation, quaternion or rpy, or a 4x4 list";

[[noreturn]] void refuse_file(const std::string& where, const std::string& found,
                              const std::string& expected = expected_pose) {
  throw InputError(Problem{{}, where, found, expected, {}});
}

const Json* member(const Json& json, const std::string& key) {
  if (const auto* object = std::get_if<Json::Object>(&json.value()))
    for (const auto& [name, value] : *object)
      if (name == key) return &value;
  return nullptr;
}

/// All numbers of nested lists, in order.
void gather(const std::string& where, const Json& json, std::vector<double>& out) {
  if (const auto* list = std::get_if<Json::Array>(&json.value())) {
    for (const Json& item : *list) gather(where, item, out);
  } else if (const auto* real = std::get_if<double>(&json.value())) {
    out.push_back(*real);
  } else if (const auto* whole = std::get_if<std::int64_t>(&json.value())) {
    out.push_back(static_cast<double>(*whole));
  } else if (const auto* natural = std::get_if<std::uint64_t>(&json.value())) {
    out.push_back(static_cast<double>(*natural));
  } else {
    refuse_file(where, "a list holds something that is not a number", "numbers");
  }
}

Eigen::VectorXd numbers_of(const std::string& where, const Json& json) {
  std::vector<double> all;
  gather(where, json, all);
  return Eigen::Map<const Eigen::VectorXd>(all.data(), std::ssize(all));
}

Matrix3<double> checked_rotation(const std::string& where, const Matrix3<double>& R) {
  constexpr double typed = 1e-6;  // of entries that were printed with few digits
  if (!is_rotation(R, typed))
    refuse_file(where, "the matrix is not a rotation", "orthonormal rows of a right-handed frame");
  return nearest_rotation(R);
}

Matrix3<double> rotation_of(const std::string& where, const Json& json) {
  const Eigen::VectorXd x = numbers_of(where, json);
  if (x.size() == 4 && x.norm() > 0)
    return rotation_from_quaternion<double>(Quaternion<double>(x).normalized());
  if (x.size() != 9) refuse_file(where, fmt::format("a rotation of {} numbers", x.size()));
  return checked_rotation(where,
                          Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x.data()));
}

/// The frame asked for, or the only one.
const Json& frame_of(const std::string& file, const Json& frames, const std::string& name) {
  if (const Json* found = member(frames, name)) return *found;
  const auto* all = std::get_if<Json::Object>(&frames.value());
  if (all && all->size() == 1) return all->front().second;
  std::string known;
  if (all)
    for (const auto& [one, value] : *all) known += (known.empty() ? "" : ", ") + one;
  refuse_file(file, name.empty() ? "it has several frames" : fmt::format("no frame '{}'", name),
              "one frame, or one of " + known);
}

}  // namespace

TypedPose pose_of_matrix(const std::string& where, const Eigen::VectorXd& x) {
  const Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>> top(x.data());
  if (x.size() == 16 && !(x.tail<4>() - Eigen::Vector4d(0, 0, 0, 1)).isZero(1e-12))
    refuse_file(where, "the last row is not 0,0,0,1", "a homogeneous matrix by rows");
  return {Vector3<double>(top.col(3)), checked_rotation(where, top.leftCols<3>())};
}

TypedPose pose_of_file(const std::string& file, const std::string& frame) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse_file(file, "the file cannot be read", "a JSON file with a pose");
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  const std::optional<Json> parsed = json_from(text);
  if (!parsed) refuse_file(file, "the file is not JSON");
  const Json& root = *parsed;
  if (std::holds_alternative<Json::Array>(root.value())) {
    const Eigen::VectorXd x = numbers_of(file, root);
    if (x.size() != 16 && x.size() != 12) refuse_file(file, fmt::format("{} numbers", x.size()));
    return pose_of_matrix(file, x);
  }
  const Json* pose = &root;
  if (const Json* frames = member(root, "frames")) pose = &frame_of(file, *frames, frame);
  if (const Json* inner = member(root, "pose")) pose = inner;
  TypedPose out;
  if (const Json* position = member(*pose, "position")) {
    const Eigen::VectorXd x = numbers_of(file, *position);
    if (x.size() != 3) refuse_file(file, fmt::format("a position of {} numbers", x.size()));
    out.position = Vector3<double>(x);
  }
  if (const Json* rotation = member(*pose, "rotation")) {
    out.rotation = rotation_of(file, *rotation);
  } else if (const Json* quaternion = member(*pose, "quaternion")) {
    out.rotation = rotation_of(file, *quaternion);
  } else if (const Json* rpy = member(*pose, "rpy")) {
    const Eigen::VectorXd x = numbers_of(file, *rpy);
    if (x.size() != 3) refuse_file(file, fmt::format("rpy of {} numbers", x.size()));
    out.rotation = euler_rotation("XYZ", x);
  }
  if (!out.position && !out.rotation) refuse_file(file, "no pose found");
  return out;
}

}  // namespace ulna::cli
