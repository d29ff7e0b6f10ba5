// The algebra of expressions: what is equal by the laws used here is the same node and factor.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <ulna/scalar/parts/scalar.hpp>
#include <ulna/symbolic/expression.hpp>
#include <ulna/symbolic/graph.hpp>

namespace ulna {
namespace {

constexpr double pi = std::numbers::pi;

class ExpressionTest : public ::testing::Test {
 protected:
  Graph graph;
  Graph::Scope scope{graph};
  Expression x = graph.input("x"), y = graph.input("y"), z = graph.input("z");
};

#define EXPECT_SAME(a, b) EXPECT_TRUE(identical(a, b))

TEST_F(ExpressionTest, ZeroedMemoryIsTheNumberZero) {
  alignas(Expression) unsigned char memory[sizeof(Expression)] = {};
  Expression e;
  std::memcpy(static_cast<void*>(&e), memory, sizeof e);
  EXPECT_SAME(e, 0.0);
  EXPECT_SAME(e + x, x);
  EXPECT_SAME(Expression(-0.0), e);
  EXPECT_FALSE(std::signbit((-e).factor()));
}

TEST_F(ExpressionTest, ZerosAndOnesAreGone) {
  const std::size_t size = graph.size();
  EXPECT_SAME(x + 0.0, x);
  EXPECT_SAME(0 - x, -x);
  EXPECT_SAME(x * 1, x);
  EXPECT_SAME(x * 0.0, 0.0);
  EXPECT_SAME(x - x, 0.0);
  EXPECT_SAME(x / 1.0, x);
  EXPECT_SAME(x / x, 1.0);
  EXPECT_SAME(0.0 / x, 0.0);
  EXPECT_SAME(-(-x), x);
  EXPECT_EQ(graph.size(), size);
}

TEST_F(ExpressionTest, FactorsTravelAlongTheEdges) {
  EXPECT_SAME(2.0 * x * 3.0, 6.0 * x);
  EXPECT_SAME((2.0 * x) * (3.0 * y), 6.0 * (y * x));
  EXPECT_SAME(x + x, 2.0 * x);
  EXPECT_SAME((2.0 * x) / (4.0 * y), 0.5 * (x / y));
  EXPECT_SAME(3.0 * x + 3.0 * y, 3.0 * (x + y));
  EXPECT_SAME(x / 4.0, 0.25 * x);
}

TEST_F(ExpressionTest, SignsAreCanonical) {
  EXPECT_SAME(x - y, -(y - x));
  EXPECT_SAME((-x) * y, -(x * y));
  EXPECT_SAME((-x) / y, x / (-y));
  EXPECT_SAME(-x - y, -(x + y));
  EXPECT_SAME(x - 1.0, -(1.0 - x));
  EXPECT_SAME((x - y) * (y - x), -((x - y) * (x - y)));
}

TEST_F(ExpressionTest, LikeTermsMeet) {
  EXPECT_SAME((x + y) - y, x);
  EXPECT_SAME(y - (x + y), -x);
  EXPECT_SAME((x + y) - (x + z), y - z);
  EXPECT_SAME((x + 2.0 * y) + 3.0 * y, x + 5.0 * y);
  EXPECT_SAME(3.0 * y + (x - 2.0 * y), x + y);
  EXPECT_SAME((x + 1.0) + 1.0, x + 2.0);
  EXPECT_SAME((x + y) - (x - y), 2.0 * y);
  EXPECT_SAME((((x + y) * z + x) - x) - (x + y) * z, 0.0);
  // Euler's equations: w_y (I_z w_z) - w_z (I_y w_y) is one product.
  EXPECT_SAME(y * (7.0 * z) - z * (5.0 * y), 2.0 * (y * z));
}

TEST_F(ExpressionTest, QuotientsAndRootsCancel) {
  EXPECT_SAME((x * y) / y, x);
  EXPECT_SAME((x / y) * y, x);
  EXPECT_SAME(1.0 / (1.0 / x), x);
  EXPECT_SAME(z / (2.0 / x), 0.5 * (x * z));
  EXPECT_SAME(sqrt(x + y) * sqrt(y + x), x + y);
}

TEST_F(ExpressionTest, RoundingOfConstantsLeavesNothingBehind) {
  EXPECT_NE(0.1 + 0.2, 0.3);
  EXPECT_SAME((0.1 + 0.2) * x - 0.3 * x, 0.0);
  EXPECT_NE(1.0 / 49.0 * 49.0, 1.0);
  EXPECT_SAME((x * (1.0 / 49.0)) * 49.0, x);
  EXPECT_SAME((0.1 + 0.2) * x + 0.3 * y, (0.1 + 0.2) * (x + y));
  EXPECT_FALSE((x * (1.0 + 1e-14) - x).is_zero());  // 45 ulp are not rounding
}

TEST_F(ExpressionTest, ConstantsFold) {
  Expression s, c;
  sincos(Expression(0.3), s, c);
  EXPECT_SAME(s, std::sin(0.3));
  EXPECT_SAME(c, std::cos(0.3));
  EXPECT_SAME(sqrt(Expression(2.0)), std::sqrt(2.0));
  EXPECT_SAME(select(less(Expression(1.0), 2.0), x, y), x);
}

TEST_F(ExpressionTest, SelectionKeepsBothSidesAndDropsTheObvious) {
  EXPECT_SAME(select(less(x, y), z, z), z);
  EXPECT_SAME(select(less(x, x), y, z), z);
  EXPECT_SAME(select(less(x, y), -x, -z), -select(less(x, y), x, z));
  EXPECT_SAME(select(less(x, y), 3.0 * x, 3.0 * z), 3.0 * select(less(x, y), x, z));
  EXPECT_SAME(select(less(x, y), 0.0, -z), -select(less(x, y), 0.0, z));
  EXPECT_FALSE(identical(select(less(x, y), x, z), select(less(y, x), x, z)));
  EXPECT_SAME(abs_value(x), select(less(x, 0.0), -x, x));
}

TEST_F(ExpressionTest, ConstantsThatAreNoNumbersAreRefusedByName) {
  const auto message = [](auto operation) -> std::string {
    try {
      operation();
    } catch (const std::domain_error& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const auto holds = [](const std::string& text, const char* word) {
    return text.find(word) != std::string::npos;
  };
  EXPECT_TRUE(holds(message([] { return Expression(0.0) / 0.0; }), "quotient"));
  EXPECT_TRUE(holds(message([&] { return x / 0.0; }), "quotient"));
  EXPECT_TRUE(holds(message([&] { return (1e300 * x) * (1e300 * y); }), "product"));
  EXPECT_TRUE(holds(message([&] { return x * infinity; }), "product"));
  EXPECT_TRUE(holds(message([&] { return Expression(infinity) - infinity; }), "sum"));
  EXPECT_TRUE(holds(message([] { return sqrt(Expression(-1.0)); }), "square root"));
  EXPECT_TRUE(holds(message([&] { return sin(Expression(infinity)); }), "sine"));
}

TEST_F(ExpressionTest, SineIsOddAndCosineEven) {
  EXPECT_SAME(sin(-x), -sin(x));
  EXPECT_SAME(cos(-x), cos(x));
  EXPECT_SAME(sin(y - x), -sin(x - y));
  EXPECT_SAME(sin(-x * y), -sin(x * y));
}

TEST_F(ExpressionTest, QuarterTurnsTurnSinesIntoCosines) {
  EXPECT_SAME(sin(x + pi / 2), cos(x));
  EXPECT_SAME(cos(x + pi / 2), -sin(x));
  EXPECT_SAME(sin(x - pi), -sin(x));
  EXPECT_SAME(cos(x - 1.5 * pi), -sin(x));
  EXPECT_SAME(sin(pi / 2 - x), cos(x));
  EXPECT_SAME(sin((x + y) + 7 * (pi / 2)), -cos(x + y));
  EXPECT_SAME(sin(x + std::nextafter(pi / 2, 0.0)), cos(x));
  EXPECT_SAME(sin(x + (0.1 + pi / 2)), cos(x + ((0.1 + pi / 2) - pi / 2)));
  EXPECT_SAME(cos(Expression(pi / 2)), 0.0);
  EXPECT_SAME(sin(Expression(-pi)), 0.0);
  EXPECT_SAME(cos(Expression(3 * pi)), -1.0);
  EXPECT_SAME(sin(Expression(1e-300)), 1e-300);
  EXPECT_FALSE(identical(sin(x + 1.57079632679), cos(x)));  // a rounded right angle is kept
}

TEST_F(ExpressionTest, AnAngleSumIsOneNodeHoweverItWasAdded) {
  const Expression angle = sin((x + y) + z);
  EXPECT_SAME(sin(x + (z + y)), angle);
  EXPECT_SAME(sin((z - pi) + (y + (x + pi))), angle);
  EXPECT_SAME(sin(2.0 * (x + y) - x - y + z), angle);
  EXPECT_SAME(sin((x + 0.2) + (y - 0.1)), sin((y + 0.2) + (x - 0.1)));
  EXPECT_SAME(cos((x + (y + z)) - (z + (x + y))), 1.0);
}

TEST_F(ExpressionTest, SincosMayOverwriteItsArgument) {
  Expression s = x, c;
  sincos(s, s, c);
  EXPECT_SAME(s, sin(x));
  EXPECT_SAME(c, cos(x));
}

}  // namespace
}  // namespace ulna
