#include "ulna/scalar/dual.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

namespace ulna {
namespace {

static_assert(Numeric<double> && Numeric<Dual<1>> && Numeric<Dual<7>>);
static_assert(!Scalar<int> && !Scalar<float>);
static_assert(std::is_trivially_copyable_v<Dual<3>>);
static_assert(std::is_same_v<Parameter<Dual<3>>, Dual<3>>);

using D = Dual<2>;

const double x0 = 0.7, y0 = -1.3;
const D x = D::variable(x0, 0), y = D::variable(y0, 1);

// A few roundings of numbers of order 1 to 10.
const double rounding = 16 * std::numeric_limits<double>::epsilon();

void expect_dual(const D& f, double value, double f_x, double f_y) {
  EXPECT_NEAR(f.value, value, rounding * (1 + std::abs(value)));
  EXPECT_NEAR(f.d[0], f_x, rounding * (1 + std::abs(f_x)));
  EXPECT_NEAR(f.d[1], f_y, rounding * (1 + std::abs(f_y)));
}

TEST(Dual, ArithmeticFollowsTheRulesOfDifferentiation) {
  expect_dual(x + y, x0 + y0, 1, 1);
  expect_dual(x - y, x0 - y0, 1, -1);
  expect_dual(x * y, x0 * y0, y0, x0);
  expect_dual(x / y, x0 / y0, 1 / y0, -x0 / (y0 * y0));
  expect_dual(-x, -x0, -1, 0);
  expect_dual(+y, y0, 0, 1);
}

TEST(Dual, ANumberIsAConstant) {
  expect_dual(D(3), 3, 0, 0);
  expect_dual(x + 3.0, x0 + 3, 1, 0);
  expect_dual(3.0 + x, x0 + 3, 1, 0);
  expect_dual(x - 3.0, x0 - 3, 1, 0);
  expect_dual(3 - x, 3 - x0, -1, 0);
  expect_dual(3.0 * y, 3 * y0, 0, 3);
  expect_dual(y * 3, 3 * y0, 0, 3);
  expect_dual(y / 4.0, y0 / 4, 0, 0.25);
  expect_dual(4.0 / y, 4 / y0, 0, -4 / (y0 * y0));
}

TEST(Dual, CompoundAssignmentIsTheOperatorInPlace) {
  D f = x;
  f += y;
  f -= 2.0;
  f *= x;
  f /= y;
  f += 1.0;
  f *= 2.0;
  f /= 4.0;
  f -= x;
  // ((x + y - 2) x / y + 1) / 2 - x
  expect_dual(f, ((x0 + y0 - 2) * x0 / y0 + 1) / 2 - x0, (2 * x0 + y0 - 2) / (2 * y0) - 1,
              -(x0 * x0 - 2 * x0) / (2 * y0 * y0));

  D square = x;
  square *= square;
  expect_dual(square, x0 * x0, 2 * x0, 0);
}

TEST(Dual, ElementaryFunctionsHaveTheirDerivatives) {
  expect_dual(sin(x), std::sin(x0), std::cos(x0), 0);
  expect_dual(cos(x), std::cos(x0), -std::sin(x0), 0);
  expect_dual(tan(x), std::tan(x0), 1 / (std::cos(x0) * std::cos(x0)), 0);
  expect_dual(exp(y), std::exp(y0), 0, std::exp(y0));
  expect_dual(log(x), std::log(x0), 1 / x0, 0);
  expect_dual(sqrt(x), std::sqrt(x0), 0.5 / std::sqrt(x0), 0);
  expect_dual(pow(x, 2.5), std::pow(x0, 2.5), 2.5 * std::pow(x0, 1.5), 0);
  const double squares = x0 * x0 + y0 * y0;
  expect_dual(atan2(y, x), std::atan2(y0, x0), -y0 / squares, x0 / squares);
}

TEST(Dual, SincosGivesBothAndMayOverwriteItsAngle) {
  D s, c;
  sincos(x * y, s, c);
  expect_dual(s, std::sin(x0 * y0), y0 * std::cos(x0 * y0), x0 * std::cos(x0 * y0));
  expect_dual(c, std::cos(x0 * y0), -y0 * std::sin(x0 * y0), -x0 * std::sin(x0 * y0));
  D angle = x;
  sincos(angle, angle, c);
  expect_dual(angle, std::sin(x0), std::cos(x0), 0);
  expect_dual(c, std::cos(x0), -std::sin(x0), 0);
}

TEST(Dual, ComparisonLooksAtTheValueOnly) {
  EXPECT_TRUE(x == D(x0));
  EXPECT_TRUE(x != y);
  EXPECT_TRUE(y < x);
  EXPECT_TRUE(x > 0.5);
  EXPECT_TRUE(x <= x0 && x >= x0);
  EXPECT_TRUE(less(y, x));
  EXPECT_FALSE(less(x, D(x0)));
  EXPECT_EQ(value_of(x), x0);
}

TEST(Dual, ABranchCarriesItsOwnDerivative) {
  expect_dual(select(less(y, 0.0), x * y, x), x0 * y0, y0, x0);
  expect_dual(select(less(0.0, y), x * y, x), x0, 1, 0);
  expect_dual(abs_value(y), -y0, 0, -1);
  expect_dual(abs_value(x), x0, 1, 0);
  expect_dual(sign(y), -1, 0, 0);
  expect_dual(sign(x * 0.0), 0, 0, 0);
}

TEST(Scalar, SignOfADouble) {
  EXPECT_EQ(sign(-2.0), -1);
  EXPECT_EQ(sign(0.0), 0);
  EXPECT_EQ(sign(-0.0), 0);
  EXPECT_EQ(sign(1e-300), 1);
  EXPECT_FALSE(std::signbit(abs_value(-0.0)));
}

// A product with a matrix of plain numbers, and the classical d(A^-1) = -A^-1 dA A^-1.
TEST(Dual, LivesInEigenMatrices) {
  Eigen::Matrix3d A;
  A << 4, 1, 0, 1, 3, -1, 0, -1, 2;
  Eigen::Matrix3d dA;
  dA << 0.5, 0, 1, 0, -2, 0, 1, 0, 0.25;
  const Eigen::Vector3d b(1, -2, 0.5);
  Eigen::Matrix<Dual<1>, 3, 3> A_dual;
  for (int i = 0; i < 9; ++i) {
    A_dual(i) = A(i);
    A_dual(i).d[0] = dA(i);
  }
  const Eigen::Matrix<Dual<1>, 3, 1> image = A_dual * b;
  const Eigen::Matrix<Dual<1>, 3, 1> scaled = 2.0 * image + image * 0.5;
  const Eigen::Matrix<Dual<1>, 3, 1> solution = A_dual.partialPivLu().solve(image.cast<Dual<1>>());
  const Eigen::Matrix<Dual<1>, 3, 1> of_constant = A_dual.inverse() * b.cast<Dual<1>>();
  const Eigen::Vector3d x_constant = A.inverse() * b;
  const Eigen::Vector3d dx = -A.inverse() * dA * x_constant;
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(scaled(i).value, 2.5 * (A * b)(i), rounding * 10);
    EXPECT_NEAR(scaled(i).d[0], 2.5 * (dA * b)(i), rounding * 10);
    // A^-1 (A b) = b whatever A is.
    EXPECT_NEAR(solution(i).value, b(i), rounding);
    EXPECT_NEAR(solution(i).d[0], 0, rounding);
    EXPECT_NEAR(of_constant(i).value, x_constant(i), rounding);
    EXPECT_NEAR(of_constant(i).d[0], dx(i), rounding);
  }
  EXPECT_NEAR(image.norm().value, (A * b).norm(), rounding * 10);
  EXPECT_NEAR(image.norm().d[0], (A * b).dot(dA * b) / (A * b).norm(), rounding * 10);
}

}  // namespace
}  // namespace ulna
