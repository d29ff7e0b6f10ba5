#pragma once
// Frames of loops in the world, and how one moves in the other (docs/theory/closed-loops.md, eq. 1,
// 8). What the files of loop closure share.

#include "ulna/kinematics/kernels/forward_kinematics.hpp"
#include "ulna/kinematics/kernels/loop_rows.hpp"
#include "ulna/scalar/kernels/taylor.hpp"

namespace ulna {

inline Vec3<double> lean_vector(const Vector3<double>& v) { return {v.x(), v.y(), v.z()}; }

inline NodePose<double> frame_in_world(const Workspace& work, int node, const Pose<double>& X) {
  const NodePose<double>& N = work.view().pose[node];
  const Matrix3<double>& m = X.rotation;
  const Mat3<double> R{m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1),
                       m(1, 2), m(2, 0), m(2, 1), m(2, 2)};
  return {N.R * R, N.p + N.R * lean_vector(X.position)};
}

/// X_FM; after update_poses.
inline RelativePose<double> loop_pose(const Workspace& work, const Loop& loop) {
  const NodePose<double> F = frame_in_world(work, loop.node_F, loop.X_NF);
  const NodePose<double> M = frame_in_world(work, loop.node_M, loop.X_NM);
  return relative_pose(F.R, F.p, M.R, M.p);
}

/// Pose, velocity and acceleration of M in F, axes of F.
struct RelativeMotion {
  RelativePose<double> X;
  Vec3<double> w, v, dw, dv;
};

/// After update_motions: the accelerations belong to those given there.
inline RelativeMotion loop_motion(const Workspace& work, const Loop& loop) {
  const NodePose<double> F = frame_in_world(work, loop.node_F, loop.X_NF);
  const NodePose<double> M = frame_in_world(work, loop.node_M, loop.X_NM);
  const NodeMotion<double>&f = work.view().motion[loop.node_F],
        &m = work.view().motion[loop.node_M];
  const auto velocity = [](const NodeMotion<double>& n, const Vec3<double>& r) {
    return n.v + cross(n.w, r);
  };
  const auto acceleration = [](const NodeMotion<double>& n, const Vec3<double>& r) {
    return n.dv + cross(n.dw, r) + cross(n.w, cross(n.w, r));
  };
  const Vec3<double> r_F = F.p - work.view().pose[loop.node_F].p,
                     r_M = M.p - work.view().pose[loop.node_M].p;
  const Vec3<double> d = M.p - F.p, dd = velocity(m, r_M) - velocity(f, r_F),
                     ddd = acceleration(m, r_M) - acceleration(f, r_F);
  const Vec3<double> turn = m.w - f.w;
  // Rates as seen from F: what F's own turning adds is taken out.
  const Vec3<double> v = dd - cross(f.w, d);
  const Vec3<double> dv =
      ddd - cross(f.dw, d) - scaled(2.0, cross(f.w, dd)) + cross(f.w, cross(f.w, d));
  const auto in_F = [&](const Vec3<double>& x) { return transposed_times(F.R, x); };
  return {relative_pose(F.R, F.p, M.R, M.p), in_F(turn), in_F(v),
          in_F(m.dw - f.dw - cross(f.w, turn)), in_F(dv)};
}

/// The pose as a function of time, to second order.
inline RelativePose<Taylor> moving_pose(const RelativeMotion& motion) {
  const Mat3<double>& R = motion.X.R;
  const auto column = [&](const Vec3<double>& e) -> Vec3<Taylor> {
    const Vec3<double> de = cross(motion.w, e), dde = cross(motion.dw, e) + cross(motion.w, de);
    return {{e.x, de.x, dde.x}, {e.y, de.y, dde.y}, {e.z, de.z, dde.z}};
  };
  const Vec3<Taylor> x = column({R.xx, R.yx, R.zx}), y = column({R.xy, R.yy, R.zy}),
                     z = column({R.xz, R.yz, R.zz});
  const Vec3<double>&p = motion.X.p, &v = motion.v, &a = motion.dv;
  return {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z},
          {{p.x, v.x, a.x}, {p.y, v.y, a.y}, {p.z, v.z, a.z}}};
}

}  // namespace ulna
