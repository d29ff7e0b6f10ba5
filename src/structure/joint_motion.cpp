#include "joint_motion.hpp"

#include "ulna/model/joints/joint_types.hpp"

namespace ulna {

JointColumns joint_motion(const JointData& joint, const Pose<double>& X_WF,
                          const Pose<double>& X_WM) {
  return with_joint(joint.type, [&](auto type) {
    JointColumns S = JointColumns::Zero(6, type.speeds.size());
    type.columns(joint, X_WF, X_WM, S);
    return S;
  });
}

JointFollowing following(const Model& model, const Joint& joint) {
  JointFollowing out{&joint};
  while (out.leader->mimicked >= 0) {
    for (const JointData& data : model.robot().joints)
      if (data.name == out.leader->name) {
        out.offset += out.factor * data.mimic->offset;
        out.factor *= data.mimic->multiplier;
      }
    out.leader = &model.joints()[out.leader->mimicked];
  }
  return out;
}

}  // namespace ulna
