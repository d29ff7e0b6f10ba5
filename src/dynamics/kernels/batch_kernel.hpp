#pragma once
// Newton-Euler on packs of states. States are rows in memory; a pack holds one entry of W rows.

#include "ulna/dynamics/kernels/newton_euler.hpp"
#include "ulna/scalar/kernels/pack.hpp"

namespace ulna {

/// Bytes of scratch for one thread, enough for the widest pack; aligned to 64.
inline std::size_t batch_arena_size(int nodes, int coordinates, int speeds) {
  const std::size_t pack = 64, per_node = 3 + sizeof(NewtonEulerNode<double>) / sizeof(double);
  return pack * (nodes * per_node + coordinates + 3 * static_cast<std::size_t>(speeds));
}

/// Four neighbouring entries of W rows, transposed in registers: out[k] = entry k of every row.
template <int W>
[[gnu::always_inline]] inline void transpose_in(const double* rows, long stride, Pack<W>* out) {
  const auto row = [&](int i) __attribute__((always_inline)) {
    return load_lanes<4>(rows + i * stride);
  };
  if constexpr (W == 8) {
    const auto pair = [&](int i) __attribute__((always_inline)) {
      return __builtin_shufflevector(row(i), row(i + 4), 0, 1, 2, 3, 4, 5, 6, 7);
    };
    const Reals<8> x0 = pair(0), x1 = pair(1), x2 = pair(2), x3 = pair(3);
    const Reals<8> t0 = __builtin_shufflevector(x0, x1, 0, 8, 2, 10, 4, 12, 6, 14);
    const Reals<8> t1 = __builtin_shufflevector(x0, x1, 1, 9, 3, 11, 5, 13, 7, 15);
    const Reals<8> t2 = __builtin_shufflevector(x2, x3, 0, 8, 2, 10, 4, 12, 6, 14);
    const Reals<8> t3 = __builtin_shufflevector(x2, x3, 1, 9, 3, 11, 5, 13, 7, 15);
    out[0].lanes = __builtin_shufflevector(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1].lanes = __builtin_shufflevector(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13);
    out[2].lanes = __builtin_shufflevector(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15);
    out[3].lanes = __builtin_shufflevector(t1, t3, 2, 3, 10, 11, 6, 7, 14, 15);
  } else if constexpr (W == 4) {
    const Reals<4> x0 = row(0), x1 = row(1), x2 = row(2), x3 = row(3);
    const Reals<4> t0 = __builtin_shufflevector(x0, x1, 0, 4, 2, 6);
    const Reals<4> t1 = __builtin_shufflevector(x0, x1, 1, 5, 3, 7);
    const Reals<4> t2 = __builtin_shufflevector(x2, x3, 0, 4, 2, 6);
    const Reals<4> t3 = __builtin_shufflevector(x2, x3, 1, 5, 3, 7);
    out[0].lanes = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
    out[1].lanes = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
    out[2].lanes = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
    out[3].lanes = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
  } else {
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < W; ++i) out[k].set(i, rows[i * stride + k]);
  }
}
/// The way back.
template <int W>
[[gnu::always_inline]] inline void transpose_out(const Pack<W>* in, long stride, double* rows) {
  if constexpr (W == 8) {
    const Reals<8> c0 = in[0].lanes, c1 = in[1].lanes, c2 = in[2].lanes, c3 = in[3].lanes;
    const Reals<8> t0 = __builtin_shufflevector(c0, c1, 0, 8, 2, 10, 4, 12, 6, 14);
    const Reals<8> t1 = __builtin_shufflevector(c0, c1, 1, 9, 3, 11, 5, 13, 7, 15);
    const Reals<8> t2 = __builtin_shufflevector(c2, c3, 0, 8, 2, 10, 4, 12, 6, 14);
    const Reals<8> t3 = __builtin_shufflevector(c2, c3, 1, 9, 3, 11, 5, 13, 7, 15);
    const Reals<8> r[4] = {__builtin_shufflevector(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13),
                           __builtin_shufflevector(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13),
                           __builtin_shufflevector(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15),
                           __builtin_shufflevector(t1, t3, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int i = 0; i < 4; ++i) {
      store_lanes<4>(__builtin_shufflevector(r[i], r[i], 0, 1, 2, 3), rows + i * stride);
      store_lanes<4>(__builtin_shufflevector(r[i], r[i], 4, 5, 6, 7), rows + (i + 4) * stride);
    }
  } else if constexpr (W == 4) {
    Pack<4> r[4];
    double square[16];
    for (int k = 0; k < 4; ++k) in[k].store(square + 4 * k);
    transpose_in<4>(square, 4, r);
    for (int i = 0; i < 4; ++i) r[i].store(rows + i * stride);
  } else {
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < W; ++i) rows[i * stride + k] = in[k][i];
  }
}

/// out[k] = entry k of W rows that start `stride` apart. Blocks of four columns; the last one is
/// moved back to end with the row.
template <int W>
[[gnu::always_inline]] inline void gather_rows(const double* rows, long stride, int count,
                                               Pack<W>* out) {
  if (count < 4) {
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < W; ++i) out[k].set(i, rows[i * stride + k]);
    return;
  }
  for (int k = 0; k < count - 4; k += 4) transpose_in<W>(rows + k, stride, out + k);
  transpose_in<W>(rows + count - 4, stride, out + count - 4);
}
template <int W>
[[gnu::always_inline]] inline void scatter_rows(const Pack<W>* in, int count, int lanes,
                                                long stride, double* rows) {
  if (count < 4 || lanes < W) {
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < lanes; ++i) rows[i * stride + k] = in[k][i];
    return;
  }
  for (int k = 0; k < count - 4; k += 4) transpose_out<W>(in + k, stride, rows + k);
  transpose_out<W>(in + count - 4, stride, rows + count - 4);
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
