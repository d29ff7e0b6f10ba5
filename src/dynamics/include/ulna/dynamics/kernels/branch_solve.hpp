#pragma once
// M x = b for many right sides, along the tree. docs/theory/derivatives.md, eq. 14-19. Two ways:
//
//   branches      M = L' D L, where L has entries only for degrees of freedom that carry each
//   other:
//                 a product for each such pair and right side. For robots that branch or are short.
//   articulated   the recursion of articulated bodies in world axes on all right sides at once:
//                 24 products for each degree of freedom and right side. For long chains.
//
// Right sides come in panels: one row of P numbers for each column of the tree.

#include "ulna/dynamics/kernels/inverse_derivatives.hpp"
#include "ulna/scalar/kernels/unroll.hpp"

namespace ulna {

/// Solving many columns takes long enough for the widest registers to pay.
template <class S>
constexpr int panel_lanes() {
  if constexpr (std::is_same_v<S, double>) return native_lanes;
  return 1;
}

/// P numbers in lanes: the row of a panel.
template <int P, class S>
struct PanelRow {
  static constexpr int W = panel_lanes<S>() < P ? panel_lanes<S>() : P, chains = P / W;
  using Lane = decltype(load_some<W>(static_cast<const S*>(nullptr)));
  Lane x[chains];

  [[gnu::always_inline]] void load(const S* from) {
    unroll<chains>([&]<int c>()
                       __attribute__((always_inline)) { x[c] = load_some<W>(from + W * c); });
  }
  [[gnu::always_inline]] void store(S* to) const {
    unroll<chains>([&]<int c>()
                       __attribute__((always_inline)) { store_some<W>(x[c], to + W * c); });
  }
  [[gnu::always_inline]] void zero() {
    unroll<chains>([&]<int c>() __attribute__((always_inline)) { x[c] = Lane(0.0); });
  }
  [[gnu::always_inline]] void scale(const S& f) {
    unroll<chains>([&]<int c>() __attribute__((always_inline)) { x[c] = f * x[c]; });
  }
  [[gnu::always_inline]] void add(const S& f, const PanelRow& other) {
    unroll<chains>([&]<int c>() __attribute__((always_inline)) { x[c] = x[c] + f * other.x[c]; });
  }
  [[gnu::always_inline]] void subtract(const S& f, const S* row) {
    unroll<chains>([&]<int c>() __attribute__((always_inline)) {
      x[c] = x[c] - f * load_some<W>(row + W * c);
    });
  }
  [[gnu::always_inline]] void add(const S* row) {
    unroll<chains>([&]<int c>()
                       __attribute__((always_inline)) { x[c] = x[c] + load_some<W>(row + W * c); });
  }
};

/// Columns (or, for speeds that several columns share, speeds) and what carries them.
struct BranchTree {
  int size;
  const int *parent, *run, *last_carried;
};

/// eq. 15: M = L' D L in place. Rows are `stride` apart; of row j the entries of the columns that
/// carry it are read. Left behind: L below the diagonal, its transpose above, 1/D in `inverse`.
template <class S>
[[gnu::always_inline]] inline void factor_branches(const BranchTree& t, S* M, int stride,
                                                   S* inverse, S* factors) {
  constexpr int W = lane_count<S>();
  const auto row_of = [=](int j) __attribute__((always_inline)) {
    return M + static_cast<long>(j) * stride;
  };
  for (int j = t.size - 1; j >= 0; --j) {
    S* row = row_of(j);
    inverse[j] = S(1) / row[j];
    for (int k = t.parent[j]; k >= 0; k = t.parent[k]) {
      // Kept apart: a store of one number holds up the load of four that follows.
      factors[k] = row[k] * inverse[j];
      S* above = row_of(k);
      // Entries of columns that do not carry k are never read: they may be anything.
      for (int c = 0; c <= k; c += W)
        store_some<W>(load_some<W>(above + c) - factors[k] * load_some<W>(row + c), above + c);
    }
    for (int k = t.parent[j]; k >= 0; k = t.parent[k]) row[k] = factors[k];
  }
  for (int k = 0; k < t.size; ++k)
    for (int j = k + 1; j <= t.last_carried[k]; ++j) row_of(k)[j] = S(0);
  for (int j = 0; j < t.size; ++j)
    for (int k = t.parent[j]; k >= 0; k = t.parent[k]) row_of(k)[j] = row_of(j)[k];
}

/// eq. 16, 17: solves L' D L X = X for a panel of P right sides.
template <int P, class S>
[[gnu::always_inline]] inline void solve_branches(const BranchTree& t, const S* L, int stride,
                                                  const S* inverse, S* X) {
  PanelRow<P, S> x;
  for (int k = t.size - 1; k >= 0; --k) {
    const S* row = L + static_cast<long>(k) * stride;
    x.load(X + k * P);
    // The row that was stored last is loaded last.
    for (int j = t.last_carried[k]; j > k; --j) x.subtract(row[j], X + j * P);
    x.store(X + k * P);
  }
  for (int j = 0; j < t.size; ++j) {
    const S* row = L + static_cast<long>(j) * stride;
    x.load(X + j * P);
    x.scale(inverse[j]);
    for (int end = t.parent[j]; end >= 0;) {
      const int first = t.run[end];
      for (int k = first; k <= end; ++k) x.subtract(row[k], X + k * P);
      end = t.parent[first];
    }
    x.store(X + j * P);
  }
}

/// An inertia that is not a body's: moments against angular, both and linear acceleration.
template <class S>
struct WorldArticulated {
  Sym3<S> A;
  Mat3<S> B;
  Sym3<S> C;
};
/// Axis and U/D of one column: what one step of the recursion reads.
template <class S>
struct HingeColumn {
  S s[6], U[6];
};

/// eq. 18: the articulated inertias from the tips inwards. `sum` has one place for each node.
template <class S>
[[gnu::always_inline]] inline void factor_articulated(const TreeView<S>& tree,
                                                      const ColumnView<S>& d,
                                                      WorldArticulated<S>* sum,
                                                      HingeColumn<S>* hinge, S* inverse) {
  const S zero(0);
  for (int i = 1; i < tree.size; ++i) {
    const WorldBody<S>& b = d.body[i];
    const S trace = b.Sigma.xx + b.Sigma.yy + b.Sigma.zz;
    sum[i].A = {trace - b.Sigma.xx, trace - b.Sigma.yy, trace - b.Sigma.zz,
                -b.Sigma.xy,        -b.Sigma.xz,        -b.Sigma.yz};
    sum[i].B = {zero, -b.h.z, b.h.y, b.h.z, zero, -b.h.x, -b.h.y, b.h.x, zero};
    sum[i].C = {b.mass, b.mass, b.mass, zero, zero, zero};
  }
  for (int j = d.columns - 1; j >= 0; --j) {
    const int i = d.node[j];
    WorldArticulated<S>& I = sum[i];
    const Spatial<S> s = column_of(d.s, d.stride, j);
    const Vec3<S> n = I.A * s.w + I.B * s.v, f = transposed_times(I.B, s.w) + I.C * s.v;
    const S D = dot(s.w, n) + dot(s.v, f) + S(tree.armature[d.speed[j]]);
    inverse[j] = S(1) / D;
    const Vec3<S> un = scaled(inverse[j], n), uf = scaled(inverse[j], f);
    hinge[j] = {{s.w.x, s.w.y, s.w.z, s.v.x, s.v.y, s.v.z}, {un.x, un.y, un.z, uf.x, uf.y, uf.z}};
    I.A += {-n.x * un.x, -n.y * un.y, -n.z * un.z, -n.x * un.y, -n.x * un.z, -n.y * un.z};
    I.C += {-f.x * uf.x, -f.y * uf.y, -f.z * uf.z, -f.x * uf.y, -f.x * uf.z, -f.y * uf.z};
    I.B = I.B + Mat3<S>{-un.x * f.x, -un.x * f.y, -un.x * f.z, -un.y * f.x, -un.y * f.y,
                        -un.y * f.z, -un.z * f.x, -un.z * f.y, -un.z * f.z};
    if (d.parent[j] < 0 || d.node[d.parent[j]] == i) continue;
    WorldArticulated<S>& to = sum[d.node[d.parent[j]]];
    to.A += I.A;
    to.B = to.B + I.B;
    to.C += I.C;
  }
}

/// eq. 19: solves M X = X for a panel of P right sides. `forks` has 6 P numbers for each column
/// that carries others than the next one.
template <int P, class S>
[[gnu::always_inline]] inline void solve_articulated(const ColumnView<S>& d,
                                                     const HingeColumn<S>* hinge, const S* inverse,
                                                     S* forks, S* X) {
  using Row = PanelRow<P, S>;
  const auto fork_of = [=](int j) __attribute__((always_inline)) {
    return forks + d.fork[j] * 6 * P;
  };
  const auto each = [](const auto& body) __attribute__((always_inline)) { unroll<6>(body); };
  for (long k = 0; k < static_cast<long>(d.forks) * 6 * P; ++k) forks[k] = S(0);
  Row p[6], x;
  const int n = d.columns;
  for (int j = n - 1; j >= 0; --j) {
    const HingeColumn<S>& h = hinge[j];
    if (j + 1 == n || d.parent[j + 1] != j)
      each([&]<int c>() __attribute__((always_inline)) { p[c].zero(); });
    if (d.fork[j] >= 0)
      each([&]<int c>() __attribute__((always_inline)) { p[c].add(fork_of(j) + c * P); });
    x.load(X + j * P);
    each([&]<int c>() __attribute__((always_inline)) { x.add(-h.s[c], p[c]); });
    x.store(X + j * P);
    each([&]<int c>() __attribute__((always_inline)) { p[c].add(h.U[c], x); });
    if (d.parent[j] < 0 || d.parent[j] == j - 1) continue;
    S* to = fork_of(d.parent[j]);
    each([&]<int c>() __attribute__((always_inline)) {
      p[c].add(to + c * P);
      p[c].store(to + c * P);
    });
  }
  for (int j = 0; j < n; ++j) {
    const HingeColumn<S>& h = hinge[j];
    if (d.parent[j] < 0)
      each([&]<int c>() __attribute__((always_inline)) { p[c].zero(); });
    else if (d.parent[j] != j - 1)
      each([&]<int c>()
               __attribute__((always_inline)) { p[c].load(fork_of(d.parent[j]) + c * P); });
    x.load(X + j * P);
    x.scale(inverse[j]);
    each([&]<int c>() __attribute__((always_inline)) { x.add(-h.U[c], p[c]); });
    x.store(X + j * P);
    each([&]<int c>() __attribute__((always_inline)) { p[c].add(h.s[c], x); });
    if (d.fork[j] >= 0)
      each([&]<int c>() __attribute__((always_inline)) { p[c].store(fork_of(j) + c * P); });
  }
}

/// Memory and choice of way for one robot.
template <class S>
struct BranchSolveView {
  BranchTree rows;   ///< what the rows of M are: columns, or speeds where columns share them
  const int* speed;  ///< of each row
  bool articulated;  ///< the recursion instead of L' D L
  int stride;        ///< of L, a multiple of 8
  S *inverse, *L, *panel, *forks;
  HingeColumn<S>* hinge;
  WorldArticulated<S>* sum;
};

/// eq. 14-18: what the solutions need, from bodies, axes and composites of inverse_derivatives.hpp.
template <class S>
[[gnu::always_inline]] inline void factor_mass(const TreeView<S>& tree, const ColumnView<S>& d,
                                               const BranchSolveView<S>& m) {
  constexpr int W = lane_count<S>();
  if (m.articulated) {
    factor_articulated(tree, d, m.sum, m.hinge, m.inverse);
    return;
  }
  if (d.shared) [[unlikely]] {
    mass_rows<true>(tree, d, m.L, m.stride);
  } else {
    for (int j = 0; j < d.columns; ++j) {
      const Spatial<S> Is = inertia_times(d.composite[d.node[j]], column_of(d.s, d.stride, j));
      S* row = m.L + static_cast<long>(j) * m.stride;
      for (int k = 0; k <= j; k += W) store_some<W>(dots<W>(Is, d.s + k, d.stride), row + k);
      row[j] += S(tree.armature[d.speed[j]]);
    }
  }
  factor_branches(m.rows, m.L, m.stride, m.inverse, m.panel);
}

/// The right sides in m.panel, P of them, become solutions.
template <int P, class S>
[[gnu::always_inline]] inline void solve_mass(const ColumnView<S>& d, const BranchSolveView<S>& m) {
  if (m.articulated)
    solve_articulated<P>(d, m.hinge, m.inverse, m.forks, m.panel);
  else
    solve_branches<P>(m.rows, m.L, m.stride, m.inverse, m.panel);
}

}  // namespace ulna
