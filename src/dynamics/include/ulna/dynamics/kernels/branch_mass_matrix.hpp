#pragma once
// The mass matrix of a tree that branches, without its zeros: speeds of different branches do not
// couple (docs/theory/composite-body.md, eq. 4), so that only the entries of a speed and those its
// node hangs on are computed and kept. Cost and memory: the sum of the depths of all nodes, where
// the whole matrix has the square of the speeds.
//
// The entries come in the order in which composite bodies give them: nodes from the last to the
// first, for each of its speeds the node's own block (from the diagonal on), then the ancestors,
// nearest first. Not for trees whose nodes share speeds (mimic joints).

#include <utility>
#include <vector>

#include "ulna/dynamics/kernels/composite_body.hpp"

namespace ulna {

/// (larger, smaller) speed of each entry, in order; every pair once.
inline std::vector<std::pair<int, int>> branch_mass_entries(const std::vector<TreeNode>& nodes) {
  std::vector<std::pair<int, int>> entries;
  const auto add = [&](int a, int b) { entries.push_back({std::max(a, b), std::min(a, b)}); };
  for (int i = static_cast<int>(nodes.size()) - 1; i > 0; --i)
    for (int k = 0; k < speeds_of(nodes[i]); ++k) {
      for (int r = k; r < speeds_of(nodes[i]); ++r) add(nodes[i].v + r, nodes[i].v + k);
      for (int j = nodes[i].parent; j != 0; j = nodes[j].parent)
        for (int r = 0; r < speeds_of(nodes[j]); ++r) add(nodes[j].v + r, nodes[i].v + k);
    }
  return entries;
}

/// Their values; the rotors felt at the joints are included.
template <class S>
[[gnu::always_inline]] inline void branch_mass_matrix(const TreeView<S>& tree,
                                                      const ScratchView<S>& work, const S* q,
                                                      S* values) {
  joint_angles(tree, work, q);
  composite_inertias(tree, work, q);
  const auto put = [&](int, const S& value) __attribute__((always_inline)) { *values++ = value; };
  for (int i = tree.size - 1; i > 0; --i) {
    const TreeNode& node = tree.nodes[i];
    if (node.kind == NodeKind::screw) [[likely]] {
      const NodeWrench<S> F = screw_wrench(work.composite[i], node.sigma, node.h);
      put(node.v, node.sigma * F.n.z + node.h * F.f.z + S(tree.armature[node.v]));
      hand_to_ancestors(tree, work, q, i, F, put);
      continue;
    }
    NodeWrench<S> F[6];
    block_wrenches(work.composite[i], F);
    const int degrees = speeds_of(node.kind);
    for (int k = 0; k < degrees; ++k) {
      const S column[6] = {F[k].n.x, F[k].n.y, F[k].n.z, F[k].f.x, F[k].f.y, F[k].f.z};
      put(node.v + k, column[k] + S(tree.armature[node.v + k]));
      for (int r = k + 1; r < degrees; ++r) put(node.v + r, column[r]);
      hand_to_ancestors(tree, work, q, i, F[k], put);
    }
  }
}

}  // namespace ulna
