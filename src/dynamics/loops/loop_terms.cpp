#include "ulna/dynamics/loop_terms.hpp"

namespace ulna {
namespace {

/// The robot without what is neither inertia nor gravity. Rotors stay.
Robot bare(Robot robot) {
  for (JointData& joint : robot.joints)
    for (DegreeData& degree : joint.degrees)
      degree.damping = degree.friction = degree.stiffness = 0;
  return robot;
}

/// Which joints close loops is kept: springs and dampers have a say in the choice.
Robot with_same_cuts(Robot robot, const Model& model) {
  for (JointData& joint : robot.joints) {
    joint.cut = false;
    for (const Loop& loop : model.loops())
      if (loop.kind == LoopKind::joint && loop.joint == joint.name) joint.cut = true;
  }
  return robot;
}

}  // namespace

LoopTerms loop_terms(const Model& model, const VectorRef& q, const VectorRef& v,
                     const std::vector<int>& independent) {
  const Model smooth(with_same_cuts(bare(model.robot()), model));
  Workspace work(smooth);
  LoopDynamics dynamics(smooth);
  LoopClosure closure(smooth);
  closure.update_rates(work, q, v);
  const SpeedSplit split =
      independent.empty() ? split_speeds(closure) : split_speeds(closure, independent);
  const CoordinateMap map = independent_map(closure, split);
  LoopTerms terms;
  terms.independent = split.independent;
  terms.M = dynamics.reduced_mass_matrix(work, q, split);
  terms.gravity = map.efforts(dynamics.required_efforts(work, q, work.zero(), work.zero()));
  terms.coriolis = map.efforts(dynamics.required_efforts(work, q, v, map.gamma)) - terms.gravity;
  return terms;
}

}  // namespace ulna
