// Formulas that depend on more than time.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/motion/formula.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

TEST(VariableFormula, TakesWordsWithDotsAndQuotedTextAsVariables) {
  const VariableFormula f("-2*q.joint1 - k*v.joint1^2 + 5*sin(t) + 'q.front-left'/q.joint1",
                          {{"k", 0.3}});
  const std::vector<std::string> expected = {"q.joint1", "v.joint1", "q.front-left"};
  EXPECT_EQ(f.variables(), expected);
  const double x[] = {0.7, -1.2, 4};
  EXPECT_DOUBLE_EQ(f.value(0.4, x),
                   -2 * x[0] - 0.3 * x[1] * x[1] + 5 * std::sin(0.4) + x[2] / x[0]);
}

TEST(VariableFormula, KnowsTheCornersInTimeButNotThoseOfVariables) {
  const VariableFormula f("step(t - 0.25)*q.a + abs(q.a - 1) + max(0, sin(pi*t)*q.a)", {}, 2.0);
  ASSERT_EQ(f.breakpoints().size(), 1u);
  EXPECT_DOUBLE_EQ(f.breakpoints()[0], 0.25);
  const double x[] = {3};
  EXPECT_DOUBLE_EQ(f.value(0, x), 2);
  EXPECT_DOUBLE_EQ(f.value(0.5, x), 3 + 2 + 3);
}

TEST(VariableFormula, OnlyItsValueMustBeFinite) {
  EXPECT_DOUBLE_EQ(VariableFormula("sqrt(t)").value(0, nullptr), 0);  // its rate is not
  EXPECT_THROW(Formula("sqrt(t)").at(0), ComputationError);
  const double zero[] = {0};
  EXPECT_THROW(VariableFormula("1/q.a").value(0, zero), ComputationError);
}

TEST(VariableFormula, IsReadAsStrictlyAsAFormula) {
  EXPECT_THROW(VariableFormula("2*q.a +"), InputError);
  EXPECT_THROW(VariableFormula("'q.a"), InputError);
  EXPECT_THROW(VariableFormula("joint1*2"), InputError);  // no channel: a word without a dot
  EXPECT_TRUE(VariableFormula("2*sin(t)").variables().empty());
  try {
    Formula motion("2*q.joint1");
    FAIL() << "a motion is a function of time";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("q.joint1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ulna
