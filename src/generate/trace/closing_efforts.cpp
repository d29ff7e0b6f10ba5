#include "trace/closing_efforts.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "ulna/kinematics/kernels/forward_kinematics.hpp"
#include "ulna/model/joints/joint_types.hpp"
#include "ulna/model/kernels/spring.hpp"

namespace ulna::generate {
namespace {

using E = Expression;

NodePose<E> placed(const NodePose<E>& node, const Pose<double>& X) {
  const Matrix3<double>& R = X.rotation;
  const Mat3<E> turn{R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1),
                     R(1, 2), R(2, 0), R(2, 1), R(2, 2)};
  return {node.R * turn, node.p + node.R * Vec3<E>{X.position.x(), X.position.y(), X.position.z()}};
}

[[noreturn]] void refuse(const Model& model, const Loop& loop, const char* what) {
  throw InputError(fmt::format("joint '{}' of robot '{}' closes a loop and has {}, which generated "
                               "code does not support",
                               loop.joint, model.name(), what),
                   "another joint of the loop with 'cut: true'");
}

TwistRows rates_at(const Loop& loop, const Matrix3<double>& R) {
  return with_joint(loop.type, [&](auto type) {
    TwistRows T = TwistRows::Zero(type.speeds.size(), 6);
    type.rates(loop, R, T);
    return T;
  });
}

bool acts(const DegreeData& d) { return d.damping != 0 || d.friction != 0 || d.has_spring(); }

/// Degrees x 6: the joint's own rates from the twist of M in F, which must be the same everywhere
/// for degrees that act.
TwistRows constant_rates(const Model& model, const Loop& loop) {
  const TwistRows T = rates_at(loop, Matrix3<double>::Identity());
  const Matrix3<double> other =
      Eigen::AngleAxisd(0.7, Vector3<double>(1, 2, 3).normalized()).toRotationMatrix();
  const TwistRows changed = rates_at(loop, other) - T;
  for (std::size_t d = 0; d < loop.degrees.size(); ++d)
    if (acts(loop.degrees[d]) && !changed.row(static_cast<Eigen::Index>(d)).isZero(1e-12))
      refuse(model, loop, "a damper, friction or spring along an axis that turns with it");
  return T;
}

/// The twist of M in F (axes of F, at M) that each speed gives: by columns, 6 x speeds.
Expressions twist_columns(const Tracing& t, const RelativePose<E>& X) {
  const Mat3<E>& R = X.R;
  const Expressions pose = {R.xx, R.xy, R.xz, R.yx,  R.yy,  R.yz,
                            R.zx, R.zy, R.zz, X.p.x, X.p.y, X.p.z};
  const auto along = [&](const Expressions& rate, int i, int k) {
    return rate[3 * i] * pose[3 * k] + rate[3 * i + 1] * pose[3 * k + 1] +
           rate[3 * i + 2] * pose[3 * k + 2];
  };
  Expressions columns;
  for (const auto& direction : coordinate_directions(t)) {
    const Expressions rate = derivatives_along(pose, direction);
    // The angular velocity from dR/dt R'.
    for (const E& entry : {along(rate, 2, 1), along(rate, 0, 2), along(rate, 1, 0)})
      columns.push_back(entry);
    columns.insert(columns.end(), rate.begin() + 9, rate.end());
  }
  return columns;
}

/// The coordinate of a slide along an axis of F; turns have no formula without an arc tangent.
E slide_of(const Model& model, const Loop& loop, const Eigen::Index degree, const TwistRows& T,
           const RelativePose<E>& X) {
  const E position[3] = {X.p.x, X.p.y, X.p.z};
  for (int k = 0; k < 3; ++k)
    if (T(degree, 3 + k) == 1 && T.row(degree).norm() == 1) return position[k];
  refuse(model, loop, "a spring along a turn");
}

void add_efforts_of(const Tracing& t, const Loop& loop, const RelativePose<E>& X,
                    Expressions& efforts) {
  const TwistRows T = constant_rates(t.model, loop);
  const Expressions twist = twist_columns(t, X);
  const int n = t.speeds();
  for (std::size_t d = 0; d < loop.degrees.size(); ++d) {
    const DegreeData& data = loop.degrees[d];
    if (!acts(data)) continue;
    const auto row = static_cast<Eigen::Index>(d);
    Expressions K = zeros(n);
    E rate(0.0);
    for (int k = 0; k < n; ++k) {
      for (int c = 0; c < 6; ++c)
        if (T(row, c) != 0) K[k] += T(row, c) * twist[6 * k + c];
      rate += K[k] * t.v[k];
    }
    E effort = data.damping * rate;
    if (data.friction != 0) effort += data.friction * sign(rate);
    if (data.has_spring())
      effort += spring_effort(data, E(slide_of(t.model, loop, row, T, X) - data.rest));
    for (int k = 0; k < n; ++k) efforts[k] += K[k] * effort;
  }
}

}  // namespace

RelativePose<E> traced_loop_pose(const ScratchView<E>& work, const Loop& loop) {
  const NodePose<E> F = placed(work.pose[loop.node_F], loop.X_NF);
  const NodePose<E> M = placed(work.pose[loop.node_M], loop.X_NM);
  return relative_pose(F.R, F.p, M.R, M.p);
}

void add_closing_efforts(const Tracing& t, Expressions& efforts) {
  Scratch<E> scratch(t.model.topology());
  node_poses(t.tree(), scratch.view(), t.q.data());
  for (const Loop& loop : t.model.loops()) {
    for (const DegreeData& d : loop.degrees)
      if (d.rotor_inertia != 0) refuse(t.model, loop, "a rotor");
    if (std::any_of(loop.degrees.begin(), loop.degrees.end(), acts))
      add_efforts_of(t, loop, traced_loop_pose(scratch.view(), loop), efforts);
  }
}

}  // namespace ulna::generate
