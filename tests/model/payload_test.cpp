// A payload is a body that somebody bolted on.

#include "naive_poses.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::Generator;
using testing::random_entries;
using testing::random_inertial;

TEST(Payloads, WeighAsMuchAsTheSameBodyOnAFixedJoint) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.types = testing::all_moving_types;
    recipe.branches = true;
    const Robot bare = testing::random_robot(g, recipe);
    Robot loaded = bare, bolted = bare;
    for (int k = 0; k < 3; ++k) {
      const std::string name = "load" + std::to_string(k);
      const std::string carrier = bare.bodies[g() % bare.bodies.size()].name;
      const Pose<double> X_BL{testing::random_rotation(g), testing::random_vector(g)};
      const Inertial inertial = random_inertial(g);
      loaded.payloads.push_back({name, carrier, X_BL, inertial, {}});
      bolted.bodies.push_back({name, inertial, {}, {}});
      JointData bolts;
      bolts.name = "bolts" + std::to_string(k);
      bolts.parent = carrier;
      bolts.child = name;
      bolts.X_PF = X_BL;
      bolted.joints.push_back(bolts);
    }
    const Model one(loaded), other(bolted);
    Workspace work(one), other_work(other);
    const Eigen::VectorXd q = one.random(g);
    const Eigen::VectorXd v = random_entries(g, one.speeds()), a = random_entries(g, one.speeds());
    EXPECT_NEAR(one.mass(), other.mass(), 1e-14 * one.mass());
    expect_near(mass_matrix(one, work, q), mass_matrix(other, other_work, q), 1e-13);
    expect_near(inverse_dynamics(one, work, q, v, a), inverse_dynamics(other, other_work, q, v, a),
                1e-13);
    update_poses(one, work, q);
    update_poses(other, other_work, q);
    expect_near(centre_of_mass(one, work), centre_of_mass(other, other_work), 1e-14);
  }
}

TEST(TotalMass, IsTheSumOverBodiesAndPayloadsThoseOfTheWorldIncluded) {
  Generator g(1);
  testing::RobotRecipe recipe;
  recipe.types = {JointType::revolute, JointType::fixed};
  recipe.branches = true;
  recipe.bodies = 12;
  Robot robot = testing::random_robot(g, recipe);
  robot.joints[0].type = JointType::fixed;  // a body fixed to the world
  Inertial block;
  block.mass = 100;
  robot.payloads.push_back({"block", world_name, {}, block, {}});
  double sum = block.mass;
  for (const BodyData& body : robot.bodies) sum += body.inertial.mass;
  EXPECT_NEAR(Model(robot).mass(), sum, 1e-13 * sum);
}

TEST(GroundedMass, HasNoPartInTheDynamics) {
  Generator g(1);
  const Robot bare = testing::random_robot(g, {});
  Robot loaded = bare;
  loaded.payloads.push_back({"block", world_name, {}, random_inertial(g), {}});
  const Model one(bare), other(loaded);
  Workspace work(one), other_work(other);
  const Eigen::VectorXd q = one.random(g), v = random_entries(g, one.speeds());
  EXPECT_EQ(mass_matrix(one, work, q), mass_matrix(other, other_work, q));
  EXPECT_EQ(bias_efforts(one, work, q, v), bias_efforts(other, other_work, q, v));
}

}  // namespace
}  // namespace ulna
