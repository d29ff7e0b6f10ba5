// Grouped parameters: other masses, the same efforts for every motion.

#include "ulna/dynamics/internal/parameter_grouping.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "../support/aligned_robot.hpp"
#include "../support/random_robot.hpp"
#include "ulna/dynamics/kernels/newton_euler.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/symbolic/expression.hpp"
#include "ulna/symbolic/graph.hpp"
#include "ulna/symbolic/internal/evaluate.hpp"
#include "ulna/symbolic/program.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::random_entries;

template <class S>
std::vector<S> efforts(const Model& model, const Parameters<S>& parameters, const std::vector<S>& q,
                       const std::vector<S>& v, const std::vector<S>& a) {
  Scratch<S> scratch(model.topology());
  std::vector<S> tau(model.speeds());
  newton_euler<S>(view<S>(model.topology(), parameters), scratch.view(), q.data(), v.data(),
                  a.data(), nullptr, tau.data());
  return tau;
}

std::vector<double> as_vector(const Eigen::VectorXd& x) { return {x.begin(), x.end()}; }

/// Largest change of an effort by grouping, relative to the largest effort of the states.
double change(const Model& model, const GroupingOptions& options, Generator& g) {
  Parameters<double> grouped = model.parameters();
  group_parameters(model.topology(), grouped, options);
  double worst = 0, size = 0;
  for (int state = 0; state < 5; ++state) {
    const auto q = as_vector(model.random(g)), v = as_vector(random_entries(g, model.speeds(), 2)),
               a = as_vector(random_entries(g, model.speeds(), 5));
    const std::vector<double> tau = efforts(model, model.parameters(), q, v, a),
                              same = efforts(model, grouped, q, v, a);
    for (std::size_t k = 0; k < tau.size(); ++k) {
      worst = std::max(worst, std::abs(tau[k] - same[k]));
      size = std::max(size, std::abs(tau[k]));
    }
  }
  return worst / (1 + size);
}

std::vector<GroupingOptions> all_options(const Model& model) {
  const double* g = model.parameters().gravity;
  const Vector3<double> gravity(g[0], g[1], g[2]);
  return {{{}, false}, {{}, true}, {gravity, false}, {gravity, true}};
}

// Moments of a tree of 8 to 20 nodes, each moved to its parent with some twenty operations.
constexpr double grouping_rounding = 1e-12;

TEST(ParameterGrouping, LeavesTheEffortsOfAnyTreeUnchanged) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 8;
    recipe.types = testing::all_moving_types;
    recipe.branches = seed % 2;
    recipe.friction = recipe.reversed = true;
    recipe.mimic = seed % 3 == 0;
    const Model model(testing::random_robot(g, recipe));
    for (const GroupingOptions& options : all_options(model))
      EXPECT_LT(change(model, options, g), grouping_rounding) << "seed " << seed;
  }
}

// Where axes and gravity are parallel or perpendicular, more can be grouped, and more can go wrong.
TEST(ParameterGrouping, LeavesTheEffortsOfAlignedTreesUnchanged) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Generator g(seed);
    const Model model(testing::aligned_robot(g, 5, seed % 2, seed % 5 == 0));
    for (const GroupingOptions& options : all_options(model))
      EXPECT_LT(change(model, options, g), grouping_rounding) << "seed " << seed;
  }
}

int count(const FeltParameters& felt) { return std::accumulate(felt.begin(), felt.end(), 0); }

TEST(ParameterGrouping, LeavesSevenOfTenPerRevoluteLinkAndOneOfTheFirst) {
  Generator g(1);
  const Model model(testing::general_chain(g, 6));
  const auto felt = felt_parameters(model.topology(), {Vector3<double>(0, 0, -9.81), false});
  EXPECT_EQ(count(felt[1]), 1);
  EXPECT_TRUE(felt[1][4]);
  for (int i = 2; i <= 6; ++i)
    EXPECT_EQ(felt[i], (FeltParameters{0, 1, 1, 0, 1, 1, 0, 1, 1, 1})) << "node " << i;
  const auto any = felt_parameters(model.topology());
  EXPECT_EQ(count(any[1]), 3);
}

TEST(ParameterGrouping, ClearsWhatIsNotFeltExactly) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Generator g(seed);
    const Model model(testing::aligned_robot(g, 6, true, false));
    const GroupingOptions options{model.robot().gravity, false};
    Parameters<double> grouped = model.parameters();
    group_parameters(model.topology(), grouped, options);
    const auto felt = felt_parameters(model.topology(), options);
    for (std::size_t i = 1; i < felt.size(); ++i) {
      const NodeParameters<double>& node = grouped.nodes[i];
      EXPECT_TRUE(felt[i][0] || node.mass == 0);
      for (int k = 0; k < 3; ++k) EXPECT_TRUE(felt[i][1 + k] || node.first_moment[k] == 0);
      for (int k = 0; k < 6; ++k) EXPECT_TRUE(felt[i][4 + k] || node.second_moment[k] == 0);
    }
  }
}

TEST(ParameterGrouping, CarriesDerivativesWithRespectToParameters) {
  Generator g(4);
  testing::RobotRecipe recipe;
  recipe.types = testing::all_moving_types;
  const Model model(testing::random_robot(g, recipe));
  using D = Dual<1>;
  Parameters<D> plain = converted<D>(model.parameters());
  plain.nodes.back().mass.d[0] = 1;  // by the mass of the last node and where it is held
  plain.nodes.back().position[2].d[0] = 1;
  Parameters<D> grouped = plain;
  group_parameters(model.topology(), grouped);
  const auto dual = [](const Eigen::VectorXd& x) { return std::vector<D>(x.begin(), x.end()); };
  const auto q = dual(model.random(g)), v = dual(random_entries(g, model.speeds(), 2)),
             a = dual(random_entries(g, model.speeds(), 5));
  const std::vector<D> tau = efforts(model, plain, q, v, a),
                       same = efforts(model, grouped, q, v, a);
  double size = 1;
  for (const D& t : tau) size = std::max(size, std::abs(t.d[0]));
  EXPECT_GT(size, 1);
  for (std::size_t k = 0; k < tau.size(); ++k)
    EXPECT_NEAR(tau[k].d[0], same[k].d[0], grouping_rounding * size);
}

std::vector<Expression> inputs(Graph& graph, const std::string& name, int n) {
  std::vector<Expression> out;
  for (int k = 0; k < n; ++k) out.push_back(graph.input(name + std::to_string(k)));
  return out;
}

TEST(ParameterGrouping, MakesSymbolicInverseDynamicsCheaperAndKeepsItsValue) {
  Generator g(3);
  const Model model(testing::general_chain(g, 6));
  Graph graph;
  Graph::Scope scope(graph);
  const int n = model.speeds();
  const auto q = inputs(graph, "q", n), v = inputs(graph, "v", n), a = inputs(graph, "a", n);
  Parameters<Expression> parameters = converted<Expression>(model.parameters());
  const auto plain = efforts(model, parameters, q, v, a);
  group_parameters(model.topology(), parameters, {model.robot().gravity, true});
  EXPECT_TRUE(parameters.nodes[6].mass.is_zero());
  const auto grouped = efforts(model, parameters, q, v, a);
  const std::vector<double> state = as_vector(random_entries(g, 3 * n, 2));
  const std::vector<double> tau = evaluate(plain, state), same = evaluate(grouped, state);
  for (int k = 0; k < n; ++k) EXPECT_NEAR(tau[k], same[k], 1e-12 * (1 + std::abs(tau[k])));
  const OperationCount before = count_operations(plain), after = count_operations(grouped);
  // Zero mass saves 3 products a link, zero hz 3 and 2 in the cross product, zero zz 2.
  EXPECT_LE(after.multiplications, before.multiplications - 50);
  EXPECT_LE(after.additions, before.additions - 50);
}

}  // namespace
}  // namespace ulna
