// springdamper="time_constant damping_ratio" of a joint: MuJoCo's compiler makes stiffness and
// damping of it, with the inertia that the joint feels at the reference posture while the others
// are free: 1 / (M^-1)_ii.

#include "mjcf/mjcf_parts.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/model/model.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

void apply_mjcf_spring_dampers(MjcfContext& context) {
  if (context.spring_dampers.empty() || context.problems.count() > 0) return;
  const Model tree(context.robot);
  Eigen::VectorXd q = tree.neutral();
  for (const Joint& joint : tree.joints())
    if (const auto at = context.references.find(joint.name); at != context.references.end())
      q(joint.q) = at->second;
  Workspace work(tree);
  const dense::Cholesky M(mass_matrix(tree, work, q));
  if (!M.ok())
    return context.problems.add({context.lines.file()}, "springdamper",
                                "the mass matrix is singular at the reference posture",
                                "bodies with mass behind every joint");
  for (const Joint& joint : tree.joints()) {
    const auto asked = context.spring_dampers.find(joint.name);
    if (asked == context.spring_dampers.end()) continue;
    const auto [time, ratio] = asked->second;
    for (JointData& data : context.robot.joints) {
      if (data.name != joint.name) continue;
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(tree.speeds(), joint.v);
      const double inertia = 1 / M.solve(unit)(joint.v);
      const MjcfSettings& s = context.settings;
      if (s.springs) data.degrees[0].stiffness = inertia / (time * time * ratio * ratio);
      if (s.dampers) data.degrees[0].damping += 2 * inertia / time;  // beside that of actuators
    }
  }
}

}  // namespace ulna
