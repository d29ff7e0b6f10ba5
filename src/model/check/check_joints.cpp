// Joints: their axes, limits, drives and whom they mimic.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check/findings.hpp"
#include "ulna/model/joints/joint_base.hpp"

namespace ulna {
namespace {

bool is_direction(const Vector3<double>& axis) { return axis.allFinite() && axis.norm() >= 1e-12; }

struct JointCheck {
  Findings& found;
  const JointData& joint;
  const std::string element = "joint '" + joint.name + "'";

  void say(std::string message, std::string expectation, std::string hint = {}) {
    found.say(joint.mark, element, std::move(message), std::move(expectation), std::move(hint));
  }

  void run() {
    found.require_bodies(joint.mark, element, joint.parent, joint.child);
    found.require_pose(joint.mark, element, joint.X_PF);
    found.require_pose(joint.mark, element, joint.X_MC);
    const JointKeys& keys = traits_of(joint.type).keys;
    bool sound = true;
    if (keys.axis) sound = check_axis(joint.axis, "axis") && sound;
    if (keys.axis2) sound = check_axis(joint.axis2, "axis2") && sound;
    const JointRefusal refusal = sound ? refusal_of(joint) : JointRefusal{};
    if (!refusal.message.empty()) say(refusal.message, refusal.expectation);
    if (!std::isfinite(joint.pitch)) say("pitch is not a finite number", "metres per radian");
    const int speeds = size_of(joint.type).speeds;
    if (static_cast<int>(joint.degrees.size()) > speeds)
      say(fmt::format("data for {} degrees of freedom", joint.degrees.size()),
          fmt::format("at most {} for a {} joint", speeds, name_of(joint.type)));
    const int known = std::min(speeds, static_cast<int>(joint.degrees.size()));
    for (int k = 0; k < known; ++k) check_degree(k);
    for (const BushingData& bushing : joint.bushings) check_bushing(bushing);
  }

  void check_bushing(const BushingData& bushing) {
    const bool prismatic = joint.type == JointType::prismatic;
    if (!prismatic && joint.type != JointType::cylindrical)
      return say(fmt::format("a {} joint with bushings", name_of(joint.type)),
                 "bushings of prismatic and cylindrical joints");
    if (!std::isfinite(bushing.at)) say("a bushing at no finite place", "metres along the axis");
    if (!prismatic && bushing.torsion)
      say("a bushing of a cylindrical joint with torsion", "torsion in prismatic joints");
    for (const auto& [value, key] : {std::pair{bushing.stiffness, "stiffness"},
                                     {bushing.tilting.value_or(0), "tilting"},
                                     {bushing.torsion.value_or(0), "torsion"}})
      if (!(value >= 0))
        say(fmt::format("{} of a bushing is {}", key, value), "zero, a positive number or rigid");
  }

  bool check_axis(const Vector3<double>& axis, const char* key) {
    if (!axis.allFinite())
      say(fmt::format("{} has an entry that is not a finite number", key), "a direction");
    else if (!is_direction(axis))
      say(fmt::format("{} is the zero vector", key), "a direction");
    return is_direction(axis);
  }

  void check_degree(int k) {
    const DegreeData& d = joint.degrees[k];
    if (!(d.lower <= d.upper) || d.lower == DegreeData::unlimited ||
        d.upper == -DegreeData::unlimited)
      say(fmt::format("limits {} .. {}", d.lower, d.upper), "lower <= upper");
    const auto not_negative = [&](double value, const char* key, bool finite) {
      if (!(value >= 0) || (finite && !std::isfinite(value)))
        say(fmt::format("{} is {}", key, value), "a number that is not negative");
    };
    not_negative(d.velocity_limit, "velocity limit", false);
    not_negative(d.effort_limit, "effort limit", false);
    not_negative(d.damping, "damping", true);
    not_negative(d.friction, "friction", true);
    not_negative(d.stiffness, "stiffness", true);
    not_negative(d.hardening, "hardening", true);
    not_negative(d.backlash, "backlash", true);
    not_negative(d.rotor_inertia, "rotor inertia", true);
    const JointTraits& traits = traits_of(joint.type);
    const bool quaternion = traits.coordinate_of_speed(k) < 0;
    const bool limited = d.lower > -DegreeData::unlimited || d.upper < DegreeData::unlimited;
    if (quaternion && traits.speeds[k].dimension == Dimension::angle && limited)
      say(fmt::format("a limit on the turn of a {} joint", name_of(joint.type)),
          "limits on joints with axes", "use revolute joints instead, or none for the turns");
    if (quaternion && d.rotor_inertia != 0)
      say(fmt::format("a rotor on a {} joint", name_of(joint.type)), "rotors on joints with axes",
          "use revolute joints instead");
    if (quaternion && (d.stiffness != 0 || d.hardening != 0))
      say(fmt::format("a spring on a {} joint", name_of(joint.type)), "springs on joints with axes",
          "use revolute joints instead");
    if (!std::isfinite(d.rest)) say("spring rest is not a finite number", "a coordinate value");
    if (!std::isfinite(d.gear_ratio) || d.gear_ratio == 0)
      say(fmt::format("gear ratio is {}", d.gear_ratio), "a number other than zero");
  }

  /// `sound`: joints whose chain of leaders was followed to its end.
  void check_mimic(std::set<std::string>& sound) {
    if (size_of(joint.type).speeds != 1)
      say(fmt::format("a {} joint cannot mimic", name_of(joint.type)),
          "a joint with one degree of freedom");
    if (!std::isfinite(joint.mimic->multiplier) || !std::isfinite(joint.mimic->offset))
      say("mimic multiplier or offset is not a finite number", "finite numbers");
    // Follow the chain of leaders; a chain longer than the number of joints is a cycle.
    std::string leader = joint.mimic->joint;
    for (std::size_t steps = 0; steps <= found.robot.joints.size(); ++steps) {
      const auto lead_joint = found.joints.find(leader);
      if (lead_joint == found.joints.end()) {
        say(fmt::format("mimics joint '{}', which does not exist", leader), "the name of a joint",
            found.hint(leader, found.joint_names));
        found.references_hold = false;
        return;
      }
      const JointData& lead = *lead_joint->second;
      if (size_of(lead.type).speeds != 1) {
        say(fmt::format("mimics joint '{}' of type {}", leader, name_of(lead.type)),
            "a joint with one degree of freedom");
        return;
      }
      if (!lead.mimic || sound.count(leader)) {
        sound.insert(joint.name);
        return;
      }
      leader = lead.mimic->joint;
    }
    say("mimics itself in a circle", "a chain of mimic joints that ends at a driven joint");
  }
};

}  // namespace

void check_joints(Findings& found) {
  std::set<std::string> sound_mimics;
  for (const JointData& joint : found.robot.joints) {
    JointCheck check{found, joint};
    check.run();
    if (joint.mimic) check.check_mimic(sound_mimics);
  }
}

}  // namespace ulna
