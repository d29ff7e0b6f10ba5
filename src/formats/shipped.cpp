#include "shipped.hpp"

#include "ulna/formats/read_robot.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

/// What kind of robot it is, where its folder does not say.
std::string kind_of(const Robot& robot) {
  for (const BodyData& body : robot.bodies)
    if (!body.beams.empty()) return "flexible";
  // A tree has one joint for each body.
  const std::size_t ties = robot.joints.size() + robot.constraints.size();
  return ties > robot.bodies.size() ? "mechanisms" : "classic";
}

}  // namespace

std::optional<std::string> find_embedded_robot(const std::string& name) {
  for (const EmbeddedRobot* robot = embedded_robots; robot->name; ++robot)
    if (name == robot->name) return robot->text;
  return std::nullopt;
}

std::vector<std::string> embedded_robot_names() {
  std::vector<std::string> names;
  for (const EmbeddedRobot* robot = embedded_robots; robot->name; ++robot)
    names.emplace_back(robot->name);
  return names;
}

std::vector<ShippedRobot> shipped_robots() {
  std::vector<ShippedRobot> robots;
  for (const EmbeddedRobot* robot = embedded_robots; robot->name; ++robot) {
    const Robot read = read_robot(robot->name).robot;
    robots.push_back({robot->name, read.description, *robot->group ? robot->group : kind_of(read)});
  }
  return robots;
}

std::string shipped_robot_text(const std::string& name) {
  if (std::optional<std::string> text = find_embedded_robot(name)) return *text;
  throw InputError("no shipped robot is called " + in_quotes(name),
                   "a name that 'ulna robots' lists",
                   nearest_name_hint(name, embedded_robot_names()));
}

}  // namespace ulna
