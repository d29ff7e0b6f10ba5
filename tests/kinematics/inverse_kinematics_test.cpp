// Inverse kinematics finds what can be reached, within the limits, and says why when it cannot.

#include "ulna/kinematics/inverse_kinematics.hpp"

#include <gmock/gmock.h>

#include <numbers>

#include "along_motion.hpp"
#include "planar_arm.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using std::numbers::pi;
using testing::expect_near;
using testing::Generator;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::planar_arm;
using testing::random_entries;
using testing::uniform;

void limit_every_degree(Generator& g, Robot& robot) {
  for (JointData& joint : robot.joints) {
    joint.degrees.resize(size_of(joint.type).speeds);
    for (std::size_t k = 0; k < joint.degrees.size(); ++k) {
      if (traits_of(joint.type).coordinate_of_speed(static_cast<int>(k)) < 0) continue;
      DegreeData& degree = joint.degrees[k];
      degree.lower = uniform(g, -3, -1);
      degree.upper = uniform(g, 1, 3);
    }
  }
}

InverseKinematicsTarget pose_of(const Model& model, int frame, const Eigen::VectorXd& q) {
  Workspace work(model);
  update_poses(model, work, q);
  const Pose<double> X = frame_pose(model, work, frame);
  return {frame, X.position, X.rotation};
}

/// The solution is where it claims to be, within the limits, with unit quaternions.
void expect_solves(const Model& model, const InverseKinematicsTarget& target,
                   const InverseKinematicsSolution& solution) {
  const InverseKinematicsTarget found = pose_of(model, target.frame, solution.q);
  double square = (found.position - target.position).squaredNorm();
  if (target.rotation)
    square += log_rotation(*found.rotation * target.rotation->transpose()).squaredNorm();
  EXPECT_LT(std::sqrt(square), 1e-10);
  EXPECT_NEAR(std::sqrt(square), solution.residual, 1e-14);
  for (int k = 0; k < model.coordinates(); ++k) {
    EXPECT_GE(solution.q(k), model.lower()(k)) << model.coordinate_names()[k];
    EXPECT_LE(solution.q(k), model.upper()(k)) << model.coordinate_names()[k];
  }
  expect_near(model.normalized(solution.q), solution.q, 1e-14);
}

class Reachable : public ::testing::TestWithParam<int> {
 protected:
  void expect_reached(const Model& model, bool position_only = false) {
    InverseKinematicsTarget target = pose_of(model, model.tip_frame(), model.random(g));
    if (position_only) target.rotation.reset();
    const InverseKinematicsResult result = inverse_kinematics(model, target);
    ASSERT_EQ(result.solutions.size(), 1u) << result.reason;
    EXPECT_TRUE(result.reason.empty());
    expect_solves(model, target, result.solutions[0]);
  }
  Generator g{static_cast<std::uint64_t>(GetParam())};
};

TEST_P(Reachable, PosesOfChainsOfHingesAreReached) {
  for (int joints : {6, 7, 9}) {
    testing::RobotRecipe recipe;
    recipe.bodies = joints;
    Robot robot = testing::random_robot(g, recipe);
    limit_every_degree(g, robot);
    expect_reached(Model(robot));
  }
}

TEST_P(Reachable, PosesOfChainsOfAllJointsAreReached) {
  testing::RobotRecipe recipe;
  recipe.bodies = 5;
  recipe.types = testing::all_moving_types;
  Robot robot = testing::random_robot(g, recipe);
  limit_every_degree(g, robot);
  expect_reached(Model(robot));
}

TEST_P(Reachable, PosesWithFollowersAreReached) {
  testing::RobotRecipe recipe;
  recipe.bodies = 8;
  Robot robot = testing::random_robot(g, recipe);
  limit_every_degree(g, robot);
  robot.joints[5].mimic = Mimic{"j1", -0.8, 0.3};
  robot.joints[5].degrees.clear();
  expect_reached(Model(robot));
}

TEST_P(Reachable, PositionsAloneAreReached) {
  testing::RobotRecipe recipe;
  recipe.bodies = 3 + GetParam() % 4;
  Robot robot = testing::random_robot(g, recipe);
  limit_every_degree(g, robot);
  expect_reached(Model(robot), true);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Reachable, ::testing::Range(1, 16));

// Here the wrist of the Puma is nearly as close to the axis of joint 1 as its offsets allow: the
// least singular value of the Jacobian is 3e-6, and the way to the solution bends away from where
// it is 0.
TEST(InverseKinematics, PosturesNearSingularOnesAreReached) {
  const Model model(read_robot("puma560").robot);
  for (int k = 0; k < 20; ++k) {
    Eigen::VectorXd q(6);
    q << 1.77843924 + 0.1 * k, -1.98980241, 1.61675922, -1.99879996, -1.22764382 + 0.2 * k,
        -0.15332889;
    const InverseKinematicsTarget target = pose_of(model, model.tip_frame(), q);
    const auto result = inverse_kinematics(model, target);
    ASSERT_FALSE(result.solutions.empty()) << k << ": " << result.reason;
    expect_solves(model, target, result.solutions[0]);
  }
}

TEST(InverseKinematics, RestartsBelowZeroAreRefused) {
  const Model model(read_robot("puma560").robot);
  InverseKinematicsOptions options;
  options.restarts = -1;
  EXPECT_THROW(
      inverse_kinematics(model, pose_of(model, model.tip_frame(), model.neutral()), options),
      InputError);
}

TEST(InverseKinematics, StaysOnTheBranchOfItsStart) {
  Generator g(3);
  const Model model(read_robot("puma560").robot);
  for (int k = 0; k < 20; ++k) {
    const Eigen::VectorXd q = model.random(g);
    InverseKinematicsOptions options;
    options.start = q + random_entries(g, 6, 1e-3);
    options.restarts = 0;
    const InverseKinematicsTarget target = pose_of(model, model.tip_frame(), q);
    const InverseKinematicsResult result = inverse_kinematics(model, target, options);
    ASSERT_EQ(result.solutions.size(), 1u) << result.reason;
    EXPECT_LT((result.solutions[0].q - q).norm(),
              1e-8);  // as far as the posture is well conditioned
  }
}

TEST(InverseKinematics, TakesAStartThatIsAlreadyThere) {
  const Model model(planar_arm(3));
  InverseKinematicsOptions options;
  options.start = Eigen::Vector3d(0.3, -0.4, 0.5);
  options.restarts = 0;
  const InverseKinematicsResult result =
      inverse_kinematics(model, pose_of(model, model.frame("hand"), options.start), options);
  ASSERT_EQ(result.solutions.size(), 1u);
  EXPECT_LT((result.solutions[0].q - options.start).norm(), 1e-14);
}

TEST(InverseKinematics, GivesTheSameAnswerTwice) {
  Generator g(4);
  const Model model(testing::random_robot(g, {}));
  const InverseKinematicsTarget target = pose_of(model, model.tip_frame(), model.random(g));
  const InverseKinematicsResult one = inverse_kinematics(model, target);
  const InverseKinematicsResult two = inverse_kinematics(model, target);
  ASSERT_EQ(one.solutions.size(), 1u);
  ASSERT_EQ(two.solutions.size(), 1u);
  EXPECT_EQ(one.solutions[0].q, two.solutions[0].q);
}

TEST(InverseKinematics, NormalizesTheQuaternionsOfItsStart) {
  Generator g(4);
  testing::RobotRecipe recipe;
  recipe.types = {JointType::free, JointType::spherical};
  recipe.bodies = 2;
  const Model model(testing::random_robot(g, recipe));
  const InverseKinematicsTarget target = pose_of(model, model.tip_frame(), model.random(g));
  InverseKinematicsOptions options;
  options.start = 3 * model.random(g);
  options.restarts = 0;
  const InverseKinematicsResult result = inverse_kinematics(model, target, options);
  ASSERT_EQ(result.solutions.size(), 1u) << result.reason;
  expect_solves(model, target, result.solutions[0]);
  options.start.setZero();
  EXPECT_THROW(inverse_kinematics(model, target, options), InputError);
}

// The Puma's shoulder, elbow and wrist have two ways each of standing for one pose of the hand.
TEST(AllSolutions, OfThePumaAreEight) {
  const Model model(read_robot("puma560").robot);
  Generator g(2);
  for (int k = 0; k < 3; ++k) {
    // Away from the singular postures, where solutions meet.
    Eigen::VectorXd q(6);
    q << uniform(g, -3, 3), uniform(g, -1, 1), uniform(g, -1, 1), uniform(g, -3, 3),
        uniform(g, 0.5, 2), uniform(g, -3, 3);
    const InverseKinematicsTarget target = pose_of(model, model.frame("wrist"), q);
    InverseKinematicsOptions options;
    options.all = true;
    options.restarts = 300;
    const InverseKinematicsResult result = inverse_kinematics(model, target, options);
    EXPECT_EQ(result.solutions.size(), 8u);
    double nearest = 1;
    for (const InverseKinematicsSolution& solution : result.solutions) {
      expect_solves(model, target, solution);
      EXPECT_LE(solution.q.cwiseAbs().maxCoeff(), pi);
      nearest = std::min(nearest, (solution.q - q).norm());
      // The wrist turned over: axes 4 and 6 by half a turn, axis 5 the other way.
      int partners = 0;
      for (const InverseKinematicsSolution& other : result.solutions) {
        Eigen::VectorXd flip = other.q - solution.q;
        flip(3) = std::abs(flip(3)) - pi;
        flip(4) = other.q(4) + solution.q(4);
        flip(5) = std::abs(flip(5)) - pi;
        partners += flip.norm() < 1e-7;
      }
      EXPECT_EQ(partners, 1);
    }
    EXPECT_LT(nearest, 1e-7);  // the posture it came from is one of them
  }
}

TEST(AllSolutions, OfTwoLinksAreElbowLeftAndElbowRight) {
  const Model model(planar_arm(2));
  const InverseKinematicsTarget target{model.frame("hand"), {1, 1, 0}, {}};
  InverseKinematicsOptions options;
  options.all = true;
  const InverseKinematicsResult result = inverse_kinematics(model, target, options);
  ASSERT_EQ(result.solutions.size(), 2u);
  const Eigen::VectorXd q = result.solutions[0].q, p = result.solutions[1].q;
  EXPECT_NEAR(std::abs(q(1)), pi / 2, 1e-9);
  EXPECT_NEAR(q(1), -p(1), 1e-9);
}

TEST(AllSolutions, CountAHalfTurnLeftAndAHalfTurnRightAsOne) {
  const Model model(planar_arm(1));
  const InverseKinematicsTarget target{model.frame("hand"), {-1, 0, 0}, {}};
  InverseKinematicsOptions options;
  options.all = true;
  options.restarts = 100;
  const InverseKinematicsResult result = inverse_kinematics(model, target, options);
  ASSERT_EQ(result.solutions.size(), 1u);
  EXPECT_NEAR(std::abs(result.solutions[0].q(0)), pi, 1e-9);
}

// A universal joint points its hand two ways: straight, or turned round and tilted over the top.
TEST(AllSolutions, OfAUniversalJointAreTwo) {
  Robot robot = planar_arm(1);
  robot.joints[0].type = JointType::universal;
  robot.joints[0].axis2 << 0, 1, 0;
  const Model model(robot);
  const Vector3<double> target = Vector3<double>(1, 2, 0.5).normalized();
  InverseKinematicsOptions options;
  options.all = true;
  options.restarts = 300;
  const InverseKinematicsResult result =
      inverse_kinematics(model, {model.frame("hand"), target, {}}, options);
  EXPECT_EQ(result.solutions.size(), 2u);
  for (const InverseKinematicsSolution& solution : result.solutions)
    EXPECT_LE(solution.q.cwiseAbs().maxCoeff(), pi);
}

// A leader a full turn further is elsewhere when its follower makes half a turn.
TEST(InverseKinematics, TakesOutFullTurnsOnlyWhereThePostureStaysTheSame) {
  for (double multiplier : {0.5, 2.0}) {
    Robot robot = planar_arm(2);
    robot.joints[1].mimic = Mimic{"hinge0", multiplier, 0};
    const Model model(robot);
    InverseKinematicsOptions options;
    options.start = Eigen::VectorXd::Constant(1, 4);
    options.restarts = 0;
    const InverseKinematicsTarget target = pose_of(model, model.frame("hand"), options.start);
    const InverseKinematicsResult result = inverse_kinematics(model, target, options);
    ASSERT_EQ(result.solutions.size(), 1u) << result.reason;
    expect_solves(model, target, result.solutions[0]);
  }
}

TEST(AllSolutions, WithinLimitsOfMoreThanATurnAreTheTurnNearestToTheStart) {
  Robot robot = planar_arm(1);
  robot.joints[0].degrees = {DegreeData{.lower = -3 * pi, .upper = 3 * pi}};
  const Model model(robot);
  const InverseKinematicsTarget target{model.frame("hand"), {0, 1, 0}, {}};
  InverseKinematicsOptions options;
  options.all = true;
  options.restarts = 200;
  for (const auto& [start, nearest] :
       {std::pair{0.0, 0.5}, {3.0, 2.5}, {-2.9, -1.5}, {1.4, 0.5}, {1.6, 2.5}}) {
    options.start = Eigen::VectorXd::Constant(1, start * pi);
    const InverseKinematicsResult result = inverse_kinematics(model, target, options);
    ASSERT_EQ(result.solutions.size(), 1u);
    EXPECT_NEAR(result.solutions[0].q(0), nearest * pi, 1e-9);
    EXPECT_NEAR(result.solutions[0].distance, std::abs(start - nearest) * pi, 1e-9);
  }
}

// A redundant arm has a solution at every distance from the least on.
TEST(NearestSolution, OfARedundantArmIsSlidToWhereItIsNearest) {
  const Model model(planar_arm(3));
  const InverseKinematicsTarget target{model.frame("hand"), {1.2, 1.1, 0}, {}};
  InverseKinematicsOptions options;
  options.nearest = true;
  options.start = Eigen::Vector3d(0.9, -0.4, 0.2);
  const InverseKinematicsResult found = inverse_kinematics(model, target, options);
  ASSERT_EQ(found.solutions.size(), 1u);
  expect_solves(model, target, found.solutions[0]);
  // There the way from the start is across all motions that keep the target.
  Workspace work(model);
  const Eigen::MatrixXd J = jacobian(model, work, found.solutions[0].q, {target.frame});
  const Eigen::Vector3d still = Eigen::Vector3d(J.row(3)).cross(Eigen::Vector3d(J.row(4)));
  EXPECT_NEAR(still.normalized().dot(found.solutions[0].q - options.start), 0, 1e-5);
  options.nearest = false;
  EXPECT_LE(found.solutions[0].distance,
            inverse_kinematics(model, target, options).solutions[0].distance + 1e-9);
}

TEST(AllSolutions, ComeNearestFirst) {
  const Model model(read_robot("puma560").robot);
  InverseKinematicsOptions options;
  options.all = true;
  options.restarts = 100;
  Generator g(8);
  const InverseKinematicsResult result =
      inverse_kinematics(model, pose_of(model, model.tip_frame(), model.random(g)), options);
  ASSERT_GT(result.solutions.size(), 1u);
  for (std::size_t k = 1; k < result.solutions.size(); ++k)
    EXPECT_LE(result.solutions[k - 1].distance, result.solutions[k].distance);
}

TEST(Unreachable, ForBeingTooFarLeavesTheRestOfTheWay) {
  const Model model(planar_arm(2));
  const InverseKinematicsResult result =
      inverse_kinematics(model, {model.frame("hand"), {0, 3, 0}, {}});
  EXPECT_TRUE(result.solutions.empty());
  EXPECT_THAT(result.reason, HasSubstr("frame 'hand' cannot reach"));
  EXPECT_THAT(result.reason, Not(HasSubstr("hinge")));  // no limits had a part in it
  EXPECT_NEAR(result.best_residual, 1, 1e-12);          // two links of 1 towards a point at 3
  ASSERT_EQ(result.nearest.size(), 2);
  // Stretched out towards it; the residual is flat there, which leaves half the digits.
  const InverseKinematicsTarget hand = pose_of(model, model.frame("hand"), result.nearest);
  EXPECT_LT((hand.position - Vector3<double>(0, 2, 0)).norm(), 1e-6);
}

TEST(Unreachable, ForItsLimitsNamesTheJointsThatStopIt) {
  Robot robot = planar_arm(2);
  robot.joints[1].degrees = {DegreeData{.lower = -0.5, .upper = 0.5}};
  const Model model(robot);
  const InverseKinematicsResult result =
      inverse_kinematics(model, {model.frame("hand"), {1, 0, 0}, {}});
  EXPECT_TRUE(result.solutions.empty());
  EXPECT_THAT(result.reason, HasSubstr("frame 'hand' cannot reach"));
  EXPECT_THAT(result.reason, HasSubstr("'hinge1'"));
  EXPECT_THAT(result.reason, Not(HasSubstr("'hinge0'")));
  // The hand stays 2 cos(0.25) from the base at the least.
  EXPECT_NEAR(result.best_residual, 2 * std::cos(0.25) - 1, 1e-12);
  EXPECT_NEAR(std::abs(result.nearest(1)), 0.5, 1e-15);
}

TEST(Unreachable, ForItsRotationSaysSo) {
  // A planar arm cannot tilt its hand; the rotation that is left is the tilt.
  const Model model(planar_arm(3));
  const InverseKinematicsResult result =
      inverse_kinematics(model, {model.frame("hand"), {1, 1, 0}, rotation_x(0.2)});
  EXPECT_TRUE(result.solutions.empty());
  EXPECT_NEAR(result.best_residual, 0.2, 1e-9);
  EXPECT_FALSE(result.reason.empty());
}

TEST(Targets, ThatAreNoPosesAreRefused) {
  const Model model(planar_arm(2));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(inverse_kinematics(model, {1, {nan, 0, 0}, {}}), InputError);
  EXPECT_THROW(inverse_kinematics(model, {1, {0, 0, 0}, Matrix3<double>::Constant(nan)}),
               InputError);
  EXPECT_THROW(inverse_kinematics(model, {1, {0, 0, 0}, 2 * Matrix3<double>::Identity()}),
               InputError);
  EXPECT_THROW(inverse_kinematics(model, {99, {0, 0, 0}, {}}), InputError);
  InverseKinematicsOptions options;
  options.start = Eigen::VectorXd::Zero(3);
  EXPECT_THROW(inverse_kinematics(model, {1, {0, 0, 0}, {}}, options), InputError);
}

}  // namespace
}  // namespace ulna
