#pragma once
// Y(q, t) and y(q, t) of generalized speeds u = Y v + y on any scalar: numbers, dual numbers (which
// carry dY/dt and dy/dt along), expressions. docs/theory/kane.md, eq. 8.

#include <cmath>
#include <limits>

#include "ulna/kinematics/generalized_speeds.hpp"
#include "ulna/kinematics/kernels/partial_velocities.hpp"
#include "ulna/symbolic/kernels/evaluate_on.hpp"

namespace ulna {

/// A rotation matrix as constants, its right angles exact: those cost nothing in generated code.
template <class S>
Mat3<S> constant_rotation(const Matrix3<double>& rotation) {
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  const Matrix3<double> R = rotation.unaryExpr([](double x) {
    if (std::abs(x) <= rounding) return 0.0;
    return std::abs(std::abs(x) - 1) <= rounding ? std::copysign(1.0, x) : x;
  });
  return {S(R(0, 0)), S(R(0, 1)), S(R(0, 2)), S(R(1, 0)), S(R(1, 1)),
          S(R(1, 2)), S(R(2, 0)), S(R(2, 1)), S(R(2, 2))};
}

template <class S>
Vec3<S> in_axes_of(const Mat3<S>& R, const Vec3<S>& x) {
  return {R.xx * x.x + R.yx * x.y + R.zx * x.z, R.xy * x.x + R.yy * x.y + R.zy * x.z,
          R.xz * x.x + R.yz * x.y + R.zz * x.z};
}

/// Y by columns, rows.size() x speeds, and y. Joint angles must be in `work`.
template <class S>
void speed_rows(const Model& model, const SpeedRows& rows, const TreeView<S>& tree,
                const ScratchView<S>& work, const S* q, const S& t, S* Y, S* y) {
  const int n = rows.size();
  for (int k = 0; k < n * tree.speeds; ++k) Y[k] = S(0.0);
  for (int r = 0; r < n; ++r) {
    y[r] = S(0.0);
    if (rows.rate[r] >= 0) Y[r + n * rows.rate[r]] = S(1.0);
  }
  if (rows.body > 0) {
    KaneScratch<S> memory(model.topology());
    const KaneView<S> kane = memory.view();
    partial_velocities(tree, work, kane, q);
    const Frame& frame = model.frames()[rows.body];  // the frames of the bodies come first
    const Mat3<S> R = constant_rotation<S>(frame.X_NF.rotation);
    for (int c = kane.first[frame.node]; c < kane.first[frame.node + 1]; ++c) {
      const Vec3<S> w = in_axes_of(R, kane.partial[c].w);
      const int column = kane.speed[kane.column[c]];
      for (int r = 0; r < n; ++r)
        if (const int k = rows.component[r]; k >= 0)
          Y[r + n * column] += k == 0 ? w.x : k == 1 ? w.y : w.z;
    }
  }
  if (!rows.formulas) return;
  std::vector<S> inputs(q, q + model.coordinates());
  inputs.resize(inputs.size() + static_cast<std::size_t>(tree.speeds), S(0.0));
  inputs.push_back(t);
  const std::vector<S> entries =
      evaluate_on<S>(rows.formulas->Y, std::span<const S>(inputs), rows.formulas->graph);
  const std::vector<S> rest =
      evaluate_on<S>(rows.formulas->y, std::span<const S>(inputs), rows.formulas->graph);
  for (int r = 0; r < n; ++r) {
    if (rows.rate[r] >= 0) continue;
    for (int k = 0; k < tree.speeds; ++k) Y[r + n * k] = entries[r * tree.speeds + k];
    y[r] = rest[r];
  }
}

}  // namespace ulna
