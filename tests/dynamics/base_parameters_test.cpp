// The number of parameters that efforts can tell, by the rank of the regressor and by the grouping
// rules, and that efforts depend on nothing else.

#include "ulna/dynamics/base_parameters.hpp"

#include <gtest/gtest.h>

#include "../support/aligned_robot.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::random_entries;

/// tau = Y p = Y(:, kept) (combination p), for parameters of any body at all.
void expect_same_efforts(TorqueRegressor& regressor, const BaseParameters& base, Generator& g) {
  const Model& model = regressor.model();
  Workspace work(model);
  const Eigen::VectorXd p = random_entries(g, regressor.columns());
  const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds(), 2),
                        a = random_entries(g, model.speeds(), 5);
  const Eigen::MatrixXd& Y = regressor(work, q, v, a);
  const Eigen::VectorXd by_base = Y(Eigen::all, base.kept) * (base.combination * p);
  // The elimination multiplies rounding by the condition of the kept columns.
  EXPECT_LT((by_base - Y * p).cwiseAbs().maxCoeff(), 1e-8 * (1 + Y.cwiseAbs().sum()));
}

void expect_agreement(const Model& model, RegressorTerms terms, Generator& g, unsigned seed) {
  TorqueRegressor regressor(model, terms);
  const BaseParameters rank = base_parameters_by_rank(regressor),
                       rules = base_parameters_by_grouping(regressor);
  EXPECT_EQ(rank.kept, rules.kept) << "seed " << seed;
  EXPECT_EQ(rank.unfelt, rules.unfelt) << "seed " << seed;
  EXPECT_GT(rank.margin, 100) << "seed " << seed;
  expect_same_efforts(regressor, rank, g);
  expect_same_efforts(regressor, rules, g);
  if (rank.kept != rules.kept) return;
  const double size = 1 + rules.combination.cwiseAbs().maxCoeff();
  EXPECT_LT((rank.combination - rules.combination).cwiseAbs().maxCoeff(), 1e-6 * size)
      << "seed " << seed;
}

// The preload of a spring and the weight of a slide may be the same constant; the rules leave that
// to the rank.
constexpr RegressorTerms without_springs{true, true, true, false};

TEST(BaseParameters, RankAndRulesAgreeOnTreesOfAllJoints) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 2 + static_cast<int>(seed % 5);
    recipe.types = testing::all_moving_types;
    if (seed % 2) recipe.types.resize(2);  // revolute and prismatic
    recipe.branches = seed % 4 < 2;
    recipe.reversed = true;
    const Model model(testing::random_robot(g, recipe));
    expect_agreement(model, seed % 3 ? RegressorTerms{} : without_springs, g, seed);
  }
}

TEST(BaseParameters, RankAndRulesAgreeOnAlignedTrees) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Generator g(seed);
    const Model model(testing::aligned_robot(g, 4, seed % 2, false));
    expect_agreement(model, seed % 3 ? RegressorTerms{} : without_springs, g, seed);
  }
}

struct Counted {
  const char* name;
  int bodies, with_rotors;
};

// Six revolute joints, the first along gravity: 1 + 5 x 7 = 36, the usual count for such arms,
// and rotors 3 to 6 are felt apart. The Intelledex is mounted with its first axis across gravity:
// 3 + 5 x 7. The third joint of the Stanford arm is prismatic: 1 + 7 + 4 + 3 x 7. All axes of the
// SCARA are vertical, two turns and a slide: 1 + 3 + 1.
TEST(BaseParameters, OfShippedRobots) {
  for (const Counted& robot : {Counted{"puma560", 36, 40}, Counted{"stanford", 33, 37},
                               Counted{"intelledex605", 38, 42}, Counted{"scara", 5, 7}}) {
    const Model model(read_robot(robot.name).robot);
    TorqueRegressor bodies(model), rotors(model, {true, false, false, false});
    EXPECT_EQ(base_parameters_by_rank(bodies).count(), robot.bodies) << robot.name;
    EXPECT_EQ(base_parameters_by_rank(rotors).count(), robot.with_rotors) << robot.name;
    Generator g(1);
    expect_agreement(model, {}, g, 0);
    expect_agreement(model, without_springs, g, 0);
  }
}

TEST(BaseParameters, ReadAsCombinations) {
  BaseParameters base;
  base.kept = {1};
  base.combination = Eigen::RowVector3d(-1, 1, 0.25);
  EXPECT_EQ(describe(base, 0, {"a", "b", "c"}), "b - a + 0.25 c");
}

}  // namespace
}  // namespace ulna
