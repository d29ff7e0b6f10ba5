#include "check/findings.hpp"
#include "freeze/freezer.hpp"

namespace ulna {

std::vector<Problem> check(const Robot& robot, bool& references_hold,
                           std::vector<Problem>& warnings) {
  Findings found(robot);
  check_bodies(found);
  check_payloads(found);
  for (const FrameData& frame : robot.frames) {
    found.require_body(frame.mark, "frame '" + frame.name + "'", frame.body);
    found.require_pose(frame.mark, "frame '" + frame.name + "'", frame.X_BF);
  }
  check_joints(found);
  check_constraints(found);
  check_elements(found);
  if (!robot.gravity.allFinite())
    found.say({robot.source}, "gravity", "has an entry that is not a finite number",
              "three finite numbers");
  references_hold = found.references_hold;
  warnings = std::move(found.warnings);
  return std::move(found.problems);
}

}  // namespace ulna
