#include "loops/circles.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>

#include "ulna/numerics/dense.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using V = Vector3<double>;
constexpr double parallel = 1e-10;  ///< sine below which axes count as parallel

/// Feet of the common normal of two axes that are not parallel.
void common_normal(const TurnAxis& one, const TurnAxis& two, V& foot1, V& foot2) {
  const V d = two.point - one.point, n = one.direction.cross(two.direction);
  const double n2 = n.squaredNorm();
  foot1 = one.point + one.direction * (d.cross(two.direction).dot(n) / n2);
  foot2 = two.point + two.direction * (d.cross(one.direction).dot(n) / n2);
}

/// a0 + a1 cos q + b1 sin q = 0
std::vector<double> first_order_roots(double a0, double a1, double b1) {
  const double size = std::hypot(a1, b1);
  if (!(size > 0)) return {};
  double cosine = -a0 / size;
  if (std::abs(cosine) > 1 + 1e-9) return {};
  cosine = std::clamp(cosine, -1.0, 1.0);
  const double middle = std::atan2(b1, a1), half = std::acos(cosine);
  if (half == 0 || half == M_PI) return {std::remainder(middle + half, 2 * M_PI)};
  return {std::remainder(middle + half, 2 * M_PI), std::remainder(middle - half, 2 * M_PI)};
}

void keep_new(std::vector<double>& roots, double q) {
  for (double other : roots)
    if (std::abs(std::remainder(q - other, 2 * M_PI)) < 1e-7) return;
  roots.push_back(std::remainder(q, 2 * M_PI));
}

/// z on both circles: about axis 1 through `to`, about axis 2 through `from`.
std::vector<V> meeting_points(const TurnAxis& one, const TurnAxis& two, const V& from, const V& to,
                              double size) {
  const V &d1 = one.direction, &d2 = two.direction;
  const V n = d1.cross(d2);
  const double rounding = 1e-9 * size;
  if (n.norm() < parallel) {
    // Both circles in one plane across the axes.
    const V across = two.point - one.point;
    const V apart = across - across.dot(d1) * d1;
    const double distance = apart.norm();
    const V a = to - one.point, b = from - two.point;
    if (distance < rounding || std::abs((to - from).dot(d1)) > rounding) return {};
    const double r1 = (a - a.dot(d1) * d1).norm(), r2 = (b - b.dot(d1) * d1).norm();
    const double along = (r1 * r1 - r2 * r2 + distance * distance) / (2 * distance);
    double height2 = r1 * r1 - along * along;
    if (height2 < -1e-9 * size * size) return {};
    const double height = std::sqrt(std::max(height2, 0.0));
    const V x = apart / distance, y = d1.cross(x);
    const V centre = one.point + a.dot(d1) * d1 + along * x;
    if (height == 0) return {centre};
    return {centre + height * y, centre - height * y};
  }
  V o1, o2;
  common_normal(one, two, o1, o2);
  // Two planes give a line along n; on it, the sphere about o1.
  Matrix3<double> planes;
  planes << d1.transpose(), d2.transpose(), n.transpose();
  const V base = o1 + planes.inverse() * V(d1.dot(to - o1), d2.dot(from - o1), 0);
  const double r2 = (to - o1).squaredNorm();
  const V unit = n.normalized();
  const double along = unit.dot(base - o1);  // zero by construction, but for rounding
  const double height2 = r2 - ((base - o1) - along * unit).squaredNorm();
  if (height2 < -1e-9 * size * size) return {};
  const double height = std::sqrt(std::max(height2, 0.0));
  std::vector<V> points;
  const double reach = std::sqrt(1e-9) * size;
  for (const double sense : {1.0, -1.0}) {
    const V z = base + (sense * height - along) * unit;
    if (std::abs((z - o2).norm() - (from - o2).norm()) < reach) points.push_back(z);
    if (height == 0) break;
  }
  return points;
}

}  // namespace

V turned(const TurnAxis& axis, double angle, const V& p) {
  return axis.point + rotation_about<double>(axis.direction, angle) * (p - axis.point);
}

double angle_from_to(const TurnAxis& axis, const V& from, const V& to) {
  V a = from - axis.point, b = to - axis.point;
  a -= a.dot(axis.direction) * axis.direction;
  b -= b.dot(axis.direction) * axis.direction;
  return std::atan2(axis.direction.dot(a.cross(b)), a.dot(b));
}

std::vector<double> trigonometric_roots(double a0, double a1, double b1, double a2, double b2) {
  const double first = std::abs(a0) + std::hypot(a1, b1), second = std::hypot(a2, b2);
  if (second <= 1e-13 * first) return first_order_roots(a0, a1, b1);
  // With z = exp(i q) a polynomial of degree four, whose roots on the unit circle are wanted.
  using C = std::complex<double>;
  const C p4(a2 / 2, -b2 / 2), p3(a1 / 2, -b1 / 2);
  Eigen::Matrix4cd companion = Eigen::Matrix4cd::Zero();
  companion.bottomLeftCorner<3, 3>().setIdentity();
  companion.col(3) << -std::conj(p4) / p4, -std::conj(p3) / p4, -C(a0) / p4, -p3 / p4;
  const Eigen::VectorXcd z = dense::eigenvalues_complex(companion);
  const auto value = [&](double q) {
    return a0 + a1 * std::cos(q) + b1 * std::sin(q) + a2 * std::cos(2 * q) + b2 * std::sin(2 * q);
  };
  const auto slope = [&](double q) {
    return b1 * std::cos(q) - a1 * std::sin(q) + 2 * (b2 * std::cos(2 * q) - a2 * std::sin(2 * q));
  };
  std::vector<double> roots;
  for (const C& root : z) {
    if (std::abs(std::abs(root) - 1) > 1e-5) continue;
    double q = std::arg(root);
    for (int k = 0; k < 4; ++k) {  // polish; a double root has no slope
      const double s = slope(q);
      if (std::abs(s) < 1e-9 * (first + second)) break;
      const double step = value(q) / s;
      if (std::abs(step) > 1e-3) break;
      q -= step;
    }
    if (std::abs(value(q)) <= 1e-10 * (first + second)) keep_new(roots, q);
  }
  return roots;
}

std::vector<TwoAngles> two_turns(const TurnAxis& one, const TurnAxis& two, const V& from,
                                 const V& to, double size) {
  std::vector<TwoAngles> pairs;
  for (const V& z : meeting_points(one, two, from, to, size)) {
    const TwoAngles pair{angle_from_to(one, z, to), angle_from_to(two, from, z)};
    const V reached = turned(one, pair.first, turned(two, pair.second, from));
    if ((reached - to).norm() < 1e-8 * size) pairs.push_back(pair);
  }
  return pairs;
}

std::vector<ThreeAngles> three_turns(const TurnAxis axes[3], const V& from, const V& to,
                                     double size) {
  const TurnAxis &one = axes[0], &two = axes[1], &three = axes[2];
  const V &d1 = one.direction, &d2 = two.direction;
  const V n = d1.cross(d2);
  V o1 = one.point, o2 = two.point;
  const bool side_by_side = n.norm() < parallel;
  if (!side_by_side) common_normal(one, two, o1, o2);
  const V apart = o2 - o1;
  const bool meet = !side_by_side && apart.norm() < 1e-10 * size;
  // The condition on the point that the third joint hands on, as a function of its angle. Its
  // five coefficients follow from five values.
  Matrix3<double> rows;
  rows << d1.transpose(), d2.transpose(), apart.transpose();
  const Matrix3<double> solve =
      side_by_side || meet ? Matrix3<double>::Zero().eval() : Matrix3<double>(rows.inverse());
  const double R2 = (to - o1).squaredNorm();
  const auto condition = [&](double q3) -> double {
    const V c = turned(three, q3, from);
    if (side_by_side) return d1.dot(c - to) * size;
    const double r2 = (c - o2).squaredNorm();
    if (meet) return r2 - R2;
    // Two planes and the difference of the spheres place z; it must lie on the first sphere.
    const V z = solve * V(d1.dot(to - o1), d2.dot(c - o1), 0.5 * (R2 - r2 + apart.squaredNorm()));
    return z.squaredNorm() - R2;
  };
  double a[3] = {}, b[3] = {};
  constexpr int samples = 5;
  for (int k = 0; k < samples; ++k) {
    const double q = 2 * M_PI * k / samples, f = condition(q);
    a[0] += f / samples;
    for (int m = 1; m < 3; ++m) {
      a[m] += 2 * f * std::cos(m * q) / samples;
      b[m] += 2 * f * std::sin(m * q) / samples;
    }
  }
  if (side_by_side || meet) a[2] = b[2] = 0;
  std::vector<ThreeAngles> all;
  for (const double q3 : trigonometric_roots(a[0], a[1], b[1], a[2], b[2]))
    for (const TwoAngles& pair : two_turns(one, two, turned(three, q3, from), to, size))
      all.push_back({{pair.first, pair.second, q3}});
  return all;
}

std::vector<ThreeAngles> three_turns_to_rotation(const V& d1, const V& d2, const V& d3,
                                                 const Matrix3<double>& R) {
  // d1' Rot(d2, q2) d3 = d1' R d3, by Rodrigues' formula of first order in q2.
  const V carried = R * d3;
  const double fixed = d1.dot(d2) * d2.dot(d3);
  const double cosine = d1.dot(d3) - fixed, sine = d1.dot(d2.cross(d3));
  std::vector<ThreeAngles> all;
  for (const double q2 : first_order_roots(fixed - d1.dot(carried), cosine, sine)) {
    const V middle = rotation_about<double>(d2, q2) * d3;
    const double q1 = angle_from_to({d1, V::Zero()}, middle, carried);
    const Matrix3<double> rest =
        rotation_about<double>(d2, -q2) * rotation_about<double>(d1, -q1) * R;
    // What is left turns about d3 alone.
    const V across = d3.unitOrthogonal();
    all.push_back({{q1, q2, angle_from_to({d3, V::Zero()}, across, rest * across)}});
  }
  return all;
}

}  // namespace ulna
