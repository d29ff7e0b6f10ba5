#include "options/robot_options.hpp"

#include <fmt/format.h>

#include "options/degrees.hpp"
#include "options/vector_text.hpp"
#include "output/terminal.hpp"
#include "ulna/model/internal/quantity.hpp"
#include "ulna/model/repair.hpp"

namespace ulna::cli {
namespace {

constexpr const char* common_group = "Options of every command about a robot";

std::string elements(std::size_t count) {
  return fmt::format("{} element{}", count, count == 1 ? "" : "s");
}

void say_losses(const RobotOptions& options, const ImportReport& report) {
  const std::size_t changed = report.changed.size(), ignored = report.ignored.size();
  std::string text;
  if (changed > 0)
    text = fmt::format("{} {} changed", elements(changed), changed == 1 ? "was" : "were");
  if (ignored > 0)
    text +=
        fmt::format("{}{} that {} not affect dynamics {} ignored", text.empty() ? "" : ", ",
                    elements(ignored), ignored == 1 ? "does" : "do", ignored == 1 ? "was" : "were");
  if (!text.empty()) note(fmt::format("{}: {} (see 'ulna check')", options.robot, text));
}

void set_actuators(const RobotOptions& options, Model& model) {
  if (options.actuator_time)
    model.set_time(parse_number("--actuator-time", *options.actuator_time, Dimension::time));
  if (!options.actuator_forces) return;
  for (const std::string& one : listed_names(*options.actuator_forces)) {
    const std::size_t equals = one.find('=');
    if (equals == one.npos)
      throw InputError(Problem{{},
                               "--actuator-forces",
                               fmt::format("'{}' found", one),
                               "NAME=FORCE, such as jack=500",
                               {}});
    const ParsedQuantity force = parse_quantity(one.substr(equals + 1), quantity::force);
    if (!force.complaint.empty())
      throw InputError(Problem{{}, "--actuator-forces", force.complaint, "a force in N", {}});
    model.set_actuator_force(model.actuator(one.substr(0, equals)), force.value);
  }
}

}  // namespace

CLI::App* add_robot_command(CLI::App& program, const std::string& name, const std::string& summary,
                            const std::string& examples, RobotOptions& options) {
  CLI::App* command = add_command(program, name, summary, examples);
  add_argument(*command, "ROBOT", options.robot,
               "A robot file (.yaml, .urdf, MuJoCo .xml, .sdf) or a shipped robot ('ulna robots')")
      .required();
  add_json_flag(*command, options.json).group(common_group);
  add_text(*command, "--gravity", options.gravity, "X,Y,Z",
           "Gravity vector to use instead of the robot's, in m/s^2")
      .group(common_group);
  add_text(*command, "--loop-tolerance", options.loop_tolerance, "GAP",
           "Largest gap (m, rad) of closed loops, instead of the robot's")
      .group(common_group);
  add_text(*command, "--repair", options.repair, "nearest",
           "Replace physically impossible inertias by the nearest possible ones")
      .group(common_group);
  add_text(*command, "--actuator-forces", options.actuator_forces, "NAME=FORCE,...",
           "Forces of actuator elements, instead of the robot's")
      .group(common_group);
  add_text(*command, "--actuator-time", options.actuator_time, "TIME",
           "Time t in formulas for the forces of actuator elements (default: 0)")
      .group(common_group);
  add_texts(*command, "--package", options.packages, "NAME=DIR",
            "Folder of a package:// name of a URDF; may be repeated")
      .group(common_group);
  add_texts(*command, "--xacro", options.xacro, "NAME:=VALUE",
            "Argument for the program xacro, which expands a .xacro file (may be repeated)")
      .group(common_group);
  add_flag(
      *command, "--degrees", degrees_flag(),
      "Read plain numbers for angles in degrees and print tables in degrees; JSON stays in radians")
      .group(common_group);
  add_flag(*command, "--strict", options.strict,
           "Refuse a file if anything in it is changed or ignored")
      .group(common_group);
  return command;
}

ReadOptions read_options(const RobotOptions& options) {
  ReadOptions read;
  read.strict = options.strict;
  if (!options.xacro.empty()) read.xacro = options.xacro;
  for (const std::string& package : options.packages) {
    const std::size_t equals = package.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == package.size())
      throw InputError(Problem{{},
                               "--package",
                               fmt::format("'{}' found", package),
                               "NAME=DIR with the folder of the package",
                               {}});
    read.packages[package.substr(0, equals)] = package.substr(equals + 1);
  }
  return read;
}

ReadResult read(const RobotOptions& options) {
  ReadResult result = read_robot(options.robot, read_options(options));
  if (options.gravity)
    result.robot.gravity =
        parse_vector("--gravity", *options.gravity, xyz(Dimension::acceleration));
  if (options.loop_tolerance)
    result.robot.loop_tolerance = parse_number("--loop-tolerance", *options.loop_tolerance);
  if (options.repair) {
    if (*options.repair != "nearest")
      throw InputError(
          Problem{{}, "--repair", fmt::format("'{}' found", *options.repair), "nearest", {}});
    for (const InertiaRepair& repair : repair_inertias(result.robot))
      result.report.changed.push_back({repair.where, repair.element, repair.text()});
  }
  return result;
}

Model load(const RobotOptions& options, const std::function<Robot(Robot)>& change) {
  ReadResult result = read(options);
  Model model(change ? change(std::move(result.robot)) : std::move(result.robot));
  if (options.strict && !model.warnings().empty()) throw InputError(model.warnings());
  for (const Problem& warning : model.warnings()) warn(warning.text());
  say_losses(options, result.report);
  set_actuators(options, model);
  return model;
}

void refuse_beside_experiment(const std::vector<GivenOption>& options, const char* hint) {
  for (const GivenOption& option : options)
    if (option.given)
      throw InputError(std::string(option.name) + " does not go with an experiment", {}, hint);
}

int frame_or_tip(const Model& model, const std::optional<std::string>& name) {
  return name ? model.frame(*name) : model.tip_frame();
}

}  // namespace ulna::cli
