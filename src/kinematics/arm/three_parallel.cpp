#include "arm/three_parallel.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <utility>

#include "ulna/numerics/dense.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using V3 = Vector3<double>;
using Eigen::Matrix2d;
using Eigen::Vector2d;

/// n . (y turned about an axis by q) = constant + cosine cos q + sine sin q.
struct Turned {
  double constant, cosine, sine;
};

Turned turned_part(const V3& n, const V3& direction, const V3& arm) {
  const V3 along = direction.dot(arm) * direction;
  return {n.dot(along), n.dot(arm - along), n.dot(direction.cross(arm))};
}

struct PairOfAngles {
  double one, other;
};

/// A x = B y + k for points x and y of the unit circle, by a quartic in y.
std::vector<PairOfAngles> two_circles(const Matrix2d& A, const Matrix2d& B, const Vector2d& k) {
  const Matrix2d inverse = A.inverse();
  const Matrix2d H = inverse * B;
  const Vector2d g = inverse * k;
  const Matrix2d S = H.transpose() * H;
  const Vector2d linear = 2 * H.transpose() * g;
  std::vector<PairOfAngles> pairs;
  for (const double y :
       trigonometric_roots(g.squaredNorm() - 1 + (S(0, 0) + S(1, 1)) / 2, linear(0), linear(1),
                           (S(0, 0) - S(1, 1)) / 2, S(0, 1))) {
    const Vector2d x = g + H * Vector2d(std::cos(y), std::sin(y));
    pairs.push_back({std::atan2(x(1), x(0)), y});
  }
  return pairs;
}

/// How well a 2 x 2 matrix can be inverted: its determinant over the square of its size.
double roundness(const Matrix2d& A) {
  const double size = A.squaredNorm();
  return size > 1e-12 ? std::abs(A.determinant()) / size : 0;
}

/// The same where B has rank one, as where axes 5 and 6 meet: one equation in x alone, then one in
/// y.
std::vector<PairOfAngles> one_after_the_other(const Matrix2d& A, const Matrix2d& B,
                                              const Vector2d& k) {
  const Vector2d along = B.col(0).norm() > B.col(1).norm() ? B.col(0).normalized().eval()
                                                           : B.col(1).normalized().eval();
  const Vector2d across(-along(1), along(0));
  const Vector2d own = A.transpose() * across, other = B.transpose() * along;
  if (!(own.norm() > 1e-9)) return {};
  std::vector<PairOfAngles> pairs;
  for (const double x : trigonometric_roots(-across.dot(k), own(0), own(1), 0, 0)) {
    const double left = along.dot(A * Vector2d(std::cos(x), std::sin(x)) - k);
    for (const double y : trigonometric_roots(-left, other(0), other(1), 0, 0))
      pairs.push_back({x, y});
  }
  return pairs;
}

std::vector<PairOfAngles> swapped(std::vector<PairOfAngles> pairs) {
  for (PairOfAngles& pair : pairs) std::swap(pair.one, pair.other);
  return pairs;
}

std::vector<PairOfAngles> two_equations(const Matrix2d& A, const Matrix2d& B, const Vector2d& k) {
  constexpr double rank_one = 1e-5;  // what rounding of a robot file leaves
  if (B.norm() > rank_one && roundness(B) < rank_one) return one_after_the_other(A, B, k);
  if (A.norm() > rank_one && roundness(A) < rank_one) return swapped(one_after_the_other(B, A, -k));
  if (std::max(roundness(A), roundness(B)) < rank_one) return {};
  return roundness(A) >= roundness(B) ? two_circles(A, B, k) : swapped(two_circles(B, A, -k));
}

}  // namespace

std::vector<ThreeAngles> three_parallel_turns(const TurnAxis axes[3],
                                              const Pose<double>& displacement, double size) {
  const TurnAxis& first = axes[0];
  const V3 across = first.direction.unitOrthogonal();
  const double whole =
      angle_from_to({first.direction, V3::Zero()}, across, displacement.rotation * across);
  const V3& n = first.direction;
  if ((displacement.rotation * n - n).norm() > 1e-9) return {};
  // Axes may point against each other; the sum of turns about the first is what the pose has.
  const auto sense = [&](int k) { return axes[k].direction.dot(n) > 0 ? 1 : -1; };
  std::vector<ThreeAngles> all;
  // The third axis goes where the displacement takes it.
  for (const TwoAngles& pair :
       two_turns(first, axes[1], axes[2].point, displacement * axes[2].point, size))
    all.push_back(
        {{pair.first, pair.second, sense(2) * (whole - pair.first - sense(1) * pair.second)}});
  return all;
}

std::vector<SixAngles> turns_with_three_parallel(const TurnAxis axes[6],
                                                 const Pose<double>& displacement, double size) {
  const TurnAxis &one = axes[0], &five = axes[4], &six = axes[5];
  const V3& n = axes[1].direction;
  // What the parallel joints leave alone, of the direction and of a point of axis 6 (eq. 6):
  // n . E1^-1 D y = n . E5 y.
  Matrix2d A, B;
  Vector2d k;
  const auto equation = [&](int row, const V3& goal, const V3& own, double length, double fixed) {
    const Turned left = turned_part(n, one.direction, goal),
                 right = turned_part(n, five.direction, own);
    A.row(row) << left.cosine / length, -left.sine / length;
    B.row(row) << right.cosine / length, right.sine / length;
    k(row) = (right.constant - left.constant + fixed) / length;
  };
  equation(0, displacement.rotation * six.direction, six.direction, 1, 0);
  equation(1, displacement * six.point - one.point, six.point - five.point, size,
           n.dot(five.point - one.point));
  const std::vector<PairOfAngles> pairs = two_equations(A, B, k);
  std::vector<SixAngles> all;
  for (const PairOfAngles& pair : pairs) {
    const Pose<double> E1 = turned_in_order(&one, &pair.one, 1),
                       E5 = turned_in_order(&five, &pair.other, 1);
    // Axis 6 turns what the parallel axes' direction is seen as at the end.
    const double last = angle_from_to({six.direction, V3::Zero()},
                                      displacement.rotation.transpose() * (E1.rotation * n),
                                      E5.rotation.transpose() * n);
    const Pose<double> E6 = turned_in_order(&six, &last, 1);
    Pose<double> G = E1.inverse() * displacement * E6.inverse() * E5.inverse();
    // Rounding of the roots must not tilt the plane.
    G.rotation = turn_between(G.rotation * n, n) * G.rotation;
    G.position -= n.dot(G.position) * n;
    for (const ThreeAngles& plane : three_parallel_turns(axes + 1, G, size))
      all.push_back({pair.one, plane.angle[0], plane.angle[1], plane.angle[2], pair.other, last});
  }
  return all;
}

}  // namespace ulna
