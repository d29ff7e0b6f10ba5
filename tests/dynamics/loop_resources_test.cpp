// What the dynamics of loops uses: no memory after construction, and steps that grow with the loops
// and not with their square.

#include <gtest/gtest.h>

#include "../support/allocations.hpp"
#include "../support/four_bar_chain.hpp"
#include "ulna/dynamics/loops.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

TEST(LoopResources, NothingIsAllocatedAfterConstruction) {
  Robot robot = testing::four_bar_chain(4);
  robot.joints.back().degrees = {DegreeData{.damping = 0.1, .stiffness = 2}};
  const Model model(robot);
  Workspace work(model);
  LoopDynamics loops(model);
  VectorXd q = testing::posture_of_chain(model, 1.1), v = VectorXd::Zero(model.speeds()), a = v,
           tau = VectorXd::Ones(model.speeds());
  ASSERT_TRUE(loops.close_positions(work, q));
  v = loops.project_speeds(work, q, VectorXd::Ones(model.speeds()));
  std::vector<char> held(model.speeds(), 0);
  held[0] = 1;
  VectorXd q2 = q;
  q2(1) += 1e-3;
  const auto everything = [&] {
    loops.forward(work, q, v, tau);
    loops.hold(held);
    a(0) = 1;
    loops.mixed(work, q, v, a, tau);
    loops.closing_power(work);
    loops.close_positions(work, q2);
    loops.close_speeds(work, q2, v);
  };
  everything();  // once for what is made on first use
  q2(1) += 1e-3;
  const long count = testing::allocations_of(everything);
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace ulna
