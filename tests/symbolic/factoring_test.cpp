// Factoring changes the operations of expressions, never their values.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ulna/symbolic/internal/evaluate.hpp"
#include "ulna/symbolic/internal/factoring.hpp"
#include "ulna/symbolic/internal/refining.hpp"
#include "ulna/symbolic/program.hpp"

namespace ulna {
namespace {

OperationCount count_factored(Graph& graph, const std::vector<Expression>& outputs) {
  return count_operations(factored(outputs, graph), graph);
}

TEST(Factoring, ACommonFactorIsTakenOut) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expression x = graph.input("x"), y = graph.input("y"), z = graph.input("z");
  const OperationCount count = count_factored(graph, {x * y + x * z});
  EXPECT_EQ(count.multiplications, 1);
  EXPECT_EQ(count.additions, 1);
}

TEST(Factoring, ACommonNumberIsTakenOut) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expression x = graph.input("x"), y = graph.input("y"), z = graph.input("z");
  const OperationCount count =
      count_factored(graph, {(0.3 * x + 2.0 * y) + (0.3 * z - 2.0 * x * y)});
  EXPECT_EQ(count.multiplications, 3);  // 0.3 (x + z) + 2 (y - x y)
}

TEST(Factoring, LikeTermsMeetHoweverDeepTheyLie) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expression x = graph.input("x"), y = graph.input("y"), z = graph.input("z");
  const Expression left = x - (y - z), right = x - (y + z);
  const std::vector<Expression> out = factored(std::vector{0.5 * (left + right)}, graph);
  const OperationCount count = count_operations(out, graph);
  EXPECT_EQ(count.multiplications, 0);
  EXPECT_EQ(count.additions, 1);  // x - y
}

TEST(Factoring, ASumOfTwoTermsIsSharedAmongSums) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expression x = graph.input("x"), y = graph.input("y"), z = graph.input("z"),
                   w = graph.input("w");
  const OperationCount count = count_factored(graph, {(x + z) + y, (x + w) + y, sin(x + y)});
  EXPECT_EQ(count.additions, 3);
}

TEST(Factoring, ValuesStayTheSame) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (int trial = 0; trial < 200; ++trial) {
    Graph graph;
    Graph::Scope scope(graph);
    std::vector<Expression> pool;
    for (int k = 0; k < 6; ++k) pool.push_back(graph.input("x" + std::to_string(k)));
    const auto any = [&] { return pool[random() % pool.size()]; };
    for (int k = 0; k < 60; ++k) {
      const double c = random() % 3 == 0 ? uniform(random) : random() % 2 == 0 ? 2.0 : 1.0;
      const int kind = static_cast<int>(random() % 8);
      pool.push_back(kind < 4   ? any() + c * any()
                     : kind < 7 ? any() * any()
                     : trial % 2 == 0
                         ? sin(any())
                         : select(less(any(), any()), any(), any() / (2.0 + any() * any())));
      // Values that grow without bound would drown the comparison.
      if (kind < 7 && k % 5 == 4) pool.back() = sin(pool.back());
    }
    const std::vector<Expression> outputs(pool.end() - 8, pool.end());
    std::vector<double> inputs;
    for (int k = 0; k < 6; ++k) inputs.push_back(uniform(random));
    const std::vector<double> expected = evaluate(outputs, inputs, graph);
    double size = 1;
    for (double value : evaluate_nodes(graph.nodes_up_to(outputs), inputs))
      size = std::max(size, std::abs(value));
    for (const bool open : {false, true})
      for (const unsigned seed : {0u, 5u}) {
        const std::vector<Expression> better =
            factored(outputs, graph, {.open_shared = open, .seed = seed});
        const std::vector<double> found = Program(better, graph).evaluate(inputs);
        // Other orders of the same sums: a few roundings of the largest term.
        for (std::size_t k = 0; k < found.size(); ++k)
          ASSERT_NEAR(found[k], expected[k], 1e-13 * size) << "trial " << trial;
      }
  }
}

// Random expressions opened and closed many times over: what is kept still has the same values, is
// never longer than what was given, and is as long as the network behind it says.
TEST(Refining, ValuesStayTheSameAndCountsNeverRise) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (int trial = 0; trial < 20; ++trial) {
    Graph graph;
    Graph::Scope scope(graph);
    std::vector<Expression> pool;
    for (int k = 0; k < 6; ++k) pool.push_back(graph.input("x" + std::to_string(k)));
    const auto any = [&] { return pool[random() % pool.size()]; };
    for (int k = 0; k < 50; ++k) {
      const double c = random() % 3 == 0 ? uniform(random) : 1.0;
      pool.push_back(random() % 2 == 0 ? any() + c * any() : any() * any());
      if (k % 7 == 6) pool.back() = sin(pool.back());
    }
    const std::vector<Expression> outputs(pool.end() - 6, pool.end());
    std::vector<double> inputs;
    for (int k = 0; k < 6; ++k) inputs.push_back(uniform(random));
    const std::vector<double> expected = evaluate(outputs, inputs, graph);
    double size = 1;
    for (double value : evaluate_nodes(graph.nodes_up_to(outputs), inputs))
      size = std::max(size, std::abs(value));
    const OperationCount before = count_operations(outputs, graph);
    const std::vector<RefinedForm> forms =
        refined(outputs, graph, {.rounds = 300, .seed = 1 + static_cast<unsigned>(trial)});
    ASSERT_FALSE(forms.empty());
    int least = 1 << 20;
    for (const RefinedForm& form : forms) {
      EXPECT_EQ(form.count, count_operations(form.outputs, graph));
      least = std::min(least, form.count.multiplications + form.count.additions);
      const std::vector<double> found = evaluate(form.outputs, inputs, graph);
      // Constants pass through many products and quotients on the way.
      for (std::size_t k = 0; k < found.size(); ++k)
        ASSERT_NEAR(found[k], expected[k], 1e-12 * size) << "trial " << trial;
    }
    EXPECT_LE(least, before.multiplications + before.additions);
  }
}

TEST(Refining, APlainMultipleOfAFactorIsTakenIn) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expression x = graph.input("x"), y = graph.input("y");
  const OperationCount count = count_factored(graph, {x * y + 2.0 * x});
  EXPECT_EQ(count.multiplications, 1);  // x (y + 2)
  EXPECT_EQ(count.additions, 1);
}

}  // namespace
}  // namespace ulna
