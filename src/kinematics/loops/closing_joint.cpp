// The coordinates of the joints that close loops: they follow from the pose of M in F.

#include <cmath>

#include "loops/relative_motion.hpp"
#include "plain_vectors.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

/// Angles of a universal joint: R = Rz(a) Rot(w, b).
Eigen::Vector2d universal_angles(const Loop& loop, const Matrix3<double>& R) {
  const Vector3<double>& w = loop.axis2;
  const Vector3<double> carried = R * w;
  const double a =
      std::remainder(std::atan2(carried.y(), carried.x()) - std::atan2(w.y(), w.x()), 2 * M_PI);
  const Matrix3<double> rest = rotation_z(-a) * R;
  const Vector3<double> skew_part(rest(2, 1) - rest(1, 2), rest(0, 2) - rest(2, 0),
                                  rest(1, 0) - rest(0, 1));
  return {a, std::atan2(0.5 * skew_part.dot(w), 0.5 * (rest.trace() - 1))};
}

/// Degrees x 6: the joint's own rates from the twist of M in F (axes of F, at M).
TwistRows rates_from_twist(const Loop& loop, const Matrix3<double>& R) {
  TwistRows T = TwistRows::Zero(size_of(loop.type).speeds, 6);
  switch (loop.type) {
    case JointType::revolute:
    case JointType::screw:
      T(0, 2) = 1;
      break;
    case JointType::prismatic:
      T(0, 5) = 1;
      break;
    case JointType::cylindrical:
      T(0, 2) = T(1, 5) = 1;
      break;
    case JointType::universal: {
      // Least squares for two axes a, b of unit length: the dual pair in their plane.
      const Vector3<double> a = Vector3<double>::UnitZ(), b = (R * loop.axis2).normalized();
      const double c = a.dot(b), s = 1 - c * c;
      T.topLeftCorner<1, 3>() = (a - c * b).transpose() / s;
      T.bottomLeftCorner<1, 3>() = (b - c * a).transpose() / s;
      break;
    }
    case JointType::planar:
      T(0, 3) = T(1, 4) = T(2, 2) = 1;
      break;
    case JointType::spherical:
      T.leftCols<3>() = R.transpose();
      break;
    case JointType::free:
      T.topLeftCorner<3, 3>() = T.bottomRightCorner<3, 3>() = R.transpose();
      break;
    case JointType::fixed:
      break;
  }
  return T;
}

SmallVector coordinates_of(const Loop& loop, const Matrix3<double>& R, const Vector3<double>& p) {
  const double turn = std::atan2(R(1, 0), R(0, 0));
  SmallVector q(size_of(loop.type).coordinates);
  switch (loop.type) {
    case JointType::revolute:
      q << turn;
      break;
    case JointType::screw:
      q << (loop.pitch != 0 ? p.z() / loop.pitch : turn);
      break;
    case JointType::prismatic:
      q << p.z();
      break;
    case JointType::cylindrical:
      q << turn, p.z();
      break;
    case JointType::universal:
      q = universal_angles(loop, R);
      break;
    case JointType::planar:
      q << p.x(), p.y(), turn;
      break;
    case JointType::spherical:
      q = quaternion_from_rotation(nearest_rotation(R));
      break;
    case JointType::free:
      q << quaternion_from_rotation(nearest_rotation(R)), p;
      break;
    case JointType::fixed:
      break;
  }
  return q;
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
  // Axes that the joint itself carries along turn the rates.
  if (loop.type == JointType::universal) {
    const Vector3<double> first = state.v(0) * Vector3<double>::UnitZ();
    rate.head<3>() -= first.cross(state.v(1) * (R * loop.axis2));
  }
  if (loop.type == JointType::free) rate.tail<3>() -= plain(motion.w).cross(plain(motion.v));
  state.a = T * rate;
  return state;
}

}  // namespace ulna
