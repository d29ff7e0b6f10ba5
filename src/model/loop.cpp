#include "ulna/model/loop.hpp"

#include "freezer.hpp"
#include "ulna/model/placement.hpp"

namespace ulna {

int closure_rows(JointType type) { return 6 - size_of(type).speeds; }

Loop loop_of(const JointData& joint, int parent, int child, const std::vector<Body>& bodies) {
  Loop loop;
  loop.joint = joint.name;
  loop.parent = parent;
  loop.child = child;
  loop.type = joint.type;
  loop.rows = closure_rows(joint.type);
  loop.degrees = joint.degrees;
  loop.pitch = joint.pitch;
  const bool axis = joint.type != JointType::fixed && joint.type != JointType::spherical &&
                    joint.type != JointType::free;
  const Matrix3<double> A =
      axis ? axes_along(joint.axis.normalized()) : Matrix3<double>(Matrix3<double>::Identity());
  loop.node_F = bodies[parent].node;
  loop.node_M = bodies[child].node;
  loop.X_NF = bodies[parent].X_NB * joint.X_PF * Pose<double>::turn(A);
  loop.X_NM = bodies[child].X_NB * joint.X_MC.inverse() * Pose<double>::turn(A);
  if (joint.type == JointType::universal) {
    loop.axis2 = A.transpose() * joint.axis2.normalized();
    loop.axes_cosine = loop.axis2.z();
  }
  return loop;
}

Loop loop_of(const ConstraintData& rod, int parent, int child, const std::vector<Body>& bodies) {
  Loop loop;
  loop.joint = rod.name;
  loop.parent = parent;
  loop.child = child;
  loop.kind = LoopKind::distance;
  loop.rows = 1;
  loop.length = rod.length;
  loop.node_F = bodies[parent].node;
  loop.node_M = bodies[child].node;
  loop.X_NF = bodies[parent].X_NB * Pose<double>::translation(rod.parent_point);
  loop.X_NM = bodies[child].X_NB * Pose<double>::translation(rod.child_point);
  return loop;
}

}  // namespace ulna
