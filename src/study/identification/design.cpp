// Design variables: their places in the data of a robot.

#include <fmt/format.h>

#include <algorithm>

#include "ulna/spatial/rotation.hpp"
#include "ulna/study/synthesis.hpp"

namespace ulna {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& what,
                         const std::string& hint = {}) {
  throw InputError(fmt::format("'{}': {}", text, what),
                   "joint.NAME.at.x, joint.NAME.child_at.x, joint.NAME.turn.x, frame.NAME.at.x or "
                   "constraint.NAME.length",
                   hint);
}

template <class List>
int index_of(const List& list, const std::string& name, const std::string& text, const char* what) {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k].name == name) return static_cast<int>(k);
    known.push_back(list[k].name);
  }
  refuse(text, fmt::format("the robot has no {} '{}'", what, name), nearest_name_hint(name, known));
}

/// Takes the last word after a dot off the text.
std::string last_word(std::string& text) {
  const std::size_t dot = text.rfind('.');
  const std::string word = dot == std::string::npos ? text : text.substr(dot + 1);
  text = dot == std::string::npos ? std::string() : text.substr(0, dot);
  return word;
}

}  // namespace

DesignPlace design_place(const Robot& robot, const std::string& text) {
  using Kind = DesignPlace::Kind;
  DesignPlace place;
  std::string rest = text;
  if (rest.starts_with("-")) {
    place.factor = -1;
    rest.erase(0, 1);
  }
  const std::size_t dot = rest.find('.');
  const std::string group = rest.substr(0, dot);
  rest = dot == std::string::npos ? std::string() : rest.substr(dot + 1);
  const std::string last = last_word(rest);
  if (group == "constraint") {
    if (last != "length") refuse(text, fmt::format("a constraint has no '{}'", last));
    place.kind = Kind::rod_length;
    place.index = index_of(robot.constraints, rest, text, "constraint");
    return place;
  }
  if (last != "x" && last != "y" && last != "z")
    refuse(text, fmt::format("'{}' where x, y or z stands", last));
  place.axis = last[0] - 'x';
  const std::string part = last_word(rest);
  if (group == "frame" && part == "at") {
    place.kind = Kind::frame_at;
    place.index = index_of(robot.frames, rest, text, "frame");
    return place;
  }
  if (group != "joint") refuse(text, fmt::format("'{}' is not a part that can change", group));
  if (part == "at")
    place.kind = Kind::joint_at;
  else if (part == "child_at")
    place.kind = Kind::joint_child_at;
  else if (part == "turn")
    place.kind = Kind::joint_turn;
  else
    refuse(text, fmt::format("a joint has no '{}'", part));
  place.index = index_of(robot.joints, rest, text, "joint");
  return place;
}

DesignVariable design_variable(const Robot& robot, const std::string& name,
                               const std::vector<std::string>& places, double lower, double upper) {
  DesignVariable variable{name, {}, lower, upper};
  for (const std::string& text : places) variable.places.push_back(design_place(robot, text));
  return variable;
}

Robot with_design(Robot robot, const std::vector<DesignVariable>& variables,
                  const Eigen::VectorXd& values) {
  using Kind = DesignPlace::Kind;
  std::vector<std::pair<int, Vector3<double>>> turns;
  for (std::size_t k = 0; k < variables.size(); ++k)
    for (const DesignPlace& place : variables[k].places) {
      const double x = place.factor * values(static_cast<Eigen::Index>(k));
      switch (place.kind) {
        case Kind::joint_at:
          robot.joints[place.index].X_PF.position(place.axis) = x;
          break;
        case Kind::joint_child_at:
          robot.joints[place.index].X_MC.position(place.axis) = x;
          break;
        case Kind::frame_at:
          robot.frames[place.index].X_BF.position(place.axis) = x;
          break;
        case Kind::rod_length:
          robot.constraints[place.index].length = x;
          break;
        case Kind::joint_turn: {
          auto found = std::find_if(turns.begin(), turns.end(),
                                    [&](const auto& turn) { return turn.first == place.index; });
          if (found == turns.end())
            found = turns.insert(turns.end(), {place.index, Vector3<double>::Zero()});
          found->second(place.axis) = x;
        }
      }
    }
  for (const auto& [joint, turn] : turns) {
    Matrix3<double>& R = robot.joints[joint].X_PF.rotation;
    R = R * rotation_from_quaternion(exp_quaternion(turn));
  }
  return robot;
}

const char* name_of(GrashofType type) {
  constexpr const char* names[] = {"crank-rocker", "double-crank", "double-rocker", "any"};
  return names[static_cast<int>(type)];
}

std::optional<GrashofType> grashof_from_name(const std::string& name) {
  for (const GrashofType type : {GrashofType::crank_rocker, GrashofType::double_crank,
                                 GrashofType::double_rocker, GrashofType::any})
    if (name == name_of(type)) return type;
  return std::nullopt;
}

}  // namespace ulna
