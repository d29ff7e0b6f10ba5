// Platforms whose legs begin with a carriage on a rail: hexaglide, linear Delta, planar 3-PRR. The
// closed form beside the loops of the ordinary robot.

#include <gmock/gmock.h>

#include "support/places.hpp"
#include "support/platforms.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/kinematics/platform_poses.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/kinematics/platform_quality.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

Robot parallel(const std::string& name) {
  return read_robot(testing::data_file("parallel/" + name + ".yaml")).robot;
}

/// The numbers of the freedoms that make a twist of the platform.
VectorXd dense_freedoms(const Platform& platform, const Twist<double>& V) {
  return dense::LeastNorm(platform.basis()).solve(V.vector());
}

/// Rails in the plane, aslant to the rods, in place of the cranks of a planar platform at home.
PlatformData planar_prr() {
  PlatformData data = platform_of(read_robot("planar-3rrr").robot);
  const Platform cranks(data);
  PlatformMotion motion(cranks);
  cranks.inverse(data.home, motion);
  for (std::size_t k = 0; k < data.legs.size(); ++k) {
    PlatformLeg& leg = data.legs[k];
    const Vector3<double> n = motion.legs[k].n, y = leg.axis.normalized().cross(n);
    const double t = 0.5 + 0.3 * static_cast<double>(k);
    leg.base = motion.legs[k].E;
    leg.rail = std::cos(t) * n + std::sin(t) * y;
    leg.zero = n;
    leg.crank_length = 0;
    leg.drive = {};
  }
  return data;
}

TEST(RailPlatforms, AreReadAndBuiltAgain) {
  for (const Robot& robot :
       {parallel("hexaglide"), parallel("linear-delta"), platform_robot(planar_prr())}) {
    const PlatformData data = platform_of(robot);
    for (const PlatformLeg& leg : data.legs) {
      EXPECT_TRUE(leg.on_rail()) << robot.name;
      EXPECT_TRUE(leg.drive_slides()) << robot.name;
    }
    const PlatformData again = platform_of(platform_robot(data));
    for (std::size_t k = 0; k < data.legs.size(); ++k) {
      EXPECT_LT((again.legs[k].base - data.legs[k].base).norm(), 1e-12) << robot.name;
      EXPECT_LT((again.legs[k].rail - data.legs[k].rail).norm(), 1e-12) << robot.name;
      EXPECT_LT((again.legs[k].platform - data.legs[k].platform).norm(), 1e-12) << robot.name;
      EXPECT_NEAR(again.legs[k].rod_length, data.legs[k].rod_length, 1e-12) << robot.name;
      EXPECT_EQ(again.legs[k].kind, data.legs[k].kind) << robot.name;
    }
  }
}

TEST(RailPlatforms, HaveTheDrivesRatesAndAccelerationsOfTheirLoops) {
  testing::Generator g(3);
  for (const Robot& given :
       {parallel("hexaglide"), parallel("linear-delta"), platform_robot(planar_prr())}) {
    const Model model(given);
    const Platform platform(platform_of(model));
    const ParallelRobot robot(model, {drive_speeds(model, platform), -1});
    PlatformMotion motion(platform);
    for (int k = 0; k < 5; ++k) {
      const Pose<double> pose = testing::random_pose(g, platform, 0.03, 0.1);
      const Twist<double> V = testing::random_twist(g, platform),
                          A = testing::random_twist(g, platform, 5);
      platform.inverse(pose, V, A, motion);
      const ParallelPosture at = robot.at_pose(pose);
      ASSERT_LT(at.off, 1e-9) << given.name;
      EXPECT_LT((robot.drive_values(at.q) - motion.q()).norm(), 1e-8) << given.name;
      const ParallelRobot::Motion found = robot.motion(at.q, V, A);
      EXPECT_LT((found.drive_rates - motion.rates()).norm(), 1e-6) << given.name;
      EXPECT_LT((found.drive_accelerations - motion.accelerations()).norm(),
                1e-6 * (1 + motion.accelerations().norm()))
          << given.name;
      // The second order array of the legs gives the same accelerations.
      const CoordinateMap map = platform.leg_map(pose);
      const VectorXd x = dense_freedoms(platform, V), y = dense_freedoms(platform, A);
      for (int leg = 0; leg < platform.legs(); ++leg)
        EXPECT_NEAR(map.G.row(leg).dot(y) + x.dot(map.H[leg] * x), motion.legs[leg].acceleration,
                    1e-9 * (1 + y.norm() + x.squaredNorm()))
            << given.name;
      // Both places on the rail hold the rod.
      const WorkingModes modes = working_modes(platform, pose);
      EXPECT_EQ(modes.count, 1 << platform.legs());
      for (int leg = 0; leg < platform.legs(); ++leg)
        for (const double place : modes.angles[leg])
          EXPECT_NEAR((pose * platform.leg(leg).platform - platform.leg(leg).end(place)).norm(),
                      platform.leg(leg).rod, 1e-12);
    }
  }
}

TEST(RailPlatforms, HaveProvenPoses) {
  // A hexaglide with its rails parallel and its joints on circles: as many solutions as its degree.
  const Platform hexaglide(platform_of(parallel("hexaglide")));
  PlatformMotion motion(hexaglide);
  hexaglide.inverse(hexaglide.data().home, motion);
  const PlatformPoses poses = platform_poses(hexaglide, motion.q());
  EXPECT_TRUE(poses.complete || poses.singular + poses.infinite > 0);
  ASSERT_FALSE(poses.poses.empty());
  EXPECT_LT((poses.poses[0].pose.position - hexaglide.data().home.position).norm(), 1e-8);
  for (const ProvenPose& p : poses.poses) EXPECT_LT(p.gap, 1e-8);
  const Platform delta(platform_of(parallel("linear-delta")));
  PlatformMotion at(delta);
  delta.inverse(delta.data().home, at);
  const PlatformPoses two = platform_poses(delta, at.q());
  EXPECT_EQ(two.degree, 2);
  EXPECT_EQ(two.poses.size(), 2u);
  EXPECT_TRUE(two.complete);
}

TEST(RailPlatforms, SayWhereARodDoesNotReachItsRail) {
  const Platform platform(platform_of(parallel("hexaglide")));
  PlatformMotion motion(platform);
  Pose<double> far = platform.data().home;
  far.position.z() += 0.5;
  try {
    platform.inverse(far, motion);
    FAIL() << "a rod of 0.75 m does not reach a metre";
  } catch (const ComputationError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("from the rail"));
  }
}

TEST(PlatformRecognition, WantsTheSameAxesAtBothEndsOfARod) {
  // A delta of rods with universal joints whose outer axis is turned: the platform turns besides.
  PlatformData data = platform_of(read_robot("delta").robot);
  for (PlatformLeg& leg : data.legs) leg.kind = LegKind::universal;
  Robot robot = platform_robot(data);
  EXPECT_TRUE(platform_if_any(robot).has_value());
  for (JointData& joint : robot.joints)
    if (joint.name.ends_with("_end")) joint.axis2 = Vector3<double>(0.3, 0, 1).normalized();
  EXPECT_FALSE(platform_if_any(robot).has_value());
}

}  // namespace
}  // namespace ulna
