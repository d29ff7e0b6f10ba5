#pragma once
// The ROBOT argument and the options that every command about a robot takes.

#include <optional>
#include <string>
#include <vector>

#include "ulna/formats/read_robot.hpp"
#include "ulna/model/model.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ulna::cli {

struct RobotOptions {
  std::string robot;
  std::vector<std::string> packages;  ///< "name=dir"
  bool strict = false;
  std::optional<std::string> gravity;
  bool json = false;
};

/// A command with the options of RobotOptions. `examples` end its help.
CLI::App* add_robot_command(CLI::App& program, const std::string& name, const std::string& summary,
                            const std::string& examples, RobotOptions& options);
CLI::Option* add_json_flag(CLI::App& command, bool& json);

/// An option with one value, kept as it was typed. `type` describes it in the help, in capitals; in
/// small letters it is the values themselves, "fast|exact". Shell completion offers those, and
/// files for FILE and DIR.
CLI::Option* add_text(CLI::App& command, const std::string& name, std::optional<std::string>& value,
                      const std::string& type, const std::string& help);
/// The same, but may be given several times, each with one value.
CLI::Option* add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                       const std::string& type, const std::string& help);

ReadOptions read_options(const RobotOptions& options);
/// The robot as it is in the file, with the gravity of the command line.
ReadResult read(const RobotOptions& options);
/// The frozen model. What the reader changed or ignored is counted on standard error.
Model load(const RobotOptions& options);

/// A frame by name; the tip when none is named.
int frame_or_tip(const Model& model, const std::optional<std::string>& name);

}  // namespace ulna::cli
