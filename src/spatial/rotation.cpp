#include "ulna/spatial/rotation.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "ulna/numerics/error.hpp"

namespace ulna {

namespace {

using Vec3 = Vector3<double>;
using Mat3 = Matrix3<double>;

constexpr double pi = std::numbers::pi;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The length, without overflow or underflow of squares.
double length(const Vec3& v) { return std::hypot(v.x(), v.y(), v.z()); }

/// Axis times angle with the unit axis kept apart, so that nothing is squared before it is scaled.
AxisAngle split(const Vec3& w) {
  const double angle = length(w);
  if (angle == 0) return {};
  return {w / angle, angle};
}

}  // namespace

Quaternion<double> quaternion_from_rotation(const Mat3& R) {
  // Shepperd: find first the component that is largest (at least 1/2), so no division enlarges
  // errors.
  const double trace = R.trace();
  int largest = 0;  // 0: w, 1..3: x, y, z
  double best = trace;
  for (int i = 0; i < 3; ++i) {
    if (R(i, i) > best) {
      best = R(i, i);
      largest = i + 1;
    }
  }
  Quaternion<double> q;
  if (largest == 0) {
    q << 1 + trace, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1);
  } else {
    const int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q(0) = R(k, j) - R(j, k);
    q(1 + i) = 1 + R(i, i) - R(j, j) - R(k, k);
    q(1 + j) = R(j, i) + R(i, j);
    q(1 + k) = R(k, i) + R(i, k);
  }
  q /= q.norm();
  for (int i = 0; i < 4; ++i) {
    if (q(i) == 0) continue;
    if (q(i) < 0) q = -q;
    break;
  }
  return q;
}

Mat3 exp_rotation(const Vec3& w) {
  const auto [u, angle] = split(w);
  // cos + sin [u] + (1 - cos) u u': the rounding of |u| enters least in this form, and with half
  // angles 1 - cos keeps all its digits.
  const double s = std::sin(angle / 2), c = std::cos(angle / 2);
  const Mat3 R = (2 * s * s) * u * u.transpose() + (2 * s * c) * skew(u);
  return R + std::cos(angle) * Mat3::Identity();
}

Quaternion<double> exp_quaternion(const Vec3& w) {
  const auto [u, angle] = split(w);
  const Vec3 v = u * std::sin(angle / 2);
  return {std::cos(angle / 2), v.x(), v.y(), v.z()};
}

Vec3 log_quaternion(const Quaternion<double>& q) {
  const double sign = q(0) < 0 ? -1 : 1;
  const Vec3 v = q.tail<3>() * sign;
  const double s = length(v);
  if (s == 0) return Vec3::Zero();
  return v / s * (2 * std::atan2(s, sign * q(0)));
}

Vec3 log_rotation(const Mat3& R) { return log_quaternion(quaternion_from_rotation(R)); }

AxisAngle axis_angle_from_rotation(const Mat3& R) { return split(log_rotation(R)); }

Mat3 turn_between(const Vec3& from, const Vec3& to) {
  const Vec3 a = from / length(from), b = to / length(to);
  const double c = a.dot(b);
  if (!(c < 0)) {
    const Vec3 w = a.cross(b);
    return c * Mat3::Identity() + skew(w) + w * w.transpose() / (1 + c);
  }
  // Beyond a right angle: turn a onto -b about -n, then by half a turn about n = a x b. For nearly
  // opposite vectors a + b is exact, and so n = (a + b) x b keeps its digits.
  const Vec3 sum = a + b;
  Vec3 n = sum.cross(b);
  if (n.norm() <= 4 * epsilon * sum.norm()) {
    int k = 0;
    b.cwiseAbs().minCoeff(&k);
    n = Vec3::Unit(k);
  }
  n /= length(n);
  n -= b * b.dot(n);
  n /= length(n);
  return (2 * n * n.transpose() - Mat3::Identity()) * turn_between(a, -b);
}

Pose<double> exp_twist(const Vector6<double>& twist) {
  const Vec3 w = twist.head<3>(), v = twist.tail<3>();
  const auto [u, angle] = split(w);
  if (angle == 0) return Pose<double>::translation(v);
  // p = V v with V = 1 + (1 - cos a)/a [u] + (1 - sin a / a) [u][u]
  const double s = std::sin(angle / 2);
  const Vec3 uv = u.cross(v);
  const Vec3 p = v + (2 * s * (s / angle)) * uv + (1 - std::sin(angle) / angle) * u.cross(uv);
  return {exp_rotation(w), p};
}

Vector6<double> log_pose(const Pose<double>& X) {
  const Vec3 w = log_rotation(X.rotation), p = X.position;
  const auto [u, angle] = split(w);
  Vector6<double> twist;
  twist.head<3>() = w;
  twist.tail<3>() = p;
  if (angle == 0) return twist;
  // v = V^-1 p with V^-1 = 1 - a/2 [u] + (1 - (a/2) cot(a/2)) [u][u]; cot vanishes at a = pi.
  const double half = angle / 2;
  const Vec3 up = u.cross(p);
  twist.tail<3>() = p - half * up + (1 - half * std::cos(half) / std::sin(half)) * u.cross(up);
  return twist;
}

// Euler angles
// ---------------------------------------------------------------------------------------

namespace {

struct EulerSequence {
  std::array<int, 3> axis;  ///< 0, 1, 2 for x, y, z; in the order of the product of matrices
  bool fixed;               ///< letters and angles come in the reverse order of the product
};

EulerSequence parse_sequence(std::string_view letters) {
  constexpr std::string_view lower = "xyz", upper = "XYZ";
  const bool fixed = !letters.empty() && upper.find(letters[0]) != std::string_view::npos;
  EulerSequence sequence{{}, fixed};
  bool good = letters.size() == 3;
  for (std::size_t i = 0; good && i < 3; ++i) {
    const auto found = (fixed ? upper : lower).find(letters[i]);
    good = found != std::string_view::npos && (i == 0 || letters[i] != letters[i - 1]);
    if (good) sequence.axis[fixed ? 2 - i : i] = static_cast<int>(found);
  }
  if (!good)
    throw InputError(fmt::format("'{}' is not a sequence of Euler angles", letters),
                     "three of the letters x, y, z with no equal neighbours",
                     "\"zyx\" about moving axes or \"XYZ\" about fixed axes");
  return sequence;
}

Mat3 rotation_about_axis(int axis, double angle) {
  return axis == 0 ? rotation_x(angle) : axis == 1 ? rotation_y(angle) : rotation_z(angle);
}

/// The same angle in [-pi, pi], for a sum of two such angles.
double wrap(double angle) {
  return angle > pi ? angle - 2 * pi : angle < -pi ? angle + 2 * pi : angle;
}

double half_turn_from(double angle) { return angle > 0 ? angle - pi : angle + pi; }

}  // namespace

Mat3 euler_rotation(std::string_view sequence, const Vec3& angles) {
  const auto [axis, fixed] = parse_sequence(sequence);
  const Vec3 a = fixed ? Vec3(angles.reverse()) : angles;
  return rotation_about_axis(axis[0], a(0)) * rotation_about_axis(axis[1], a(1)) *
         rotation_about_axis(axis[2], a(2));
}

EulerAngles euler_angles(std::string_view sequence, const Mat3& R) {
  const auto [axis, fixed] = parse_sequence(sequence);
  const int i = axis[0], j = axis[1], k = 3 - i - j;
  const bool proper = axis[2] == i;
  const double e = j == (i + 1) % 3 ? 1 : -1;  // whether i, j, k is right-handed

  // R = R_i(a) R_j(b) R_l(c). Column l holds a and b alone.
  EulerAngles result;
  double a, b, c;
  if (proper) {  // column i is (cos b, sin a sin b, -e cos a sin b) along i, j, k
    result.separation = std::hypot(R(j, i), R(k, i));
    a = std::atan2(R(j, i), -e * R(k, i));
    b = std::atan2(result.separation, R(i, i));
  } else {  // column k is (e sin b, -e sin a cos b, cos a cos b) along i, j, k
    result.separation = std::hypot(R(j, k), R(k, k));
    a = std::atan2(-e * R(j, k), R(k, k));
    b = std::atan2(e * R(i, k), result.separation);
  }

  result.singular = result.separation < 16 * epsilon;
  if (result.singular && !fixed) {
    // With c = 0 column j is (0, cos a, e sin a).
    a = std::atan2(e * R(k, j), R(j, j));
    c = 0;
  } else {
    if (result.singular) a = 0;
    // Row j of R_i(-a) R = R_j(b) R_l(c) is that of R_l(c): c fits the a found, however poorly a is
    // known.
    const Eigen::RowVector3d row = std::cos(a) * R.row(j) + e * std::sin(a) * R.row(k);
    c = proper ? std::atan2(-e * row(k), row(j)) : std::atan2(e * row(i), row(j));
  }

  result.first << a, b, c;
  result.second << half_turn_from(a), proper ? -b : wrap(pi - b), half_turn_from(c);
  if (fixed) {
    result.first.reverseInPlace();
    result.second.reverseInPlace();
  }
  return result;
}

// Checks and repairs
// ---------------------------------------------------------------------------------

bool is_rotation(const Mat3& R, double tolerance) {
  const double error = (R.transpose() * R - Mat3::Identity()).cwiseAbs().maxCoeff();
  return R.allFinite() && error <= tolerance && R.determinant() > 0;
}

Mat3 nearest_rotation(const Mat3& matrix) {
  if (!matrix.allFinite())
    throw ComputationError("no nearest rotation: an entry of the matrix is not a finite number");
  const Eigen::JacobiSVD<Mat3> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vec3 sigma = svd.singularValues();
  const double sign = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
  // The nearest rotation is unique as long as the two smallest signed singular values do not
  // cancel.
  const double gap = sigma(1) + sign * sigma(2);
  if (!(gap > 8 * epsilon * sigma(0)))
    throw ComputationError("several rotations are equally near to the matrix", gap);
  return svd.matrixU() * Vec3(1, 1, sign).asDiagonal() * svd.matrixV().transpose();
}

}  // namespace ulna
