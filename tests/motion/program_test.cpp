// Motion programs: end conditions, peaks, derivatives.

#include <gtest/gtest.h>

#include <cmath>

#include "support/near.hpp"
#include "ulna/motion/internal/boundary_polynomial.hpp"
#include "ulna/motion/internal/peaks.hpp"
#include "ulna/motion/program.hpp"
#include "ulna/motion/trapezoidal_jerk.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using testing::epsilon;

const double infinite = std::numeric_limits<double>::infinity();

/// y, y' and y'' against central differences of the derivative before; h^2 error and rounding.
void expect_consistent(const ScalarMotion& motion, double t, double scale) {
  const double h = 1e-5;
  const MotionValue y = motion.at(t), a = motion.at(t - h), b = motion.at(t + h);
  EXPECT_NEAR((b.value - a.value) / (2 * h), y.rate, 2e-8 * scale) << t;
  EXPECT_NEAR((b.rate - a.rate) / (2 * h), y.acceleration, 2e-7 * scale) << t;
  EXPECT_NEAR((b.acceleration - a.acceleration) / (2 * h), y.jerk, 2e-6 * scale) << t;
}

class Programs : public ::testing::TestWithParam<std::string> {};

TEST_P(Programs, LeadFromTheFirstValueToTheLastAndHoldThem) {
  const double from = 0.37, to = -1.9, T = 1.7, start = 0.3, rise = std::abs(to - from);
  const auto motion = program_named(GetParam(), from, to, T, start);
  const PeakFactors f = motion->peak_factors();
  // 1e-14 of the rise and of the peak of each derivative: some tens of roundings.
  EXPECT_NEAR(motion->at(start).value, from, 1e-14 * rise);
  EXPECT_NEAR(motion->at(start + T).value, to, 1e-14 * rise);
  if (f.continuity_class > 1) {
    EXPECT_NEAR(motion->at(start).rate, 0, 1e-14 * f.velocity * rise / T);
    EXPECT_NEAR(motion->at(start + T).rate, 0, 1e-14 * f.velocity * rise / T);
  }
  if (f.continuity_class > 2) {
    EXPECT_NEAR(motion->at(start).acceleration, 0, 1e-14 * f.acceleration * rise / (T * T));
    EXPECT_NEAR(motion->at(start + T).acceleration, 0, 1e-14 * f.acceleration * rise / (T * T));
  }
  if (f.continuity_class > 3) {
    EXPECT_NEAR(motion->at(start).jerk, 0, 1e-14 * f.jerk * rise / (T * T * T));
    EXPECT_NEAR(motion->at(start + T).jerk, 0, 1e-13 * f.jerk * rise / (T * T * T));
  }
  for (const double t : {-1.0, 0.0, start - 1e-9}) {
    EXPECT_EQ(motion->at(t).value, from);
    EXPECT_EQ(motion->at(t).rate, 0);
  }
  for (const double t : {start + T + 1e-9, 100.0}) {
    EXPECT_EQ(motion->at(t).value, to);
    EXPECT_EQ(motion->at(t).acceleration, 0);
  }
  EXPECT_EQ(motion->duration(), start + T);
}

TEST_P(Programs, AreSymmetric) {
  const auto s = program_named(GetParam(), 0, 1, 1);
  for (double x = 0.01; x < 0.5; x += 0.037) {
    const MotionValue a = s->at(x), b = s->at(1 - x);
    // 1 - x is rounded, which shifts each derivative by rounding times the next (at most 100).
    EXPECT_NEAR(a.value + b.value, 1, 4 * epsilon);
    EXPECT_NEAR(a.rate, b.rate, 100 * epsilon);
    EXPECT_NEAR(a.acceleration, -b.acceleration, 1000 * epsilon);
    EXPECT_NEAR(a.jerk, b.jerk, 10000 * epsilon);
  }
}

TEST_P(Programs, HaveConsistentDerivatives) {
  const auto motion = program_named(GetParam(), 1, 3, 2, -0.5);
  for (const double t : {-0.3, 0.02, 0.24, 0.7, 1.2, 1.4}) expect_consistent(*motion, t, 20);
}

TEST_P(Programs, HaveThePeaksTheyState) {
  const double rise = 3, T = 2;
  const auto motion = program_named(GetParam(), 1, 1 + rise, T);
  const PeakFactors f = motion->peak_factors();
  const MotionPeaks peaks = peaks_of(*motion, 0, T);
  // Peaks beside a jump are seen 1e-12 of the time inside it.
  EXPECT_NEAR(std::abs(peaks.rate.value), f.velocity * rise / T, 1e-11 * f.velocity);
  if (f.acceleration < infinite) {
    EXPECT_NEAR(std::abs(peaks.acceleration.value), f.acceleration * rise / (T * T),
                1e-11 * f.acceleration);
  }
  if (f.jerk < infinite) {
    EXPECT_NEAR(std::abs(peaks.jerk.value), f.jerk * rise / (T * T * T), 1e-10 * f.jerk);
  }
}

TEST_P(Programs, NameTheJumpsUpToTheAcceleration) {
  const auto motion = program_named(GetParam(), 0, 1, 2, 1);
  const std::vector<double> breaks = motion->breakpoints();
  ASSERT_GE(breaks.size(), 2u);
  EXPECT_EQ(breaks.front(), 1);
  EXPECT_EQ(breaks.back(), 3);
  for (double t = 1.001; t < 3; t += 0.01) {
    bool jump = false;
    for (const double b : breaks) jump = jump || std::abs(b - t) < 0.01;
    if (!jump) {
      EXPECT_NEAR(motion->at(t + 1e-6).acceleration, motion->at(t).acceleration, 1e-4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Programs, ::testing::ValuesIn(program_names()),
                         [](const auto& program) {
                           std::string name = program.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Program, PeakFactorsArePublished) {
  const auto factors = [](const char* name) {
    return program_named(name, 0, 1, 1)->peak_factors();
  };
  EXPECT_EQ(factors("constant-acceleration").velocity, 2);
  EXPECT_EQ(factors("poly345").velocity, 1.875);
  EXPECT_EQ(factors("poly4567").velocity, 2.1875);
  EXPECT_NEAR(factors("trapezoidal-jerk").velocity, 2.362, 5e-4);
  EXPECT_EQ(factors("constant-acceleration").acceleration, 4);
  EXPECT_NEAR(factors("poly345").acceleration, 5.7735, 5e-5);
  EXPECT_NEAR(factors("poly4567").acceleration, 7.5132, 5e-5);
  EXPECT_NEAR(factors("trapezoidal-jerk").acceleration, 9.404, 5e-4);
}

TEST(TrapezoidalJerk, LevelsForEighthsAndSevenths) {
  const TrapezoidalJerk eighths(0, 1, 1);
  EXPECT_NEAR(eighths.levels()[0], 43.886, 5e-4);
  EXPECT_NEAR(eighths.levels()[1], -58.514, 5e-4);
  EXPECT_NEAR(eighths.levels()[2], 43.886, 5e-4);
  const double n = 7;
  const TrapezoidalJerk sevenths(0, 1, 1, 0, {0, 1 / n, 2 / n, 3 / n, 4 / n, 5 / n, 6 / n, 1});
  EXPECT_NEAR(sevenths.levels()[0], 42.875, 1e-12);  // 7^3/8
  EXPECT_NEAR(sevenths.levels()[1], -85.75, 1e-12);
  EXPECT_NEAR(sevenths.levels()[2], 42.875, 1e-12);
  EXPECT_NEAR(sevenths.peak_factors().acceleration, 10.208, 5e-4);
}

TEST(TrapezoidalJerk, AnyFeasibleBreakTimesMeetAnyEndConditions) {
  unsigned seed = 7;
  const auto random = [&] { return (seed = seed * 1664525u + 1013904223u) / 4294967296.0; };
  for (int trial = 0; trial < 200; ++trial) {
    BreakTimes t{};
    double sum = -3;
    for (double& x : t) sum += 0.02 + random(), x = sum;
    const MotionValue begin{random(), random() - 0.5, random(), 0};
    const MotionValue end{2 + random(), random(), random() - 0.5, 0};
    const PiecewisePolynomial y = trapezoidal_jerk_between(begin, end, t);
    const MotionPeaks peaks = peaks_of(y, t.front(), t.back(), 50);
    const MotionValue a = y.at(t.front()), b = y.at(t.back());
    const double rise = peaks.highest.value - peaks.lowest.value;
    EXPECT_EQ(a.value, begin.value);
    EXPECT_EQ(a.acceleration, begin.acceleration);
    EXPECT_NEAR(b.value, end.value, 1e-14 * (rise + 3));
    EXPECT_NEAR(b.rate, end.rate, 2e-14 * std::abs(peaks.rate.value));
    EXPECT_NEAR(b.acceleration, end.acceleration, 2e-14 * std::abs(peaks.acceleration.value));
    EXPECT_NEAR(b.jerk, 0, 1e-13 * std::abs(peaks.jerk.value));
    EXPECT_EQ(y.breakpoints().size(), 2u) << "the acceleration is continuous";
  }
}

TEST(TrapezoidalJerk, RampsOfNoLengthAreJumpsOfTheJerk) {
  const TrapezoidalJerk motion(0, 2, 1, 0, {0, 0, 0.25, 0.25, 0.75, 0.75, 1, 1});
  // Levels 32, -32, 32: the acceleration is a zigzag of peak 8, the rate ends at 2 half way.
  for (const int k : {0, 1, 2}) {
    EXPECT_NEAR(motion.levels()[static_cast<std::size_t>(k)], k == 1 ? -32 : 32, 1e-12);
  }
  EXPECT_NEAR(motion.at(1).value, 2, 1e-14);
  EXPECT_NEAR(motion.at(0.5).rate, 4, 1e-13);
  EXPECT_EQ(motion.peak_factors().continuity_class, 3);
}

TEST(TrapezoidalJerk, RefusesBreakTimesThatCannotDo) {
  EXPECT_THROW(TrapezoidalJerk(0, 1, 1, 0, {0, 0.2, 0.1, 0.3, 0.5, 0.7, 0.8, 1}), InputError);
  EXPECT_THROW(TrapezoidalJerk(0, 1, 1, 0, {0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 2}), InputError);
  EXPECT_THROW(TrapezoidalJerk(0, 1, 1, 0, {0, 0, 0, 0, 0.5, 0.7, 0.8, 1}), InputError);
  EXPECT_THROW(TrapezoidalJerk(0, 1, 1, 0, {0, NAN, 0.2, 0.3, 0.5, 0.7, 0.8, 1}), InputError);
}

TEST(Program, BadInputIsRefused) {
  for (const double time : {0.0, -1.0, std::nan(""), infinite})
    EXPECT_THROW(program_named("poly345", 0, 1, time), InputError) << time;
  EXPECT_THROW(program_named("poly345", NAN, 1, 1), InputError);
  EXPECT_THROW(program_named("poly345", 0, 1, 1e-9, 1e12), InputError);
  try {
    program_named("poly354", 0, 1, 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("poly345"), std::string::npos) << error.what();
  }
}

TEST(BoundaryPolynomial, GivesTheNamedPolynomials) {
  const BoundaryPolynomial y({{1, 0, 2}, {1, 1, 0}, {1, 2, 0}, {3, 0, 5}, {3, 1, 0}, {3, 2, 0}});
  const auto law = program_named("poly345", 2, 5, 2, 1);
  EXPECT_EQ(y.degree(), 5);
  for (double t = 1; t <= 3; t += 0.1) {
    EXPECT_NEAR(y.at(t).value, law->at(t).value, 30 * epsilon);
    EXPECT_NEAR(y.at(t).rate, law->at(t).rate, 100 * epsilon);
    EXPECT_NEAR(y.at(t).acceleration, law->at(t).acceleration, 300 * epsilon);
    EXPECT_NEAR(y.at(t).jerk, law->at(t).jerk, 1000 * epsilon);
  }
}

TEST(BoundaryPolynomial, MeetsConditionsOfAnyOrderAtEndsAndBetween) {
  const std::vector<MotionCondition> conditions{
      {-1, 0, 0.5}, {-1, 1, 1},   {-1, 2, -3}, {-1, 3, 4},  {0.25, 0, 2}, {0.25, 1, -1},
      {2, 0, 1},    {2.5, 0, -1}, {2.5, 1, 0}, {2.5, 2, 0}, {2.5, 3, 0}};
  const BoundaryPolynomial y(conditions);
  const MotionPeaks peaks = peaks_of(y, -1, 2.5);
  for (const MotionCondition& c : conditions) {
    const MotionValue at = y.at(c.t);
    const double got[] = {at.value, at.rate, at.acceleration, at.jerk};
    const double scale[] = {peaks.highest.value - peaks.lowest.value, std::abs(peaks.rate.value),
                            std::abs(peaks.acceleration.value), std::abs(peaks.jerk.value)};
    EXPECT_NEAR(got[c.order], c.value, 1e-14 * scale[c.order]) << c.t << ' ' << c.order;
  }
  // Forms about different times are the same polynomial; between, they lose the digits of
  // degree 10.
  for (const double t : {-0.375, 1.125, 2.25})
    EXPECT_NEAR(y.at(t - 1e-12).value, y.at(t + 1e-12).value, 1e-10 * peaks.highest.value);
  expect_consistent(y, 0.9, 100);
}

TEST(BoundaryPolynomial, LeavesLowerOrdersFreeWhereAsked) {
  // y = t^2 (3 - t): acceleration 6 - 6 t. The rates at both ends are free.
  const BoundaryPolynomial y({{0, 0, 0}, {0, 2, 6}, {2, 0, 4}, {2, 2, -6}});
  for (double t = 0; t <= 2; t += 0.25) {
    EXPECT_NEAR(y.at(t).value, t * t * (3 - t), 50 * epsilon);
    EXPECT_NEAR(y.at(t).rate, 6 * t - 3 * t * t, 100 * epsilon);
  }
  // The rate of a parabola in the middle follows from its end values: given twice, or not at all.
  EXPECT_THROW(BoundaryPolynomial({{-1, 0, 0}, {0, 1, 0}, {1, 0, 1}}), InputError);
}

TEST(BoundaryPolynomial, BadInputIsRefused) {
  EXPECT_THROW(BoundaryPolynomial({}), InputError);
  EXPECT_THROW(BoundaryPolynomial({{0, 0, 1}}), InputError);
  EXPECT_THROW(BoundaryPolynomial({{0, 1, 1}, {1, 1, 0}}), InputError);
  EXPECT_THROW(BoundaryPolynomial({{0, 0, 1}, {0, 0, 2}, {1, 0, 1}}), InputError);
  EXPECT_THROW(BoundaryPolynomial({{0, 0, NAN}, {1, 0, 1}}), InputError);
  EXPECT_THROW(BoundaryPolynomial({{0, -1, 0}, {1, 0, 1}}), InputError);
}

}  // namespace
}  // namespace ulna
