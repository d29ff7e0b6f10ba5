// A joint that closes a loop has no coordinate of its own. Where it needs one, because friction may
// hold it at rest or because a rotor adds to the inertia of the tree, half of one of its bodies is
// made a body of its own, which the joint carries in the tree; a weld of both halves closes the
// loop instead. The mechanism is the same: the halves never move apart. (A body without mass would
// do as well on paper, and leave the mass matrix singular.)

#include <fmt/format.h>

#include <algorithm>

#include "freeze/freezer.hpp"

namespace ulna {
namespace {

bool needs_coordinate(const JointData& joint) {
  return !joint.mimic &&
         std::any_of(joint.degrees.begin(), joint.degrees.end(),
                     [](const DegreeData& d) { return d.friction != 0 || d.rotor_inertia != 0; });
}

BodyData* heavy_body(Robot& robot, const std::string& name) {
  for (BodyData& body : robot.bodies)
    if (body.name == name && body.inertial.mass > 0) return &body;
  return nullptr;
}

/// False where neither body has mass to share.
bool give_coordinate(Robot& robot, const std::string& name, std::vector<Problem>& warnings) {
  const auto joint = std::find_if(robot.joints.begin(), robot.joints.end(),
                                  [&](const JointData& j) { return j.name == name; });
  BodyData* whole = heavy_body(robot, joint->child);
  std::string& end = whole ? joint->child : joint->parent;
  if (!whole && reversible(joint->type)) whole = heavy_body(robot, joint->parent);
  if (!whole) return false;
  BodyData half;
  half.name = name + ".half";
  half.mark = joint->mark;
  whole->inertial.mass *= 0.5;
  whole->inertial.inertia *= 0.5;
  half.inertial = whole->inertial;
  JointData weld;
  weld.name = name + ".weld";
  weld.type = JointType::fixed;
  weld.mark = joint->mark;
  weld.parent = whole->name;
  weld.child = half.name;
  weld.cut = true;
  warnings.push_back(
      {joint->mark,
       "joint '" + name + "'",
       fmt::format("it closes a loop and has friction or a rotor: to give it a "
                   "coordinate, half of body '{}' is made body '{}' and welded to it",
                   whole->name, half.name),
       {},
       {}});
  end = half.name;
  joint->cut = false;
  robot.bodies.push_back(std::move(half));
  robot.joints.insert(joint + 1, std::move(weld));
  return true;
}

}  // namespace

bool give_closing_coordinates(Robot& robot, const SpanningTree& tree,
                              std::vector<Problem>& warnings) {
  std::vector<std::string> names;
  for (const int j : tree.loops)
    if (needs_coordinate(robot.joints[j])) names.push_back(robot.joints[j].name);
  if (names.empty()) return false;
  for (const int j : tree.loops) robot.joints[j].cut = true;  // the others stay as they are
  bool changed = false;
  for (const std::string& name : names) changed |= give_coordinate(robot, name, warnings);
  return changed;
}

}  // namespace ulna
