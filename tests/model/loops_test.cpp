// Joints and constraints that close loops: which are cut, how many rows they have, what is refused.

#include <gmock/gmock.h>

#include "joints.hpp"
#include "naive_poses.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {
namespace {

using testing::four_bar;
using testing::joint;

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
      {JointType::fixed, 6},           {JointType::revolute, 5},  {JointType::prismatic, 5},
      {JointType::screw, 5},           {JointType::universal, 4}, {JointType::cylindrical, 4},
      {JointType::spherical, 3},       {JointType::planar, 3},    {JointType::free, 0},
      {JointType::sphere_in_groove, 2}};
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
                                                 ::testing::HasSubstr("without loops only")));
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

}  // namespace
}  // namespace ulna
