// One model, one answer by every route, for the shipped robots and for robots of every kind.

#include "ulna/study/verify.hpp"

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna {
namespace {

void expect_agreement(const VerifyResult& result) {
  for (const VerifyPair& pair : result.pairs)
    EXPECT_TRUE(pair.ok()) << pair.quantity << " by " << pair.a << " and " << pair.b << ": "
                           << pair.max_difference << " > " << pair.bound;
}

TEST(Verify, ShippedRobotsPass) {
  for (const ShippedRobot& shipped : shipped_robots()) {
    SCOPED_TRACE(shipped.name);
    const Model model(read_robot(shipped.name).robot);
    // Arrays of inertia powers of eighty joints take seconds.
    const int states = model.speeds() > 40 ? 1 : 100;
    const VerifyResult result = verify(model, {states, 1, {}});
    EXPECT_EQ(result.states, states);
    EXPECT_GE(result.pairs.size(), model.flexible() ? 6u : model.loops().empty() ? 15u : 9u);
    expect_agreement(result);
  }
}

TEST(Verify, RandomTreesPass) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    testing::Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 3 + static_cast<int>(seed % 28);
    recipe.types = testing::all_moving_types;
    recipe.branches = true;
    recipe.friction = seed % 2 == 0;
    recipe.mimic = seed % 3 == 0;
    expect_agreement(verify(Model(testing::random_robot(g, recipe)), {3, seed, {}}));
  }
}

TEST(Verify, ProgressMayStopIt) {
  const VerifyResult result =
      verify(Model(read_robot("puma560").robot), {100, 1, [](int done) { return done < 7; }});
  EXPECT_EQ(result.states, 7);
  EXPECT_TRUE(result.partial);
  EXPECT_THROW(verify(Model(read_robot("puma560").robot), {0, 1, {}}), InputError);
}

}  // namespace
}  // namespace ulna
