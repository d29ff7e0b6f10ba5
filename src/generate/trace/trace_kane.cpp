// Kane's method traced: efforts through partial velocities, and the partial velocities themselves
// (docs/theory/kane.md, eq. 1-5, 8).

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

#include "trace/kane_speeds.hpp"
#include "trace/tracing.hpp"
#include "ulna/dynamics/kernels/kane.hpp"

namespace ulna::generate {
namespace {

using E = Expression;

Vec3<E> in_axes_of(const Mat3<E>& R, const Vec3<E>& x) {
  return {R.xx * x.x + R.yx * x.y + R.zx * x.z, R.xy * x.x + R.yy * x.y + R.zy * x.z,
          R.xz * x.x + R.yz * x.y + R.zz * x.z};
}

/// Of every body but the world, in its own axes; zero for speeds that do not carry it.
using Columns = std::vector<std::vector<PartialVelocity<E>>>;

Columns by_joint_rates(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  KaneScratch<E> kane(t.model.topology());
  const KaneView<E> view = kane.view();
  joint_angles(t.tree(), scratch.view(), t.q.data());
  partial_velocities(t.tree(), scratch.view(), view, t.q.data());
  Columns out;
  for (std::size_t body = 1; body < t.model.bodies().size(); ++body) {
    const Frame& frame = t.model.frames()[body];
    const NodePose<E> own = constant_pose(frame.X_NF);
    std::vector<PartialVelocity<E>> columns(static_cast<std::size_t>(t.speeds()),
                                            {Vec3<E>::zero(), Vec3<E>::zero()});
    for (int r = view.first[frame.node]; r < view.first[frame.node + 1]; ++r) {
      const auto [w, v] = view.partial[r];
      const Vec3<E> at_origin = v + cross(w, own.p);
      PartialVelocity<E>& column = columns[view.speed[view.column[r]]];
      column.w += in_axes_of(own.R, w);
      column.v += in_axes_of(own.R, at_origin);
    }
    out.push_back(std::move(columns));
  }
  return out;
}

/// Speeds u = Y v with the turning of a body in three places: columns times Y^-1.
void change_speeds(Columns& columns, const BodySpeeds& speeds, int count) {
  const auto& own = columns[static_cast<std::size_t>(speeds.body) - 1];
  Eigen::Matrix<E, 3, 3> S;  // what the replaced rates turn the body by
  for (int k = 0; k < 3; ++k) {
    const Vec3<E>& w = own[speeds.replaced[k]].w;
    S.col(k) << w.x, w.y, w.z;
  }
  const Eigen::Matrix<E, 3, 3> inverse = S.inverse();
  for (auto& body : columns) {
    const std::vector<PartialVelocity<E>> before = body;
    for (int r = 0; r < 3; ++r) {
      PartialVelocity<E> sum{Vec3<E>::zero(), Vec3<E>::zero()};
      for (int k = 0; k < 3; ++k) {
        sum.w += scaled(inverse(k, r), before[speeds.replaced[k]].w);
        sum.v += scaled(inverse(k, r), before[speeds.replaced[k]].v);
      }
      // A body's own partial angular velocities are then the unit vectors.
      if (&body == &columns[static_cast<std::size_t>(speeds.body) - 1])
        sum.w = {E(r == 0 ? 1.0 : 0.0), E(r == 1 ? 1.0 : 0.0), E(r == 2 ? 1.0 : 0.0)};
      body[speeds.replaced[r]] = sum;
    }
  }
  // What the other rates turn the body by is no longer theirs.
  for (int k = 0; k < count; ++k) {
    if (std::find(speeds.replaced.begin(), speeds.replaced.end(), k) != speeds.replaced.end())
      continue;
    const Vec3<E> w = columns[static_cast<std::size_t>(speeds.body) - 1][k].w;
    for (auto& body : columns) {
      const E* const turn[3] = {&w.x, &w.y, &w.z};
      for (int r = 0; r < 3; ++r) {
        body[k].w -= scaled(*turn[r], body[speeds.replaced[r]].w);
        body[k].v -= scaled(*turn[r], body[speeds.replaced[r]].v);
      }
    }
  }
}

}  // namespace

Traced trace_kane(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  KaneScratch<E> memory(t.model.topology());
  const Parameters<E> parameters = t.grouped(true);
  Expressions tau = zeros(t.speeds());
  kane<E>(view<E>(t.model.topology(), parameters), scratch.view(), memory.view(), t.q.data(),
          t.v.data(), t.a.data(), nullptr, tau.data());
  traced_passive_efforts(t, t.v, 1, tau);
  return {std::move(tau), "Kane's equations in joint rates, inertial parameters grouped"};
}

Traced trace_partial_velocities(const Tracing& t) {
  Columns columns = by_joint_rates(t);
  const BodySpeeds speeds = named_speeds(t.model, t.options.speeds);
  if (speeds.body > 0) change_speeds(columns, speeds, t.speeds());
  Expressions angular, linear;
  for (const auto& body : columns)
    for (int row = 0; row < 3; ++row)
      for (const auto& [w, v] : body) {
        angular.push_back(row == 0 ? w.x : row == 1 ? w.y : w.z);
        linear.push_back(row == 0 ? v.x : row == 1 ? v.y : v.z);
      }
  angular.insert(angular.end(), linear.begin(), linear.end());
  return {std::move(angular), fmt::format("speeds {}", t.options.speeds)};
}

}  // namespace ulna::generate
