// How few operations inverse dynamics takes, with numbers for the parameters, gravity included and
// rotors left out: upper bounds, to be lowered when a shorter form is found (docs/generation.md).
// Published: Nie's derivation by hand of the Intelledex 672 + 404, Kane and Levinson's of the
// Stanford arm 646 + 394, the usual recursion for six general joints 852 + 738.
#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/generate/shortest_inverse_dynamics.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {
namespace {

OperationCount shortest(const Model& model, const ShortestOptions& options) {
  Graph graph;
  Graph::Scope scope(graph);
  std::vector<Expression> state[3];
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < model.speeds(); ++i)
      state[k].push_back(graph.input(std::string(1, "qva"[k]) + std::to_string(i)));
  const ParameterMaker without_rotors = [&](Graph&) {
    Parameters<Expression> parameters = converted<Expression>(model.parameters());
    for (Expression& rotor : parameters.armature) rotor = 0;
    return parameters;
  };
  return shortest_inverse_dynamics(model.topology(), without_rotors, graph, state[0], state[1],
                                   state[2], options)
      .factored;
}

void expect_at_most(const OperationCount& count, int multiplications, int additions) {
  EXPECT_LE(count.multiplications, multiplications);
  EXPECT_LE(count.additions, additions);
  EXPECT_EQ(count.divisions + count.square_roots, 0);
}

Model shipped(const char* name) { return Model(read_robot(name).robot); }

TEST(OperationCounts, Intelledex605) {
  ShortestOptions options{.full_traces = 1000, .random_steps = 500, .factorings = 40};
  options.addition = 30;
  expect_at_most(shortest(shipped("intelledex605"), options), 104, 72);
}

TEST(OperationCounts, Puma560) {
  ShortestOptions options{.full_traces = 1000, .factorings = 40};
  options.multiplication = 30;
  expect_at_most(shortest(shipped("puma560"), options), 161, 126);
}

TEST(OperationCounts, StanfordArm) {
  ShortestOptions options{.full_traces = 1000, .factorings = 40};
  options.addition = 30;
  expect_at_most(shortest(shipped("stanford"), options), 119, 85);
}

TEST(OperationCounts, GeneralArmOfSixJoints) {
  testing::Generator g(1);
  expect_at_most(shortest(Model(testing::general_chain(g, 6)), {.quick_traces = 4000}), 364, 296);
}

}  // namespace
}  // namespace ulna
