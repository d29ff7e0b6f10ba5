// Parallel robots whose legs leave the platform different freedoms: solved by their loops.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "support/places.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/internal/drive_choice.hpp"
#include "ulna/kinematics/parallel_quality.hpp"
#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/kinematics/platform_quality.hpp"
#include "ulna/kinematics/platform_singularity.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

Robot data_robot(const std::string& name) {
  return read_robot(testing::data_file("parallel/" + name + ".yaml")).robot;
}

TEST(MixedLegs, HaveNoClosedFormAndSayWhy) {
  const Model model(data_robot("delta-telescope"));
  EXPECT_EQ(model.platform(), nullptr);
  try {
    platform_of(model);
    FAIL() << "a mixture of legs was taken for a platform in closed form";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("leave it different freedoms"));
  }
}

TEST(MixedLegs, APassiveTelescopeChangesNoDriveOfADelta) {
  const Model model(data_robot("delta-telescope")), plain(read_robot("delta").robot);
  const ParallelRobot robot(model);
  EXPECT_EQ(robot.drive_names(), (std::vector<std::string>{"leg1", "leg2", "leg3"}));
  const Platform platform(platform_of(plain));
  PlatformMotion motion(platform);
  Pose<double> pose = platform.data().home;
  pose.position += Vector3<double>(0.05, -0.04, -0.03);
  const ParallelPosture at = robot.at_pose(pose);
  platform.inverse(pose, motion);
  EXPECT_LT(at.off, 1e-9);
  EXPECT_LT((robot.drive_values(at.q) - motion.q()).norm(), 1e-9);
  const ParallelRates rates = robot.rates(at.q);
  EXPECT_EQ(rates.dof(), 3);
  const ParallelRobot known(plain);
  EXPECT_NEAR(robot.singularity(rates, pose).condition,
              known.singularity(known.rates(known.at_pose(pose).q), pose).condition, 1e-6);
  const ParallelPosture back = robot.at_drives(motion.q());
  EXPECT_LT((back.pose.position - pose.position).norm(), 1e-9);
}

std::vector<double> sorted(std::vector<double> values) {
  for (double& x : values) x = std::remainder(x, 2 * M_PI);
  std::ranges::sort(values);
  return values;
}

TEST(WorkingModes, ByLoopsAreThoseOfTheClosedForm) {
  for (const char* name : {"delta", "rotary-hexapod", "planar-3rrr", "ddts"}) {
    const Model model(read_robot(name).robot);
    const Platform platform(*model.platform());
    const ParallelRobot robot(model, {drive_speeds(model, platform), -1});
    const WorkingModes found = working_modes(robot, robot.home().q);
    const WorkingModes known = working_modes(platform, robot.home().pose);
    EXPECT_EQ(found.count, known.count) << name;
    ASSERT_EQ(found.angles.size(), known.angles.size()) << name;
    for (std::size_t k = 0; k < known.angles.size(); ++k) {
      EXPECT_NEAR(found.angles[k][0], known.angles[k][0], 1e-9) << name;
      const std::vector<double> a = sorted(found.angles[k]), b = sorted(known.angles[k]);
      ASSERT_EQ(a.size(), b.size()) << name;
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-7) << name;
    }
  }
}

TEST(WorkingModes, OfLegsWithoutClosedFormReachThePose) {
  struct Case {
    const char* name;
    long long count;
  };
  // Telescopes stand in one way; carriages and cranks with a rod in two.
  for (const Case& c : {Case{"three-rps", 1}, {"three-prs", 8}, {"delta-telescope", 8}}) {
    const Model model(data_robot(c.name));
    const ParallelRobot robot(model);
    const WorkingModes modes = working_modes(robot, robot.home().q);
    EXPECT_EQ(modes.count, c.count) << c.name;
    const VectorXd drives = robot.drive_values(robot.home().q);
    for (std::size_t k = 0; k < modes.angles.size(); ++k)
      EXPECT_NEAR(modes.angles[k][0], drives(static_cast<Eigen::Index>(k)), 1e-12) << c.name;
  }
}

/// A delta whose tool is turned by a telescopic shaft from a hinge on the base.
Robot delta_with_turning_tool() {
  Robot robot = read_robot("delta").robot;
  for (const char* name : {"hub", "shaft", "tube", "tool"}) {
    BodyData data;
    data.name = name;
    data.inertial.mass = 0.1;
    data.inertial.inertia = Vector3<double>(0.001, 0.001, 0.0001).asDiagonal();
    robot.bodies.push_back(data);
  }
  const auto joint = [&](const char* name, JointType type, const char* parent, const char* child) {
    JointData data;
    data.name = name;
    data.type = type;
    data.parent = parent;
    data.child = child;
    data.axis = type == JointType::universal ? Vector3<double>::UnitX() : Vector3<double>::UnitZ();
    data.axis2 = Vector3<double>::UnitY();
    robot.joints.push_back(data);
  };
  joint("turn", JointType::revolute, "world", "hub");
  joint("top", JointType::universal, "hub", "shaft");
  joint("slide", JointType::prismatic, "shaft", "tube");
  joint("end", JointType::universal, "tube", "tool");
  std::swap(robot.joints.back().axis, robot.joints.back().axis2);
  joint("spin", JointType::revolute, "platform", "tool");
  return robot;
}

TEST(Drives, OfADeltaWithATurningToolAreItsCranksAndTheShaft) {
  const Model model(delta_with_turning_tool());
  const VectorXd q = ParallelRobot(model).home().q;
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  const std::vector<int> found = split_speeds(closure).independent;
  ASSERT_EQ(found.size(), 4u);
  const auto names = [&](const std::vector<int>& speeds) {
    std::vector<std::string> list;
    for (const int k : speeds) list.push_back(model.speed_names()[static_cast<std::size_t>(k)]);
    std::ranges::sort(list);
    return list;
  };
  const std::vector<std::string> motors = {"leg1", "leg2", "leg3", "turn"};
  EXPECT_EQ(names(drives_rather_than_passive(model, q, found)), motors);
  EXPECT_EQ(names(usual_inputs(closure)), motors);
}

TEST(Drives, TurnsOfAFloatingPlatformAreARotationVector) {
  // One leg leaves the platform six freedoms; beside its own joints the platform's turns drive it.
  const Model model(read_robot("gough-leg").robot);
  const ParallelRobot robot(model);
  VectorXd drives = robot.drive_values(robot.home().q);
  ASSERT_EQ(drives.size(), 6);
  drives += (VectorXd(6) << 0.1, -0.2, 0.15, 0.2, -0.1, 0.3).finished();
  const ParallelPosture at = robot.at_drives(drives);
  EXPECT_LT((robot.drive_values(at.q) - drives).norm(), 1e-8);
  const ParallelPosture back = robot.at_pose(at.pose);
  EXPECT_LT(back.off, 1e-9);
  EXPECT_LT((robot.drive_values(back.q) - drives).norm(), 1e-7);
  // A part of them has no values.
  EXPECT_THROW(ParallelRobot(model, {{model.joints()[model.joint("float")].v}, -1})
                   .at_drives(VectorXd::Zero(1)),
               InputError);
}

TEST(NearestSingularity, IsFoundFarFromThePlatformToo) {
  struct Case {
    const char* name;
    double farthest;  ///< there are singular poses within this
  };
  for (const Case& c : {Case{"delta", 0.7}, {"rotary-hexapod", 0.1}, {"planar-3rrr", 0.3}}) {
    const Model model(read_robot(c.name).robot);
    const Platform platform(*model.platform());
    const Pose<double> home = platform.data().home;
    const NearestSingularity nearest = nearest_singularity(platform, home);
    ASSERT_TRUE(nearest.found) << c.name;
    EXPECT_LT(nearest.distance, c.farthest) << c.name;
    PlatformMotion motion(platform);
    platform.inverse(nearest.pose, motion);
    EXPECT_GT(singularity(platform, motion, nearest.pose).condition, 1e4) << c.name;
  }
}

}  // namespace
}  // namespace ulna
