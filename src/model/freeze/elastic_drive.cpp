#include "ulna/model/internal/elastic_drive.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/model/model.hpp"

namespace ulna {
namespace {

[[noreturn]] void refuse_drive(const JointData& joint, std::string message,
                               std::string expectation) {
  throw InputError(Problem{joint.mark,
                           fmt::format("joint '{}', drive", joint.name),
                           std::move(message),
                           std::move(expectation),
                           {}});
}

void check(const JointData& joint, const ElasticDrive& drive) {
  if (size_of(joint.type).speeds != 1)
    refuse_drive(joint, fmt::format("a {} joint", name_of(joint.type)),
                 "a revolute, prismatic or screw joint");
  if (joint.mimic)
    refuse_drive(joint, "the joint follows another", "a joint with a motor of its own");
  if (!(drive.stiffness > 0))
    refuse_drive(joint, fmt::format("the stiffness is {}", drive.stiffness), "above 0");
  if (joint.degrees.empty() || !(joint.degrees[0].rotor_inertia > 0))
    refuse_drive(joint, "its motor has no inertia", "a rotor with an inertia above 0");
}

}  // namespace

void add_elastic_drive(Robot& robot, const std::string& name, const ElasticDrive& drive) {
  const auto found = std::find_if(robot.joints.begin(), robot.joints.end(),
                                  [&](const JointData& j) { return j.name == name; });
  if (found == robot.joints.end())
    throw InputError(fmt::format("robot '{}' has no joint '{}'", robot.name, name));
  check(*found, drive);
  BodyData rotor;
  rotor.name = name + ".rotor";
  rotor.mark = found->mark;
  JointData twist = *found;
  twist.name = name + ".twist";
  twist.parent = rotor.name;
  twist.X_PF = Pose<double>::identity();
  DegreeData spring;
  spring.stiffness = drive.stiffness;
  spring.hardening = drive.hardening;
  spring.backlash = drive.backlash;
  spring.damping = drive.damping;
  spring.friction = drive.friction;
  twist.degrees = {spring};
  found->child = rotor.name;
  found->X_MC = Pose<double>::identity();
  const auto child = std::find_if(robot.bodies.begin(), robot.bodies.end(),
                                  [&](const BodyData& b) { return b.name == twist.child; });
  robot.bodies.insert(child, std::move(rotor));
  robot.joints.insert(found + 1, std::move(twist));
}

}  // namespace ulna
