// Every pose of a platform for given drives, each proven (platform_poses.hpp).

#include "ulna/kinematics/platform_poses.hpp"
#include "support/places.hpp"
#include "ulna/kinematics/parallel_robot.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <random>

#include "support/json_data.hpp"
#include "support/platforms.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/platform_direct.hpp"
#include "ulna/model/model.hpp"
#include "ulna/numerics/internal/interval.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

Platform shipped(const char* name) { return Platform(platform_of(read_robot(name).robot)); }

VectorXd drives_at(const Platform& platform, const Pose<double>& pose) {
  PlatformMotion motion(platform);
  platform.inverse(pose, motion);
  return motion.q();
}

bool holds(const PlatformPoses& found, const Pose<double>& pose, double tolerance) {
  return std::any_of(found.poses.begin(), found.poses.end(), [&](const ProvenPose& p) {
    return (p.pose.rotation - pose.rotation).norm() < tolerance &&
           (p.pose.position - pose.position).norm() < tolerance;
  });
}

Pose<double> pose_near(const Pose<double>& home, double size, std::mt19937& generator) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const Vector3<double> axis(unit(generator), unit(generator), unit(generator)),
      shift(unit(generator), unit(generator), unit(generator));
  return {Eigen::AngleAxisd(0.3 * unit(generator), axis.normalized()).toRotationMatrix() *
              home.rotation,
          home.position + size * shift};
}

TEST(PlatformPoses, OfDietmaiersPlatformAreFortyAndAllProven) {
  const auto data = testing::read_data("dietmaier_1998.json");
  const auto point = [](const auto& list) { return Vector3<double>(list[0], list[1], list[2]); };
  PlatformData given;
  VectorXd lengths(6);
  for (int k = 0; k < 6; ++k) {
    PlatformLeg leg;
    leg.name = "leg" + std::to_string(k + 1);
    leg.base = point(data["base"][k]);
    leg.platform = point(data["platform"][k]);
    lengths(k) = data["lengths"][k];
    given.legs.push_back(leg);
  }
  const Platform platform(given);
  const std::clock_t begin = std::clock();
  const PlatformPoses found = platform_poses(platform, lengths);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  RecordProperty("seconds", std::to_string(seconds));
#ifdef NDEBUG
  EXPECT_LT(seconds, 1);  // of processor time, optimised; a fifth of it was seen
#endif
  EXPECT_EQ(found.degree, 40);
  EXPECT_EQ(found.poses.size(), 40u);
  EXPECT_EQ(found.complex, 0);
  EXPECT_TRUE(found.complete);
  for (const ProvenPose& p : found.poses) {
    EXPECT_TRUE(p.certified);
    EXPECT_LT(p.position_bound, 1e-7);
    EXPECT_LT(p.gap, 1e-12);
  }
  for (const auto& posture : data["postures"]) {
    const auto& r = posture["rotation"];
    const Pose<double> pose{Eigen::Quaterniond(r[0], r[1], r[2], r[3]).toRotationMatrix(),
                            point(posture["position"])};
    EXPECT_TRUE(holds(found, pose, 1e-9)) << posture;
  }
}

TEST(PlatformPoses, OfAPlatformOnThreeJointsAreSixteen) {
  // Pairs of legs that meet at the platform: 16 solutions, in pairs mirrored at the base.
  const Platform platform = shipped("stewart-6-3");
  std::mt19937 generator(5);
  for (int trial = 0; trial < 3; ++trial) {
    const Pose<double> pose = pose_near(platform.data().home, 0.05, generator);
    const PlatformPoses found = platform_poses(platform, drives_at(platform, pose));
    EXPECT_EQ(found.bound, 16);
    EXPECT_EQ(found.degree, 16);
    EXPECT_EQ(found.complex + std::ssize(found.poses), 16);
    EXPECT_TRUE(found.complete);
    EXPECT_TRUE(holds(found, pose, 1e-9));
    EXPECT_EQ(found.poses.size() % 2, 0u);
  }
}

TEST(PlatformPoses, CountMatchesTheDegreeOfEachKind) {
  std::mt19937 generator(7);
  struct Kind {
    const char* robot;
    int degree;
    double size;
  };
  for (const Kind& kind :
       {Kind{"stewart-6-6", 28, 0.03}, {"ddts", 28, 0.1}, {"rotary-hexapod", 40, 0.01}}) {
    const Platform platform = shipped(kind.robot);
    const Pose<double> pose = pose_near(platform.data().home, kind.size, generator);
    const PlatformPoses found = platform_poses(platform, drives_at(platform, pose));
    EXPECT_EQ(found.degree, kind.degree) << kind.robot;
    EXPECT_TRUE(found.complete) << kind.robot << ' ' << found.singular << ' ' << found.infinite;
    EXPECT_TRUE(holds(found, pose, 1e-9)) << kind.robot;
    // What random starts find is among them, and nothing more.
    const DirectPoses random = direct_all(platform, drives_at(platform, pose), {.starts = 2000});
    EXPECT_LE(random.poses.size(), found.poses.size()) << kind.robot;
    for (const DirectPose& p : random.poses) EXPECT_TRUE(holds(found, p.pose, 1e-7)) << kind.robot;
  }
}

TEST(PlatformPoses, OfAPlanarPlatformAreSixAndOfADeltaTwo) {
  const Platform planar = shipped("planar-3rrr"), delta = shipped("delta");
  Pose<double> pose = planar.data().home;
  pose.position += Vector3<double>(0.03, -0.02, 0);
  pose.rotation =
      Eigen::AngleAxisd(0.2, Vector3<double>::UnitZ()).toRotationMatrix() * pose.rotation;
  PlatformPoses found = platform_poses(planar, drives_at(planar, pose));
  EXPECT_EQ(found.degree, 6);
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(holds(found, pose, 1e-9));
  pose = delta.data().home;
  pose.position += Vector3<double>(0.05, 0.02, -0.03);
  found = platform_poses(delta, drives_at(delta, pose));
  EXPECT_EQ(found.degree, 2);
  EXPECT_EQ(found.poses.size(), 2u);
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(holds(found, pose, 1e-9));
}

TEST(PlatformPoses, NoneIsProvenWhereNoneExists) {
  // One leg of a delta cannot reach: both solutions are complex, and are proven to be so.
  const Platform delta = shipped("delta");
  VectorXd drives = drives_at(delta, delta.data().home);
  drives(0) = 3.0;
  drives(1) = drives(2) = 0.2;
  const PlatformPoses found = platform_poses(delta, drives);
  EXPECT_EQ(found.complex + std::ssize(found.poses), 2);
  EXPECT_TRUE(found.complete);
}

TEST(Intervals, ContainEveryResult) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int k = 0; k < 1000; ++k) {
    const double a = unit(generator), b = unit(generator), r = std::abs(unit(generator)) * 1e-3,
                 s = std::abs(unit(generator)) * 1e-3;
    const double x = a + r * unit(generator), y = b + s * unit(generator);
    const Interval A(a - r, a + r), B(b - s, b + s);
    for (const auto& [value, range] : {std::pair{static_cast<long double>(x) + y, A + B},
                                       {static_cast<long double>(x) - y, A - B},
                                       {static_cast<long double>(x) * y, A * B}}) {
      EXPECT_LE(range.lower, value);
      EXPECT_GE(range.upper, value);
    }
  }
}

TEST(PlatformPoses, OfThreePointsOnCirclesAreSixteen) {
  // 3-RPS and 3-PRS: the known degree, each real pose proven and closed by the legs.
  for (const char* name : {"three-rps", "three-prs"}) {
    const Model model(
        read_robot(testing::data_file("parallel/" + std::string(name) + ".yaml")).robot);
    const ParallelRobot robot(model);
    Eigen::VectorXd drives = robot.drive_values(robot.home().q);
    drives += Eigen::Vector3d(0.011, -0.007, 0.003);
    const std::optional<PlatformPoses> poses = parallel_poses(robot, drives);
    ASSERT_TRUE(poses) << name;
    EXPECT_EQ(poses->degree, 16) << name;
    EXPECT_EQ(poses->bound, 16) << name;
    EXPECT_TRUE(poses->complete) << name;
    const ParallelPosture led = robot.at_drives(drives);
    bool met = false;
    for (const ProvenPose& p : poses->poses) {
      EXPECT_TRUE(p.certified) << name;
      EXPECT_LT(p.gap, 1e-9) << name;
      met = met || (p.pose.position - led.pose.position).norm() < 1e-8;
    }
    EXPECT_TRUE(met) << name;
  }
  // Stewart's legs with two drives each leave one hinge, too. Two rods on a crank do not.
  const Model other(read_robot(testing::data_file("parallel/stewart-1965.yaml")).robot);
  const ParallelRobot stewart(other);
  const auto known = parallel_poses(stewart, stewart.drive_values(stewart.home().q));
  ASSERT_TRUE(known);
  EXPECT_GE(known->degree, 12);  // its hinges are parallel: fewer than 16, found by search
  EXPECT_LE(known->degree, 16);
  for (const ProvenPose& p : known->poses) EXPECT_LT(p.gap, 1e-6);
  const Model pairs(read_robot("delta").robot);
  const ParallelRobot delta(pairs);
  EXPECT_FALSE(parallel_poses(delta, delta.drive_values(delta.home().q)));
}

}  // namespace
}  // namespace ulna
