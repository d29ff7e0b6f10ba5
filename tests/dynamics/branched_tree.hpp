#pragma once
// A random tree of eight bodies with every type of joint that moves.

#include "support/random_robot.hpp"
#include "ulna/model/model.hpp"

namespace ulna::testing {

inline Model branched_tree(unsigned seed) {
  Generator g(seed);
  RobotRecipe recipe;
  recipe.bodies = 8;
  recipe.types = all_moving_types;
  recipe.branches = true;
  return Model(random_robot(g, recipe));
}

}  // namespace ulna::testing
