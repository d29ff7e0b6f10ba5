// Freedom of mechanisms with many loops: what is true of one loop is true of many, whether they are
// coupled or apart, and it is found in a time that grows as they do.

#include "ulna/kinematics/mobility.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "support/four_bar_chain.hpp"
#include "ulna/kinematics/assembly.hpp"

namespace ulna {
namespace {

Eigen::VectorXd chain_at(const Model& model) {
  AssemblyOptions options;
  options.start = testing::posture_of_chain(model, 1.1);  // flat they are singular
  return assembled(model, options);
}

Mobility mobility_of(const Model& model) { return mobility(model, chain_at(model)); }

void expect_one_freedom(int count) {
  SCOPED_TRACE(count);
  const Model model(testing::four_bar_chain(count));
  const Mobility found = mobility_of(model);
  EXPECT_EQ(found.dof, 1);
  EXPECT_EQ(found.full_cycle_dof, 1);
  EXPECT_EQ(found.rank, model.speeds() - 1);
  EXPECT_EQ(found.independent.size(), 1u);
  int adds = 0;
  for (const LoopMobility& loop : found.loops) {
    EXPECT_EQ(loop.rank, 2);  // of a plane loop: its third row is the closing joint's
    adds += loop.adds;
  }
  EXPECT_EQ(adds, found.rank);
  // A motion along it keeps every loop closed, to first order.
  ASSERT_EQ(found.directions.cols(), 1);
  LoopClosure closure(model);
  Workspace work(model);
  closure.update(work, chain_at(model));
  const Eigen::VectorXd v = found.directions.col(0);
  EXPECT_LT(closure.times(v).norm(), 1e-9 * v.norm() * count);
}

TEST(Mobility, OfCoupledFourBarsIsOneHoweverManyTheyAre) {
  for (const int count : {1, 5, 29, 31, 60}) expect_one_freedom(count);  // either side of 60 speeds
}

TEST(Mobility, GrowsAsTheLoopsDo) {
  const auto seconds = [](int count) {
    const Model model(testing::four_bar_chain(count));
    const Eigen::VectorXd q = chain_at(model);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(mobility(model, q).dof, 1);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  // 200 loops took 20 s; some seconds are left for slow machines.
  EXPECT_LT(seconds(200), 4);
}

/// The same mechanism several times over.
Robot copies(const Robot& one, int count) {
  Robot all = one;
  all.bodies.clear();
  all.joints.clear();
  for (int k = 0; k < count; ++k) {
    const auto named = [&](const std::string& name) {
      return name == world_name ? name : name + " of " + std::to_string(k);
    };
    for (BodyData body : one.bodies) {
      body.name = named(body.name);
      all.bodies.push_back(body);
    }
    for (JointData joint : one.joints) {
      joint.name = named(joint.name);
      joint.parent = named(joint.parent);
      joint.child = named(joint.child);
      all.joints.push_back(joint);
    }
  }
  return all;
}

TEST(Mobility, OfMechanismsSideBySideAddsUp) {
  const Model one(testing::four_bar_chain(2));
  const Mobility single = mobility_of(one);
  const Model many(copies(testing::four_bar_chain(2), 15));
  const Mobility all = mobility_of(many);
  EXPECT_EQ(all.dof, 15 * single.dof);
  EXPECT_EQ(all.rank, 15 * single.rank);
  EXPECT_EQ(all.full_cycle_dof, 15 * single.full_cycle_dof);
  EXPECT_EQ(all.independent.size(), 15 * single.independent.size());
  EXPECT_EQ(all.directions.cols(), all.dof);
}

TEST(Mobility, ManyMechanismsAreAssembledOneByOne) {
  const Model many(copies(testing::four_bar_chain(1), 150));
  AssemblyOptions options;
  options.start = testing::posture_of_chain(many, 1.1);
  for (int k = 0; k < many.coordinates(); k += 2) options.start(k) += 0.3;
  const auto begin = std::chrono::steady_clock::now();
  const Eigen::VectorXd q = assembled(many, options);
  const auto end = std::chrono::steady_clock::now();
  LoopClosure closure(many);
  Workspace work(many);
  closure.update(work, q);
  EXPECT_LT(closure.largest_gap(work), 1e-9);
  EXPECT_LT(std::chrono::duration<double>(end - begin).count(), 4);  // took 10 s
}

}  // namespace
}  // namespace ulna
