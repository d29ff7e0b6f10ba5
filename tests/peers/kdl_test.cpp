// Chains of hinges and slides, compared with Orocos KDL: an independent program that shares nothing
// with Ulna but the description of the robot.

#include <gtest/gtest.h>

#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <string>

#include "../support/random_robot.hpp"
#include "agreement.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using testing::dynamics;
using testing::expect_agreement;
using testing::Generator;
using testing::kinematics;
using testing::random_entries;

KDL::Vector vector(const Vector3<double>& v) { return {v.x(), v.y(), v.z()}; }
KDL::Frame frame(const Pose<double>& X) {
  const Matrix3<double>& R = X.rotation;
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1),
                        R(2, 2)),
          vector(X.position)};
}
Pose<double> pose(const KDL::Frame& X) {
  Pose<double> out;
  for (int r = 0; r < 3; ++r) {
    out.position(r) = X.p(r);
    for (int c = 0; c < 3; ++c) out.rotation(r, c) = X.M(r, c);
  }
  return out;
}

KDL::Joint kdl_joint(const JointData& joint) {
  if (joint.type == JointType::fixed) return KDL::Joint(joint.name, KDL::Joint::None);
  const DegreeData degree = joint.degrees.empty() ? DegreeData{} : joint.degrees[0];
  const double rotor = degree.rotor_inertia * degree.gear_ratio * degree.gear_ratio;
  return {joint.name,
          vector(joint.X_PF.position),
          vector(joint.X_PF.rotation * joint.axis),
          joint.type == JointType::revolute ? KDL::Joint::RotAxis : KDL::Joint::TransAxis,
          1,
          0,
          rotor};
}

/// A segment of KDL holds a joint and the body behind it; its tip is the body's frame.
KDL::Chain kdl_chain(const Robot& robot) {
  KDL::Chain chain;
  for (std::size_t k = 0; k < robot.joints.size(); ++k) {
    const JointData& joint = robot.joints[k];
    const BodyData& body = robot.bodies[k];
    EXPECT_EQ(joint.child, body.name);
    EXPECT_EQ(joint.parent, k == 0 ? world_name : robot.bodies[k - 1].name);
    const Matrix3<double>& I = body.inertial.inertia;
    const KDL::RotationalInertia about_centre(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
    chain.addSegment(KDL::Segment(
        body.name, kdl_joint(joint), frame(joint.X_PF * joint.X_MC),
        KDL::RigidBodyInertia(body.inertial.mass, vector(body.inertial.centre), about_centre)));
  }
  return chain;
}

/// KDL knows rotors but neither friction nor springs.
Robot without_friction(Robot robot) {
  for (JointData& joint : robot.joints)
    for (DegreeData& degree : joint.degrees)
      degree.damping = degree.friction = degree.stiffness = 0;
  return robot;
}

/// "puma560" and "intelledex605" as shipped; "random7" a chain from seed 7.
Robot chain_called(const std::string& name) {
  if (name.rfind("random", 0) != 0) return read_robot(name).robot;
  const unsigned seed = static_cast<unsigned>(std::stoi(name.substr(6)));
  Generator g(seed);
  testing::RobotRecipe recipe;
  recipe.bodies = 1 + static_cast<int>(seed % 10);
  recipe.types = {JointType::revolute, JointType::revolute, JointType::prismatic};
  if (seed % 2 == 0) recipe.types.push_back(JointType::fixed);
  recipe.friction = true;
  Robot robot = testing::random_robot(g, recipe);
  robot.joints[0].type = JointType::revolute;  // something must move
  for (JointData& joint : robot.joints)
    if (joint.type == JointType::fixed) joint.degrees.clear();
  return robot;
}

class Kdl : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr int states = 5;

  Kdl() { next_state(); }
  void next_state() {
    q = model.random(g);
    v = random_entries(g, n, 2);
    a = random_entries(g, n, 5);
    q_k.data = q;
    v_k.data = v;
    a_k.data = a;
  }

  Robot robot = without_friction(chain_called(GetParam()));
  Model model{robot};
  Workspace work{model};
  KDL::Chain chain = kdl_chain(robot);
  KDL::Vector gravity = vector(robot.gravity);
  int n = model.speeds();
  Generator g{5};
  Eigen::VectorXd q, v, a;
  KDL::JntArray q_k{static_cast<unsigned>(n)}, v_k{q_k}, a_k{q_k}, tau_k{q_k};
};

TEST_P(Kdl, HasTheSameJoints) { EXPECT_EQ(static_cast<int>(chain.getNrOfJoints()), n); }

TEST_P(Kdl, PutsEveryBodyAtTheSamePlace) {
  KDL::ChainFkSolverPos_recursive solver(chain);
  for (int state = 0; state < states; ++state, next_state()) {
    update_poses(model, work, q);
    for (std::size_t k = 0; k < robot.bodies.size(); ++k) {
      KDL::Frame X;
      ASSERT_EQ(solver.JntToCart(q_k, X, static_cast<int>(k) + 1), 0);
      expect_agreement(frame_pose(model, work, model.frame(robot.bodies[k].name)).matrix(),
                       pose(X).matrix(), kinematics);
    }
  }
}

TEST_P(Kdl, HasTheSameJacobianAtTheTip) {
  KDL::ChainJntToJacSolver solver(chain);
  KDL::Jacobian J(static_cast<unsigned>(n));
  for (int state = 0; state < states; ++state, next_state()) {
    ASSERT_EQ(solver.JntToJac(q_k, J), 0);
    Jacobian theirs(6, n);
    theirs << J.data.bottomRows<3>(), J.data.topRows<3>();  // rotation rows last there
    expect_agreement(jacobian(model, work, q, {model.frame(robot.bodies.back().name)}), theirs,
                     kinematics);
  }
}

TEST_P(Kdl, ChangesThatJacobianAlike) {
  KDL::ChainJntToJacDotSolver solver(chain);
  solver.setHybridRepresentation();  // the velocity of the tip, in the axes of the base
  KDL::Jacobian rate(static_cast<unsigned>(n));
  for (int state = 0; state < states; ++state, next_state()) {
    ASSERT_EQ(solver.JntToJacDot(KDL::JntArrayVel(q_k, v_k), rate), 0);
    Jacobian theirs(6, n);
    theirs << rate.data.bottomRows<3>(), rate.data.topRows<3>();
    const JacobianQuery tip{model.frame(robot.bodies.back().name)};
    expect_agreement(jacobian_derivative(model, q, v, tip), theirs, kinematics);
  }
}

TEST_P(Kdl, GivesTheSameEffortsByNewtonAndEuler) {
  KDL::ChainIdSolver_RNE solver(chain, gravity);
  const KDL::Wrenches none(chain.getNrOfSegments(), KDL::Wrench::Zero());
  for (int state = 0; state < states; ++state, next_state()) {
    ASSERT_EQ(solver.CartToJnt(q_k, v_k, a_k, none, tau_k), 0);
    expect_agreement(inverse_dynamics(model, work, q, v, a), tau_k.data, dynamics);
  }
}

TEST_P(Kdl, GivesTheSameEffortsUnderExternalWrenches) {
  KDL::ChainIdSolver_RNE solver(chain, gravity);
  for (int state = 0; state < states; ++state, next_state()) {
    KDL::Wrenches theirs;
    std::vector<ExternalWrench> ours;
    for (const BodyData& body : robot.bodies) {
      // KDL: through the origin of the body's frame, in its axes.
      ExternalWrench wrench;
      wrench.body = model.body(body.name);
      wrench.force = testing::random_vector(g, 10);
      wrench.moment = testing::random_vector(g, 3);
      wrench.expressed_in = model.frame(body.name);
      theirs.emplace_back(vector(wrench.force), vector(wrench.moment));
      ours.push_back(wrench);
    }
    ASSERT_EQ(solver.CartToJnt(q_k, v_k, a_k, theirs, tau_k), 0);
    expect_agreement(inverse_dynamics(model, work, q, v, a, ours), tau_k.data, dynamics);
  }
}

TEST_P(Kdl, HasTheSameMassMatrix) {
  KDL::ChainDynParam solver(chain, gravity);
  KDL::JntSpaceInertiaMatrix M(n);
  for (int state = 0; state < states; ++state, next_state()) {
    ASSERT_EQ(solver.JntToMass(q_k, M), 0);
    expect_agreement(mass_matrix(model, work, q), M.data, dynamics);
  }
}

TEST_P(Kdl, HasTheSameGravityAndCoriolisEfforts) {
  KDL::ChainDynParam solver(chain, gravity);
  KDL::JntArray coriolis(static_cast<unsigned>(n));
  for (int state = 0; state < states; ++state, next_state()) {
    ASSERT_EQ(solver.JntToGravity(q_k, tau_k), 0);
    ASSERT_EQ(solver.JntToCoriolis(q_k, v_k, coriolis), 0);
    expect_agreement(gravity_efforts(model, work, q), tau_k.data, dynamics);
    expect_agreement(coriolis_matrix(model, q, v) * v, coriolis.data, dynamics);
    expect_agreement(bias_efforts(model, work, q, v), tau_k.data + coriolis.data, dynamics);
  }
}

TEST_P(Kdl, AcceleratesAlike) {
  KDL::ChainFdSolver_RNE solver(chain, gravity);
  const KDL::Wrenches none(chain.getNrOfSegments(), KDL::Wrench::Zero());
  for (int state = 0; state < states; ++state, next_state()) {
    tau_k.data = random_entries(g, n, 20);
    ASSERT_EQ(solver.CartToJnt(q_k, v_k, tau_k, none, a_k), 0);
    // Compared as efforts, so that the condition of the mass matrix does not enter.
    const Eigen::MatrixXd M = mass_matrix(model, work, q);
    const Eigen::VectorXd bias = bias_efforts(model, work, q, v);
    for (ForwardMethod method : {ForwardMethod::articulated_body, ForwardMethod::composite_body})
      expect_agreement(M * forward_dynamics(model, work, q, v, tau_k.data, {}, method) + bias,
                       M * a_k.data + bias, dynamics);
  }
}

std::vector<std::string> chain_names() {
  std::vector<std::string> names{"intelledex605", "puma560"};
  for (int seed = 1; seed <= 20; ++seed) names.push_back("random" + std::to_string(seed));
  return names;
}

INSTANTIATE_TEST_SUITE_P(Robots, Kdl, ::testing::ValuesIn(chain_names()),
                         [](const auto& robot) { return robot.param; });

}  // namespace
}  // namespace ulna
