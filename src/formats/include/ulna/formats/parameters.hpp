#pragma once
// Any number of a robot file or of an experiment file by its path: keys joined by dots, elements of
// lists by their names or by their number from 0, entries of vectors by x, y, z or by number.
//
//   bodies.link2.mass            joints.j1.spring.stiffness     beams.upper.section.outer
//   bodies.arm.centre.x          joints.j2.dh.a                 gravity.z
//   duration                     constants.T                    controllers.0.kp
//
// `beams.NAME` finds the beam of body NAME, or the beam NAME of any body, and a section needs no
// name of its shape. What is not in the file because it has its default value can be set as well.
// Of an experiment, paths that begin with a part of the robot file change its robot.
//
// The file is parsed once; each robot or experiment is read from a changed copy of the tree.

#include <memory>
#include <string>
#include <vector>

#include "ulna/formats/read_experiment.hpp"
#include "ulna/model/robot.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// A value for the place at `path`, as the file takes it: "0.3", "50 mm", "steel".
struct ParameterValue {
  std::string path, value;
};

/// The number as a text that is read back bit by bit; in SI units where the place has a unit.
ULNA_API ParameterValue parameter(std::string path, double value);

/// Whether the path begins with a part of the robot file: "bodies.", "joints.", "beams.", ...
ULNA_API bool is_robot_path(const std::string& path);

class ULNA_API RobotParameters {
 public:
  /// With the keys of the file that the robot was read from, where it is a robot file and the robot
  /// is still what the file says; else with those that `write_robot_yaml` writes.
  explicit RobotParameters(const Robot& robot);

  /// The robot with these values. InputError naming the path and the nearest name when there is no
  /// such place, or the value when it does not suit.
  Robot with(const std::vector<ParameterValue>& values) const;
  /// What stands there now, as text; empty where the file leaves it to its default.
  std::string value(const std::string& path) const;

 private:
  struct File;
  std::shared_ptr<const File> file_;
};

class ULNA_API ExperimentParameters {
 public:
  /// InputError as `read_experiment`.
  explicit ExperimentParameters(const std::string& path, const ReadOptions& options = {});
  /// From text in memory; the robot and tables named in it are looked for beside `file_name`.
  static ExperimentParameters from_text(const std::string& text, const std::string& file_name,
                                        const ReadOptions& options = {});

  /// The experiment with these values, planned and checked.
  ReadExperiment with(const std::vector<ParameterValue>& values) const;
  std::string value(const std::string& path) const;

 private:
  friend class ExperimentEditor;
  ExperimentParameters() = default;
  struct File;
  std::shared_ptr<const File> file_;
};

/// One value of a robot: RobotParameters(robot).with({{path, value}}).
ULNA_API Robot with_value(const Robot& robot, const std::string& path, const std::string& value);

}  // namespace ulna
