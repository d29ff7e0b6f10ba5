#include "check/findings.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "ulna/model/model.hpp"
#include "ulna/numerics/internal/visible_text.hpp"

namespace ulna {
namespace {

/// Names go into generated programs, tables, web pages and terminals.
void require_visible(Findings& found, const SourceMark& mark, const std::string& element,
                     const std::string& name, LineBreaks breaks = LineBreaks::refused) {
  const std::string hidden = hidden_character(name, breaks);
  if (!hidden.empty())
    found.say(mark, element, "holds " + hidden, "text without hidden characters");
}

/// Names that are there and differ.
template <class Items>
void unique(Findings& found, const Items& items, const char* what, std::set<std::string>& seen) {
  for (const auto& item : items) {
    if (item.name.empty())
      found.say_reference(item.mark, what, "has no name", "a name of its own");
    else if (!hidden_character(item.name).empty())
      require_visible(found, item.mark, fmt::format("{}, name '{}'", what, item.name), item.name);
    else if (!seen.insert(item.name).second)
      found.say_reference(item.mark, fmt::format("{} '{}'", what, item.name),
                          "the name is used twice", "names that differ");
  }
}

}  // namespace

Findings::Findings(const Robot& r) : robot(r) {
  body_names.insert(world_name);
  require_visible(*this, {robot.source}, "name of the robot", robot.name);
  require_visible(*this, {robot.source}, "description of the robot", robot.description,
                  LineBreaks::allowed);
  for (const BodyData& body : robot.bodies)
    for (const BeamData& beam : body.beams)
      require_visible(*this, beam.mark,
                      fmt::format("body '{}', beam, name '{}'", body.name, beam.name), beam.name);
  std::set<std::string> joints_and_constraints, payloads, elements;
  unique(*this, robot.bodies, "body", body_names);
  std::set<std::string> frames = body_names;  // bodies are frames too
  unique(*this, robot.frames, "frame", frames);
  unique(*this, robot.joints, "joint", joints_and_constraints);
  // A loop is known by one name, be it of a joint or of a constraint.
  unique(*this, robot.constraints, "constraint", joints_and_constraints);
  unique(*this, robot.payloads, "payload", payloads);
  unique(*this, robot.elements, "element", elements);
  for (const JointData& joint : robot.joints) {
    joints.emplace(joint.name, &joint);
    joint_names.insert(joint.name);
  }
}

void Findings::say(const SourceMark& mark, std::string element, std::string message,
                   std::string expectation, std::string hint) {
  problems.push_back(
      {mark, std::move(element), std::move(message), std::move(expectation), std::move(hint)});
}

void Findings::say_reference(const SourceMark& mark, std::string element, std::string message,
                             std::string expectation, std::string hint) {
  references_hold = false;
  say(mark, std::move(element), std::move(message), std::move(expectation), std::move(hint));
}

std::string Findings::hint(const std::string& name, const std::set<std::string>& known) const {
  // Only for the first problems: a search costs as much as reading the file.
  if (problems.size() > 20) return {};
  return nearest_name_hint(name, {known.begin(), known.end()});
}

void Findings::require_body(const SourceMark& mark, const std::string& element,
                            const std::string& body) {
  if (body_names.count(body)) return;
  say_reference(mark, element, fmt::format("there is no body '{}'", body), "the name of a body",
                hint(body, body_names));
}

void Findings::require_bodies(const SourceMark& mark, const std::string& element,
                              const std::string& parent, const std::string& child) {
  require_body(mark, element, parent);
  require_body(mark, element, child);
  if (parent == child)
    say_reference(mark, element, fmt::format("joins body '{}' to itself", child),
                  "two different bodies");
}

void Findings::require_pose(const SourceMark& mark, const std::string& element,
                            const Pose<double>& X) {
  if (!X.position.allFinite() || !X.rotation.allFinite()) {
    say(mark, element, "its pose has an entry that is not a finite number", "finite numbers");
  } else if ((X.rotation.transpose() * X.rotation - Matrix3<double>::Identity()).norm() > 1e-9 ||
             X.rotation.determinant() < 0) {
    say(mark, element, "its rotation is not a right-handed orthonormal matrix",
        "a rotation matrix");
  }
}

}  // namespace ulna
