#include "cone_problem.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

/// Friction of one contact with the others as they are: inside its disc if that stops the motion,
/// else on its edge against the motion.
Eigen::Vector2d friction_of(const Eigen::Matrix2d& D, const Eigen::Vector2d& u,
                            const Eigen::Vector2d& x, double most) {
  const Eigen::Vector2d stops = x - D.inverse() * u;
  if (stops.allFinite() && stops.norm() <= most) return stops;
  if (most == 0) return Eigen::Vector2d::Zero();
  // Minimise x'Dx/2 + x'c over the disc: projected gradients, which contract by what D's two
  // eigenvalues differ.
  const Eigen::Vector2d c = u - D * x;
  const double size = D.trace();
  Eigen::Vector2d y = x.norm() > 0 ? Eigen::Vector2d(x * (most / x.norm())) : x;
  for (int round = 0; round < 50; ++round) {
    Eigen::Vector2d next = y - (D * y + c) / size;
    if (next.norm() > most) next *= most / next.norm();
    const double change = (next - y).norm();
    y = next;
    if (change <= 1e-16 * most) break;
  }
  return y;
}

}  // namespace

bool solve_cone_problem(const Eigen::MatrixXd& D, const Eigen::VectorXd& u0,
                        const std::vector<ConeContact>& contacts, Eigen::VectorXd& x) {
  constexpr int most_rounds = 20'000;
  const double largest = D.rows() > 0 ? D.diagonal().maxCoeff() : 0;
  double size = 0;  // of forces
  for (const ConeContact& c : contacts) {
    if (D(c.row, c.row) > 1e-12 * largest) {
      size = std::max(size, std::abs(u0(c.row) - c.floor) / D(c.row, c.row));
    } else if (u0(c.row) < c.floor - 1e-9 * (1 + std::abs(u0(c.row)))) {
      return false;
    }
  }
  for (int round = 0; round < most_rounds; ++round) {
    double change = 0;
    for (const ConeContact& c : contacts) {
      const int n = c.row;
      if (!(D(n, n) > 1e-12 * largest)) continue;
      const double before = x(n);
      x(n) = std::max(0.0, x(n) - (u0(n) + D.row(n).dot(x) - c.floor) / D(n, n));
      change = std::max(change, std::abs(x(n) - before));
      if (c.friction == 0) continue;
      const Eigen::Vector2d old = x.segment<2>(n + 1);
      x.segment<2>(n + 1) = c.slides
                                ? Eigen::Vector2d(-c.friction * x(n) * c.direction)
                                : friction_of(D.block<2, 2>(n + 1, n + 1),
                                              u0.segment<2>(n + 1) + D.middleRows<2>(n + 1) * x,
                                              old, c.friction * x(n));
      change = std::max(change, (x.segment<2>(n + 1) - old).norm());
    }
    if (!x.allFinite()) return false;
    size = std::max(size, 1e-300);
    if (change <= 1e-15 * std::max(size, x.cwiseAbs().maxCoeff())) return true;
    if (x.cwiseAbs().maxCoeff() > 1e12 * size) return false;  // it grows without end: jammed
    // Where several contacts share a friction that nearly slips, the last digits come slowly, and
    // they decide nothing.
    const double enough = round > 5000 ? 1e-7 : round > 2000 ? 1e-9 : 0;
    if (change <= enough * size) return true;
    if (round == most_rounds - 1) return change <= 1e-5 * size;
  }
  return true;
}

Eigen::MatrixXd solve_semidefinite(const Eigen::MatrixXd& D, const Eigen::MatrixXd& r) {
  if (D.rows() == 0) return r;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(D);
  Eigen::VectorXd inverse = parts.eigenvalues();
  const double least = 1e-11 * std::max(inverse.cwiseAbs().maxCoeff(), 1e-300);
  for (double& value : inverse) value = value > least ? 1 / value : 0;
  return parts.eigenvectors() * (inverse.asDiagonal() * (parts.eigenvectors().transpose() * r));
}

}  // namespace ulna
