#pragma once
// Sines and cosines of all joints at once: for doubles in vector registers, for other scalars one
// by one. The first step of every algorithm that needs positions.

#include <type_traits>

#include "ulna/model/kernels/turn.hpp"
#include "ulna/model/parts/workspace.hpp"
#include "ulna/scalar/kernels/sincos.hpp"

namespace ulna {

template <class S>
[[gnu::always_inline]] inline void joint_angles(const TreeView<S>& tree, const ScratchView<S>& work,
                                                const S* q) {
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    if (node.kind == NodeKind::screw) work.angle[i] = node.sigma * q[node.q] + node.offset;
  }
  if constexpr (std::is_same_v<S, double>) {
    // Slot 0, the world's, and the padding hold angle 0: whole blocks cost no more than parts. Four
    // at once also where eight would fit: 512-bit operations slow down the scalar code around them.
    constexpr int width = native_lanes > 4 ? 4 : native_lanes;
    sincos_all<width>((tree.size + width - 1) / width * width, work.angle, work.sine, work.cosine);
  } else {
    for (int i = 1; i < tree.size; ++i) sincos(work.angle[i], work.sine[i], work.cosine[i]);
  }
}

template <class S>
[[gnu::always_inline]] inline JointState<S> joint_state(const TreeNode& node,
                                                        const ScratchView<S>& work, int i,
                                                        const S* q) {
  return {work.sine[i], work.cosine[i], node.h * q[node.q]};
}

}  // namespace ulna
