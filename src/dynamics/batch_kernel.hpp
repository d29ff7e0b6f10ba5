#pragma once
// Newton-Euler on packs of states. States are rows in memory; a pack holds one entry of W rows.

#include "ulna/dynamics/newton_euler.hpp"
#include "ulna/scalar/pack.hpp"

namespace ulna {

/// Bytes of scratch for one thread, enough for the widest pack; aligned to 64.
inline std::size_t batch_arena_size(int nodes, int coordinates, int speeds) {
  const std::size_t pack = 64, per_node = 3 + sizeof(NewtonEulerNode<double>) / sizeof(double);
  return pack * (nodes * per_node + coordinates + 3 * static_cast<std::size_t>(speeds));
}

/// out[k] = entry k of W rows that start `stride` apart.
template <int W>
[[gnu::always_inline]] inline void gather_rows(const double* rows, long stride, int count,
                                               Pack<W>* out) {
  for (int k = 0; k < count; ++k) {
    alignas(64) double lane[W];
    for (int i = 0; i < W; ++i) lane[i] = rows[i * stride + k];
    out[k] = Pack<W>::load(lane);
  }
}
template <int W>
[[gnu::always_inline]] inline void scatter_rows(const Pack<W>* in, int count, int lanes,
                                                long stride, double* rows) {
  for (int k = 0; k < count; ++k) {
    alignas(64) double lane[W];
    in[k].store(lane);
    for (int i = 0; i < lanes; ++i) rows[i * stride + k] = lane[i];
  }
}

struct BatchRows {
  const double *q, *v, *a;
  double* tau;
  long q_stride, v_stride, a_stride, tau_stride;
  int coordinates;
};

/// States [first, last) of a batch.
template <int W>
[[gnu::always_inline]] inline void newton_euler_batch(const TreeView<Pack<W>>& tree, void* arena,
                                                      const BatchRows& rows, long first,
                                                      long last) {
  using P = Pack<W>;
  P* next = static_cast<P*>(arena);
  const auto take = [&](long count) __attribute__((always_inline)) {
    P* const block = next;
    next += count;
    return block;
  };
  ScratchView<P> work{};
  work.angle = take(tree.size);
  work.sine = take(tree.size);
  work.cosine = take(tree.size);
  P *q = take(rows.coordinates), *v = take(tree.speeds), *a = take(tree.speeds),
    *tau = take(tree.speeds);
  work.newton_euler = reinterpret_cast<NewtonEulerNode<P>*>(next);
  for (int i = 0; i < tree.size; ++i) work.angle[i] = P(0.0);
  for (long state = first; state < last; state += W) {
    // The last pack is moved back to end at the last state, when there are enough of them.
    const long start = last - state >= W || last - first < W ? state : last - W;
    const int lanes = last - start < W ? static_cast<int>(last - start) : W;
    if (lanes == W) [[likely]] {
      gather_rows<W>(rows.q + start * rows.q_stride, rows.q_stride, rows.coordinates, q);
      gather_rows<W>(rows.v + start * rows.v_stride, rows.v_stride, tree.speeds, v);
      gather_rows<W>(rows.a + start * rows.a_stride, rows.a_stride, tree.speeds, a);
    } else {
      // Fewer states than lanes: every lane the first state, then the ones there are.
      gather_rows<W>(rows.q + start * rows.q_stride, 0, rows.coordinates, q);
      gather_rows<W>(rows.v + start * rows.v_stride, 0, tree.speeds, v);
      gather_rows<W>(rows.a + start * rows.a_stride, 0, tree.speeds, a);
      for (int i = 1; i < lanes; ++i) {
        for (int k = 0; k < rows.coordinates; ++k)
          q[k].set(i, rows.q[(start + i) * rows.q_stride + k]);
        for (int k = 0; k < tree.speeds; ++k) v[k].set(i, rows.v[(start + i) * rows.v_stride + k]);
        for (int k = 0; k < tree.speeds; ++k) a[k].set(i, rows.a[(start + i) * rows.a_stride + k]);
      }
    }
    newton_euler<P>(tree, work, q, v, a, nullptr, tau);
    scatter_rows<W>(tau, tree.speeds, lanes, rows.tau_stride, rows.tau + start * rows.tau_stride);
  }
}

}  // namespace ulna
