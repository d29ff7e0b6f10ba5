// A random straight-line program gives the same numbers run on doubles, recorded and evaluated in
// the graph, and listed as a Program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <ulna/scalar/parts/scalar.hpp>
#include <ulna/symbolic/internal/evaluate.hpp>
#include <ulna/symbolic/program.hpp>

namespace ulna {
namespace {

constexpr int input_count = 5;

// Runs the program of that seed. Values stay within a few units, since every result is brought back
// by a quotient with a denominator of at least one, so that rounding is amplified only moderately.
template <class S>
std::vector<S> run(unsigned seed, int length, std::vector<S> values) {
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto any = [&]() -> S {
    const double constants[] = {0.0, 1.0, -1.0, 2.0, 0.3, -0.7, std::numbers::pi / 2};
    // Few values apart, so that equal and opposite terms meet often.
    const S e = values[pick(values.size())];
    switch (pick(6)) {
      case 0:
        return S(constants[pick(std::size(constants))]);
      case 1:
        return constants[1 + pick(std::size(constants) - 1)] * e;
      case 2:
        return -e;
      default:
        return e;
    }
  };
  for (int i = 0; i < length; ++i) {
    const S a = any(), b = any(), c = any();
    S s, t;
    switch (pick(9)) {
      case 0:
        values.push_back(a + b);
        break;
      case 1:
        values.push_back(a - b);
        break;
      case 2:
        values.push_back((a + b) - (c + b));
        break;
      case 3:
        values.push_back(a * b / (1.0 + b * b));
        break;
      case 4:
        values.push_back((2.0 * a + 3.0 * b) / sqrt(5.0 + a * a + c * c));
        break;
      case 5:
        values.push_back(select(less(a, b + 0.01), c, a - b));
        break;
      case 6:
        values.push_back(sqrt(1.0 + a * a) / 3.0);
        break;
      default:
        sincos(a - c, s, t);
        values.push_back(s);
        values.push_back(b * t / (1.0 + b * b));
    }
  }
  return values;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]) / std::max(1.0, std::abs(a[i])));
  }
  return largest;
}

TEST(Evaluate, RandomProgramsAgreeWithPlainDoubles) {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    const int length = 1 + static_cast<int>(seed % 60);
    std::mt19937 random(1000 + seed);
    std::uniform_real_distribution<double> uniform(-2.0, 2.0);
    std::vector<double> inputs(input_count);
    for (double& value : inputs) value = uniform(random);

    Graph graph;
    Graph::Scope scope(graph);
    std::vector<Expression> variables;
    for (int i = 0; i < input_count; ++i) variables.push_back(graph.input("x" + std::to_string(i)));

    const std::vector<double> expected = run<double>(seed, length, inputs);
    const std::vector<Expression> outputs = run<Expression>(seed, length, variables);
    ASSERT_EQ(outputs.size(), expected.size());
    // Up to 60 steps, each amplifying earlier rounding by a small factor: 1e4 roundings allowed.
    const double tolerance = 1e4 * std::numeric_limits<double>::epsilon();
    EXPECT_LT(largest_difference(expected, evaluate(outputs, inputs)), tolerance) << seed;
    const Program program(outputs);
    EXPECT_LT(largest_difference(expected, program.evaluate(inputs)), tolerance) << seed;
  }
}

TEST(Evaluate, PlacingFactorsNeverAddsOperations) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Graph graph;
    Graph::Scope scope(graph);
    std::vector<Expression> variables;
    for (int i = 0; i < input_count; ++i) variables.push_back(graph.input("x" + std::to_string(i)));
    const std::vector<Expression> outputs = run<Expression>(seed, 50, variables);
    const std::vector<Expression> last = {outputs.back(), outputs[outputs.size() - 2]};

    // Where every multiple of a node is computed as it stands: products plus distinct multiples.
    std::vector<char> used(graph.size(), 0);
    std::vector<std::pair<std::uint32_t, double>> multiples;
    const auto use = [&](const Expression& e) {
      used[e.id()] = 1;
      if (!e.is_constant() && std::abs(e.factor()) != 1.0) {
        multiples.emplace_back(e.id(), std::abs(e.factor()));
      }
    };
    for (const Expression& e : last) use(e);
    int products = 0;
    for (std::size_t id = graph.size(); id-- > 1;) {
      const Node& node = graph.node(static_cast<std::uint32_t>(id));
      if (!used[id]) continue;
      products += node.kind == Kind::product;
      for (const Expression& e : node.operands) use(e);
      if (node.kind == Kind::select) used[node.link] = 1;
    }
    std::sort(multiples.begin(), multiples.end());
    multiples.erase(std::unique(multiples.begin(), multiples.end()), multiples.end());
    EXPECT_LE(count_operations(last).multiplications, products + static_cast<int>(multiples.size()))
        << seed;
  }
}

TEST(Evaluate, ALongChainNeedsNoStack) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expression x = graph.input("x"), y = graph.input("y");
  Expression e = x;
  for (int i = 0; i < 200000; ++i) e = e * y + x;
  const Expression nothing = (e + x) - (e + x);
  EXPECT_TRUE(nothing.is_zero());
  const std::vector<double> values = evaluate({&e, 1}, std::vector<double>{1.0, 0.5});
  EXPECT_EQ(values[0], 2.0);
  EXPECT_EQ(count_operations({&e, 1}).additions, 200000);
}

TEST(Evaluate, WantsOneValuePerInput) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expression x = graph.input("x");
  EXPECT_THROW(evaluate({&x, 1}, std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(Program({&x, 1}).evaluate(std::vector<double>{1.0, 2.0}), std::invalid_argument);
}

}  // namespace
}  // namespace ulna
