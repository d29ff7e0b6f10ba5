// How few operations inverse dynamics takes, gravity included and rotors left out: upper bounds, to
// be lowered when a shorter form is found (docs/generation.md). Published: Nie's derivation by hand
// of the Intelledex 672 + 404, Kane and Levinson's of the Stanford arm 646 + 394, the usual
// recursion for six general joints 852 + 738.
#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/generate/internal/thorough_search.hpp"
#include "ulna/generate/traced_function.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {
namespace {

Model without_rotors(Robot robot) {
  for (JointData& joint : robot.joints)
    for (DegreeData& degree : joint.degrees)
      degree.rotor_inertia = degree.damping = degree.friction = degree.stiffness = 0;
  return Model(robot);
}

Model shipped(const char* name) { return without_rotors(read_robot(name).robot); }

Model general_arm() {
  testing::Generator g(1);
  return without_rotors(testing::general_chain(g, 6));
}

/// The search of `ulna generate --thorough` with one setting for every arm; it ends as soon as the
/// counts are reached, and the numbers of its rounds alone decide what it finds.
void expect_at_most(const Model& model, int multiplications, int additions, bool symbolic) {
  TraceOptions options;
  options.thorough_seconds = 1e6;
  options.thorough_rounds = 12;
  options.at_most = {multiplications, additions};
  options.symbolic_inertias = options.symbolic_lengths = symbolic;
  const OperationCount count = trace(model, "inverse", options).operations();
  EXPECT_LE(count.multiplications, multiplications);
  EXPECT_LE(count.additions, additions);
  EXPECT_EQ(count.divisions + count.square_roots, 0);
}

TEST(OperationCounts, Intelledex605) { expect_at_most(shipped("intelledex605"), 105, 72, false); }
TEST(OperationCounts, Puma560) { expect_at_most(shipped("puma560"), 162, 128, false); }
TEST(OperationCounts, StanfordArm) { expect_at_most(shipped("stanford"), 120, 84, false); }
TEST(OperationCounts, GeneralArmOfSixJoints) { expect_at_most(general_arm(), 364, 296, false); }

// Masses, centres, inertias and lengths as arguments: a tenth more.
TEST(OperationCounts, Puma560WithSymbols) { expect_at_most(shipped("puma560"), 178, 140, true); }
TEST(OperationCounts, StanfordArmWithSymbols) {
  expect_at_most(shipped("stanford"), 132, 92, true);
}
TEST(OperationCounts, GeneralArmWithSymbols) { expect_at_most(general_arm(), 440, 368, true); }
TEST(OperationCounts, Intelledex605WithSymbols) {
  expect_at_most(shipped("intelledex605"), 115, 79, true);
}

// What `ulna generate` gives without being asked for more, in a third of a second.
TEST(OperationCounts, TheQuickSearchIsNotFarBehind) {
  const auto expect_total = [](const char* name, int most) {
    const OperationCount count = trace(shipped(name), "inverse").operations();
    EXPECT_LE(count.multiplications + count.additions, most) << name;
  };
  expect_total("intelledex605", 177);
  expect_total("puma560", 290);
  expect_total("stanford", 206);
}

// The search must not depend on how many rounds run side by side.
TEST(OperationCounts, ThreadsDoNotChangeTheResult) {
  const Model model = shipped("scara");
  std::vector<OperationCount> counts;
  for (int threads : {1, 4}) {
    Graph graph;
    Graph::Scope scope(graph);
    std::vector<Expression> state[3];
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < model.speeds(); ++i)
        state[k].push_back(graph.input(std::string(1, "qva"[k]) + std::to_string(i)));
    ThoroughOptions options;
    options.seconds = 0;
    options.rounds = 4;
    options.size = {50, 50, 4, 20, 3, 50};
    options.threads = threads;
    const ParameterMaker numbers = [&](Graph&) {
      return converted<Expression>(model.parameters());
    };
    const ThoroughResult result = thorough_inverse_dynamics(model.topology(), numbers, graph,
                                                            state[0], state[1], state[2], options);
    EXPECT_EQ(result.rounds, 4);
    counts.push_back(result.chosen);
    for (std::size_t k = 1; k < result.front.size(); ++k) {
      EXPECT_GT(result.front[k].multiplications, result.front[k - 1].multiplications);
      EXPECT_LT(result.front[k].additions, result.front[k - 1].additions);
    }
  }
  EXPECT_EQ(counts[0], counts[1]);
}

}  // namespace
}  // namespace ulna
