#include "contact/cone_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

using Block = Eigen::Matrix3d;

/// One contact with the others as they are: u = b + D x, its floor taken off b.
class OneContact {
 public:
  OneContact(const Block& D, const Eigen::Vector3d& b, double friction)
      : D_(D), b_(b), mu_(friction), size_(b.norm()) {}

  /// The solution nearest to x. False if there is none.
  bool solve(Eigen::Vector3d& x) const {
    if (b_(0) >= 0) {
      x.setZero();
      return true;
    }
    return stick(x) || slip(x);
  }

  /// Friction along w, as much as the normal force allows. False where more force does not part it.
  bool rub(const Eigen::Vector2d& w, Eigen::Vector3d& x) const {
    if (b_(0) >= 0) {
      x.setZero();
      return true;
    }
    const double gives = yields(w);
    if (!(gives > 1e-12 * D_.trace())) return false;
    x(0) = -b_(0) / gives;
    x.tail<2>() = mu_ * x(0) * w;
    return true;
  }

 private:
  double yields(const Eigen::Vector2d& w) const {
    return D_(0, 0) + mu_ * w.dot(D_.block<2, 1>(1, 0));
  }

  /// Least squares: in a planar mechanism nothing answers the force across the plane.
  bool stick(Eigen::Vector3d& x) const {
    const Eigen::Vector3d y = solve_semidefinite(D_, -b_);
    if (!((D_ * y + b_).norm() <= 1e-9 * size_)) return false;
    if (!(y(0) >= 0 && y.tail<2>().norm() <= mu_ * y(0) * (1 + 1e-14))) return false;
    x = y;
    return true;
  }

  /// What slips across the friction along w, times `yields`: a trigonometric polynomial of degree
  /// two, without poles.
  double across(const Eigen::Vector2d& w) const {
    const Eigen::Vector2d nt = D_.block<2, 1>(1, 0), Dw = D_.block<2, 2>(1, 1) * w;
    return cross(yields(w) * b_.tail<2>() - b_(0) * (nt + mu_ * Dw), w);
  }

  static Eigen::Vector2d along(double angle) { return {std::cos(angle), std::sin(angle)}; }

  /// Of all directions in which friction is against the slip, or nothing slips, that nearest to x.
  bool slip(Eigen::Vector3d& x) const {
    constexpr int count = 72;
    const double turn = 2 * std::numbers::pi / count, none = 1e-13 * size_ * D_.trace();
    const double begin = 0.01;  // few directions of the task are roots by accident
    Eigen::Vector3d best;
    double nearest = INFINITY;
    const auto consider = [&](double angle) {
      const Eigen::Vector2d w = along(angle);
      Eigen::Vector3d y;
      if (!rub(w, y)) return;
      if (w.dot(b_.tail<2>() + D_.bottomRows<2>() * y) > 1e-9 * size_) return;
      const double far = (y - x).norm();
      if (far < nearest) nearest = far, best = y;
    };
    double before = across(along(begin));
    for (int k = 1; k <= count; ++k) {
      const double angle = begin + k * turn, after = across(along(angle));
      if (std::abs(after) <= none)
        consider(angle);
      else if ((before < 0) != (after < 0))
        consider(root(angle - turn, angle, before));
      before = after;
    }
    if (nearest < INFINITY) x = best;
    return nearest < INFINITY;
  }

  double root(double low, double high, double at_low) const {
    for (int round = 0; round < 52; ++round) {
      const double middle = 0.5 * (low + high);
      ((across(along(middle)) < 0) == (at_low < 0) ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  Block D_;
  Eigen::Vector3d b_;
  double mu_, size_;
};

/// The force of one contact from those of the others. Where there is none, its normal force pushes
/// as if nothing rubbed: the others may yet change that, or the forces grow without end.
Eigen::Vector3d force_of(const ConeContact& c, const Eigen::MatrixXd& D, const Eigen::VectorXd& u,
                         const Eigen::VectorXd& x) {
  const int n = c.row;
  const Block block = D.block<3, 3>(n, n);
  Eigen::Vector3d y = x.segment<3>(n);
  Eigen::Vector3d b = u.segment<3>(n) - block * y;
  b(0) -= c.floor;
  const OneContact one(block, b, c.friction);
  if (c.slides ? one.rub(-c.direction, y) : one.solve(y)) return y;
  y(0) = std::max(0.0, y(0) - (u(n) - c.floor) / D(n, n));
  if (c.slides) y.tail<2>() = -c.friction * y(0) * c.direction;
  return y;
}

}  // namespace

ConeAnswer solve_cone_problem(const Eigen::MatrixXd& D, const Eigen::VectorXd& u0,
                              const std::vector<ConeContact>& contacts, Eigen::VectorXd& x) {
  constexpr int most_rounds = 20'000;
  if (contacts.empty()) return ConeAnswer::solved;
  const double largest = D.rows() > 0 ? D.diagonal().maxCoeff() : 0;
  double size = 0;  // of forces
  for (const ConeContact& c : contacts) {
    if (D(c.row, c.row) > 1e-12 * largest) {
      size = std::max(size, std::abs(u0(c.row) - c.floor) / D(c.row, c.row));
    } else if (u0(c.row) < c.floor - 1e-9 * (1 + std::abs(u0(c.row)))) {
      return ConeAnswer::immovable;
    }
  }
  size = std::max(size, 1e-300);
  Eigen::VectorXd u = u0 + D * x;
  for (int round = 0; round < most_rounds; ++round) {
    // Contacts that push each other to and fro settle with half of each change.
    const double share = round < 500 ? 1 : 0.5;
    double change = 0;
    for (const ConeContact& c : contacts) {
      const int n = c.row, count = c.friction > 0 ? 3 : 1;
      if (!(D(n, n) > 1e-12 * largest)) continue;
      Eigen::Vector3d step = Eigen::Vector3d::Zero();
      if (count == 3)
        step = share * (force_of(c, D, u, x) - x.segment<3>(n));
      else
        step(0) = share * (std::max(0.0, x(n) - (u(n) - c.floor) / D(n, n)) - x(n));
      x.segment(n, count) += step.head(count);
      u.noalias() += D.middleCols(n, count) * step.head(count);
      change = std::max(change, step.norm());
    }
    if (!x.allFinite()) return ConeAnswer::unsettled;
    u.noalias() = u0 + D * x;
    if (change <= 1e-15 * std::max(size, x.cwiseAbs().maxCoeff())) return ConeAnswer::solved;
    // It grows without end: jammed.
    if (x.cwiseAbs().maxCoeff() > 1e12 * size) return ConeAnswer::unsettled;
    // Where several contacts share a friction that nearly slips, the last digits come slowly, and
    // they decide nothing.
    const double enough = round > 5000 ? 1e-7 : round > 2000 ? 1e-9 : round > 20 ? 1e-14 : 0;
    if (change <= enough * size) return ConeAnswer::solved;
    if (round == most_rounds - 1 && !(change <= 1e-5 * size)) return ConeAnswer::unsettled;
  }
  return ConeAnswer::solved;
}

Eigen::MatrixXd solve_semidefinite(const Eigen::MatrixXd& D, const Eigen::MatrixXd& r) {
  if (D.rows() == 0) return r;
  const dense::SymmetricEigen parts = dense::eigen_symmetric(D);
  Eigen::VectorXd inverse = parts.values;
  const double least = 1e-11 * std::max(inverse.cwiseAbs().maxCoeff(), 1e-300);
  for (double& value : inverse) value = value > least ? 1 / value : 0;
  return parts.vectors * (inverse.asDiagonal() * (parts.vectors.transpose() * r));
}

}  // namespace ulna
