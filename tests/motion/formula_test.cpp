// Formulas: values, exact derivatives, corners, and every way to write one wrongly.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/near.hpp"
#include "ulna/model/internal/quantity.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/motion/kernels/cycloidal.hpp"
#include "ulna/motion/program.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using ::testing::ElementsAre;
using testing::epsilon;
using ::testing::HasSubstr;

double value(const std::string& text) { return constant_formula(text); }

std::string error_of(const std::string& text) {
  try {
    Formula ignored(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Formula, BindsAsInBooks) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("16/4/2"), 2);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value(" 1.5e1 + .5 "), 15.5);
  EXPECT_EQ(value("pi"), M_PI);
  EXPECT_EQ(value("180*deg"), M_PI);
  EXPECT_EQ(value("min(3, 2) + max(3, 2)"), 5);
  EXPECT_EQ(value("atan2(1, -1)"), std::atan2(1, -1));
  EXPECT_EQ(value("abs(-2) + sign(-3) + step(0) + step(-1)"), 2);
  EXPECT_EQ(constant_formula("2*length", {{"length", 1.5}}), 3);
}

// Numbers without a unit may stand for anything: only what is certainly wrong is refused.
TEST(Formula, UnitsOfTheWrongKindAreRefused) {
  const auto refusal = [](const char* text, const Quantity& expected) -> std::string {
    try {
      VariableFormula(text).require(expected);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  for (const char* angle : {"30 deg", "30 deg*sin(2*t)", "1 + 30 deg", "-(30 deg - 1 rad)/cos(t)",
                            "30 deg*t", "max(10 deg, 5 deg*t)", "2*pi*t", "abs(30 deg)"})
    EXPECT_EQ(refusal(angle, quantity::angle), "") << angle;
  for (const char* torque :
       {"5 Nm*sin(t)", "-40*(q.a - 30 deg)", "3 N*2 m", "sin(30 deg)", "5 kNm/sqrt(2)"})
    EXPECT_EQ(refusal(torque, quantity::torque), "") << torque;
  for (const char* text : {"25 mm", "25 mm*sin(t)", "5 N", "sin(t)*5 Nm", "abs(1 s)"})
    EXPECT_THAT(refusal(text, quantity::angle), HasSubstr("has the wrong unit")) << text;
  EXPECT_THAT(refusal("5 deg*sin(t) + 0.1", quantity::torque), HasSubstr("a torque, such as"));
  EXPECT_THAT(refusal("5 N*sin(t)", quantity::torque), HasSubstr("has the wrong unit"));
  EXPECT_THAT(error_of("30 deg + 25 mm"), HasSubstr("numbers of different kinds are added"));
  EXPECT_THAT(error_of("min(3 s, 2 m)"), HasSubstr("numbers of different kinds are added"));
}

TEST(Formula, UnitsAreCheckedInProductsWithTime) {
  const auto refusal = [](const char* text, const Quantity& expected) -> std::string {
    try {
      Formula(text).require(expected);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  // t may be seconds or their number: both rates are angles in time.
  for (const char* text : {"3 deg/s*t", "3 deg*t", "30 deg*t^2 + 5 deg/s*t", "2 rad/s^2*t^2/2",
                           "3*t", "t*2 deg/s", "1 deg + t"})
    EXPECT_EQ(refusal(text, quantity::angle), "") << text;
  for (const char* text : {"3 kg*t", "25 mm*t", "25 mm/s*t", "t*2 N", "3 kg*t^2"})
    EXPECT_THAT(refusal(text, quantity::angle), HasSubstr("has the wrong unit")) << text;
  EXPECT_EQ(refusal("20 N/s*t + 5 N", quantity::force), "");
  EXPECT_EQ(refusal("2 N*m*sin(3*t) - 1 kg*m^2/s^2", quantity::torque), "");
  EXPECT_NEAR(Formula("90 deg/s*t").at(2).value, M_PI, 1e-15);
  EXPECT_NEAR(Formula("3 N*m/rad*t").at(2).value, 6, 1e-15);
  EXPECT_NEAR(Formula("36 km/h*t").at(1).value, 10, 1e-12);
}

TEST(Formula, NumbersMayHaveAUnit) {
  EXPECT_NEAR(value("30 deg"), M_PI / 6, epsilon);
  EXPECT_NEAR(value("90deg - 30 deg"), M_PI / 3, 2 * epsilon);
  EXPECT_NEAR(value("2*(25 mm + 0.5 cm)"), 0.06, epsilon);
  EXPECT_NEAR(Formula("10 deg*sin(2*t)").at(0).rate, M_PI / 9, epsilon);
  // What means something else keeps its meaning: t is the time, and constants are the user's own.
  EXPECT_THAT(error_of("2 t"), HasSubstr("'t' was not expected"));
  EXPECT_EQ(Formula("2*m", {{"m", 3}}).at(0).value, 6);
  EXPECT_THAT(error_of("2 mm^2"), HasSubstr("was not expected"));
  EXPECT_THAT(error_of("5 N m"), HasSubstr("was not expected"));
}

TEST(Formula, TheMotionOfNieIsACycloid) {
  const Formula q2("pi/2 - (pi/6)*cycloid(t/2)");
  const Cycloidal program(M_PI / 2, M_PI / 2 - M_PI / 6, 2);
  for (double t = -0.5; t < 2.5; t += 0.05) {
    const MotionValue a = q2.at(t), b = program.at(t);
    EXPECT_NEAR(a.value, b.value, 4 * epsilon);
    EXPECT_NEAR(a.rate, b.rate, 4 * epsilon);
    EXPECT_NEAR(a.acceleration, b.acceleration, 8 * epsilon);
    EXPECT_NEAR(a.jerk, b.jerk, 32 * epsilon);
  }
  EXPECT_THAT(q2.breakpoints(), ElementsAre(0, 2));
}

/// Each function and operator against central differences of the derivative before it.
TEST(Formula, DerivativesAreExact) {
  for (const char* text : {"sin(2*t)",
                           "cos(t^2)",
                           "tan(t/3)",
                           "asin(t/5)",
                           "acos(t/4)",
                           "atan(3*t)",
                           "sinh(t)",
                           "cosh(t)",
                           "tanh(2*t)",
                           "sqrt(1 + t)",
                           "exp(-t)",
                           "log(2 + t)",
                           "abs(t - 5)*t",
                           "atan2(sin(t), 2 + t)",
                           "min(t^3, t^2)",
                           "max(t^3, t^2)",
                           "cycloid(t/3)",
                           "harmonic(t/3)",
                           "poly345(t/3)",
                           "poly4567(t/3)",
                           "parabolic(t/3)",
                           "t^0.5",
                           "t^-2",
                           "2^t",
                           "t^t",
                           "(1 + t)/(2 + sin(t))",
                           "t*exp(t)*cos(t)",
                           "-t^3/(-t)",
                           "cycloid(sin(t))"}) {
    const Formula y(text);
    for (const double t : {0.4, 0.9, 1.3}) {
      const double h = 1e-5;
      const MotionValue a = y.at(t - h), b = y.at(t + h), m = y.at(t);
      // h^2/6 times the derivative two orders up, and rounding / h.
      const double scale =
          1 + std::abs(m.rate) + std::abs(m.acceleration) + std::abs(m.jerk) + std::abs(m.value);
      EXPECT_NEAR((b.value - a.value) / (2 * h), m.rate, 1e-9 * scale) << text << ' ' << t;
      EXPECT_NEAR((b.rate - a.rate) / (2 * h), m.acceleration, 1e-8 * scale) << text << ' ' << t;
      EXPECT_NEAR((b.acceleration - a.acceleration) / (2 * h), m.jerk, 1e-7 * scale)
          << text << ' ' << t;
    }
  }
}

TEST(Formula, WholePowersWorkOnBothSidesOfZero) {
  const Formula cube("t^3");
  EXPECT_EQ(cube.at(-2).value, -8);
  EXPECT_EQ(cube.at(0).rate, 0);
  EXPECT_EQ(cube.at(0).jerk, 6);
  EXPECT_EQ(cube.at(-1).acceleration, -6);
}

TEST(Formula, KnowsItsCorners) {
  EXPECT_THAT(Formula("abs(t - 1) + step(2*t - 3)").breakpoints(), ElementsAre(1, 1.5));
  EXPECT_THAT(Formula("min(t, 2 - t)").breakpoints(), ElementsAre(1));
  EXPECT_THAT(Formula("parabolic((t - 1)/2)").breakpoints(), ElementsAre(1, 2, 3));
  EXPECT_THAT(Formula("sin(t)").breakpoints(), ElementsAre());
  EXPECT_THAT(Formula("step(t + 1)").breakpoints(), ElementsAre());  // before the beginning
  const std::vector<double> sampled = Formula("abs(sin(t))", {}, 7).breakpoints();
  ASSERT_EQ(sampled.size(), 2u);
  EXPECT_NEAR(sampled[0], M_PI, 4 * epsilon);
  EXPECT_NEAR(sampled[1], 2 * M_PI, 8 * epsilon);
}

TEST(Formula, AtACornerTheTimeAfterCounts) {
  const Formula bend("abs(t - 1)");
  EXPECT_EQ(bend.at(1).rate, 1);
  EXPECT_EQ(Formula("step(t - 1)").at(1).value, 1);
  EXPECT_EQ(Formula("max(t, 2 - t)").at(1).rate, 1);
  EXPECT_EQ(Formula("min(t, 2 - t)").at(1).rate, -1);
}

TEST(Formula, WhereItHasNoValueItSaysSo) {
  EXPECT_THROW(Formula("log(t)").at(0), ComputationError);
  EXPECT_THROW(Formula("sqrt(t - 1)").at(0), ComputationError);
  EXPECT_THROW(Formula("1/t").at(0), ComputationError);
  EXPECT_THROW(Formula("sqrt(t)").at(0), ComputationError);  // its rate is infinite
  EXPECT_NO_THROW(Formula("sqrt(0) + t").at(0));
}

TEST(Formula, MistakesAreNamedWithTheirPosition) {
  EXPECT_THAT(error_of("sin(t"), HasSubstr("position 4"));
  EXPECT_THAT(error_of("sin(t"), HasSubstr("never closed"));
  EXPECT_THAT(error_of("1 + * 2"), HasSubstr("position 5"));
  EXPECT_THAT(error_of("cyclod(t)"), HasSubstr("'cycloid'"));
  EXPECT_THAT(error_of("2*x"), HasSubstr("unknown name 'x'"));
  EXPECT_THAT(error_of("2t"), HasSubstr("2*pi"));
  EXPECT_THAT(error_of("sin t"), HasSubstr("without its argument"));
  EXPECT_THAT(error_of("sin(t, 2)"), HasSubstr("2 arguments"));
  EXPECT_THAT(error_of("atan2(t)"), HasSubstr("1 argument;"));
  EXPECT_THAT(error_of(""), HasSubstr("ends here"));
  EXPECT_THAT(error_of("1)"), HasSubstr("position 2"));
  EXPECT_THAT(error_of("1e999"), HasSubstr("number"));
  EXPECT_THAT(error_of("t $ 2"), HasSubstr("'$'"));
  EXPECT_THAT(error_of("t\xc3\xa9"), HasSubstr("no meaning"));
  EXPECT_THAT(error_of("system(1)"), HasSubstr("unknown name"));
  EXPECT_THROW(constant_formula("t + 1"), InputError);
  EXPECT_THROW(Formula("t", {}, -1), InputError);
  EXPECT_THROW(Formula("a*t", {{"a", NAN}}), InputError);
}

TEST(Formula, DeepNestingIsRefusedNotFollowed) {
  const std::string open(10'000, '('), close(10'000, ')');
  EXPECT_THAT(error_of(open + "t" + close), HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(error_of(open), HasSubstr("nested"));
  std::string powers = "t";
  for (int k = 0; k < 10'000; ++k) powers += "^t";
  EXPECT_THAT(error_of(powers), HasSubstr("nested"));
  EXPECT_EQ(value(std::string(9'999, '-') + "1"), -1);  // signs do not nest
  EXPECT_THAT(error_of(std::string(200'000, '1')), HasSubstr("characters"));
}

TEST(Formula, TheDeepestAllowedNestingEvaluates) {
  std::string text = "t";
  for (int k = 0; k < 49; ++k) text = "1+1*1^(" + text + ")";
  EXPECT_EQ(Formula(text).at(1).value, 2);
  std::string arguments = "t";
  for (int k = 0; k < 98; ++k) arguments = "max(1+1*1^1,1+1*" + arguments + ")";
  EXPECT_GT(Formula(arguments).at(1).value, 2);
}

TEST(Formula, ConstantsMayNotTakeNamesThatHaveAMeaning) {
  for (const char* name : {"t", "pi", "deg", "sin", "", "a b", "1a"})
    EXPECT_THROW(Formula("1", {{name, 3.0}}), InputError) << name;
  EXPECT_EQ(Formula("A_1", {{"A_1", 3.0}}).at(0).value, 3);
}

TEST(Formula, OfManyCornersIsRefusedInTime) {
  std::string text = "abs(sin(900*t))";
  for (int k = 0; k < 800; ++k) text += "+abs(sin(900*t))";
  EXPECT_THROW(Formula(text, {}, 10), InputError);  // took minutes
}

}  // namespace
}  // namespace ulna
