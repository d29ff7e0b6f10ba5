#pragma once
// Sensors: channels of a run as a controller gets to see them, sampled at a rate, with noise, bias,
// resolution, range and delay. docs/theory/sensors.md. Between samples a reading stays as it is, so
// that even what follows from efforts (forces, accelerations) may be fed back.
//
//   experiment.sensors.push_back(encoder(model, speed, 1e-3 /* s */));
//
// The noise of sample n of an output depends on seed, sensor, output and n alone: two runs with
// other integrators, steps or records see the same.

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

struct Sensor {
  struct Output {
    std::string name;  ///< "q", "wx", ...; the channel is sensor.NAME.q
    std::string unit;
    double noise = 0;       ///< standard deviation
    double bias = 0;        ///< added before it is rounded
    double resolution = 0;  ///< readings are multiples of this; 0: any number
    double range = 0;       ///< readings stay within +-range; 0: any
  };
  std::string name;
  std::string kind;                   ///< as in `sensor_kinds`
  std::vector<std::string> channels;  ///< what it looks at, single channels (channels.hpp)
  std::vector<Output> outputs;
  /// Outputs by the channels, before any error; empty: the channels themselves.
  std::function<void(const double* channels, double* outputs)> convert;
  /// Besides, for the first output, the difference of its last two readings over the period.
  bool difference = false;
  double period = 1e-3;  ///< between samples, s
  double delay = 0;      ///< until a sample can be read, s
  std::uint64_t seed = 1;
  int speed = -1;  ///< encoders and tachometers: of the robot
  SourceMark mark;

  /// Outputs with the difference, if there is one.
  int size() const { return static_cast<int>(outputs.size()) + (difference ? 1 : 0); }
};

struct SensorKind {
  const char* name;
  const char* what;
};
/// encoder, tachometer, force-torque, strain, imu, channel.
ULNA_API std::span<const SensorKind> sensor_kinds();

/// Position of a speed's coordinate, and its rate by the difference of two readings.
ULNA_API Sensor encoder(const Model& model, int speed, double period);
/// A speed itself.
ULNA_API Sensor tachometer(const Model& model, int speed, double period);
/// Force and moment through a joint on its child, in the axes of the child's frame, at the joint.
ULNA_API Sensor force_torque_sensor(const Model& model, int joint, double period);
/// Strain at the surface of a flexible body, at a share of its length: `offset` from the axis along
/// y and z of its section.
ULNA_API Sensor strain_gauge(const Model& model, int body, double share, double offset_y,
                             double offset_z, double period);
/// Angular velocity, and acceleration less gravity, in the axes of a frame.
ULNA_API Sensor imu(const Model& model, int frame, double period);

/// A normally distributed number from a counter: the same for the same four numbers, everywhere.
ULNA_API double noise_sample(std::uint64_t seed, std::uint64_t sensor, std::uint64_t output,
                             std::uint64_t sample);

}  // namespace ulna
