#pragma once
// Kane's equations for trees. docs/theory/kane.md, eq. 1-7.
//
// Every body has, for every generalized speed u_r, a partial angular velocity w_r and a partial
// velocity v_r (of its node's origin, in its own axes). The generalized inertia force is what the
// inertia forces do along them, K*_r = -sum (w_r . n + v_r . f), and K_r + K*_r = 0. The inverse
// route never forms the inertia matrix; its cost grows with the number of pairs (body, joint that
// carries it): 13 n^2 + 43 n - 64 multiplications and 9 n^2 + 45 n - 69 additions for n > 2 general
// screws in a row (eq. 9).

#include <vector>

#include "ulna/dynamics/kernels/newton_euler.hpp"

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

/// eq. 1, 2: from the root outwards. Joint angles must be in `work`.
template <class S>
[[gnu::always_inline]] inline void partial_velocities(const TreeView<S>& tree,
                                                      const ScratchView<S>& work,
                                                      const KaneView<S>& kane, const S* q) {
  for (int i = 1; i < tree.size; ++i) {
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
      continue;
    }
    const Vec3<S> axes[3] = {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}};
    for (int k = 0; k < 3; ++k) to[handed + k] = {axes[k], none};
    for (int k = 0; node.kind == NodeKind::free && k < 3; ++k) to[handed + 3 + k] = {none, axes[k]};
  }
}

/// eq. 3-5: efforts, speeds being the joint rates.
template <class S>
[[gnu::always_inline]] inline void kane(const TreeView<S>& tree, const ScratchView<S>& work,
                                        const KaneView<S>& view, const S* q, const S* v, const S* a,
                                        const NodeWrench<S>* external, S* tau) {
  joint_angles(tree, work, q);
  newton_euler_outward(tree, work, q, v, a, external);  // accelerations and inertia wrenches
  partial_velocities(tree, work, view, q);
  for (int k = 0; k < tree.speeds; ++k) tau[k] = tree.armature[k] * a[k];
  for (int i = 1; i < tree.size; ++i) {
    const Vec3<S> n = work.newton_euler[i].n, f = work.newton_euler[i].f;
    for (int r = view.first[i]; r < view.first[i + 1]; ++r) {
      const PartialVelocity<S>& partial = view.partial[r];
      tau[view.speed[view.column[r]]] += dot(partial.w, n) + dot(partial.v, f);
    }
  }
}

/// eq. 6: the assembled matrix F, speeds x speeds, from partial velocities in `kane`.
template <class S>
[[gnu::always_inline]] inline void kane_matrix(const TreeView<S>& tree, const KaneView<S>& kane,
                                               S* F) {
  const int n = tree.speeds;
  for (int k = 0; k < n * n; ++k) F[k] = S(0);
  for (int k = 0; k < n; ++k) F[k * (n + 1)] = S(tree.armature[k]);
  for (int i = 1; i < tree.size; ++i) {
    const NodeParameters<Parameter<S>>& par = tree.parameters[i];
    const auto* m = par.second_moment;
    const Sym3<Parameter<S>> Sigma{m[0], m[1], m[2], m[3], m[4], m[5]};
    const Parameter<S> trace = m[0] + m[1] + m[2];
    const Vec3<Parameter<S>> h = vec3(par.first_moment);
    for (int c = kane.first[i]; c < kane.first[i + 1]; ++c) {
      const PartialVelocity<S>& p = kane.partial[c];
      const Vec3<S> n_c = scaled(trace, p.w) - Sigma * p.w + cross(h, p.v);
      const Vec3<S> f_c = scaled(par.mass, p.v) + cross(p.w, h);
      const int column = kane.speed[kane.column[c]];
      for (int r = kane.first[i]; r < kane.first[i + 1]; ++r)
        F[kane.speed[kane.column[r]] + n * column] +=
            dot(kane.partial[r].w, n_c) + dot(kane.partial[r].v, f_c);
    }
  }
}

}  // namespace ulna
