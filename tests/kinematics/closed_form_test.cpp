// Inverse kinematics in closed form: every posture found reaches the target, and the posture the
// target was made from is among them.

#include "ulna/kinematics/closed_form.hpp"

#include <gmock/gmock.h>

#include "support/random_robot.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

/// Turning joints with random axes; `meeting`: the last three go through one point.
Robot arm(testing::Generator& g, int joints, bool meeting) {
  Robot robot;
  robot.name = "arm";
  for (int k = 0; k < joints; ++k) {
    BodyData body;
    body.name = "link" + std::to_string(k);
    robot.bodies.push_back(body);
    JointData joint;
    joint.name = "joint" + std::to_string(k);
    joint.type = JointType::revolute;
    joint.parent = k == 0 ? world_name : robot.bodies[k - 1].name;
    joint.child = body.name;
    joint.axis = testing::random_vector(g);
    joint.X_PF = {testing::random_rotation(g), meeting && k > joints - 3
                                                   ? Vector3<double>::Zero().eval()
                                                   : testing::random_vector(g)};
    robot.joints.push_back(joint);
  }
  robot.frames = {{"tool",
                   robot.bodies.back().name,
                   {testing::random_rotation(g), testing::random_vector(g)},
                   {}}};
  return robot;
}

bool contains(const std::vector<VectorXd>& postures, const VectorXd& q) {
  for (const VectorXd& other : postures) {
    double worst = 0;
    for (int k = 0; k < q.size(); ++k)
      worst = std::max(worst, std::abs(std::remainder(other(k) - q(k), 2 * M_PI)));
    if (worst < 1e-6) return true;
  }
  return false;
}

TEST(ClosedForm, OfThreeTurnsFindsEveryWayToAPoint) {
  testing::Generator g(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Model model(arm(g, 3, false));
    Workspace work(model);
    const int tool = model.frame("tool");
    const VectorXd q = model.random(g);
    update_poses(model, work, q);
    const Vector3<double> p = frame_pose(model, work, tool).position;
    const std::vector<VectorXd> found = closed_form_positions(model, tool, p);
    EXPECT_LE(found.size(), 4u);
    EXPECT_TRUE(contains(found, q)) << trial;
    for (const VectorXd& other : found) {
      update_poses(model, work, other);
      EXPECT_LT((frame_pose(model, work, tool).position - p).norm(), 1e-7) << trial;
    }
  }
}

TEST(ClosedForm, OfSixTurnsWithASphericalWristFindsUpToEight) {
  testing::Generator g(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Model model(arm(g, 6, true));
    Workspace work(model);
    const int tool = model.frame("tool");
    const VectorXd q = model.random(g);
    update_poses(model, work, q);
    const Pose<double> X = frame_pose(model, work, tool);
    const std::vector<VectorXd> found = closed_form_poses(model, tool, X);
    EXPECT_LE(found.size(), 8u);
    EXPECT_TRUE(contains(found, q)) << trial;
    for (const VectorXd& other : found) {
      update_poses(model, work, other);
      const Pose<double> Y = frame_pose(model, work, tool);
      EXPECT_LT((Y.position - X.position).norm() + (Y.rotation - X.rotation).norm(), 1e-6) << trial;
    }
  }
}

TEST(ClosedForm, OfThePumaHasEightPosturesWhereLimitsAllow) {
  Robot robot = read_robot("puma560").robot;
  for (JointData& joint : robot.joints)
    for (DegreeData& degree : joint.degrees) {
      degree.lower = -DegreeData::unlimited;
      degree.upper = DegreeData::unlimited;
    }
  const Model model(robot);
  const int tip = model.tip_frame();
  ASSERT_EQ(why_no_closed_form(model, tip, true), "");
  Workspace work(model);
  VectorXd q(6);
  q << 0.3, -0.8, 0.4, 0.5, 0.9, -0.2;
  update_poses(model, work, q);
  const std::vector<VectorXd> found = closed_form_poses(model, tip, frame_pose(model, work, tip));
  EXPECT_EQ(found.size(), 8u);
  EXPECT_TRUE(contains(found, q));
}

TEST(ClosedForm, OfPlanarArmsAndWhatHasNone) {
  const Model model(read_robot("planar-3r").robot);
  const int tip = model.frame("tip");
  Workspace work(model);
  const Eigen::Vector3d q(0.3, 0.9, -0.4);
  update_poses(model, work, q);
  const std::vector<VectorXd> found = closed_form_poses(model, tip, frame_pose(model, work, tip));
  EXPECT_EQ(found.size(), 2u);
  EXPECT_TRUE(contains(found, q));
  EXPECT_THAT(why_no_closed_form(model, tip, false), ::testing::HasSubstr("leave a freedom"));
  const Model scara(read_robot("scara").robot);
  EXPECT_THAT(why_no_closed_form(scara, scara.tip_frame(), false),
              ::testing::HasSubstr("does not simply turn"));
  EXPECT_TRUE(closed_form_positions(Model(read_robot("t3r3").robot), 1 + 3, {9, 0, 0}).empty());
}

}  // namespace
}  // namespace ulna
