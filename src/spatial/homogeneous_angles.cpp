#include "ulna/spatial/homogeneous_angles.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cctype>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

Matrix3<double> turn(char axis, double angle) {
  const int k = std::tolower(static_cast<unsigned char>(axis)) - 'x';
  return k == 0 ? rotation_x(angle) : k == 1 ? rotation_y(angle) : rotation_z(angle);
}

/// Turns about fixed axes are the turns about moved axes in the opposite order.
bool about_fixed_axes(std::string_view sequence) {
  return std::isupper(static_cast<unsigned char>(sequence.front())) != 0;
}

Vector3<double> solve(std::string_view sequence, const Matrix3<double>& A,
                      const Vector3<double>& right) {
  // |det A| is |sin| or |cos| of the middle angle; below 16 ulp of 1 as in euler_angles.
  const double separation = std::abs(A.determinant());
  if (!(separation > 16 * 2.3e-16))
    throw ComputationError(
        fmt::format("the first and last axis of the angles '{}' coincide here, so that their "
                    "rates are not determined; take another sequence",
                    sequence),
        separation);
  return dense::solve_lu<3>(A, right);
}

/// G of w and its rate.
Matrix3<double> spin(const Vector3<double>& w, const Vector3<double>& w_dot) {
  return skew(w_dot) + skew(w) * skew(w);
}

}  // namespace

Matrix3<double> angle_axes(std::string_view sequence, const Vector3<double>& angles) {
  euler_rotation(sequence, angles);  // refuses a wrong sequence
  const bool fixed = about_fixed_axes(sequence);
  Matrix3<double> A, before = Matrix3<double>::Identity();
  for (int i = 0; i < 3; ++i) {
    const int k = fixed ? 2 - i : i;
    const int axis = std::tolower(static_cast<unsigned char>(sequence[k])) - 'x';
    A.col(k) = before.col(axis);
    before = before * turn(sequence[k], angles(k));
  }
  return A;
}

Matrix3<double> angle_products(std::string_view sequence, const Vector3<double>& angles) {
  const Matrix3<double> A = angle_axes(sequence, angles);
  const double sense = about_fixed_axes(sequence) ? -1 : 1;  // the turn that carries comes first
  Matrix3<double> P;
  P << A.col(0).cross(A.col(1)), A.col(0).cross(A.col(2)), A.col(1).cross(A.col(2));
  return sense * P;
}

Vector3<double> angular_velocity(std::string_view sequence, const Vector3<double>& angles,
                                 const Vector3<double>& rates) {
  return angle_axes(sequence, angles) * rates;
}

namespace {

Vector3<double> from_rates_alone(std::string_view sequence, const Vector3<double>& angles,
                                 const Vector3<double>& rates) {
  const Vector3<double> products(rates(0) * rates(1), rates(0) * rates(2), rates(1) * rates(2));
  return angle_products(sequence, angles) * products;
}

}  // namespace

Vector3<double> angular_acceleration(std::string_view sequence, const Vector3<double>& angles,
                                     const Vector3<double>& rates,
                                     const Vector3<double>& accelerations) {
  return angle_axes(sequence, angles) * accelerations + from_rates_alone(sequence, angles, rates);
}

Vector3<double> angle_rates(std::string_view sequence, const Vector3<double>& angles,
                            const Vector3<double>& w) {
  return solve(sequence, angle_axes(sequence, angles), w);
}

Vector3<double> angle_accelerations(std::string_view sequence, const Vector3<double>& angles,
                                    const Vector3<double>& rates, const Vector3<double>& w_dot) {
  return solve(sequence, angle_axes(sequence, angles),
               w_dot - from_rates_alone(sequence, angles, rates));
}

PositionMatrix<double> position_from_angles(std::string_view sequence,
                                            const Vector3<double>& angles,
                                            const Vector3<double>& origin) {
  return PositionMatrix<double>(Pose<double>{euler_rotation(sequence, angles), origin});
}

VelocityMatrix<double> velocity_from_angles(std::string_view sequence, const AngleMotion& motion,
                                            const Vector3<double>& fixed_point) {
  const Vector3<double> w = angular_velocity(sequence, motion.angles, motion.rates);
  return VelocityMatrix<double>(Twist<double>{w, fixed_point.cross(w)});
}

AccelerationMatrix<double> acceleration_from_angles(std::string_view sequence,
                                                    const AngleMotion& motion,
                                                    const Vector3<double>& fixed_point) {
  const Matrix3<double> G =
      spin(angular_velocity(sequence, motion.angles, motion.rates),
           angular_acceleration(sequence, motion.angles, motion.rates, motion.accelerations));
  Matrix4<double> H = Matrix4<double>::Zero();
  H.topLeftCorner<3, 3>() = G;
  H.topRightCorner<3, 1>() = -G * fixed_point;
  return AccelerationMatrix<double>(H);
}

AngleMotions angle_motions(std::string_view sequence, const PositionMatrix<double>& M,
                           const VelocityMatrix<double>& W, const AccelerationMatrix<double>& H) {
  const EulerAngles angles = euler_angles(sequence, M.rotation());
  const auto complete = [&](const Vector3<double>& q) {
    const Vector3<double> rates = angle_rates(sequence, q, W.angular_velocity());
    return AngleMotion{q, rates, angle_accelerations(sequence, q, rates, H.angular_acceleration())};
  };
  return {complete(angles.first), complete(angles.second)};
}

}  // namespace ulna
