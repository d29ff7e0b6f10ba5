// A mimic joint, q_i = m q_j + b, has no freedom of its own: with q_full = G q + b of the robot
// that has it free, poses are equal, M = G' M_full G and tau = G' tau_full.

#include "naive_poses.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::Generator;
using testing::random_entries;
using testing::uniform;

/// A random tree of one-degree joints, a ball and a floating body among which some joints follow
/// others, also followers, joints declared later and joints of another type.
Robot robot_with_mimics(Generator& g) {
  testing::RobotRecipe recipe;
  recipe.bodies = 9;
  recipe.types = {JointType::revolute, JointType::prismatic, JointType::screw};
  recipe.branches = true;
  recipe.friction = true;
  Robot robot = testing::random_robot(g, recipe);
  const auto follow = [&](int joint, int leader) {
    robot.joints[joint].mimic =
        Mimic{robot.joints[leader].name, uniform(g, -2, 2), uniform(g, -1, 1)};
  };
  follow(2, 1);
  follow(4, 2);
  follow(3, 8);
  follow(6, 8);
  robot.joints[5].type = JointType::spherical;
  robot.joints[7].type = JointType::free;
  robot.joints[5].degrees = robot.joints[7].degrees = {};
  if (robot.joints[4].parent != world_name)
    std::swap(robot.joints[4].parent, robot.joints[4].child);
  return robot;
}

struct Embedding {
  Eigen::MatrixXd G;
  Eigen::VectorXd q_full;
};

/// Coordinates of the robot that has all joints free, and the map of its speeds.
Embedding embedding(const Model& model, const Model& full, const Eigen::VectorXd& q) {
  Embedding out{Eigen::MatrixXd::Zero(full.speeds(), model.speeds()),
                Eigen::VectorXd::Zero(full.coordinates())};
  for (const JointData& data : model.robot().joints) {
    const Joint& free = full.joints()[full.joint(data.name)];
    out.q_full.segment(free.q, free.coordinates) = testing::own_coordinates(model, data, q);
    const JointData* leader = &data;
    double multiplier = 1;
    while (leader->mimic) {
      multiplier *= leader->mimic->multiplier;
      for (const JointData& other : model.robot().joints)
        if (other.name == leader->mimic->joint) {
          leader = &other;
          break;
        }
    }
    const Joint& driver = model.joints()[model.joint(leader->name)];
    for (int k = 0; k < free.speeds; ++k) out.G(free.v + k, driver.v + k) = multiplier;
  }
  return out;
}

class MimicJoints : public ::testing::TestWithParam<int> {
 protected:
  static Robot freed(Robot robot) {
    for (JointData& joint : robot.joints) joint.mimic.reset();
    return robot;
  }
  Generator g{static_cast<std::uint64_t>(GetParam())};
  Robot robot = robot_with_mimics(g);
  Model model{robot}, full{freed(robot)};
  Workspace work{model}, full_work{full};
  Eigen::VectorXd q = model.random(g);
  Eigen::VectorXd v = random_entries(g, model.speeds()), a = random_entries(g, model.speeds());
  Embedding e = embedding(model, full, q);
};

TEST_P(MimicJoints, HaveNoCoordinates) {
  EXPECT_EQ(full.speeds() - model.speeds(), 4);
  for (const Joint& joint : model.joints()) {
    const bool follows = robot.joints[full.joint(joint.name)].mimic.has_value();
    EXPECT_EQ(joint.mimicked >= 0, follows) << joint.name;
    EXPECT_EQ(joint.speeds == 0, follows) << joint.name;
  }
  // A follower's follower follows the first leader.
  EXPECT_EQ(model.joints()[model.joint("j4")].mimicked, model.joint("j1"));
}

TEST_P(MimicJoints, StandWhereTheFreeJointsWouldStand) {
  testing::expect_naive_poses(model, q);
  update_poses(model, work, q);
  update_poses(full, full_work, e.q_full);
  for (std::size_t f = 0; f < model.frames().size(); ++f)
    expect_near(frame_pose(model, work, static_cast<int>(f)).matrix(),
                frame_pose(full, full_work, static_cast<int>(f)).matrix(), 1e-14);
}

TEST_P(MimicJoints, MoveTheFramesAsTheFreeJointsWould) {
  const JacobianQuery query{static_cast<int>(model.frames().size()) - 1};
  expect_near(jacobian(model, work, q, query), jacobian(full, full_work, e.q_full, query) * e.G,
              1e-14);
}

TEST_P(MimicJoints, HaveTheProjectedMassMatrix) {
  expect_near(mass_matrix(model, work, q),
              e.G.transpose() * mass_matrix(full, full_work, e.q_full) * e.G, 1e-13);
}

TEST_P(MimicJoints, HandTheirEffortsToTheirLeader) {
  expect_near(inverse_dynamics(model, work, q, v, a),
              e.G.transpose() * inverse_dynamics(full, full_work, e.q_full, e.G * v, e.G * a),
              1e-13);
  expect_near(gravity_efforts(model, work, q),
              e.G.transpose() * gravity_efforts(full, full_work, e.q_full), 1e-13);
}

TEST_P(MimicJoints, CarryTheSameEnergy) {
  const Energy reduced = energy(model, work, q, v);
  const Energy whole = energy(full, full_work, e.q_full, e.G * v);
  EXPECT_NEAR(reduced.kinetic, whole.kinetic, 1e-13 * (1 + whole.kinetic));
  EXPECT_NEAR(reduced.potential, whole.potential, 1e-13 * (10 + std::abs(whole.potential)));
}

TEST_P(MimicJoints, AccelerateSoThatInverseDynamicsGivesTheEffortsBack) {
  const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
  // The condition of M multiplies the roundings.
  expect_near(forward_dynamics(model, work, q, v, tau), a, 1e-9);
  EXPECT_THROW(forward_dynamics(model, work, q, v, tau, {}, ForwardMethod::articulated_body),
               InputError);
}

TEST_P(MimicJoints, HaveTheProjectedDerivatives) {
  // dtau/dq = G' dtau_full/dq G, because G is constant; the same for speeds.
  DerivativeWorkspace d(model), full_d(full);
  const InverseDerivatives& reduced = inverse_dynamics_derivatives(model, work, d, q, v, a);
  const InverseDerivatives& whole =
      inverse_dynamics_derivatives(full, full_work, full_d, e.q_full, e.G * v, e.G * a);
  expect_near(reduced.dtau_dq, e.G.transpose() * whole.dtau_dq * e.G, 1e-12);
  expect_near(reduced.dtau_dv, e.G.transpose() * whole.dtau_dv * e.G, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MimicJoints, ::testing::Range(1, 21));

}  // namespace
}  // namespace ulna
