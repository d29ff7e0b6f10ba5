// Splines and tables.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/near.hpp"
#include "ulna/motion/spline.hpp"
#include "ulna/motion/table_motion.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using ::testing::ElementsAre;
using testing::epsilon;
using ::testing::HasSubstr;

const std::vector<double> times{-1, -0.4, 0.1, 0.9, 1.2, 2.0, 2.3, 3};

std::vector<double> values_of(double (*f)(double)) {
  std::vector<double> y;
  for (const double t : times) y.push_back(f(t));
  return y;
}

/// Coefficients of derivative `order` of piece k at its begin or end.
double derivative(const PiecewisePolynomial& y, std::size_t k, bool end, int order) {
  const Eigen::VectorXd c = y.coefficients().col(static_cast<Eigen::Index>(k));
  const double x = end ? y.times()[k + 1] - y.times()[k] : 0;
  double sum = 0;
  for (Eigen::Index p = order; p < c.size(); ++p) {
    double falling = 1;
    for (int i = 0; i < order; ++i) falling *= static_cast<double>(p - i);
    sum += falling * c(p) * std::pow(x, static_cast<double>(p - order));
  }
  return sum;
}

TEST(Spline, NotAKnotReproducesPolynomialsOfItsDegree) {
  const auto cubic =
      cubic_spline(times, values_of([](double t) { return 2 - t + 3 * t * t - t * t * t; }),
                   SplineEnds::not_a_knot);
  const auto quintic = quintic_spline(
      times, values_of([](double t) { return 1 + t - t * t * t + std::pow(t, 5) / 4; }),
      SplineEnds::not_a_knot);
  for (double t = -1; t <= 3; t += 0.07) {
    EXPECT_NEAR(cubic.at(t).value, 2 - t + 3 * t * t - t * t * t, 1e-13);
    EXPECT_NEAR(cubic.at(t).acceleration, 6 - 6 * t, 1e-12);
    EXPECT_NEAR(quintic.at(t).value, 1 + t - t * t * t + std::pow(t, 5) / 4, 1e-12);
    EXPECT_NEAR(quintic.at(t).jerk, -6 + 15 * t * t, 1e-9);
  }
}

TEST(Spline, DerivativesAreContinuousAndEndConditionsHold) {
  std::vector<double> y = values_of([](double t) { return std::sin(2 * t) + t; });
  y.back() = y.front();  // so that all end conditions fit
  const SplineClamps clamps{0.3, -0.7, 1.1, 2.2};
  for (const bool quintic : {false, true}) {
    for (const SplineEnds ends :
         {SplineEnds::natural, SplineEnds::clamped, SplineEnds::periodic, SplineEnds::not_a_knot}) {
      const auto s =
          quintic ? quintic_spline(times, y, ends, clamps) : cubic_spline(times, y, ends, clamps);
      const int smooth = quintic ? 4 : 2;
      const std::size_t last = times.size() - 2;
      for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(s.at(times[k]).value, y[k], 1e-14);
      for (std::size_t k = 0; k < last; ++k)
        for (int order = 0; order <= smooth; ++order)
          EXPECT_NEAR(derivative(s, k, true, order), derivative(s, k + 1, false, order),
                      1e-13 * std::pow(40, order))
              << quintic << int(ends) << k << order;
      EXPECT_THAT(s.breakpoints(), ElementsAre(-1, 3));
      // Two roundings of derivative k cost up to (2/h)^k of the values, h = 0.3 at the least.
      const auto near = [](double a, double b, int order) {
        EXPECT_NEAR(a, b, 1e-13 * std::pow(40, order));
      };
      switch (ends) {
        case SplineEnds::natural:
          near(derivative(s, 0, false, quintic ? 3 : 2), 0, 3);
          near(derivative(s, last, true, quintic ? 3 : 2), 0, 3);
          if (quintic) near(derivative(s, 0, false, 4), 0, 4);
          break;
        case SplineEnds::clamped:
          near(s.at(-1).rate, 0.3, 1);
          near(s.at(3).rate, -0.7, 1);
          if (quintic) near(s.at(3).acceleration, 2.2, 2);
          break;
        case SplineEnds::periodic:
          for (int order = 1; order <= smooth; ++order)
            near(derivative(s, 0, false, order), derivative(s, last, true, order), order);
          break;
        case SplineEnds::not_a_knot:
          near(derivative(s, 0, true, smooth + 1), derivative(s, 1, false, smooth + 1), smooth + 1);
          break;
      }
    }
  }
}

TEST(Spline, ErrorFallsWithTheFourthAndSixthPower) {
  double error[2][2];
  for (const int fine : {0, 1}) {
    std::vector<double> t, y;
    for (int k = 0; k <= (fine ? 40 : 20); ++k) {
      t.push_back(k * (fine ? 0.1 : 0.2));
      y.push_back(std::sin(t.back()));
    }
    const auto c = cubic_spline(t, y, SplineEnds::not_a_knot);
    const auto q = quintic_spline(t, y, SplineEnds::not_a_knot);
    error[0][fine] = error[1][fine] = 0;
    for (double x = 1; x < 3; x += 0.013) {
      error[0][fine] = std::max(error[0][fine], std::abs(c.at(x).value - std::sin(x)));
      error[1][fine] = std::max(error[1][fine], std::abs(q.at(x).value - std::sin(x)));
    }
  }
  EXPECT_NEAR(std::log2(error[0][0] / error[0][1]), 4, 0.3);
  EXPECT_NEAR(std::log2(error[1][0] / error[1][1]), 6, 0.5);
}

TEST(Spline, ManyPointsAreNoMatter) {
  std::vector<double> t, y;
  for (int k = 0; k <= 20000; ++k) t.push_back(k * 1e-3), y.push_back(std::sin(t.back()));
  EXPECT_NEAR(quintic_spline(t, y, SplineEnds::natural).at(10.0005).value, std::sin(10.0005),
              1e-14);
}

TEST(Spline, BadInputIsRefused) {
  EXPECT_THROW(cubic_spline({0}, {1}, SplineEnds::natural), InputError);
  EXPECT_THROW(cubic_spline({0, 1, 2}, {1, 2, 3}, SplineEnds::not_a_knot), InputError);
  EXPECT_THROW(quintic_spline({0, 1}, {1, 2}, SplineEnds::natural), InputError);
  EXPECT_THROW(cubic_spline({0, 1, 1}, {1, 2, 3}, SplineEnds::natural), InputError);
  EXPECT_THROW(cubic_spline({0, 1, 2}, {1, 2}, SplineEnds::natural), InputError);
  EXPECT_THROW(cubic_spline({0, 1, 2}, {1, NAN, 2}, SplineEnds::natural), InputError);
  EXPECT_THROW(cubic_spline({0, 1, 2}, {1, 5, 2}, SplineEnds::periodic), InputError);
  EXPECT_THROW(spline_ends_named("not a knot"), InputError);
}

TEST(TableMotion, WhatTheTableGivesIsUsedAsGiven) {
  const MotionTable table{{0, 1, 3}, {0, 2, 1}, {1, -1, 0.5}, {4, 0, -2}};
  const PiecewisePolynomial y = table_motion(table);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(y.at(table.t[k]).value, table.q[k], 20 * epsilon);
    EXPECT_NEAR(y.at(table.t[k]).rate, table.v[k], 50 * epsilon);
    EXPECT_NEAR(y.at(table.t[k]).acceleration, table.a[k], 200 * epsilon);
  }
  EXPECT_THAT(y.breakpoints(), ElementsAre(0, 3));

  const PiecewisePolynomial hermite =
      table_motion({table.t, table.q, table.v, {}}, Interpolation::cubic);
  EXPECT_NEAR(hermite.at(1).rate, -1, 10 * epsilon);
  EXPECT_THAT(hermite.breakpoints(), ElementsAre(0, 1, 3)) << "its acceleration jumps";

  const PiecewisePolynomial linear =
      table_motion({table.t, table.q, {}, {}}, Interpolation::linear);
  EXPECT_EQ(linear.at(2).value, 1.5);
  EXPECT_EQ(linear.at(0.5).rate, 2);
  EXPECT_EQ(linear.at(0.5).acceleration, 0);
  EXPECT_THAT(linear.breakpoints(), ElementsAre(0, 1, 3));
}

TEST(TableMotion, BadTablesNameTheRow) {
  const auto error = [](const MotionTable& table, Interpolation how) -> std::string {
    try {
      table_motion(table, how);
    } catch (const InputError& found) {
      return found.what();
    }
    return "no error";
  };
  const auto linear = Interpolation::linear;
  EXPECT_THAT(error({{0, 1, 1}, {1, 2, 3}, {}, {}}, linear), HasSubstr("row 3"));
  EXPECT_THAT(error({{0, 1, 2}, {1, NAN, 3}, {}, {}}, linear), HasSubstr("row 2, column q"));
  EXPECT_THAT(error({{0, 1, 2}, {1, 2}, {}, {}}, linear), HasSubstr("column q has 2 rows"));
  EXPECT_THAT(error({{0}, {1}, {}, {}}, linear), HasSubstr("1 rows"));
  EXPECT_THAT(error({{0, 1}, {1, 2}, {0, 0}, {}}, linear), HasSubstr("rates"));
  EXPECT_THAT(error({{0, 1}, {1, 2}, {0, 0}, {}}, Interpolation::quintic), HasSubstr("both"));
  EXPECT_THROW(interpolation_named("qubic"), InputError);
}

}  // namespace
}  // namespace ulna
