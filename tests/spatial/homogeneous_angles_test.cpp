// Rates and accelerations of three turns, for every sequence.

#include "ulna/spatial/homogeneous_angles.hpp"

#include <gtest/gtest.h>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using Vector = Vector3<double>;

class EverySequence : public ::testing::TestWithParam<const char*> {
 protected:
  const char* sequence = GetParam();
  AngleMotion motion{{0.4, 0.9, -1.3}, {0.7, -0.5, 1.1}, {-0.2, 0.8, 0.3}};
  Vector angles(double t) const {
    return motion.angles + t * motion.rates + t * t / 2 * motion.accelerations;
  }
};

TEST_P(EverySequence, AngularVelocityAndAccelerationAreDerivativesOfTheRotation) {
  const double h = 1e-4;  // truncation h^2 and rounding eps/h^2 both about 1e-8
  const auto R = [&](double t) { return euler_rotation(sequence, angles(t)); };
  const Matrix3<double> W = (R(h) - R(-h)) / (2 * h) * R(0).transpose();
  const Matrix3<double> G = (R(h) - 2 * R(0) + R(-h)) / (h * h) * R(0).transpose();
  EXPECT_LT((angular_velocity(sequence, motion.angles, motion.rates) - vee(W)).norm(), 1e-7);
  EXPECT_LT(
      (angular_acceleration(sequence, motion.angles, motion.rates, motion.accelerations) - vee(G))
          .norm(),
      1e-6);
  const Vector point(1, 2, 3);
  const AccelerationMatrix<double> H = acceleration_from_angles(sequence, motion, point);
  EXPECT_LT((H.matrix.topLeftCorner<3, 3>() - G).norm(), 1e-6);
  EXPECT_LT(H.at(point).norm(), 1e-14);
  EXPECT_LT(velocity_from_angles(sequence, motion, point).at(point).norm(), 1e-14);
}

TEST_P(EverySequence, BothSolutionsGiveTheSameMotion) {
  const Vector point(0.1, -0.2, 0.3);
  const PositionMatrix<double> M = position_from_angles(sequence, motion.angles, point);
  const VelocityMatrix<double> W = velocity_from_angles(sequence, motion, point);
  const AccelerationMatrix<double> H = acceleration_from_angles(sequence, motion, point);
  const AngleMotions found = angle_motions(sequence, M, W, H);
  EXPECT_GT((found.first.angles - found.second.angles).norm(), 1);
  for (const AngleMotion& m : {found.first, found.second}) {
    EXPECT_LT((position_from_angles(sequence, m.angles, point).matrix - M.matrix).norm(), 1e-14);
    EXPECT_LT((velocity_from_angles(sequence, m, point).matrix - W.matrix).norm(), 1e-13);
    EXPECT_LT((acceleration_from_angles(sequence, m, point).matrix - H.matrix).norm(), 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(Angles, EverySequence,
                         ::testing::Values("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx",
                                           "yxy", "yzy", "zxz", "zyz", "XYZ", "ZXZ", "YXZ"));

TEST(HomogeneousAngles, RatesAreRefusedWhereTheOuterAxesCoincide) {
  EXPECT_THROW(angle_rates("zxz", {0.3, 0, 0.2}, {1, 2, 3}), ComputationError);
  EXPECT_THROW(angle_axes("xxy", Vector::Zero()), InputError);
}

}  // namespace
}  // namespace ulna
