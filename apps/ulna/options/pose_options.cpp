#include "options/pose_options.hpp"

#include "options/command_line.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::cli {

void add_pose_options(CLI::App& command, PoseOptions& options) {
  add_text(command, "--position", options.position, "X,Y,Z",
           "Position of the platform; that at home when absent");
  add_text(command, "--rotation", options.rotation, "W,X,Y,Z", "Its rotation as a quaternion");
  add_text(command, "--turn", options.turn, "RX,RY,RZ",
           "Its rotation as a rotation vector from home, world axes");
}

Pose<double> pose_from(const Pose<double>& home, const PoseOptions& options) {
  Pose<double> pose = home;
  if (options.position)
    pose.position = parse_vector("--position", *options.position, xyz(Dimension::length));
  if (options.rotation && options.turn)
    throw InputError(Problem{{}, "--turn", "given together with --rotation", "one of them", {}});
  if (options.rotation) {
    const Quaternion<double> q =
        parse_vector("--rotation", *options.rotation, {{"w"}, {"x"}, {"y"}, {"z"}});
    if (!(q.norm() > 0))
      throw InputError(Problem{{}, "--rotation", "a quaternion of zeros", "a unit one", {}});
    pose.rotation = rotation_from_quaternion<double>(q.normalized());
  }
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

}  // namespace ulna::cli
