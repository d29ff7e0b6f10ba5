// The space of coordinates: where it starts, how to move in it, how far two points are apart.

#include <gmock/gmock.h>

#include <algorithm>
#include <numbers>

#include "naive_poses.hpp"

namespace ulna {
namespace {

using std::numbers::pi;
using testing::Generator;
using testing::random_entries;

Robot one_joint(JointType type) {
  Robot robot;
  robot.name = name_of(type);
  robot.bodies = {{"body", {}, {}, {}}};
  JointData joint;
  joint.name = "joint";
  joint.type = type;
  joint.child = "body";
  robot.joints = {joint};
  return robot;
}

/// The same posture: quaternions up to their sign.
void expect_same(const Model& model, const Eigen::VectorXd& q, Eigen::VectorXd p,
                 double tolerance) {
  for (const TangentBlock& block : model.blocks())
    if (block.kind != TangentBlock::Kind::line &&
        q.segment<4>(block.q).dot(p.segment<4>(block.q)) < 0)
      p.segment<4>(block.q) *= -1;
  testing::expect_near(q, p, tolerance);
}

class EveryJoint : public ::testing::TestWithParam<JointType> {
 protected:
  Model model{one_joint(GetParam())};
  Generator g{11};
};

TEST_P(EveryJoint, IntegratingTheDifferenceLeadsFromOnePostureToTheOther) {
  for (int k = 0; k < 100; ++k) {
    const Eigen::VectorXd q = model.random(g), p = model.random(g);
    // Logarithm and exponential keep 8 roundings each, twice as far as a half turn.
    expect_same(model, model.integrate(q, model.difference(q, p)), p, 1e-14);
  }
}

TEST_P(EveryJoint, TheDifferenceUndoesAnIntegratedStep) {
  for (int k = 0; k < 100; ++k) {
    const Eigen::VectorXd q = model.random(g);
    // Turns below a half turn: beyond it the shorter way round is found.
    const Eigen::VectorXd dv = random_entries(g, model.speeds(), 1.8);
    testing::expect_near(model.difference(q, model.integrate(q, dv)), dv, 1e-14);
  }
}

TEST_P(EveryJoint, ADifferenceOfNearlyNothingKeepsItsDigits) {
  const Eigen::VectorXd q = model.neutral();
  for (double size : {1e-5, 1e-9, 1e-150}) {
    const Eigen::VectorXd dv = random_entries(g, model.speeds(), size);
    EXPECT_LT((model.difference(q, model.integrate(q, dv)) - dv).norm(), 1e-15 * size) << size;
  }
}

TEST_P(EveryJoint, NoStepChangesNothing) {
  const Eigen::VectorXd q = model.random(g);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  testing::expect_near(model.integrate(q, zero), q, 1e-15);
  EXPECT_LT(model.difference(q, q).norm(), 1e-15);
}

TEST_P(EveryJoint, TwoHalvesOfAStepAreTheWhole) {
  // A constant speed in the moving axes is a one-parameter group.
  for (int k = 0; k < 20; ++k) {
    const Eigen::VectorXd q = model.random(g), dv = random_entries(g, model.speeds(), 3);
    const Eigen::VectorXd twice = model.integrate(model.integrate(q, dv / 2), dv / 2);
    expect_same(model, twice, model.integrate(q, dv), 1e-14);
  }
}

TEST_P(EveryJoint, StepsKeepQuaternionsOfUnitLength) {
  Eigen::VectorXd q = model.random(g);
  for (int k = 0; k < 10000; ++k) q = model.integrate(q, random_entries(g, model.speeds(), 0.1));
  for (const TangentBlock& block : model.blocks())
    if (block.kind != TangentBlock::Kind::line) {
      EXPECT_NEAR(q.segment<4>(block.q).norm(), 1, 4e-16);
    }
}

TEST_P(EveryJoint, StandsAtZeroWhenNeutral) {
  const Eigen::VectorXd q = model.neutral();
  Workspace work(model);
  update_poses(model, work, q);
  testing::expect_near(frame_pose(model, work, 1).matrix(), Matrix4<double>::Identity(), 1e-15);
}

TEST_P(EveryJoint, RefusesVectorsOfAnotherLength) {
  const Eigen::VectorXd q = model.neutral(), dv = Eigen::VectorXd::Zero(model.speeds());
  const Eigen::VectorXd long_q = Eigen::VectorXd::Zero(q.size() + 1);
  EXPECT_THROW(model.integrate(long_q, dv), InputError);
  EXPECT_THROW(model.integrate(q, long_q.head(dv.size() + 1)), InputError);
  EXPECT_THROW(model.difference(q, long_q), InputError);
  EXPECT_THROW(model.normalized(long_q), InputError);
}

INSTANTIATE_TEST_SUITE_P(Types, EveryJoint, ::testing::ValuesIn(testing::all_moving_types),
                         [](const auto& type) {
                           std::string name = name_of(type.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Coordinates, OfAWholeTreeMakeRoundTrips) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 10;
    recipe.types = testing::all_moving_types;
    recipe.branches = true;
    const Model model(testing::random_robot(g, recipe));
    const Eigen::VectorXd q = model.random(g), p = model.random(g);
    expect_same(model, model.integrate(q, model.difference(q, p)), p, 1e-14);
  }
}

TEST(Coordinates, AHalfTurnApartHaveADifferenceOfLengthPi) {
  const Model model(one_joint(JointType::spherical));
  const Eigen::VectorXd q = model.neutral();
  for (int axis = 0; axis < 3; ++axis)
    for (double slip : {0.0, 1e-16, -1e-16, 1e-9, -1e-9}) {
      Eigen::Vector4d p = Eigen::Vector4d::Unit(axis + 1);
      p(0) = slip;
      EXPECT_NEAR(model.difference(q, p).norm(), pi - 2 * std::abs(slip), 1e-15);
      expect_same(model, model.integrate(q, model.difference(q, p)), p, 1e-15);
    }
}

TEST(Quaternions, AreMadeUnitOnRequest) {
  const Model model(one_joint(JointType::free));
  Eigen::VectorXd q(7);
  q << 2, 0, 0, 2, 5, 6, 7;
  Eigen::VectorXd unit = q;
  unit.head<4>() /= std::sqrt(8.0);
  testing::expect_near(model.normalized(q), unit, 1e-15);
  q.head<4>().setZero();
  EXPECT_THROW(model.normalized(q), InputError);
  q(0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(model.normalized(q), InputError);
}

TEST(RandomPostures, AreWithinTheLimits) {
  const double infinity = DegreeData::unlimited;
  struct Case {
    JointType type;
    double lower, upper, least, most;
  };
  for (const Case& c :
       {Case{JointType::revolute, -0.5, 0.25, -0.5, 0.25},
        Case{JointType::revolute, 20, 21, 20, 21}, Case{JointType::revolute, 0.3, 0.3, 0.3, 0.3},
        Case{JointType::revolute, -infinity, infinity, -pi, pi},
        Case{JointType::revolute, 5, infinity, 5, 5 + 2 * pi},
        Case{JointType::revolute, -infinity, 5, 5 - 2 * pi, 5},
        Case{JointType::prismatic, -infinity, infinity, -1, 1},
        Case{JointType::prismatic, 3, infinity, 3, 5}}) {
    Robot robot = one_joint(c.type);
    robot.joints[0].degrees = {DegreeData{.lower = c.lower, .upper = c.upper}};
    const Model model(robot);
    EXPECT_EQ(model.lower()(0), c.lower);
    EXPECT_EQ(model.upper()(0), c.upper);
    Generator g(5);
    double least = infinity, most = -infinity;
    for (int k = 0; k < 1000; ++k) {
      const double q = model.random(g)(0);
      least = std::min(least, q);
      most = std::max(most, q);
    }
    EXPECT_GE(least, c.least);
    EXPECT_LE(most, c.most);
    // A thousand draws fill the range but for a hundredth, with a chance of failing of e^-10.
    const double range = c.most - c.least;
    EXPECT_LE(least, c.least + 0.01 * range);
    EXPECT_GE(most, c.most - 0.01 * range);
  }
}

TEST(RandomPostures, DependOnTheLeaderAloneWhereAJointMimicsIt) {
  // The leader turns without limits; its follower slides by a tenth of that.
  Robot robot = one_joint(JointType::revolute);
  robot.bodies.push_back({"slide", {}, {}, {}});
  JointData slide;
  slide.name = "slide";
  slide.type = JointType::prismatic;
  slide.parent = "body";
  slide.child = "slide";
  slide.mimic = Mimic{"joint", 0.1, 0};
  robot.joints.push_back(slide);
  const Model model(robot);
  Generator g(5);
  double most = 0;
  for (int k = 0; k < 1000; ++k) most = std::max(most, std::abs(model.random(g)(0)));
  EXPECT_GT(most, 3);
}

TEST(RandomPostures, TurnBallsEvenly) {
  // The mean of a rotation over all rotations is zero; a thousand draws come within a few
  // 1/sqrt(n).
  const Model model(one_joint(JointType::spherical));
  Generator g(5);
  Matrix3<double> mean = Matrix3<double>::Zero();
  Workspace work(model);
  for (int k = 0; k < 1000; ++k) {
    const Eigen::VectorXd q = model.random(g);
    EXPECT_NEAR(q.norm(), 1, 4e-16);
    update_poses(model, work, q);
    mean += frame_pose(model, work, 1).rotation / 1000;
  }
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 0.1);
}

}  // namespace
}  // namespace ulna
