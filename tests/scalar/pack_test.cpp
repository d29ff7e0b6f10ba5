#include "ulna/scalar/kernels/pack.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace ulna {
namespace {

template <class P>
class PackTest : public ::testing::Test {
 protected:
  static constexpr int N = P::size;

  std::vector<double> random_lanes(double low, double high) {
    std::uniform_real_distribution<double> uniform(low, high);
    std::vector<double> x(N);
    for (double& value : x) value = uniform(engine);
    return x;
  }

  // Lane by lane the very same number as `expected(x, y)`.
  template <class Expected>
  void expect_lanes(P got, const std::vector<double>& x, const std::vector<double>& y,
                    Expected expected) {
    for (int i = 0; i < N; ++i) {
      EXPECT_EQ(std::bit_cast<std::int64_t>(got[i]),
                std::bit_cast<std::int64_t>(double(expected(x[i], y[i]))))
          << "lane " << i << ": " << got[i];
    }
  }

  std::mt19937_64 engine{7};
};

using Packs = ::testing::Types<Pack<2>, Pack<4>, Pack<8>>;
TYPED_TEST_SUITE(PackTest, Packs);

TYPED_TEST(PackTest, IsAScalarWithoutComparisonAndPlainParameters) {
  static_assert(Scalar<TypeParam> && !Numeric<TypeParam>);
  static_assert(std::is_same_v<Parameter<TypeParam>, double>);
  static_assert(std::is_trivially_default_constructible_v<TypeParam>);
  static_assert(sizeof(TypeParam) == 8 * TypeParam::size);
}

TYPED_TEST(PackTest, ArithmeticIsThatOfDoubleInEveryLane) {
  const auto a = this->random_lanes(-3, 3), b = this->random_lanes(-3, 3);
  const auto x = TypeParam::load(a.data()), y = TypeParam::load(b.data());
  this->expect_lanes(x + y, a, b, [](double p, double q) { return p + q; });
  this->expect_lanes(x - y, a, b, [](double p, double q) { return p - q; });
  this->expect_lanes(x * y, a, b, [](double p, double q) { return p * q; });
  this->expect_lanes(x / y, a, b, [](double p, double q) { return p / q; });
  this->expect_lanes(-x, a, b, [](double p, double) { return -p; });
  this->expect_lanes(-(x - x), a, b, [](double, double) { return -0.0; });
  auto z = x;
  z += y;
  z *= x;
  z -= 1.5;
  z /= y;
  for (int i = 0; i < TypeParam::size; ++i) {  // the compiler may fuse one and not the other
    EXPECT_NEAR(z[i], ((a[i] + b[i]) * a[i] - 1.5) / b[i], 1e-14 * (1 + std::abs(z[i])));
  }
}

TYPED_TEST(PackTest, ADoubleStandsForAllLanes) {
  const auto a = this->random_lanes(0.5, 3);
  const auto x = TypeParam::load(a.data());
  this->expect_lanes(x + 2.5, a, a, [](double p, double) { return p + 2.5; });
  this->expect_lanes(2.5 - x, a, a, [](double p, double) { return 2.5 - p; });
  this->expect_lanes(3 * x, a, a, [](double p, double) { return 3 * p; });
  this->expect_lanes(1 / x, a, a, [](double p, double) { return 1 / p; });
  this->expect_lanes(TypeParam(-0.0), a, a, [](double, double) { return -0.0; });
  const double infinity = std::numeric_limits<double>::infinity();
  this->expect_lanes(TypeParam(infinity), a, a, [=](double, double) { return infinity; });
}

TYPED_TEST(PackTest, LoadsAndStoresNeedNoAlignment) {
  constexpr int size = TypeParam::size;
  for (int offset = 0; offset < 8; ++offset) {
    std::vector<double> from(size + 8), to(size + 8, -1);
    for (int i = 0; i < size + 8; ++i) from[i] = i;
    TypeParam::load(&from[offset]).store(&to[offset]);
    for (int i = 0; i < size + 8; ++i) {
      EXPECT_EQ(to[i], i >= offset && i < offset + size ? i : -1);
    }
  }
}

TYPED_TEST(PackTest, ALaneCanBeSet) {
  auto x = TypeParam(1.0);
  x.set(1, 5.0);
  for (int i = 0; i < TypeParam::size; ++i) EXPECT_EQ(x[i], i == 1 ? 5.0 : 1.0);
}

TYPED_TEST(PackTest, SelectTakesEachLaneByItsOwnCondition) {
  const auto a = this->random_lanes(-1, 1), b = this->random_lanes(-1, 1);
  const auto x = TypeParam::load(a.data()), y = TypeParam::load(b.data());
  this->expect_lanes(select(less(x, y), x, y), a, b,
                     [](double p, double q) { return p < q ? p : q; });
  this->expect_lanes(select(less(x, 0.0) & less(y, 0.0), 1.0, x), a, b,
                     [](double p, double q) { return p < 0 && q < 0 ? 1.0 : p; });
  this->expect_lanes(select(less(x, 0.0) | !less(y, 0.0), 1.0, x), a, b,
                     [](double p, double q) { return p < 0 || !(q < 0) ? 1.0 : p; });
}

TYPED_TEST(PackTest, ComparisonWithNanIsFalse) {
  const auto nan = TypeParam(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(any(less(nan, 1.0)));
  EXPECT_FALSE(any(less(1.0, nan)));
}

TYPED_TEST(PackTest, AnyAndAllLookAtEveryLane) {
  for (int lane = 0; lane < TypeParam::size; ++lane) {
    auto x = TypeParam(0.0);
    x.set(lane, -1.0);
    EXPECT_TRUE(any(less(x, 0.0)));
    EXPECT_FALSE(all(less(x, 0.0)));
    EXPECT_FALSE(all(less(-1.0, x)));
    for (int i = 0; i < TypeParam::size; ++i) EXPECT_EQ(less(x, 0.0)[i], i == lane);
  }
  EXPECT_TRUE(all(less(TypeParam(0.0), 1.0)));
  EXPECT_FALSE(any(less(TypeParam(0.0), 0.0)));
}

TYPED_TEST(PackTest, SquareRootIsCorrectlyRounded) {
  const auto a = this->random_lanes(0, 100);
  const auto x = TypeParam::load(a.data());
  this->expect_lanes(sqrt(x), a, a, [](double p, double) { return std::sqrt(p); });
}

TYPED_TEST(PackTest, SignAndAbsoluteValueAreThoseOfDouble) {
  auto a = this->random_lanes(-1, 1);
  a[0] = -0.0;
  const auto x = TypeParam::load(a.data());
  this->expect_lanes(sign(x), a, a, [](double p, double) { return sign(p); });
  this->expect_lanes(abs_value(x), a, a, [](double p, double) { return abs_value(p); });
}

TYPED_TEST(PackTest, SincosMayOverwriteItsAngle) {
  const auto a = this->random_lanes(-4, 4);
  auto x = TypeParam::load(a.data());
  TypeParam s, c, c_alone;
  sincos(x, s, c);
  for (int i = 0; i < TypeParam::size; ++i) {
    EXPECT_NEAR(s[i], std::sin(a[i]), 2.3e-16);
    EXPECT_NEAR(c[i], std::cos(a[i]), 2.3e-16);
  }
  sincos(x, x, c_alone);
  for (int i = 0; i < TypeParam::size; ++i) {
    EXPECT_EQ(x[i], s[i]);
    EXPECT_EQ(c_alone[i], c[i]);
  }
}

}  // namespace
}  // namespace ulna
