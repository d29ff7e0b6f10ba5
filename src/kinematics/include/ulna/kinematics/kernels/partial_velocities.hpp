#pragma once
// Partial velocities of trees of rigid bodies: for every generalized speed u_r, a partial angular
// velocity w_r and a partial velocity v_r of each node's origin, in the node's own axes.
// docs/theory/kane.md, eq. 1, 2.

#include <vector>

#include "ulna/model/kernels/joint_angles.hpp"
#include "ulna/model/kernels/turn.hpp"
#include "ulna/model/parts/workspace.hpp"

namespace ulna {

template <class S>
struct PartialVelocity {
  Vec3<S> w, v;
};

/// Partial velocities of all nodes. Those of node i belong to the columns that carry it: entries
/// first[i] .. first[i + 1] of `column`, a node's own columns last.
template <class S>
struct KaneView {
  const int* first;   ///< per node, and one past the last
  const int* column;  ///< columns that carry a node, root first
  const int* speed;   ///< speed of a column
  PartialVelocity<S>* partial;
};

/// Memory behind a KaneView: which columns carry which node, and room for their partial velocities.
template <class S>
class KaneScratch {
 public:
  explicit KaneScratch(const Topology& topology) {
    std::vector<std::vector<int>> carriers(topology.nodes.size());
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
      first_.push_back(static_cast<int>(column_.size()));
      if (i == 0) continue;
      const TreeNode& node = topology.nodes[i];
      carriers[i] = carriers[node.parent];
      for (int k = 0; k < speeds_of(node.kind); ++k) {
        carriers[i].push_back(static_cast<int>(speed_.size()));
        speed_.push_back(node.v + k);
      }
      column_.insert(column_.end(), carriers[i].begin(), carriers[i].end());
    }
    first_.push_back(static_cast<int>(column_.size()));
    partial_.resize(column_.size());
  }

  KaneView<S> view() { return {first_.data(), column_.data(), speed_.data(), partial_.data()}; }

 private:
  std::vector<int> first_, column_, speed_;
  std::vector<PartialVelocity<S>> partial_;
};

/// eq. 1, 2 for one node, from those of its parent. Joint angles must be in `work`.
template <class S>
[[gnu::always_inline]] inline void node_partials(const TreeView<S>& tree,
                                                 const ScratchView<S>& work,
                                                 const KaneView<S>& kane, const S* q, int i) {
  const TreeNode& node = tree.nodes[i];
  const PartialVelocity<S>* from = kane.partial + kane.first[node.parent];
  PartialVelocity<S>* to = kane.partial + kane.first[i];
  const int handed = kane.first[node.parent + 1] - kane.first[node.parent];
  with_turn<S>(
      node, tree.parameters[i], joint_state(node, work, i, q),
      q, [&](const auto& turn) __attribute__((always_inline)) {
        for (int r = 0; r < handed; ++r) {
          const Vec3<S> w = turn.into_middle(from[r].w);
          const Vec3<S> v = turn.into_middle(from[r].v) - turn.middle_moment(w);
          to[r] = {turn.middle_to_child(w), turn.middle_to_child(v)};
        }
      });
  const Vec3<S> none = Vec3<S>::zero();
  if (node.kind == NodeKind::screw) [[likely]] {
    to[handed] = {{S(0), S(0), S(node.sigma)}, {S(0), S(0), S(node.h)}};
    return;
  }
  const Vec3<S> axes[3] = {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}};
  for (int k = 0; k < 3; ++k) to[handed + k] = {axes[k], none};
  for (int k = 0; node.kind == NodeKind::free && k < 3; ++k) to[handed + 3 + k] = {none, axes[k]};
}

/// eq. 1, 2: from the root outwards. Joint angles must be in `work`.
template <class S>
[[gnu::always_inline]] inline void partial_velocities(const TreeView<S>& tree,
                                                      const ScratchView<S>& work,
                                                      const KaneView<S>& kane, const S* q) {
  for (int i = 1; i < tree.size; ++i) node_partials(tree, work, kane, q, i);
}

}  // namespace ulna
