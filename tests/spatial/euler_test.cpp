// All twelve Euler sequences, about moving and about fixed axes, there and back.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "support/near.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using std::numbers::pi;
using testing::epsilon;
using testing::largest;

const std::vector<std::string> sequences = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx",
                                            "yxy", "yzy", "zxz", "zyz", "XYZ", "XZY", "YXZ", "YZX",
                                            "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"};

bool proper(const std::string& sequence) { return sequence[0] == sequence[2]; }

TEST(Euler, LowerCaseTurnsAboutMovingAxesUpperCaseAboutFixedOnes) {
  const double a = 0.3, b = -1.1, c = 2.2;
  const Matrix3<double> R = rotation_z(a) * rotation_y(b) * rotation_x(c);
  EXPECT_LE(largest(euler_rotation("zyx", {a, b, c}) - R), 2 * epsilon);
  EXPECT_LE(largest(euler_rotation("XYZ", {c, b, a}) - R), 2 * epsilon);
  EXPECT_LE(
      largest(euler_rotation("zxz", {a, b, c}) - rotation_z(a) * rotation_x(b) * rotation_z(c)),
      2 * epsilon);
}

TEST(Euler, BothSolutionsGiveTheRotationAndOneGivesTheAngles) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> angle(-pi, pi);
  for (const auto& sequence : sequences) {
    for (int i = 0; i < 200; ++i) {
      const Vector3<double> given(angle(random), angle(random), angle(random));
      const Matrix3<double> R = euler_rotation(sequence, given);
      const EulerAngles found = euler_angles(sequence, R);
      EXPECT_FALSE(found.singular);
      EXPECT_LE(largest(euler_rotation(sequence, found.first) - R), 8 * epsilon) << sequence;
      EXPECT_LE(largest(euler_rotation(sequence, found.second) - R), 8 * epsilon) << sequence;
      const double distance = std::min((found.first - given).norm(), (found.second - given).norm());
      EXPECT_LE(distance, 16 * epsilon / found.separation) << sequence;
      const double middle = found.first(1);
      EXPECT_TRUE(proper(sequence) ? middle >= 0 : std::abs(middle) <= pi / 2) << sequence;
      EXPECT_LE(std::max(found.first.cwiseAbs().maxCoeff(), found.second.cwiseAbs().maxCoeff()),
                pi);
    }
  }
}

TEST(Euler, WhereTheOuterAxesCoincideTheLastAngleIsZeroAndTheRotationExact) {
  for (const auto& sequence : sequences) {
    const std::vector<double> middles =
        proper(sequence) ? std::vector<double>{0, pi, -pi} : std::vector<double>{pi / 2, -pi / 2};
    for (const double middle : middles) {
      const Matrix3<double> R = euler_rotation(sequence, {0.4, middle, 0.9});
      const EulerAngles found = euler_angles(sequence, R);
      EXPECT_TRUE(found.singular) << sequence;
      EXPECT_EQ(found.first(2), 0) << sequence;
      EXPECT_LE(largest(euler_rotation(sequence, found.first) - R), 16 * epsilon) << sequence;
      EXPECT_LE(largest(euler_rotation(sequence, found.second) - R), 16 * epsilon) << sequence;
    }
  }
}

TEST(Euler, CloseToTheSingularityTheRotationStaysExact) {
  for (const auto& sequence : sequences) {
    for (const double offset : {1e-15, 1e-14, 1e-12, 1e-9, 1e-6}) {
      const double middle = (proper(sequence) ? 0 : pi / 2) + offset;
      const Matrix3<double> R = euler_rotation(sequence, {0.4, middle, 0.9});
      const EulerAngles found = euler_angles(sequence, R);
      EXPECT_NEAR(found.separation, offset, 4 * epsilon);
      EXPECT_LE(largest(euler_rotation(sequence, found.first) - R), 24 * epsilon) << sequence;
      EXPECT_LE(largest(euler_rotation(sequence, found.second) - R), 24 * epsilon) << sequence;
    }
  }
}

TEST(Euler, OtherTextsAreRefused) {
  const Matrix3<double> R = Matrix3<double>::Identity();
  for (const char* text : {"", "zy", "zyxz", "zzx", "zxx", "zYx", "ZYx", "rpy", "321"}) {
    EXPECT_THROW(euler_rotation(text, {0, 0, 0}), InputError) << text;
    EXPECT_THROW(euler_angles(text, R), InputError) << text;
  }
}

}  // namespace
}  // namespace ulna
