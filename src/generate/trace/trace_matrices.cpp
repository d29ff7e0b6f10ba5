// The 4x4 position matrices of all bodies, in their parents and in the world (docs/theory/
// homogeneous.md), traced.

#include "trace/tracing.hpp"
#include "ulna/kinematics/kernels/forward_kinematics.hpp"

namespace ulna::generate {
namespace {

using E = Expression;

NodePose<E> operator*(const NodePose<E>& a, const NodePose<E>& b) {
  return {a.R * b.R, a.p + a.R * b.p};
}

void add_matrix(const NodePose<E>& X, Expressions& out) {
  const Mat3<E>& R = X.R;
  for (const E& entry : {R.xx, R.xy, R.xz, X.p.x, R.yx, R.yy, R.yz, X.p.y, R.zx, R.zy, R.zz, X.p.z,
                         E(0.0), E(0.0), E(0.0), E(1.0)})
    out.push_back(entry);
}

/// Node `to` in node `from`, which carries it.
NodePose<E> between(const Tracing& t, const ScratchView<E>& work, int from, int to) {
  std::vector<int> way;
  for (int i = to; i != from; i = t.model.topology().nodes[i].parent) way.push_back(i);
  NodePose<E> X{Mat3<E>::identity(), Vec3<E>::zero()};
  for (std::size_t k = way.size(); k-- > 0;) advance_pose(t.tree(), work, way[k], t.q.data(), X);
  return X;
}

}  // namespace

Traced trace_matrices(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  const ScratchView<E> work = scratch.view();
  node_poses(t.tree(), work, t.q.data());
  Expressions relative, absolute;
  for (std::size_t k = 1; k < t.model.bodies().size(); ++k) {
    const Frame& body = t.model.frames()[k];
    const Frame& parent = t.model.frames()[parent_body(t.model, static_cast<int>(k))];
    add_matrix(constant_pose(parent.X_NF.inverse()) * between(t, work, parent.node, body.node) *
                   constant_pose(body.X_NF),
               relative);
    add_matrix(work.pose[body.node] * constant_pose(body.X_NF), absolute);
  }
  relative.insert(relative.end(), absolute.begin(), absolute.end());
  return {std::move(relative), "4x4 matrices of the bodies, in order"};
}

int parent_body(const Model& model, int body) {
  for (const Joint& joint : model.joints())
    if ((joint.reversed ? joint.parent : joint.child) == body)
      return joint.reversed ? joint.child : joint.parent;
  return 0;
}

}  // namespace ulna::generate
