// Any graph of bodies and joints, declared in any order and any sense, is the same mechanism.

#include <gmock/gmock.h>

#include <algorithm>

#include "naive_poses.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::Generator;
using testing::random_entries;
using testing::random_inertial;
using testing::random_rotation;
using testing::random_vector;

JointData joint(const std::string& name, const std::string& parent, const std::string& child,
                JointType type = JointType::revolute) {
  JointData data;
  data.name = name;
  data.type = type;
  data.parent = parent;
  data.child = child;
  return data;
}

JointData placed_joint(Generator& g, const std::string& name, const std::string& parent,
                       const std::string& child, JointType type = JointType::revolute) {
  JointData data = joint(name, parent, child, type);
  data.X_PF = {random_rotation(g), random_vector(g)};
  data.X_MC = {random_rotation(g), random_vector(g)};
  data.axis = random_vector(g);
  return data;
}

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
      const bool reversible = data.type != JointType::spherical && data.type != JointType::free;
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

// Fixed joints cost nothing: what they hold becomes one rigid thing. Names and frames stay.
TEST(FixedJoints, AreMergedWithoutLosingTheirFrames) {
  Generator g(3);
  Robot robot;
  robot.name = "merged";
  for (const char* name : {"plate", "arm", "flange", "camera"})
    robot.bodies.push_back({name, random_inertial(g), {}, {}});
  robot.joints = {placed_joint(g, "bolts", world_name, "plate", JointType::fixed),
                  placed_joint(g, "hinge", "plate", "arm"),
                  placed_joint(g, "weld", "arm", "flange", JointType::fixed),
                  placed_joint(g, "clamp", "flange", "camera", JointType::fixed)};
  robot.frames = {{"lens", "camera", {random_rotation(g), random_vector(g)}, {}}};
  const Model model(robot);
  EXPECT_EQ(model.speeds(), 1);
  EXPECT_EQ(model.topology().nodes.size(), 2u);  // the world and one moving thing
  EXPECT_EQ(model.bodies().size(), 5u);
  EXPECT_EQ(model.joints().size(), 4u);

  const double angle = 0.7;
  const auto X_PC = [&](int j, const Eigen::Isometry3d& motion) {
    return testing::isometry(robot.joints[j].X_PF) * motion *
           testing::isometry(robot.joints[j].X_MC);
  };
  const Eigen::Isometry3d still = Eigen::Isometry3d::Identity();
  const Eigen::Isometry3d turn(Eigen::AngleAxisd(angle, robot.joints[1].axis.normalized()));
  const Eigen::Isometry3d X_WPlate = X_PC(0, still);
  const Eigen::Isometry3d X_WArm = X_WPlate * X_PC(1, turn);
  const Eigen::Isometry3d X_WFlange = X_WArm * X_PC(2, still);
  const Eigen::Isometry3d X_WCamera = X_WFlange * X_PC(3, still);
  const Eigen::Isometry3d X_WLens = X_WCamera * testing::isometry(robot.frames[0].X_BF);
  Workspace work(model);
  update_poses(model, work, Eigen::VectorXd::Constant(1, angle));
  const auto pose = [&](const char* name) {
    return frame_pose(model, work, model.frame(name)).matrix();
  };
  expect_near(pose("plate"), X_WPlate.matrix(), 1e-15);
  expect_near(pose("arm"), X_WArm.matrix(), 1e-15);
  expect_near(pose("flange"), X_WFlange.matrix(), 1e-15);
  expect_near(pose("camera"), X_WCamera.matrix(), 1e-15);
  expect_near(pose("lens"), X_WLens.matrix(), 1e-15);
}

TEST(FixedJoints, GiveTheInertiaOfTheWhole) {
  Generator g(4);
  Robot parts;
  parts.name = "parts";
  parts.bodies = {{"arm", random_inertial(g), {}, {}}, {"tool", random_inertial(g), {}, {}}};
  parts.joints = {placed_joint(g, "ball", world_name, "arm", JointType::spherical),
                  placed_joint(g, "weld", "arm", "tool", JointType::fixed)};
  // The same by hand: centres weighted by mass, inertias moved to the common centre.
  const Pose<double> X_AT = parts.joints[1].X_PF * parts.joints[1].X_MC;
  const Inertial &arm = parts.bodies[0].inertial, &tool = parts.bodies[1].inertial;
  const Vector3<double> tool_centre = X_AT * tool.centre;
  Inertial sum;
  sum.mass = arm.mass + tool.mass;
  sum.centre = (arm.mass * arm.centre + tool.mass * tool_centre) / sum.mass;
  const auto moved = [&](double mass, const Vector3<double>& centre, const Matrix3<double>& I) {
    const Vector3<double> r = centre - sum.centre;
    return Matrix3<double>(
        I + mass * (r.squaredNorm() * Matrix3<double>::Identity() - r * r.transpose()));
  };
  sum.inertia =
      moved(arm.mass, arm.centre, arm.inertia) +
      moved(tool.mass, tool_centre, X_AT.rotation * tool.inertia * X_AT.rotation.transpose());
  Robot whole = parts;
  whole.bodies = {{"arm", sum, {}, {}}};
  whole.joints.pop_back();
  const Model one(parts), other(whole);
  Workspace work(one), other_work(other);
  const Eigen::VectorXd q = one.random(g), v = random_entries(g, 3), a = random_entries(g, 3);
  expect_near(inverse_dynamics(one, work, q, v, a), inverse_dynamics(other, other_work, q, v, a),
              1e-14);
  expect_near(mass_matrix(one, work, q), mass_matrix(other, other_work, q), 1e-14);
}

Robot four_bar() {
  Robot robot;
  robot.name = "four-bar";
  for (const char* name : {"crank", "coupler", "rocker"}) {
    Inertial inertial;
    inertial.mass = 1;
    inertial.inertia = 0.1 * Matrix3<double>::Identity();
    robot.bodies.push_back({name, inertial, {}, {}});
  }
  robot.joints = {joint("A", world_name, "crank"), joint("B", "crank", "coupler"),
                  joint("C", "coupler", "rocker"), joint("D", world_name, "rocker")};
  for (JointData& data : robot.joints) data.X_PF.position << 1, 0, 0;
  return robot;
}

TEST(Loops, AreFoundAndHaveNoCoordinatesOfTheirOwn) {
  const Model model(four_bar());
  ASSERT_EQ(model.loops().size(), 1u);
  EXPECT_EQ(model.loops()[0].joint, "C");  // both its bodies hang on the world by shorter ways
  EXPECT_EQ(model.bodies()[model.loops()[0].parent].name, "coupler");
  EXPECT_EQ(model.bodies()[model.loops()[0].child].name, "rocker");
  EXPECT_EQ(model.joints().size(), 3u);
  EXPECT_EQ(model.speeds(), 3);
  testing::expect_naive_poses(model, Eigen::Vector3d(0.1, 0.2, 0.3));  // the open tree
}

TEST(Loops, AreCutWhereAsked) {
  for (const char* name : {"A", "B", "C", "D"}) {
    Robot robot = four_bar();
    for (JointData& data : robot.joints) data.cut = data.name == name;
    const Model model(robot);
    ASSERT_EQ(model.loops().size(), 1u);
    EXPECT_EQ(model.loops()[0].joint, name);
    testing::expect_naive_poses(model, Eigen::Vector3d(0.1, 0.2, 0.3));
  }
}

TEST(Loops, AreAlsoTwoJointsBetweenTheSameBodies) {
  Robot robot = four_bar();
  robot.joints = {joint("A", world_name, "crank"), joint("A2", "crank", world_name),
                  joint("B", "crank", "coupler"), joint("C", "coupler", "rocker"),
                  joint("C2", "coupler", "rocker", JointType::fixed)};
  const Model model(robot);
  std::vector<std::string> names;
  for (const Loop& loop : model.loops()) names.push_back(loop.joint);
  // Where a weld and a hinge hold the same bodies, the weld belongs into the tree.
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("A2", "C"));
}

TEST(Loops, KeepTheirJointAndItsRows) {
  const std::pair<JointType, int> rows[] = {
      {JointType::fixed, 6},     {JointType::revolute, 5},  {JointType::prismatic, 5},
      {JointType::screw, 5},     {JointType::universal, 4}, {JointType::cylindrical, 4},
      {JointType::spherical, 3}, {JointType::planar, 3},    {JointType::free, 0}};
  for (const auto& [type, expected] : rows) {
    Robot robot = four_bar();
    robot.joints[2].type = type;
    robot.joints[2].cut = true;
    const Model model(robot);
    ASSERT_EQ(model.loops().size(), 1u);
    EXPECT_EQ(model.loops()[0].type, type);
    EXPECT_EQ(model.loops()[0].rows, expected) << name_of(type);
  }
}

TEST(Loops, AreMadeSmallByExchangingJoints) {
  // A ball is cut rather than a hinge, which leaves fewer speeds.
  Robot robot = four_bar();
  robot.joints[1].type = JointType::spherical;
  const Model model(robot);
  ASSERT_EQ(model.loops().size(), 1u);
  EXPECT_EQ(model.loops()[0].joint, "B");
  EXPECT_EQ(model.speeds(), 3);
}

TEST(Loops, AreNotCutWhereAJointIsFollowedOrHasARotor) {
  Robot robot = four_bar();
  robot.joints[2].degrees.resize(1);
  robot.joints[2].degrees[0].rotor_inertia = 0.1;
  EXPECT_NE(Model(robot).loops()[0].joint, "C");
}

TEST(Loops, ClosingJointsWithRotorsOrFrictionHaveACoordinate) {
  for (const bool rotor : {true, false}) {
    Robot robot = four_bar();
    for (BodyData& body : robot.bodies) body.inertial.mass = 2;
    robot.joints[2].degrees.resize(1);
    (rotor ? robot.joints[2].degrees[0].rotor_inertia : robot.joints[2].degrees[0].friction) = 0.1;
    robot.joints[2].cut = true;
    const Model model(robot);
    EXPECT_EQ(model.speeds(), 4);
    ASSERT_EQ(model.loops().size(), 1u);
    EXPECT_EQ(model.loops()[0].joint, "C.weld");
    EXPECT_EQ(model.loops()[0].rows, 6);
    double mass = 0;
    for (const BodyData& body : model.robot().bodies) mass += body.inertial.mass;
    EXPECT_EQ(mass, 2.0 * static_cast<double>(robot.bodies.size()));
    ASSERT_FALSE(model.warnings().empty());
    // Written out and read again it is the same.
    EXPECT_EQ(Model(model.robot()).speeds(), 4);
    // Without mass at either end there is nothing to share.
    for (BodyData& body : robot.bodies) body.inertial = {};
    if (rotor) {
      EXPECT_THROW(Model{robot}, InputError);
    }
  }
}

TEST(Constraints, AreLoopsOfOneRow) {
  Robot robot = four_bar();
  robot.joints.erase(robot.joints.begin() + 2);
  ConstraintData rod;
  rod.name = "rod";
  rod.parent = "coupler";
  rod.child = "rocker";
  rod.length = 1;
  ConstraintData gear;
  gear.name = "gear";
  gear.type = ConstraintData::Type::coupling;
  gear.terms = {{"A", 2}, {"D", -1}};
  robot.constraints = {rod, gear};
  const Model model(robot);
  ASSERT_EQ(model.loops().size(), 2u);
  EXPECT_EQ(model.loops()[0].kind, LoopKind::distance);
  EXPECT_EQ(model.loops()[0].rows, 1);
  EXPECT_EQ(model.loops()[1].kind, LoopKind::coupling);
  EXPECT_EQ(model.loops()[1].terms.size(), 2u);
}

TEST(Constraints, ThatCannotBeAreNamed) {
  const auto complaint = [](const ConstraintData& constraint, const ConstraintData& other) {
    Robot robot = four_bar();
    robot.constraints = {constraint};
    if (!other.name.empty()) robot.constraints.push_back(other);
    try {
      const Model model(robot);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  ConstraintData rod;
  rod.name = "rod";
  rod.parent = rod.child = "coupler";
  rod.length = 1;
  EXPECT_THAT(complaint(rod, {}),
              ::testing::HasSubstr("distance 'rod': joins body 'coupler' to itself"));
  rod.child = "rocker";
  rod.length = 0;
  EXPECT_THAT(complaint(rod, {}), ::testing::HasSubstr("a length above zero"));
  ConstraintData gear;
  gear.name = "gear";
  gear.type = ConstraintData::Type::coupling;
  gear.terms = {{"A", 2}, {"Q", -1}};
  EXPECT_THAT(complaint(gear, {}), ::testing::HasSubstr("there is no joint 'Q'"));
  gear.terms = {{"A", 2}, {"B", -1}};
  ConstraintData other = gear;
  other.name = "second";
  other.terms = {{"A", 4}, {"B", -2}};
  EXPECT_EQ(complaint(gear, other), "accepted");  // twice the same
  other.offset = 0.5;
  EXPECT_THAT(
      complaint(gear, other),
      ::testing::HasSubstr("coupling 'second': contradicts the couplings before it by 0.5"));
}

TEST(Loops, AreRefusedByNameWhereTheirMechanicsIsMissing) {
  const Model model(four_bar());
  Workspace work(model);
  DerivativeWorkspace derivatives(model);
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(3);
  const auto refused = [](const auto& ask) {
    try {
      ask();
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("joint 'C'"),
                                                 ::testing::HasSubstr("not available")));
    }
  };
  refused([&] { inverse_dynamics(model, work, x, x, x); });
  refused([&] { bias_efforts(model, work, x, x); });
  refused([&] { gravity_efforts(model, work, x); });
  refused([&] { forward_dynamics(model, work, x, x, x); });
  refused([&] { mass_matrix(model, work, x); });
  refused([&] { coriolis_matrix(model, x, x); });
  refused([&] { inverse_dynamics_derivatives(model, work, derivatives, x, x, x); });
  refused([&] { forward_dynamics_derivatives(model, work, derivatives, x, x, x); });
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
