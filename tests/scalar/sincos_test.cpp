#include "ulna/scalar/kernels/sincos.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace ulna {
namespace {

using SincosAll = void (*)(int, const double*, double*, double*);

void sincos_2(int n, const double* x, double* s, double* c) { sincos_all<2>(n, x, s, c); }
void sincos_4(int n, const double* x, double* s, double* c) { sincos_all<4>(n, x, s, c); }
void sincos_8(int n, const double* x, double* s, double* c) { sincos_all<8>(n, x, s, c); }
#if defined(__x86_64__)
// The same with fused multiply-add, as in the kernels for newer machines.
[[gnu::target("avx2,fma")]] void sincos_fused(int n, const double* x, double* s, double* c) {
  sincos_all<4>(n, x, s, c);
}
#endif

struct Version {
  const char* name;
  SincosAll run;
};

std::vector<Version> versions() {
  std::vector<Version> all = {{"2", sincos_2}, {"4", sincos_4}, {"8", sincos_8}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    all.push_back({"fused", sincos_fused});
  }
#endif
  return all;
}

// |got - exact| in units of the last place of the exact value.
double ulps(double got, long double exact) {
  const double magnitude = std::abs(double(exact));
  const double ulp = std::nextafter(magnitude, std::numeric_limits<double>::infinity()) - magnitude;
  return double(std::abs(got - exact) / ulp);
}

// Against the 64-bit long double functions, whose own error is below 0.001 ulp of double. The
// documented bound is 1 ulp.
void expect_accurate(const std::vector<double>& angles) {
  const int n = int(angles.size());
  std::vector<long double> exact_sine(n), exact_cosine(n);
  for (int i = 0; i < n; ++i) {
    exact_sine[i] = sinl(angles[i]);
    exact_cosine[i] = cosl(angles[i]);
  }
  for (const Version& version : versions()) {
    std::vector<double> s(n), c(n);
    version.run(n, angles.data(), s.data(), c.data());
    double worst_sine = 0, worst_cosine = 0;
    for (int i = 0; i < n; ++i) {
      worst_sine = std::max(worst_sine, ulps(s[i], exact_sine[i]));
      worst_cosine = std::max(worst_cosine, ulps(c[i], exact_cosine[i]));
    }
    EXPECT_LT(worst_sine, 1.0) << "width " << version.name;
    EXPECT_LT(worst_cosine, 1.0) << "width " << version.name;
    ::testing::Test::RecordProperty(std::string("sine_ulp_") + version.name,
                                    std::to_string(worst_sine));
    ::testing::Test::RecordProperty(std::string("cosine_ulp_") + version.name,
                                    std::to_string(worst_cosine));
  }
}

TEST(Sincos, AccurateOverAFewTurns) {
  std::vector<double> angles;
  for (int i = -200000; i <= 200000; ++i) angles.push_back(i * 5.0000123e-5);
  expect_accurate(angles);
}

TEST(Sincos, AccurateInsideTheFirstOctant) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-0.8, 0.8);
  std::vector<double> angles(400000);
  for (double& x : angles) x = uniform(engine);
  expect_accurate(angles);
}

TEST(Sincos, AccurateUpToTheLargestAngle) {
  std::mt19937_64 engine(2);
  std::uniform_real_distribution<double> uniform(-sincos_largest, sincos_largest);
  std::vector<double> angles(400000);
  for (double& x : angles) x = uniform(engine);
  angles.push_back(sincos_largest);
  angles.push_back(-sincos_largest);
  expect_accurate(angles);
}

TEST(Sincos, AccurateForAnglesOfEverySize) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> exponent(-1070, 16.6), sign(-1, 1);
  std::vector<double> angles(200000);
  for (double& x : angles) x = std::copysign(std::exp2(exponent(engine)), sign(engine));
  expect_accurate(angles);
}

// The hard cases of the reduction: near every multiple of pi/2 (and pi/4, where the quadrant
// changes) that it may meet, the doubles nearest to it.
TEST(Sincos, AccurateNextToEveryMultipleOfAQuarterTurn) {
  const long double eighth_turn = 0.785398163397448309615660845819875721L;
  std::vector<double> angles;
  for (int k = 1; double(k * eighth_turn) < sincos_largest; ++k) {
    double x = double(k * eighth_turn);
    x = std::nextafter(std::nextafter(x, 0.0), 0.0);
    for (int i = 0; i < 5; ++i, x = std::nextafter(x, 1e6)) {
      angles.push_back(k % 2 == 0 ? x : -x);
    }
  }
  std::erase_if(angles, [](double x) { return std::abs(x) > sincos_largest; });
  expect_accurate(angles);
}

TEST(Sincos, SineIsOddAndCosineIsEvenToTheLastBit) {
  std::mt19937_64 engine(4);
  std::uniform_real_distribution<double> uniform(0, 20);
  for (int i = 0; i < 1000; ++i) {
    const double x = uniform(engine), both[2] = {x, -x};
    double s[2], c[2];
    sincos_all(2, both, s, c);
    EXPECT_EQ(s[0], -s[1]);
    EXPECT_EQ(c[0], c[1]);
  }
}

TEST(Sincos, ZeroKeepsItsSign) {
  const double zeros[4] = {0.0, -0.0, -0.0, 0.0};
  for (const Version& version : versions()) {
    double s[4], c[4];
    version.run(4, zeros, s, c);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(s[i], 0.0);
      EXPECT_EQ(std::signbit(s[i]), std::signbit(zeros[i]));
      EXPECT_EQ(c[i], 1.0);
    }
  }
}

TEST(Sincos, HugeAnglesAreThoseOfTheLibrary) {
  const double angles[] = {std::nextafter(sincos_largest, 1e6), -123456.789, 1e9, -1e22, 1e300};
  for (const Version& version : versions()) {
    for (int n = 1; n <= 5; ++n) {
      double s[5], c[5];
      version.run(n, angles, s, c);
      for (int i = 0; i < n; ++i) {
        EXPECT_EQ(s[i], std::sin(angles[i]));
        EXPECT_EQ(c[i], std::cos(angles[i]));
      }
    }
  }
}

TEST(Sincos, NothingFiniteComesFromInfinityOrNan) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double angles[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  for (const Version& version : versions()) {
    double s[3], c[3];
    version.run(3, angles, s, c);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(s[i]) && std::isnan(c[i]));
  }
}

TEST(Sincos, ABadLaneLeavesItsNeighboursAlone) {
  std::vector<double> angles(13);
  for (int i = 0; i < 13; ++i) angles[i] = 0.37 * i - 2;
  for (const Version& version : versions()) {
    std::vector<double> s(13), c(13), s_bad(13), c_bad(13);
    version.run(13, angles.data(), s.data(), c.data());
    for (int bad = 0; bad < 13; ++bad) {
      std::vector<double> with_bad = angles;
      with_bad[bad] = bad % 2 ? 1e8 : std::numeric_limits<double>::quiet_NaN();
      version.run(13, with_bad.data(), s_bad.data(), c_bad.data());
      for (int i = 0; i < 13; ++i) {
        if (i == bad) continue;
        EXPECT_EQ(s_bad[i], s[i]);
        EXPECT_EQ(c_bad[i], c[i]);
      }
    }
  }
}

// Arrays of exactly n numbers (so that a memory checker sees any stray access), for every n around
// the widths; the result of an angle does not depend on where it stands.
TEST(Sincos, AnyNumberOfAnglesAndNothingBeside) {
  for (const Version& version : versions()) {
    for (int n = 0; n <= 35; ++n) {
      const double untouched = 77;
      std::vector<double> angles(n), s(n + 2, untouched), c(n + 2, untouched);
      for (int i = 0; i < n; ++i) angles[i] = 0.9 * i - 7;
      version.run(n, angles.data(), s.data() + 1, c.data() + 1);
      EXPECT_EQ(s.front(), untouched);
      EXPECT_EQ(s.back(), untouched);
      EXPECT_EQ(c.front(), untouched);
      EXPECT_EQ(c.back(), untouched);
      for (int i = 0; i < n; ++i) {
        double alone_s, alone_c;
        version.run(1, &angles[i], &alone_s, &alone_c);
        EXPECT_EQ(s[i + 1], alone_s);
        EXPECT_EQ(c[i + 1], alone_c);
      }
    }
  }
}

}  // namespace
}  // namespace ulna
