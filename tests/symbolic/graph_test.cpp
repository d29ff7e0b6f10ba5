// The graph: equal expressions are one node, and a graph is current only inside its scope.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <ulna/scalar/kernels/ldlt.hpp>
#include <ulna/scalar/parts/scalar.hpp>
#include <ulna/symbolic/graph.hpp>
#include <ulna/symbolic/internal/evaluate.hpp>

namespace ulna {
namespace {

static_assert(Scalar<Expression>);
static_assert(!Numeric<Expression>);
static_assert(!std::is_convertible_v<Expression, bool>);
static_assert(std::is_trivially_copyable_v<Expression> && sizeof(Expression) == 16);

TEST(Graph, AnInputIsKnownByItsName) {
  Graph graph;
  const Expression q = graph.input("q"), v = graph.input("v");
  EXPECT_TRUE(identical(graph.input("q"), q));
  EXPECT_FALSE(identical(q, v));
  EXPECT_EQ(graph.name(v.id()), "v");
  ASSERT_EQ(graph.input_names().size(), 2u);
  EXPECT_EQ(graph.input_names()[0], "q");
  EXPECT_EQ(graph.size(), 3u);  // with the number one
}

TEST(Graph, EqualSubexpressionsAreOneNode) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expression x = graph.input("x"), y = graph.input("y"), z = graph.input("z");
  const Expression first = sqrt(x * y + z) / (x - y);
  const std::size_t size = graph.size();
  const Expression second = sqrt(z + y * x) / (x - y);
  EXPECT_TRUE(identical(first, second));
  EXPECT_EQ(graph.size(), size);
}

TEST(Graph, NodesCanBeWalkedFromResultToInputs) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expression x = graph.input("x"), y = graph.input("y");
  const Expression e = 3.0 * x * y + 2.0;
  const Node& sum = graph.node(e.id());
  EXPECT_EQ(sum.kind, Kind::sum);
  EXPECT_EQ(sum.a().factor(), 3.0);
  EXPECT_TRUE(identical(sum.b(), 2.0));
  const Node& product = graph.node(sum.a().id());
  EXPECT_EQ(product.kind, Kind::product);
  EXPECT_TRUE(identical(product.a(), x));
  EXPECT_TRUE(identical(product.b(), y));
  EXPECT_LT(product.b().id(), sum.a().id());
}

TEST(Graph, StaysConsistentWhileItsTableGrows) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expression x = graph.input("x");
  const auto power_sum = [&] {
    Expression e = x;
    for (int i = 0; i < 20000; ++i) e = e * x + 0.5 * i;
    return e;
  };
  const Expression first = power_sum();
  const std::size_t size = graph.size();
  EXPECT_TRUE(identical(power_sum(), first));
  EXPECT_EQ(graph.size(), size);
}

TEST(Graph, ScopesNest) {
  Graph outer, inner;
  Graph::Scope outer_scope(outer);
  {
    Graph::Scope inner_scope(inner);
    EXPECT_EQ(&Graph::current(), &inner);
  }
  EXPECT_EQ(&Graph::current(), &outer);
}

TEST(Graph, ConstantsNeedNoGraphAndVariablesDo) {
  EXPECT_TRUE(identical(Expression(2) * 3.0 + sqrt(Expression(9.0)), 9.0));
  EXPECT_THROW(Graph::current(), std::logic_error);
  Graph graph;
  const Expression x = graph.input("x");
  EXPECT_THROW(x * x, std::logic_error);
}

TEST(Graph, AnExpressionOfALargerGraphIsRefused) {
  Graph large, small;
  for (int i = 0; i < 9; ++i) large.input(std::to_string(i));
  const Expression foreign = large.input("x");
  Graph::Scope scope(small);
  const Expression y = small.input("y");
  EXPECT_THROW(foreign * y, std::logic_error);
  EXPECT_THROW(foreign + y, std::logic_error);
  EXPECT_THROW(sqrt(foreign), std::logic_error);
  EXPECT_THROW(foreign / y, std::logic_error);
  EXPECT_THROW(y / foreign, std::logic_error);
  Expression s, c;
  EXPECT_THROW(sincos(foreign, s, c), std::logic_error);
  EXPECT_THROW(less(foreign, y), std::logic_error);
  EXPECT_THROW(evaluate({&foreign, 1}, std::vector<double>{1.0}), std::logic_error);
}

TEST(Graph, EachThreadHasItsOwnCurrentGraph) {
  Graph here;
  Graph::Scope scope(here);
  const Expression x = here.input("x");
  std::size_t size_there = 0;
  bool was_outside = false;
  std::thread other([&] {
    try {
      Graph::current();
    } catch (const std::logic_error&) {
      was_outside = true;
    }
    Graph there;
    Graph::Scope scope_there(there);
    const Expression y = there.input("y");
    const Expression unused = y * y + 1.0;
    size_there = there.size() + 0 * unused.id();
  });
  other.join();
  EXPECT_TRUE(was_outside);
  EXPECT_EQ(size_there, 4u);
  EXPECT_EQ(here.size(), 2u);
  EXPECT_EQ(&Graph::current(), &here);
  EXPECT_FALSE((x * x).is_constant());
}

TEST(Graph, TheUnpivotedFactorisationRunsOnIt) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expression a = graph.input("a"), b = graph.input("b"), d = graph.input("d");
  Expression A[4] = {a, 0.0, b, d};
  Expression x[2] = {1.0, 2.0};
  ldlt_factor(A, 2, 2);
  ldlt_solve(A, 2, 2, x);
  // [4 1; 1 3] x = [1 2]: x = [1 7] / 11.
  const std::vector<double> values = evaluate(x, std::vector<double>{4.0, 1.0, 3.0});
  EXPECT_NEAR(values[0], 1.0 / 11, 1e-15);
  EXPECT_NEAR(values[1], 7.0 / 11, 1e-15);
}

}  // namespace
}  // namespace ulna
