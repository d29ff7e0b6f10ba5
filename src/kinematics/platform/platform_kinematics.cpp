#include "ulna/kinematics/platform_kinematics.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

/// sin of the angle between crank and rod below which they count as in line; of a rod on a rail,
/// cos of the angle between rod and rail below which they count as across each other.
constexpr double least_elbow = 1e-9;

Platform::Leg frozen(const PlatformLeg& leg) {
  const Vector3<double> a = leg.axis.normalized(),
                        x = (leg.zero - a * a.dot(leg.zero)).normalized();
  const bool rail = leg.kind != LegKind::slider && leg.on_rail();
  const Vector3<double> u = rail ? leg.rail.normalized().eval() : Vector3<double>::Zero().eval();
  return {leg.kind, leg.base, leg.platform, a, x, a.cross(x), leg.crank_length, leg.rod_length,
          1,        u,        rail};
}

PlatformFreedom freedom_of(LegKind kind) {
  if (kind == LegKind::planar) return PlatformFreedom::planar;
  return kind == LegKind::slider || kind == LegKind::rod ? PlatformFreedom::spatial
                                                         : PlatformFreedom::translation;
}

}  // namespace

std::string pose_text(const Pose<double>& pose) {
  const Eigen::AngleAxisd turn(pose.rotation);
  const Vector3<double> r = turn.angle() * turn.axis(), &p = pose.position;
  const auto tidy = [](double x) { return std::abs(x) < 1e-12 ? 0.0 : x; };
  return fmt::format("position ({:.6g}, {:.6g}, {:.6g}), rotation vector ({:.6g}, {:.6g}, {:.6g})",
                     tidy(p.x()), tidy(p.y()), tidy(p.z()), tidy(r.x()), tidy(r.y()), tidy(r.z()));
}

PlatformMotion::PlatformMotion(const Platform& platform)
    : legs(static_cast<std::size_t>(platform.legs())) {}

namespace {
template <class Member>
Eigen::VectorXd gathered(const std::vector<LegMotion>& legs, Member member) {
  Eigen::VectorXd out(legs.size());
  for (std::size_t k = 0; k < legs.size(); ++k) out(static_cast<Eigen::Index>(k)) = legs[k].*member;
  return out;
}
}  // namespace

Eigen::VectorXd PlatformMotion::q() const { return gathered(legs, &LegMotion::q); }
Eigen::VectorXd PlatformMotion::rates() const { return gathered(legs, &LegMotion::rate); }
Eigen::VectorXd PlatformMotion::accelerations() const {
  return gathered(legs, &LegMotion::acceleration);
}

Platform::Platform(PlatformData data) : data_(std::move(data)) {
  platform_robot(data_);  // for its checks
  for (const PlatformLeg& leg : data_.legs) legs_.push_back(frozen(leg));
  freedom_ = freedom_of(legs_[0].kind);
  radius_ = 0;
  for (const Leg& leg : legs_) radius_ += leg.platform.norm() / legs();
  if (!(radius_ > 0)) radius_ = 1;

  basis_.setIdentity(6, 6);
  if (freedom_ != PlatformFreedom::spatial) basis_.setZero(6, 3);
  if (freedom_ == PlatformFreedom::translation) basis_.bottomRows<3>().setIdentity();
  if (freedom_ == PlatformFreedom::planar) {
    basis_.col(0).tail<3>() = legs_[0].x;
    basis_.col(1).tail<3>() = legs_[0].y;
    basis_.col(2).head<3>() = legs_[0].a;
  }
  // Of the two crank angles (places on the rail), the one nearer to zero at home.
  PlatformMotion motion(*this);
  for (int k = 0; k < legs(); ++k) {
    if (legs_[k].kind == LegKind::slider) continue;
    double angle[2] = {INFINITY, INFINITY};
    for (int side = 0; side < 2; ++side) {
      legs_[k].bend = side == 0 ? 1 : -1;
      try {
        inverse_leg(k, data_.home, motion.legs[k]);
        angle[side] = std::abs(motion.legs[k].q);
      } catch (const ComputationError&) {  // home out of reach: either will do
      }
    }
    legs_[k].bend = angle[1] < angle[0] ? -1 : 1;
  }
}

/// eq. 1-3
void Platform::inverse_leg(int k, const Pose<double>& pose, LegMotion& m) const {
  const Leg& leg = legs_[k];
  m.W.noalias() = pose.rotation * leg.platform;
  m.P = pose.position + m.W;
  if (leg.kind == LegKind::slider) {
    m.E = leg.base;
    const Vector3<double> p = m.P - m.E;
    m.length = m.q = p.norm();
    m.c = 1;
    if (!(m.length > 0))
      throw ComputationError(fmt::format("leg '{}' of '{}' has no length at {}", data_.legs[k].name,
                                         data_.name, pose_text(pose)));
    m.n = p / m.length;
  } else if (leg.on_rail) {
    const Vector3<double> D = m.P - leg.base;
    const double along = D.dot(leg.rail),
                 left = leg.rod * leg.rod - (D - along * leg.rail).squaredNorm();
    if (!(left >= 0))
      throw ComputationError(
          fmt::format("leg '{}' of '{}' cannot reach its point on the platform at {}: it is "
                      "{:.6g} m from the rail, the rod {:.6g} m long",
                      data_.legs[k].name, data_.name, pose_text(pose),
                      (D - along * leg.rail).norm(), leg.rod),
          left);
    m.q = along + leg.bend * std::sqrt(left);
    m.E = leg.end(m.q);
    m.E_q = leg.rail;
    m.length = leg.rod;
    m.n = (m.P - m.E) / leg.rod;
    m.c = m.n.dot(m.E_q);
  } else {
    const Vector3<double> D = m.P - leg.base;
    const double dx = D.dot(leg.x), dy = D.dot(leg.y), reach = std::hypot(dx, dy);
    const double cosine =
        (D.squaredNorm() + leg.crank * leg.crank - leg.rod * leg.rod) / (2 * leg.crank * reach);
    if (!(std::abs(cosine) <= 1))
      throw ComputationError(
          fmt::format("leg '{}' of '{}' cannot reach its point on the platform at {}: {}",
                      data_.legs[k].name, data_.name, pose_text(pose),
                      cosine > 1 ? "too far or too near for crank and rod" : "too near"),
          cosine);
    m.q = std::remainder(std::atan2(dy, dx) + leg.bend * std::acos(cosine), 2 * M_PI);
    const double c = leg.crank * std::cos(m.q), s = leg.crank * std::sin(m.q);
    m.E = leg.base + c * leg.x + s * leg.y;
    m.E_q = c * leg.y - s * leg.x;
    m.length = leg.rod;
    m.n = (m.P - m.E) / leg.rod;
    m.c = m.n.dot(m.E_q);
  }
  m.row.head<3>() = m.W.cross(m.n);
  m.row.tail<3>() = m.n;
  if (leg.kind != LegKind::slider) {
    if (!(std::abs(m.c) > least_elbow * (leg.on_rail ? 1 : leg.crank)))
      throw ComputationError(
          fmt::format("{} of leg '{}' of '{}' {} at {}: its drive has no rate there",
                      leg.on_rail ? "rail and rod" : "crank and rod", data_.legs[k].name,
                      data_.name, leg.on_rail ? "are at a right angle" : "are in line",
                      pose_text(pose)),
          m.c);
    m.row /= m.c;
  }
}

/// Platforms that only move in part of space are asked for poses there.
void Platform::check_freedom(const Pose<double>& pose) const {
  constexpr double close_enough = 1e-6;  // typed numbers
  const Matrix3<double> turn = pose.rotation * data_.home.rotation.transpose();
  const Vector3<double> shift = pose.position - data_.home.position, &a = legs_[0].a;
  const bool translation = freedom_ == PlatformFreedom::translation;
  const double wrong = translation ? (turn - Matrix3<double>::Identity()).norm()
                                   : (turn * a - a).norm() + std::abs(a.dot(shift)) / radius_;
  if (wrong < close_enough) return;
  throw ComputationError(
      fmt::format("platform '{}' cannot be at {}: {}", data_.name, pose_text(pose),
                  translation ? "it does not turn" : "it moves in a plane"),
      wrong);
}

void Platform::require_possible(const Twist<double>& V, const std::string& what) const {
  if (freedom_ == PlatformFreedom::spatial) return;
  const Vector3<double>& a = legs_[0].a;
  const bool translation = freedom_ == PlatformFreedom::translation;
  const Vector3<double>& w = V.angular;
  const double wrong =
      translation ? w.norm() * radius_ : w.cross(a).norm() * radius_ + std::abs(a.dot(V.linear));
  if (wrong <= 1e-9 * (w.norm() * radius_ + V.linear.norm())) return;
  throw ComputationError(fmt::format("platform '{}' cannot have this {}: {}", data_.name, what,
                                     translation ? "it does not turn" : "it moves in a plane"),
                         wrong);
}

void Platform::inverse(const Pose<double>& pose, PlatformMotion& motion) const {
  if (freedom_ != PlatformFreedom::spatial) check_freedom(pose);
  for (int k = 0; k < legs(); ++k) inverse_leg(k, pose, motion.legs[k]);
}

/// eq. 4, 6-7
void Platform::inverse(const Pose<double>& pose, const Twist<double>& twist,
                       const Twist<double>& acceleration, PlatformMotion& motion) const {
  if (freedom_ != PlatformFreedom::spatial) check_freedom(pose);
  for (int k = 0; k < legs(); ++k) {
    LegMotion& m = motion.legs[k];
    inverse_leg(k, pose, m);
    const Vector3<double> arm = twist.angular.cross(m.W);
    m.dP = twist.linear + arm;
    m.ddP = acceleration.linear + acceleration.angular.cross(m.W) + twist.angular.cross(arm);
    const double along = m.n.dot(m.dP);
    if (legs_[k].kind == LegKind::slider) {
      m.rate = along;
      m.acceleration = m.n.dot(m.ddP) + (m.dP.squaredNorm() - along * along) / m.length;
    } else {
      m.rate = along / m.c;
      const Vector3<double> across = m.dP - m.rate * m.E_q, r = legs_[k].drawn(m.E);
      m.acceleration =
          (m.n.dot(m.ddP) + across.squaredNorm() / m.length + m.n.dot(r) * m.rate * m.rate) / m.c;
    }
  }
}

Eigen::MatrixXd Platform::jacobian(const PlatformMotion& motion) const {
  Eigen::MatrixXd J(legs(), 6);
  for (int k = 0; k < legs(); ++k) J.row(k) = motion.legs[k].row.transpose();
  return J * basis_;
}

CoordinateMap Platform::leg_map(const Pose<double>& pose) const {
  PlatformMotion motion(*this);
  inverse(pose, motion);
  CoordinateMap map;
  map.G = jacobian(motion);
  map.gamma.setZero(legs());
  for (int k = 0; k < legs(); ++k) {
    const LegMotion& m = motion.legs[k];
    Eigen::Matrix<double, 3, 6> J_P;  // of P
    J_P << -skew(m.W), Matrix3<double>::Identity();
    // The tip E moves along, by E_q (row) for cranks and carriages.
    Eigen::Matrix<double, 3, 6> J_across = J_P;
    Matrix6<double> H = Matrix6<double>::Zero();
    if (legs_[k].kind == LegKind::slider) {
      J_across -= m.n * m.row.transpose();
    } else {
      J_across -= m.E_q * m.row.transpose();
      H += m.n.dot(legs_[k].drawn(m.E)) * m.row * m.row.transpose();
    }
    H += J_across.transpose() * J_across / m.length;
    // n . (w (w . W) - W (w . w)): what turning adds to the acceleration of P.
    const Matrix3<double> nW = m.n * m.W.transpose();
    H.topLeftCorner<3, 3>() +=
        0.5 * (nW + nW.transpose()) - m.n.dot(m.W) * Matrix3<double>::Identity();
    map.H.push_back(basis_.transpose() * H * basis_ / m.c);
  }
  return map;
}

Platform::HingeAngles Platform::hinge_angles(int k, const Vector3<double>& n) const {
  const Leg& leg = legs_[k];
  return {std::atan2(n.dot(leg.y), n.dot(leg.x)), std::asin(std::clamp(n.dot(leg.a), -1.0, 1.0))};
}

}  // namespace ulna
