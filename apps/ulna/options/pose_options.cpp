#include "options/pose_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "options/command_line.hpp"
#include "options/degrees.hpp"
#include "options/pose_file.hpp"
#include "output/terminal.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::cli {
namespace {

[[noreturn]] void refuse_pose(const char* option, const std::string& found,
                              const std::string& expected, const std::string& hint = {}) {
  throw InputError(Problem{{}, option, found, expected, hint});
}

Matrix3<double> from_quaternion(const char* option, const std::string& text) {
  const Quaternion<double> typed = parse_vector(option, text, {{"w"}, {"x"}, {"y"}, {"z"}});
  const double length = typed.stableNorm();
  if (!(length > 1e-12))
    refuse_pose(option, "a quaternion of length zero", "w,x,y,z that are not all zero",
                "1,0,0,0 means no turn");
  if (std::abs(length - 1) > 1e-9)
    warn(fmt::format("{}: the quaternion was not of unit length and has been normalized", option));
  return rotation_from_quaternion(Quaternion<double>(typed / length));
}

Matrix3<double> from_rpy(const std::string& text) {
  const Vector3<double> rpy = parse_vector(
      "--rpy", text,
      {{"roll", Dimension::angle}, {"pitch", Dimension::angle}, {"yaw", Dimension::angle}});
  return euler_rotation("XYZ", rpy);
}

Matrix3<double> from_axis_angle(const std::string& text) {
  std::vector<Entry> entries = {{"x"}, {"y"}, {"z"}, {"angle", Dimension::angle}};
  const Eigen::Vector4d typed = parse_vector("--axis-angle", text, entries);
  const double length = typed.head<3>().stableNorm();
  if (!(length > 0)) refuse_pose("--axis-angle", "an axis of length zero", "x,y,z not all zero");
  return exp_rotation(typed.head<3>() / length * typed(3));
}

TypedPose from_matrix(const std::string& text) {
  const auto count = std::count(text.begin(), text.end(), ',') + 1;
  constexpr int full = 16, rows = 12;
  if (count != full && count != rows)
    refuse_pose("--matrix", fmt::format("{} numbers found", count),
                "16 (or 12) numbers, separated by commas: the 4x4 matrix by rows");
  std::vector<Entry> entries;
  for (int k = 0; k < count; ++k) entries.push_back({fmt::format("row {}", k / 4 + 1)});
  return pose_of_matrix("--matrix", parse_vector("--matrix", text, entries));
}

}  // namespace

void add_target_options(CLI::App& command, PoseOptions& options, const std::string& position_help,
                        const std::string& rotation_help) {
  add_text(command, "--position", options.position, "X,Y,Z", position_help);
  add_text(command, "--rotation", options.rotation, "W,X,Y,Z", rotation_help);
  add_text(command, "--quaternion", options.quaternion, "W,X,Y,Z", "The same as --rotation");
  add_text(command, "--rpy", options.rpy, "ROLL,PITCH,YAW",
           "Orientation as angles about the fixed axes x, y, z");
  add_text(command, "--axis-angle", options.axis_angle, "X,Y,Z,ANGLE",
           "Orientation as a rotation about an axis");
  add_text(command, "--matrix", options.matrix, "M11,M12,...",
           "Position and rotation as a 4x4 matrix, 16 numbers by rows");
  add_text(command, "--pose", options.pose, "FILE",
           "Position and rotation from a file: JSON of 'ulna fk', of a pose, or a 4x4 list");
}

TypedPose typed_pose(const PoseOptions& options, const std::string& frame) {
  const std::pair<const VectorOption*, const char*> rotations[] = {
      {&options.rotation, "--rotation"}, {&options.quaternion, "--quaternion"},
      {&options.rpy, "--rpy"},           {&options.axis_angle, "--axis-angle"},
      {&options.turn, "--turn"},         {&options.matrix, "--matrix"},
      {&options.pose, "--pose"}};
  const char* first = nullptr;
  for (const auto& [option, name] : rotations) {
    if (!option->has_value()) continue;
    if (first) refuse_pose(name, fmt::format("given together with {}", first), "one of them");
    first = name;
  }
  TypedPose out;
  if (options.matrix) out = from_matrix(*options.matrix);
  if (options.pose) out = pose_of_file(*options.pose, frame);
  if (options.position && out.position)
    refuse_pose("--position", fmt::format("given together with {}", first), "one of them");
  if (options.position)
    out.position = parse_vector("--position", *options.position, xyz(Dimension::length));
  if (options.rotation) out.rotation = from_quaternion("--rotation", *options.rotation);
  if (options.quaternion) out.rotation = from_quaternion("--quaternion", *options.quaternion);
  if (options.rpy) out.rotation = from_rpy(*options.rpy);
  if (options.axis_angle) out.rotation = from_axis_angle(*options.axis_angle);
  return out;
}

void add_pose_options(CLI::App& command, PoseOptions& options) {
  add_target_options(command, options, "Position of the platform (default: that of the home pose)",
                     "Its rotation as a quaternion");
  add_text(command, "--turn", options.turn, "RX,RY,RZ",
           "Rotation vector of the platform from the home pose, world axes");
}

Pose<double> pose_from(const Pose<double>& home, const PoseOptions& options,
                       const std::string& frame) {
  Pose<double> pose = home;
  const TypedPose typed = typed_pose(options, frame);
  if (typed.position) pose.position = *typed.position;
  if (typed.rotation) pose.rotation = *typed.rotation;
  if (options.turn) {
    const Vector3<double> r = parse_vector("--turn", *options.turn, xyz(Dimension::angle, "r"));
    pose.rotation = exp_rotation(r) * pose.rotation;
  }
  return pose;
}

Twist<double> twist_from(const char* option, const VectorOption& text, const char* rate) {
  if (!text) return {};
  const std::vector<Entry> entries = {{"wx", Dimension::angle},  {"wy", Dimension::angle},
                                      {"wz", Dimension::angle},  {"vx", Dimension::length},
                                      {"vy", Dimension::length}, {"vz", Dimension::length}};
  const Eigen::VectorXd x = parse_vector(option, *text, entries, rate);
  return {x.head<3>(), x.tail<3>()};
}

std::string shown_pose_text(const Pose<double>& pose) {
  if (!in_degrees()) return pose_text(pose);
  const auto tidy = [](double x) { return std::abs(x) < 1e-12 ? 0.0 : x; };
  const Vector3<double> r = log_rotation(pose.rotation), &p = pose.position;
  return fmt::format(
      "position ({:.6g}, {:.6g}, {:.6g}), rotation vector ({:.6g}, {:.6g}, {:.6g}) "
      "in degrees",
      tidy(p.x()), tidy(p.y()), tidy(p.z()), tidy(shown_angle(r.x())), tidy(shown_angle(r.y())),
      tidy(shown_angle(r.z())));
}

}  // namespace ulna::cli
