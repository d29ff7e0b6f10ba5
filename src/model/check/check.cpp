#include <fmt/format.h>

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
  check_postures(found);
  if (!robot.gravity.allFinite())
    found.say({robot.source}, "gravity", "has an entry that is not a finite number",
              "three finite numbers");
  if (!(robot.loop_tolerance >= 0 && robot.loop_tolerance <= 1e-2))
    found.say({robot.source}, "loop_tolerance", fmt::format("{} found", robot.loop_tolerance),
              "a gap from 0 to 0.01 (metres, radians)");
  references_hold = found.references_hold;
  warnings = std::move(found.warnings);
  return std::move(found.problems);
}

}  // namespace ulna
