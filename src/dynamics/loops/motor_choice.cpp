#include "ulna/dynamics/internal/motor_choice.hpp"

#include "loops/motors.hpp"
#include "ulna/kinematics/internal/drive_choice.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

/// Modes of flexible bodies have no motors.
std::vector<int> without_modes(const Model& model, std::vector<int> degrees) {
  std::erase_if(degrees, [&](int k) { return k >= model.joint_speeds() && k < model.speeds(); });
  return degrees;
}

bool drive_the_robot(const Dynamics& dynamics, const std::vector<int>& motors, const VectorRef& q,
                     const VectorRef& v, const VectorRef& a) {
  DynamicsOptions asked = dynamics.options();
  asked.actuated = motors;
  try {
    Dynamics(dynamics.model(), asked).inverse(q, v, a);
  } catch (const ComputationError&) {
    return false;
  }
  return true;
}

}  // namespace

MotorChoice motors_for_motion(Dynamics& dynamics, const VectorRef& q, const VectorRef& v,
                              const VectorRef& a, const std::vector<int>& moved) {
  const Model& model = dynamics.model();
  if (model.loops().empty() || !dynamics.options().actuated.empty()) return {};
  if (!with_motors(model, {}).actuated.empty()) return {};  // a platform says where they are
  const LoopEfforts& found = dynamics.inverse(q, v, a);
  const int driven = found.dof - model.modes();
  if (driven <= 0) return {};
  const std::vector<int> pivoted = without_modes(model, found.actuated),
                         given = without_modes(model, moved);
  if (std::ssize(given) == driven) {
    if (given == pivoted || drive_the_robot(dynamics, given, q, v, a)) return {given, true};
    return {};
  }
  const std::vector<int> drives = drives_rather_than_passive(model, q, pivoted);
  if (drives == pivoted || !drive_the_robot(dynamics, drives, q, v, a)) return {};
  return {drives, false};
}

}  // namespace ulna
