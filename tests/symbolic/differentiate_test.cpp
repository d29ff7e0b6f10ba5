// Derivatives of expressions, forward and backward, are those of the functions they stand for.

#include "ulna/symbolic/internal/differentiate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/symbolic/internal/evaluate.hpp"
#include "ulna/symbolic/internal/rebuild.hpp"

namespace ulna {
namespace {

struct Functions : ::testing::Test {
  Graph graph;
  Graph::Scope scope{graph};
  Expression x = graph.input("x"), y = graph.input("y");
  // f = x sin(2 x + y) / y,  g = sqrt(x y) - 3 |x - y|
  Expression f = x * sin(2.0 * x + y) / y;
  Expression g = sqrt(x * y) - 3.0 * select(less(x, y), y - x, x - y);
  static constexpr double at[2] = {0.7, 1.3};
  const double s = std::sin(2.7), c = std::cos(2.7), root = std::sqrt(0.91);
  const double fx = (s + 1.4 * c) / 1.3, fy = 0.7 * c / 1.3 - 0.7 * s / 1.69;
  const double gx = 1.3 / (2 * root) + 3, gy = 0.7 / (2 * root) - 3;

  void expect(const std::vector<Expression>& e, const std::vector<double>& expected) {
    const std::vector<double> values = evaluate(e, at);
    ASSERT_EQ(values.size(), expected.size());
    // A handful of operations on numbers of size one.
    for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(values[k], expected[k], 1e-14);
  }
};

TEST_F(Functions, ForwardAlongOneInput) {
  const std::vector<Expression> both = {f, g};
  expect(derivatives_along(both, std::vector<InputRate>{{x.id(), 1.0}}), {fx, gx});
  expect(derivatives_along(both, std::vector<InputRate>{{y.id(), 1.0}}), {fy, gy});
}

TEST_F(Functions, ForwardAlongADirectionThatDependsOnTheInputs) {
  const std::vector<InputRate> along = {{x.id(), y}, {y.id(), -2.0 * x}};
  expect(derivatives_along(std::vector<Expression>{f, g}, along),
         {1.3 * fx - 1.4 * fy, 1.3 * gx - 1.4 * gy});
}

TEST_F(Functions, BackwardGivesTheGradient) {
  const std::vector<Expression> inputs = {x, y};
  expect(gradient(f, inputs), {fx, fy});
  expect(gradient(-2.0 * g, inputs), {-2 * gx, -2 * gy});
}

TEST_F(Functions, RebuildingPutsOneExpressionInThePlaceOfAnother) {
  const std::vector<Expression> swapped = rebuild(
      std::vector<Expression>{f, g}, graph, [&](const Expression& e) -> std::optional<Expression> {
        if (e.id() == x.id()) return Expression(e.factor()) * y;
        if (e.id() == y.id()) return Expression(e.factor()) * (x + 1.0);
        return std::nullopt;
      });
  expect(swapped, {1.3 * std::sin(2 * 1.3 + 1.7) / 1.7, std::sqrt(1.3 * 1.7) - 3 * 0.4});
}

TEST_F(Functions, RebuildingInAnotherGraphKeepsInputsByName) {
  Graph other;
  const Graph::Scope inner(other);
  other.input("x"), other.input("y");
  const std::vector<Expression> moved =
      rebuild(std::vector<Expression>{f}, graph, [](const Expression&) { return std::nullopt; });
  EXPECT_NEAR(evaluate(moved, at)[0], 0.7 * s / 1.3, 1e-15);
}

}  // namespace
}  // namespace ulna
