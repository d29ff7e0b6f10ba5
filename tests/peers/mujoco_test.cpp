// The shipped robots and trees of all joints MuJoCo knows (not screws), compared with MuJoCo.

#include <gtest/gtest.h>

#include <string>

#include "../support/random_robot.hpp"
#include "agreement.hpp"
#include "mujoco_model.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using testing::dynamics;
using testing::expect_near;
using testing::Generator;
using testing::kinematics;
using testing::random_entries;
using testing::random_vector;

// MuJoCo keeps rotations as quaternions and inertias by their
// principal axes; handed to it to the last digit they cost a few digits, not ten.

Robot random_tree(unsigned seed) {
  Generator g(seed);
  testing::RobotRecipe recipe;
  recipe.bodies = 1 + static_cast<int>(seed % 10);
  recipe.branches = seed % 4 != 0;
  recipe.friction = true;
  switch (seed % 5) {
    case 0:
      recipe.types = {JointType::revolute, JointType::prismatic};
      break;
    case 1:
      recipe.types = {JointType::spherical};
      break;
    case 2:
      recipe.types = {JointType::revolute, JointType::free};
      break;
    default:
      recipe.types = {JointType::revolute,  JointType::prismatic, JointType::cylindrical,
                      JointType::universal, JointType::spherical, JointType::planar,
                      JointType::free,      JointType::fixed,     JointType::sphere_in_groove};
  }
  Robot robot = testing::random_robot(g, recipe);
  for (JointData& joint : robot.joints) {
    const bool grounded = joint.parent == world_name;
    if (joint.type == JointType::free && !grounded) joint.type = JointType::spherical;
    if (joint.type == JointType::fixed && grounded) joint.type = JointType::revolute;
    joint.degrees.resize(size_of(joint.type).speeds);
    const int ball = joint.type == JointType::sphere_in_groove ? 1 : 0;
    for (int k = ball; k < static_cast<int>(joint.degrees.size()); ++k) {
      // A ball of MuJoCo has one damping, and its axes are not Ulna's.
      if (traits_of(joint.type).has_quaternion())
        joint.degrees[k] = {.damping = joint.degrees[ball].damping};
      if (joint.type == JointType::free) joint.degrees[k] = {};
    }
  }
  return robot;
}

/// "puma560" and "intelledex605" as shipped; "random7" a tree from seed 7.
Robot tree_called(const std::string& name) {
  Robot robot = name.rfind("random", 0) == 0
                    ? random_tree(static_cast<unsigned>(std::stoi(name.substr(6))))
                    : read_robot(name).robot;
  for (JointData& joint : robot.joints)
    for (DegreeData& degree : joint.degrees) degree.friction = 0;  // a constraint in MuJoCo
  return robot;
}

class Mujoco : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr int states = 3;

  Mujoco() { next_state(); }
  void next_state() {
    q = model.random(g);
    v = random_entries(g, n, 2);
    a = random_entries(g, n, 5);
    const testing::MujocoState state(model, peer, q, v, a);
    T = state.T;
    std::copy(state.q.begin(), state.q.end(), d->qpos);
    std::copy(state.v.begin(), state.v.end(), d->qvel);
    std::copy(state.a.begin(), state.a.end(), d->qacc);
    drift = state.a - T * a;
    mj_inverse(peer.model.get(), d);
  }

  Generator g{5};
  Robot robot = tree_called(GetParam());
  Model model{robot};
  Workspace work{model};
  testing::Mujoco peer{testing::MjcfWriter(robot).text(), "robot.xml", robot.gravity};
  mjData* d = peer.data.get();
  int n = model.speeds();
  Eigen::VectorXd q, v, a, drift;
  Eigen::MatrixXd T;
};

TEST_P(Mujoco, PutsEveryBodyAtTheSamePlace) {
  ASSERT_EQ(peer.model->nv, n);
  for (int state = 0; state < states; ++state, next_state()) {
    update_poses(model, work, q);
    for (const BodyData& body : robot.bodies)
      expect_near(frame_pose(model, work, model.frame(body.name)).matrix(),
                  peer.body_pose(peer.body(body.name)).matrix(), kinematics);
  }
}

TEST_P(Mujoco, HasTheSameJacobianOfAPoint) {
  for (int state = 0; state < states; ++state, next_state()) {
    const std::string& name = robot.bodies[g() % robot.bodies.size()].name;
    const Vector3<double> point = random_vector(g);
    const Vector3<double> p_W = peer.body_pose(peer.body(name)) * point;
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> turn(3, n), slide(3, n);
    mj_jac(peer.model.get(), d, slide.data(), turn.data(), p_W.data(), peer.body(name));
    Eigen::MatrixXd theirs(6, n);
    theirs << turn * T, slide * T;
    expect_near(jacobian(model, work, q, {model.frame(name), point}), theirs, kinematics);
  }
}

TEST_P(Mujoco, HasTheSameMassMatrix) {
  for (int state = 0; state < states; ++state, next_state())
    expect_near(mass_matrix(model, work, q), T.transpose() * peer.mass_matrix() * T, dynamics);
}

TEST_P(Mujoco, HasTheSameBias) {
  for (int state = 0; state < states; ++state, next_state()) {
    // What MuJoCo's coordinates accelerate by themselves while ours do not is no bias of its own.
    const Eigen::VectorXd bias =
        peer.per_speed(d->qfrc_bias) - peer.per_speed(d->qfrc_passive) + peer.mass_matrix() * drift;
    expect_near(bias_efforts(model, work, q, v), T.transpose() * bias, dynamics);
  }
}

TEST_P(Mujoco, NeedsTheSameEfforts) {
  for (int state = 0; state < states; ++state, next_state())
    expect_near(inverse_dynamics(model, work, q, v, a),
                T.transpose() * peer.per_speed(d->qfrc_inverse), dynamics);
}

TEST_P(Mujoco, AcceleratesAlikeUnderEffortsAndWrenches) {
  for (int state = 0; state < states; ++state, next_state()) {
    std::vector<ExternalWrench> wrenches;
    for (const BodyData& body : robot.bodies) {
      // MuJoCo: at the centre of mass, world axes.
      ExternalWrench wrench;
      wrench.body = model.body(body.name);
      wrench.point = body.inertial.centre;
      wrench.force = random_vector(g, 5);
      wrench.moment = random_vector(g, 2);
      wrenches.push_back(wrench);
      Eigen::Map<Vector6<double>>(d->xfrc_applied + 6 * peer.body(body.name)) << wrench.force,
          wrench.moment;
    }
    const Eigen::VectorXd theirs = random_entries(g, n, 10);
    peer.per_speed(d->qfrc_applied) = theirs;
    mj_forward(peer.model.get(), d);
    const Eigen::VectorXd tau = T.transpose() * theirs;
    const Eigen::VectorXd ours = forward_dynamics(model, work, q, v, tau, wrenches);
    // The condition of the mass matrix multiplies what is lost.
    expect_near(T * ours + drift, peer.per_speed(d->qacc), 10 * dynamics);
  }
}

TEST_P(Mujoco, HasTheSameEnergyAndMomentum) {
  for (int state = 0; state < states; ++state, next_state()) {
    mj_energyPos(peer.model.get(), d);
    mj_energyVel(peer.model.get(), d);
    mj_subtreeVel(peer.model.get(), d);
    const Energy ours = energy(model, work, q, v);
    expect_near(Eigen::Vector2d(ours.potential, ours.kinetic),
                Eigen::Vector2d(d->energy[0], d->energy[1]), dynamics);
    // Body 0 is the world: its subtree is everything.
    const Eigen::Map<Vector3<double>> com(d->subtree_com), velocity(d->subtree_linvel),
        angular(d->subtree_angmom);
    Vector6<double> theirs;
    theirs.tail<3>() = model.mass() * velocity;
    theirs.head<3>() = angular + com.cross(theirs.tail<3>());
    expect_near(momentum(model, work, q, v), theirs, dynamics);
    expect_near(centre_of_mass(model, work), com, kinematics);
  }
}

std::vector<std::string> tree_names() {
  std::vector<std::string> names{"intelledex605", "puma560"};
  for (int seed = 1; seed <= 40; ++seed) names.push_back("random" + std::to_string(seed));
  return names;
}

INSTANTIATE_TEST_SUITE_P(Robots, Mujoco, ::testing::ValuesIn(tree_names()),
                         [](const auto& robot) { return robot.param; });

}  // namespace
}  // namespace ulna
