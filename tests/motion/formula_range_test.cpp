// Bounds of formulas over a time hold for the values that the formulas have.

#include "ulna/motion/internal/formula_range.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

/// Least and largest value at many times; none where one is not finite.
std::optional<MotionRange> sampled(const Formula& formula, double end) {
  MotionRange range{INFINITY, -INFINITY};
  try {
    for (int k = 0; k <= 5000; ++k) {
      const double value = formula.at(end * k / 5000).value;
      range = {std::min(range.least, value), std::max(range.most, value)};
    }
  } catch (const ComputationError&) {
    return {};
  }
  return range;
}

/// Any formula that is known to be bounded keeps to it.
class RandomFormula {
 public:
  explicit RandomFormula(int seed) : random_(seed) {}
  std::string of_depth(int depth) {
    static const std::vector<std::string> functions = {
        "sin",     "cos",      "tan",     "atan",     "tanh",     "exp",  "log",
        "sqrt",    "abs",      "sign",    "step",     "asin",     "sinh", "cosh",
        "cycloid", "harmonic", "poly345", "poly4567", "parabolic"};
    const int kind = number(0, depth == 0 ? 2 : 9);
    if (kind == 0) return "t";
    if (kind == 1) return "A";
    if (kind == 2) return std::to_string(number(-30, 30) / 8.0);
    if (kind == 3) return "(" + of_depth(depth - 1) + ")^" + std::to_string(number(-3, 5) / 2.0);
    if (kind == 4)
      return std::string(number(0, 1) ? "min(" : "max(") + of_depth(depth - 1) + ", " +
             of_depth(depth - 1) + ")";
    if (kind < 7)
      return functions[static_cast<std::size_t>(number(0, int(functions.size()) - 1))] + "(" +
             of_depth(depth - 1) + ")";
    const char* signs[] = {" + ", " - ", " * ", " / "};
    return "(" + of_depth(depth - 1) + signs[number(0, 3)] + of_depth(depth - 1) + ")";
  }

 private:
  int number(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  std::mt19937 random_;
};

TEST(FormulaRange, HoldsTheValuesOfRandomFormulas) {
  int known = 0, checked = 0;
  for (int seed = 0; seed < 3000; ++seed) {
    const std::string text = RandomFormula(seed).of_depth(1 + seed % 4);
    const FormulaConstants constants = {{"A", 0.25 * (seed % 17) - 2}};
    const double end = 0.125 * (1 + seed % 40);
    const auto range = formula_range(text, constants, end);
    ++checked;
    if (!range) continue;
    ++known;
    const auto values = sampled(Formula(text, constants), end);
    ASSERT_TRUE(values) << text << " is not finite";
    EXPECT_LE(range->least, values->least) << text << " until " << end;
    EXPECT_GE(range->most, values->most) << text << " until " << end;
  }
  EXPECT_GT(known, checked / 3);
}

TEST(FormulaRange, OfMonotonicLawsIsTheirs) {
  const auto range = formula_range("0.3 + A*cycloid(t/2)", {{"A", 0.5}}, 2);
  ASSERT_TRUE(range);
  EXPECT_NEAR(range->least, 0.3, 1e-12);
  EXPECT_NEAR(range->most, 0.8, 1e-12);
}

TEST(FormulaRange, IsNotKnownWhereValuesOrRatesMayBeInfinite) {
  for (const char* text : {"1/t", "1/(t - 1)", "sqrt(t)", "log(t)", "t^0.5", "tan(t)", "t^-1",
                           "exp(1000*t)", "1/(sin(t) - 2*cos(t))"})
    EXPECT_FALSE(formula_range(text, {}, 2)) << text;
  EXPECT_FALSE(formula_range("t", {}, std::numeric_limits<double>::infinity()));
}

}  // namespace
}  // namespace ulna
