// Any graph of bodies and joints, declared in any order and any sense, is the same mechanism.

#include <gmock/gmock.h>

#include <algorithm>

#include "joints.hpp"
#include "naive_poses.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::four_bar;
using testing::Generator;
using testing::joint;
using testing::placed_joint;
using testing::random_entries;
using testing::random_inertial;

Robot any_tree(Generator& g, int bodies) {
  testing::RobotRecipe recipe;
  recipe.bodies = bodies;
  recipe.types = testing::all_moving_types;
  recipe.types.push_back(JointType::fixed);
  recipe.branches = true;
  recipe.friction = true;
  return testing::random_robot(g, recipe);
}

/// `x` of one model, entry by entry where another model with the same joints has them.
Eigen::VectorXd renumbered(const Model& from, const Model& to, const Eigen::VectorXd& x,
                           bool speeds) {
  Eigen::VectorXd y(x.size());
  for (const Joint& j : from.joints()) {
    const Joint& k = to.joints()[to.joint(j.name)];
    if (speeds)
      y.segment(k.v, k.speeds) = x.segment(j.v, j.speeds);
    else
      y.segment(k.q, k.coordinates) = x.segment(j.q, j.coordinates);
  }
  return y;
}

TEST(OrderOfDeclaration, DoesNotMatter) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Generator g(seed);
    const Robot robot = any_tree(g, 9);
    Robot shuffled = robot;
    std::shuffle(shuffled.bodies.begin(), shuffled.bodies.end(), g);
    std::shuffle(shuffled.joints.begin(), shuffled.joints.end(), g);
    const Model one(robot), other(shuffled);
    Workspace work(one), other_work(other);
    const Eigen::VectorXd q = one.random(g);
    const Eigen::VectorXd v = random_entries(g, one.speeds()), a = random_entries(g, one.speeds());
    const Eigen::VectorXd q2 = renumbered(one, other, q, false);
    update_poses(one, work, q);
    update_poses(other, other_work, q2);
    for (const BodyData& body : robot.bodies) {
      const Pose<double> X = frame_pose(one, work, one.frame(body.name));
      const Pose<double> Y = frame_pose(other, other_work, other.frame(body.name));
      expect_near(X.matrix(), Y.matrix(), 1e-14);
    }
    // Sums over subtrees in another order: a few roundings of the largest effort.
    const Eigen::VectorXd tau = inverse_dynamics(one, work, q, v, a);
    const Eigen::VectorXd tau2 = inverse_dynamics(
        other, other_work, q2, renumbered(one, other, v, true), renumbered(one, other, a, true));
    expect_near(renumbered(one, other, tau, true), tau2, 1e-13);
    EXPECT_NEAR(one.mass(), other.mass(), 1e-14 * one.mass());
  }
}

TEST(Coordinates, AreNumberedAsTheJointsAreDeclared) {
  Robot robot;
  robot.name = "numbered";
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    robot.bodies.push_back({name, {}, {}, {}});
  // Declared from the tip to the root.
  robot.joints = {joint("five", "e", "f", JointType::cylindrical),
                  joint("four", "d", "e", JointType::spherical),
                  joint("three", "c", "d", JointType::fixed),
                  joint("two", "b", "c", JointType::planar),
                  joint("one", "a", "b", JointType::revolute),
                  joint("zero", world_name, "a", JointType::free)};
  const Model model(robot);
  EXPECT_THAT(
      model.coordinate_names(),
      ::testing::ElementsAre("five.turn", "five.slide", "four.qw", "four.qx", "four.qy", "four.qz",
                             "two.x", "two.y", "two.turn", "one", "zero.qw", "zero.qx", "zero.qy",
                             "zero.qz", "zero.x", "zero.y", "zero.z"));
  EXPECT_THAT(model.speed_names(),
              ::testing::ElementsAre("five.turn", "five.slide", "four.wx", "four.wy", "four.wz",
                                     "two.x", "two.y", "two.turn", "one", "zero.wx", "zero.wy",
                                     "zero.wz", "zero.vx", "zero.vy", "zero.vz"));
  int q = 0, v = 0;
  for (std::size_t k = 0; k < model.joints().size(); ++k) {
    const Joint& j = model.joints()[k];
    EXPECT_EQ(j.name, robot.joints[k].name);
    EXPECT_EQ(j.coordinates, size_of(j.type).coordinates);
    EXPECT_EQ(j.speeds, size_of(j.type).speeds);
    if (j.speeds > 0) {
      EXPECT_EQ(j.q, q);
      EXPECT_EQ(j.v, v);
    }
    q += j.coordinates;
    v += j.speeds;
  }
  EXPECT_EQ(model.coordinates(), q);
  EXPECT_EQ(model.speeds(), v);
  EXPECT_EQ(model.coordinates(), static_cast<int>(model.lower().size()));
  EXPECT_EQ(model.speeds(), static_cast<int>(model.effort_limit().size()));
}

// A joint may be declared with its child nearer to the world than its parent. Its coordinate keeps
// its meaning: the pose of the child in the parent.
TEST(ReversedJoints, KeepTheMeaningOfTheirCoordinates) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Generator g(seed);
    Robot robot = any_tree(g, 8);
    int turned = 0;
    for (JointData& data : robot.joints) {
      const bool reversible = !traits_of(data.type).has_quaternion();
      if (data.parent == world_name || !reversible || g() % 2) continue;
      std::swap(data.parent, data.child);
      ++turned;
    }
    const Model model(robot);
    int found = 0;
    for (const Joint& j : model.joints()) found += j.reversed;
    EXPECT_EQ(found, turned);
    testing::expect_naive_poses(model, model.random(g));
  }
}

TEST(ReversedJoints, GiveTheSameDynamicsAsTheirInverse) {
  Generator g(7);
  for (JointType type : {JointType::revolute, JointType::prismatic, JointType::screw}) {
    Robot straight;
    straight.name = "straight";
    straight.bodies = {{"near", random_inertial(g), {}, {}}, {"far", random_inertial(g), {}, {}}};
    straight.joints = {placed_joint(g, "base", world_name, "near"),
                       placed_joint(g, "middle", "near", "far", type)};
    straight.joints[1].pitch = 0.2;
    straight.joints[1].degrees = {DegreeData{
        .damping = 1, .friction = 0.3, .stiffness = 2, .rest = 0.1, .rotor_inertia = 0.02}};
    Robot reversed = straight;
    JointData& middle = reversed.joints[1];
    std::swap(middle.parent, middle.child);
    middle.X_PF = straight.joints[1].X_MC.inverse();
    middle.X_MC = straight.joints[1].X_PF.inverse();
    middle.axis = -middle.axis;
    const Model one(straight), other(reversed);
    EXPECT_TRUE(other.joints()[1].reversed);
    Workspace work(one), other_work(other);
    const Eigen::VectorXd q = one.random(g), v = random_entries(g, 2), a = random_entries(g, 2);
    expect_near(inverse_dynamics(one, work, q, v, a), inverse_dynamics(other, other_work, q, v, a),
                1e-14);
    expect_near(mass_matrix(one, work, q), mass_matrix(other, other_work, q), 1e-14);
  }
}

TEST(ReversedJoints, OfQuaternionsAreRefusedByName) {
  Robot robot;
  robot.name = "ball first";
  robot.bodies = {{"near", {}, {}, {}}, {"far", {}, {}, {}}};
  robot.joints = {joint("base", world_name, "near"),
                  joint("ball", "far", "near", JointType::spherical)};
  try {
    Model model(robot);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                ::testing::AllOf(::testing::HasSubstr("body 'far'"), ::testing::HasSubstr("ball")));
  }
}

TEST(TipFrame, IsTheLastDeclaredOnTheDeepestBody) {
  Robot robot = four_bar();
  robot.joints.pop_back();
  EXPECT_EQ(Model(robot).tip_frame(), Model(robot).frame("rocker"));
  robot.frames = {{"pen", "rocker", {}, {}}, {"eye", "crank", {}, {}}};
  EXPECT_EQ(Model(robot).tip_frame(), Model(robot).frame("pen"));
}

}  // namespace
}  // namespace ulna
