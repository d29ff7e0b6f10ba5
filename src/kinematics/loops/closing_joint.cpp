// The coordinates of the joints that close loops: they follow from the pose of M in F.

#include "loops/relative_motion.hpp"
#include "plain_vectors.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {
namespace {

/// Degrees x 6: the joint's own rates from the twist of M in F (axes of F, at M).
TwistRows rates_from_twist(const Loop& loop, const Matrix3<double>& R) {
  return with_joint(loop.type, [&](auto type) {
    TwistRows T = TwistRows::Zero(type.speeds.size(), 6);
    type.rates(loop, R, T);
    return T;
  });
}

SmallVector coordinates_of(const Loop& loop, const Matrix3<double>& R, const Vector3<double>& p) {
  return with_joint(loop.type, [&](auto type) {
    SmallVector q(type.coordinates.size());
    type.position(loop, R, p, q);
    return q;
  });
}

}  // namespace

SmallVector LoopClosure::closing_coordinates(const Workspace& work, int k) const {
  const Loop& loop = model_.loops()[k];
  if (loop.kind != LoopKind::joint) return SmallVector(0);
  const RelativePose<double> X = loop_pose(work, loop);
  return coordinates_of(loop, plain(X.R), plain(X.p));
}

TwistRows LoopClosure::rates_of_twist(const Workspace& work, int k) const {
  const Loop& loop = model_.loops()[k];
  if (loop.kind != LoopKind::joint) return TwistRows(0, 6);
  return rates_from_twist(loop, plain(loop_pose(work, loop).R));
}

Eigen::MatrixXd LoopClosure::closing_jacobian(const Workspace& work, int k) const {
  const Loop& loop = model_.loops()[k];
  if (loop.kind != LoopKind::joint)
    return Eigen::MatrixXd(0, static_cast<Eigen::Index>(blocks_[k].columns.size()));
  Eigen::MatrixXd J(6, static_cast<Eigen::Index>(blocks_[k].columns.size()));
  relative_jacobian(work, k, J);
  return rates_of_twist(work, k) * J;
}

void LoopClosure::closing_rates(const Workspace& work, int k, SmallVector& q,
                                SmallVector& v) const {
  const Loop& loop = model_.loops()[k];
  if (loop.kind != LoopKind::joint) {
    q.resize(0), v.resize(0);
    return;
  }
  const RelativeMotion motion = loop_motion(work, loop);
  const Matrix3<double> R = plain(motion.X.R);
  Vector6<double> twist;
  twist << plain(motion.w), plain(motion.v);
  q = coordinates_of(loop, R, plain(motion.X.p));
  v = rates_from_twist(loop, R) * twist;
}

void LoopClosure::add_closing_efforts(const Workspace& work, int k, const SmallVector& efforts,
                                      Eigen::VectorXd& y) const {
  const Vector6<double> wrench = rates_of_twist(work, k).transpose() * efforts;
  const std::vector<int>& columns = blocks_[k].columns;
  for (std::size_t c = 0; c < columns.size(); ++c)
    y(columns[c]) += relative_[k].col(static_cast<Eigen::Index>(c)).dot(wrench);
}

ClosingJointState LoopClosure::closing_state(Workspace& work, int k, const VectorRef& q,
                                             const VectorRef& v, const VectorRef& a) const {
  const Loop& loop = model_.loops()[k];
  if (loop.kind != LoopKind::joint) return {};
  update_motions(model_, work, q, v, a);
  const RelativeMotion motion = loop_motion(work, loop);
  const Matrix3<double> R = plain(motion.X.R);
  const TwistRows T = rates_from_twist(loop, R);
  Vector6<double> twist, rate;
  twist << plain(motion.w), plain(motion.v);
  rate << plain(motion.dw), plain(motion.dv);
  ClosingJointState state;
  state.q = coordinates_of(loop, R, plain(motion.X.p));
  state.v = T * twist;
  with_joint(loop.type,
             [&](auto type) { type.carried_axes(loop, R, twist, SmallVector(state.v), rate); });
  state.a = T * rate;
  return state;
}

}  // namespace ulna
