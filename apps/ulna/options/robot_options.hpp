#pragma once
// The ROBOT argument and the options that every command about a robot takes.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "options/command_line.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/model/model.hpp"

namespace ulna::cli {

struct RobotOptions {
  std::string robot;
  std::vector<std::string> packages;  ///< "name=dir"
  std::vector<std::string> xacro;     ///< "name:=value"; any makes xacro files be expanded
  bool strict = false;
  std::optional<std::string> gravity, loop_tolerance, repair;
  std::optional<std::string> actuator_forces, actuator_time;
  bool json = false;
};

/// A command with the options of RobotOptions. `examples` end its help.
CLI::App* add_robot_command(CLI::App& program, const std::string& name, const std::string& summary,
                            const std::string& examples, RobotOptions& options);

ReadOptions read_options(const RobotOptions& options);
/// The robot as it is in the file, with the gravity of the command line.
ReadResult read(const RobotOptions& options);
/// The frozen model. What the reader changed or ignored is counted on standard error.
Model load(const RobotOptions& options, const std::function<Robot(Robot)>& change = {});

/// InputError for the first option that was given although an experiment stands in the place of the
/// robot.
struct GivenOption {
  bool given;
  const char* name;
};
void refuse_beside_experiment(const std::vector<GivenOption>& options,
                              const char* hint = "the experiment file says it");

/// A frame by name; the tip when none is named.
int frame_or_tip(const Model& model, const std::optional<std::string>& name);

}  // namespace ulna::cli
