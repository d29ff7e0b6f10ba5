// Named postures.

#include <fmt/format.h>

#include <cmath>

#include "check/findings.hpp"

namespace ulna {
namespace {

void check_place(Findings& found, const PostureData& posture, const std::string& element,
                 const PostureData::Place& place) {
  const auto joint = found.joints.find(place.joint);
  if (joint == found.joints.end()) {
    found.say_reference(posture.mark, element, fmt::format("there is no joint '{}'", place.joint),
                        "the name of a joint", found.hint(place.joint, found.joint_names));
    return;
  }
  const auto count = static_cast<std::size_t>(size_of(joint->second->type).coordinates);
  if (place.values.size() != count)
    found.say(
        posture.mark, element,
        fmt::format("{} values for joint '{}'", place.values.size(), place.joint),
        fmt::format("{}, the coordinates of a {} joint", count, name_of(joint->second->type)));
  for (const double value : place.values)
    if (!std::isfinite(value))
      found.say(posture.mark, element, fmt::format("joint '{}' is at {}", place.joint, value),
                "a finite number");
  if (joint->second->mimic)
    found.say(
        posture.mark, element,
        fmt::format("joint '{}' follows joint '{}'", place.joint, joint->second->mimic->joint),
        "joints that have coordinates of their own");
}

}  // namespace

void check_postures(Findings& found) {
  std::set<std::string> names;
  for (const PostureData& posture : found.robot.postures) {
    const std::string element = fmt::format("posture '{}'", posture.name);
    if (posture.name.empty())
      found.say(posture.mark, "posture", "has no name", "a name");
    else if (!names.insert(posture.name).second)
      found.say_reference(posture.mark, element, "the name is taken by another posture",
                          "names that differ");
    std::set<std::string> joints;
    for (const PostureData::Place& place : posture.places) {
      if (!joints.insert(place.joint).second)
        found.say(posture.mark, element, fmt::format("joint '{}' is given twice", place.joint),
                  "each joint once");
      check_place(found, posture, element, place);
    }
  }
}

}  // namespace ulna
