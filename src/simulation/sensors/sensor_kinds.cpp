// The sensors: what each looks at, and what it makes of it. docs/theory/sensors.md.

#include <fmt/format.h>

#include <array>

#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/simulation/internal/closing_sensor.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

Sensor named(const char* kind, std::string name, double period) {
  Sensor sensor;
  sensor.kind = kind;
  sensor.name = std::move(name);
  sensor.period = period;
  return sensor;
}

std::vector<std::string> parts(const std::string& group, std::initializer_list<const char*> names) {
  std::vector<std::string> list;
  for (const char* name : names) list.push_back(group + "." + name);
  return list;
}

void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

const char* unit_of(const Model& model, int speed) {
  return si_unit(model.speed_dimensions()[static_cast<std::size_t>(speed)]);
}

/// R_WF from the last four channels of a frame.
Matrix3<double> rotation_at(const double* quaternion) {
  return rotation_from_quaternion(
      Quaternion<double>(quaternion[0], quaternion[1], quaternion[2], quaternion[3]));
}

}  // namespace

std::span<const SensorKind> sensor_kinds() {
  static constexpr std::array<SensorKind, 6> kinds = {{
      {"encoder", "position of a joint, and its rate by the difference of two readings"},
      {"tachometer", "rate of a joint"},
      {"force-torque", "force and moment through a joint, in the axes of its child"},
      {"strain", "strain at the surface of a flexible body"},
      {"imu", "angular velocity, and acceleration less gravity, in the axes of a frame"},
      {"channel", "any channel"},
  }};
  return kinds;
}

Sensor encoder(const Model& model, int speed, double period) {
  const int coordinate = model.coordinate_of_speed()[static_cast<std::size_t>(speed)];
  const std::string& name = model.speed_names()[static_cast<std::size_t>(speed)];
  if (coordinate < 0)
    throw InputError(fmt::format("'{}' is the rate of a joint with a quaternion", name),
                     "a joint whose coordinates are angles or lengths");
  Sensor sensor = named("encoder", name, period);
  sensor.channels = {"q." + model.coordinate_names()[static_cast<std::size_t>(coordinate)]};
  sensor.outputs = {{"q", unit_of(model, speed)}};
  sensor.difference = true;
  sensor.speed = speed;
  return sensor;
}

Sensor tachometer(const Model& model, int speed, double period) {
  const std::string& name = model.speed_names()[static_cast<std::size_t>(speed)];
  Sensor sensor = named("tachometer", name, period);
  sensor.channels = {"v." + name};
  sensor.outputs = {{"v", unit_of(model, speed) + std::string("/s")}};
  sensor.speed = speed;
  return sensor;
}

std::vector<Sensor> closing_sensors(const Model& model, const std::string& joint, bool position,
                                    double period) {
  std::vector<Sensor> list;
  for (const Loop& loop : model.loops()) {
    if (loop.kind != LoopKind::joint || loop.joint != joint) continue;
    const auto degrees = position ? traits_of(loop.type).coordinates : traits_of(loop.type).speeds;
    if (position && traits_of(loop.type).speeds.size() != degrees.size())
      throw InputError(fmt::format("closing joint '{}' has a quaternion", joint),
                       "a joint whose coordinates are angles or lengths");
    for (std::size_t d = 0; d < degrees.size(); ++d) {
      const std::string name = degrees.size() == 1 ? joint : fmt::format("{}.{}", joint, d);
      Sensor sensor = named(position ? "encoder" : "tachometer", name, period);
      sensor.channels = {(position ? "closing." : "closing_rate.") + name};
      const std::string unit = si_unit(degrees[d].dimension);
      sensor.outputs = {{position ? "q" : "v", position ? unit : unit + "/s"}};
      sensor.difference = position;
      list.push_back(std::move(sensor));
    }
  }
  return list;
}

Sensor force_torque_sensor(const Model& model, int joint, double period) {
  const Joint& at = model.joints()[static_cast<std::size_t>(joint)];
  Sensor sensor = named("force-torque", at.name, period);
  sensor.channels = parts("reaction." + at.name, {"fx", "fy", "fz", "mx", "my", "mz"});
  append(sensor.channels, parts("frame." + model.bodies()[static_cast<std::size_t>(at.child)].name,
                                {"qw", "qx", "qy", "qz"}));
  for (const char* name : {"fx", "fy", "fz"}) sensor.outputs.push_back({name, "N"});
  for (const char* name : {"mx", "my", "mz"}) sensor.outputs.push_back({name, "Nm"});
  sensor.convert = [](const double* in, double* out) {
    const Matrix3<double> R = rotation_at(in + 6);
    Eigen::Map<Vector3<double>>{out} = R.transpose() * Eigen::Map<const Vector3<double>>(in);
    Eigen::Map<Vector3<double>>{out + 3} =
        R.transpose() * Eigen::Map<const Vector3<double>>(in + 3);
  };
  return sensor;
}

Sensor imu(const Model& model, int frame, double period) {
  const std::string& name = model.frames()[static_cast<std::size_t>(frame)].name;
  Sensor sensor = named("imu", name, period);
  const std::string own = name + "@" + name;
  sensor.channels = parts("twist." + own, {"wx", "wy", "wz"});
  append(sensor.channels, parts("acceleration." + own, {"ax", "ay", "az"}));
  append(sensor.channels, parts("frame." + name, {"qw", "qx", "qy", "qz"}));
  for (const char* axis : {"wx", "wy", "wz"}) sensor.outputs.push_back({axis, "rad/s"});
  for (const char* axis : {"ax", "ay", "az"}) sensor.outputs.push_back({axis, "m/s^2"});
  const Vector3<double> gravity = model.robot().gravity;
  sensor.convert = [gravity](const double* in, double* out) {
    const Vector3<double> felt = rotation_at(in + 6).transpose() * gravity;
    for (int k = 0; k < 3; ++k) {
      out[k] = in[k];
      out[3 + k] = in[3 + k] - felt(k);
    }
  };
  return sensor;
}

}  // namespace ulna
