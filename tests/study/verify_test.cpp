// One model, one answer by every route, for the shipped robots and for robots of every kind.

#include "ulna/study/verify.hpp"

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "ulna/dynamics/reactions.hpp"
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

TEST(Verify, FlexibleRobotsWithElements) {
  const Model model(read_robot_yaml_text(R"(
ulna: 1
name: stayed-arm
bodies:
  - {name: arm, beam: {from: [0, 0, 0], to: [1, 0, 0], material: aluminium, section: {round: 20 mm}, flexible: {modes: {bending_y: 2, bending_z: 1}}}}
  - {name: hand, mass: 0.5, inertia: [1e-3, 2e-3, 3e-3]}
joints:
  - {name: shoulder, type: revolute, parent: world, child: arm}
  - {name: wrist, type: revolute, parent: arm, child: hand, at: [1, 0, 0]}
frames:
  - {name: middle, body: arm, at: [0.6, 0, 0]}
elements:
  - {name: stay, type: spring-damper, from: {body: world, point: [0.5, 1, 0.2]}, to: middle, stiffness: 300, damping: 2, free_length: 0.5}
  - {name: mount, type: bushing, from: middle, to: {body: hand}, stiffness: [5, 5, 5, 200, 200, 200], damping: [0.1, 0.1, 0.1, 1, 1, 1]}
)",
                                         "stayed-arm")
                        .robot);
  VerifyOptions options;
  options.states = 20;
  EXPECT_TRUE(verify(model, options).ok());
  // At rest and undeflected the joint carries the weight and what the stay pulls.
  Workspace work(model);
  const Eigen::VectorXd q = model.neutral(), zero = Eigen::VectorXd::Zero(model.speeds());
  const auto reactions = JointReactions(model).compute(work, q, zero, zero, {}, {});
  const Vector3<double> line = Vector3<double>(0.5, 1, 0.2) - Vector3<double>(0.6, 0, 0);
  const Vector3<double> pull = 300 * (line.norm() - 0.5) * line.normalized();
  const Vector3<double> weight = model.mass() * model.robot().gravity;
  EXPECT_LT((reactions[0].force + pull + weight).norm(), 1e-9 * pull.norm());
}

}  // namespace
}  // namespace ulna
