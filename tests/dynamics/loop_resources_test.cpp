// What the dynamics of loops uses: no memory after construction, and steps that grow with the loops
// and not with their square.

#include <gtest/gtest.h>

#include <random>

#include "../support/allocations.hpp"
#include "../support/four_bar_chain.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
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
  LoopEfforts efforts;
  const LoopInverseOptions motors{{0, 2}, VectorXd::Constant(2, 0.5)};
  const auto everything = [&] {
    loops.forward(work, q, v, tau);
    loops.forward(work, q, v, tau, {}, LoopMethod::embedding);
    loops.inverse(work, q, v, a, {}, {}, efforts);
    loops.inverse(work, q, v, a, motors, {}, efforts);
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

// What is computed by branches is the whole matrix: spherical and free joints, branches, rotors.
TEST(LoopResources, MassMatrixByBranchesHasAllThatIsNotZero) {
  Robot robot;
  robot.name = "branches";
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> number(-1, 1);
  const JointType types[] = {JointType::free,      JointType::revolute,  JointType::spherical,
                             JointType::prismatic, JointType::universal, JointType::screw};
  for (int k = 0; k < 14; ++k) {
    BodyData body;
    body.name = "body" + std::to_string(k);
    body.inertial = {2 + number(generator),
                     {number(generator), number(generator), number(generator)},
                     Eigen::Vector3d(1, 1.2, 1.3).asDiagonal()};
    robot.bodies.push_back(body);
    JointData joint;
    joint.name = "joint" + std::to_string(k);
    joint.type = types[k % 6];
    if (joint.type == JointType::universal) joint.axis2 = {1, 0, 0};
    if (joint.type == JointType::screw) joint.pitch = 0.1;
    joint.parent = k < 2 ? world_name : "body" + std::to_string((k - 1) / 2);
    joint.child = body.name;
    joint.X_PF.position << number(generator), number(generator), number(generator);
    if (joint.type == JointType::revolute) joint.degrees = {DegreeData{.rotor_inertia = 0.3}};
    robot.joints.push_back(joint);
  }
  const Model model(robot);
  Workspace work(model);
  std::mt19937_64 seed(3);
  const VectorXd q = model.random(seed);
  const Eigen::MatrixXd M = mass_matrix(model, work, q);
  LoopDynamics loops(model);
  VectorXd v = VectorXd::Zero(model.speeds()), y = v;
  loops.close_speeds(work, q, v);
  Eigen::MatrixXd by_branches(M.rows(), M.cols());
  for (int k = 0; k < model.speeds(); ++k) {
    loops.mass_times(VectorXd::Unit(model.speeds(), k), y);
    by_branches.col(k) = y;
  }
  EXPECT_LT((by_branches - M).cwiseAbs().maxCoeff(), 1e-13 * M.cwiseAbs().maxCoeff());
}

}  // namespace
}  // namespace ulna
