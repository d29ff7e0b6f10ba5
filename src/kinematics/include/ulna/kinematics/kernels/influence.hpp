#pragma once
// First- and second-order influence coefficients of a point of a node on any scalar: how every
// speed on the way from the root turns the node and moves the point, and how each pair of speeds
// accelerates them. docs/theory/influence-coefficients.md, eq. 1-5.

#include <vector>

#include "ulna/model/parts/workspace.hpp"
#include "ulna/spatial/kernels/vec3.hpp"

namespace ulna {

/// One speed on the way from the root to the node. A speed that joints share occurs several times.
template <class S>
struct InfluenceColumn {
  int node, speed;
  Vec3<S> w, v;
};

/// From the root outward, for poses in `pose`. eq. 1-2
template <class S>
std::vector<InfluenceColumn<S>> influence_columns(const TreeNode* nodes, const NodePose<S>* pose,
                                                  int node, const Vec3<S>& point) {
  std::vector<int> path;
  for (int i = node; i > 0; i = nodes[i].parent) path.insert(path.begin(), i);
  std::vector<InfluenceColumn<S>> way;
  for (const int i : path) {
    const Mat3<S>& R = pose[i].R;
    const Vec3<S> axes[3] = {{R.xx, R.yx, R.zx}, {R.xy, R.yy, R.zy}, {R.xz, R.yz, R.zz}};
    const Vec3<S> r = point - pose[i].p;
    if (nodes[i].kind == NodeKind::screw) {
      const Vec3<S> w = scaled(S(nodes[i].sigma), axes[2]);
      way.push_back({i, nodes[i].v, w, cross(w, r) + scaled(S(nodes[i].h), axes[2])});
      continue;
    }
    for (int k = 0; k < 3; ++k) way.push_back({i, nodes[i].v + k, axes[k], cross(axes[k], r)});
    if (nodes[i].kind == NodeKind::free)
      for (int k = 0; k < 3; ++k) way.push_back({i, nodes[i].v + 3 + k, Vec3<S>::zero(), axes[k]});
  }
  return way;
}

/// eq. 4, 5: calls add(m, n, turn, move) with what the speeds of two columns together do to the
/// angular acceleration and to that of the point.
template <class S, class Add>
void second_influence(const std::vector<InfluenceColumn<S>>& way, const Add& add) {
  for (const InfluenceColumn<S>& n : way)
    for (const InfluenceColumn<S>& m : way) {
      if (m.node > n.node) break;
      const Vec3<S> move = cross(m.w, n.v);
      if (m.node == n.node) {
        add(m, n, Vec3<S>::zero(), move);
        continue;
      }
      add(m, n, cross(m.w, n.w), move);
      add(n, m, Vec3<S>::zero(), move);
    }
}

}  // namespace ulna
