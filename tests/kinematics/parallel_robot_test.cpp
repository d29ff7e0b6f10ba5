// Any robot with loops as a platform and its drives (parallel_robot.hpp), beside the closed form.

#include "ulna/kinematics/parallel_robot.hpp"

#include <gmock/gmock.h>

#include "support/places.hpp"
#include "support/platforms.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/internal/drive_choice.hpp"
#include "ulna/kinematics/parallel_quality.hpp"
#include "ulna/kinematics/platform_direct.hpp"
#include "ulna/kinematics/platform_poses.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/kinematics/platform_quality.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

Model parallel(const std::string& name) {
  return Model(read_robot(testing::data_file("parallel/" + name + ".yaml")).robot);
}

TEST(ParallelRobots, GiveTheNumbersOfTheClosedForm) {
  for (const char* name : {"ddts", "stewart-6-6", "rotary-hexapod", "delta", "planar-3rrr"}) {
    const Model model(read_robot(name).robot);
    const Platform platform(platform_of(model));
    const ParallelRobot robot(model, {drive_speeds(model, platform), -1});
    Pose<double> pose = platform.data().home;
    pose.position +=
        platform.basis().bottomRows<3>() * (0.02 * VectorXd::LinSpaced(platform.dof(), 1, -1));
    const ParallelPosture at = robot.at_pose(pose);
    PlatformMotion motion(platform);
    platform.inverse(pose, motion);
    EXPECT_LT(at.off, 1e-9) << name;
    EXPECT_LT((robot.drive_values(at.q) - motion.q()).norm(), 1e-8) << name;
    // Rates of the drives for a twist, whatever basis the freedoms have.
    const VectorXd x = VectorXd::LinSpaced(platform.dof(), -1, 0.7);
    const Twist<double> twist = Twist<double>::from_vector(platform.basis() * x);
    platform.inverse(pose, twist, {}, motion);
    const ParallelRobot::Motion found = robot.motion(at.q, twist, {});
    EXPECT_LT((found.drive_rates - motion.rates()).norm(), 1e-7) << name;
    EXPECT_LT((found.drive_accelerations - motion.accelerations()).norm(), 1e-6) << name;
    // And back: the drives lead to the pose on the branch of home.
    const ParallelPosture back = robot.at_drives(motion.q());
    EXPECT_TRUE(back.home_branch) << name;
    EXPECT_LT((back.pose.position - pose.position).norm(), 1e-8) << name;
  }
}

TEST(ParallelRobots, HaveTheFreedomsAndDrivesOfTheirLegs) {
  struct Case {
    const char* name;
    int dof;
    std::vector<std::string> drives;
  };
  const std::vector<std::string> three = {"leg1", "leg2", "leg3"},
                                 six = {"leg1", "leg2", "leg3", "leg4", "leg5", "leg6"};
  for (const Case& c :
       {Case{"three-rps", 3, three},
        {"three-prs", 3, three},
        {"linear-delta", 3, three},
        {"hexaglide", 6, six},
        {"stewart-1965", 6, {"leg1_tilt", "leg1", "leg2_tilt", "leg2", "leg3_tilt", "leg3"}}}) {
    const Model model = parallel(c.name);
    const ParallelRobot robot(model);
    const ParallelRates rates = robot.rates(robot.home().q);
    EXPECT_EQ(rates.dof(), c.dof) << c.name;
    EXPECT_EQ(rates.idle.cols(), 0) << c.name;
    EXPECT_EQ(robot.drive_names(), c.drives) << c.name;
    EXPECT_LT(robot.singularity(rates, robot.home().pose).condition, 100) << c.name;
    EXPECT_LT((robot.home().pose.rotation - Matrix3<double>::Identity()).norm(), 1e-9) << c.name;
  }
}

TEST(ParallelRobots, DrivesOfHomeLeadToHome) {
  // A robot whose platform does not float closes from anywhere: its drives are led from home.
  const Model model(read_robot("five-bar").robot);
  const ParallelRobot robot(model);
  const VectorXd home = robot.drive_values(robot.home().q);
  const ParallelPosture at = robot.at_drives(home);
  EXPECT_TRUE(at.home_branch);
  EXPECT_LT((at.q - robot.home().q).norm(), 1e-9);
  const ParallelPosture beside = robot.at_drives(home + Eigen::Vector2d(0.02, -0.01));
  EXPECT_TRUE(beside.home_branch);
  EXPECT_LT((beside.q - robot.home().q).norm(), 0.2);
  // Beyond the stretched posture there is no way from home.
  EXPECT_THROW(robot.at_drives(Eigen::Vector2d(M_PI, 0)), ComputationError);
  // A joint that closes the loop as a drive.
  const int tool = model.speeds();
  const ParallelRobot closing(model, {{robot.drives()[0], tool}, -1});
  const ParallelPosture led = closing.at_drives(closing.drive_values(beside.q));
  EXPECT_TRUE(led.home_branch);
  EXPECT_LT((led.q - beside.q).norm(), 1e-8);
}

TEST(ParallelRobots, ATelescopeBesideCranksIsPassive) {
  Robot robot = read_robot("delta").robot;
  const auto body = [&](const char* name) {
    BodyData data;
    data.name = name;
    data.inertial.mass = 0.2;
    data.inertial.inertia = Vector3<double>(0.002, 0.002, 0.0001).asDiagonal();
    robot.bodies.push_back(data);
  };
  body("shaft");
  body("tube");
  const auto joint = [&](const char* name, JointType type, const char* parent, const char* child) {
    JointData data;
    data.name = name;
    data.type = type;
    data.parent = parent;
    data.child = child;
    data.axis = type == JointType::prismatic ? Vector3<double>::UnitZ() : Vector3<double>::UnitX();
    data.axis2 = Vector3<double>::UnitY();
    if (data.name == "end") std::swap(data.axis, data.axis2);
    robot.joints.push_back(data);
  };
  joint("top", JointType::universal, "world", "shaft");
  joint("slide", JointType::prismatic, "shaft", "tube");
  joint("end", JointType::universal, "tube", "platform");
  const Model model(std::move(robot));
  EXPECT_EQ(ParallelRobot(model).drive_names(), (std::vector<std::string>{"leg1", "leg2", "leg3"}));
}

TEST(ParallelRobots, RedundantDrivesLeadToThePose) {
  // A plate on four legs of three hinges: four drives for three freedoms.
  PlatformData data = platform_of(read_robot("planar-3rrr").robot);
  PlatformLeg fourth = data.legs[0];
  fourth.name = "leg4";
  fourth.base = {0.1, 0.5, 0};
  fourth.platform = {0.05, 0.1, 0};
  data.legs.push_back(fourth);
  const Platform platform(data);
  const Model model(platform_robot(data));
  Pose<double> pose = data.home;
  pose.position += Vector3<double>(0.02, -0.01, 0);
  PlatformMotion motion(platform);
  platform.inverse(pose, motion);
  VectorXd drives = motion.q();
  DirectPose found = direct(platform, drives, data.home);
  EXPECT_LT((found.pose.position - pose.position).norm(), 1e-10);
  EXPECT_LT((found.pose.rotation - pose.rotation).norm(), 1e-10);
  const PlatformPoses every = platform_poses(platform, drives);
  ASSERT_EQ(every.poses.size(), 1u);  // of up to six of three legs
  EXPECT_LT((every.poses[0].pose.position - pose.position).norm(), 1e-9);
  EXPECT_EQ(every.degree, 6);
  // Given to seven digits they fit to seven digits; drives that contradict each other do not.
  drives(0) += 1e-7;
  found = direct(platform, drives, data.home);
  EXPECT_GT(found.gap, 1e-9);
  EXPECT_LT((found.pose.position - pose.position).norm(), 1e-6);
  drives(0) += 0.01;
  EXPECT_THROW(direct(platform, drives, data.home), ComputationError);
  // Inputs are as many as are independent.
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, platform_posture(model, platform, pose));
  const std::vector<int> inputs = usual_inputs(closure), all = drive_speeds(model, platform);
  EXPECT_EQ(inputs.size(), 3u);
  for (const int k : inputs) EXPECT_EQ(std::count(all.begin(), all.end(), k), 1);
}

TEST(ParallelRobots, InputsAreDrivesAndIdleSpins) {
  // Rods between balls spin; the other inputs are the drives.
  PlatformData data = platform_of(read_robot("rotary-hexapod").robot);
  for (PlatformLeg& leg : data.legs) leg.crank_balls = true;
  const Model model(platform_robot(data));
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, assembled(model));
  const std::vector<int> inputs = usual_inputs(closure),
                         drives = drive_speeds(model, Platform(data));
  ASSERT_EQ(inputs.size(), 12u);
  EXPECT_TRUE(std::equal(drives.begin(), drives.end(), inputs.begin()));
}

TEST(ParallelRobots, TiltAboutTwoAxesShiftsAThreeRps) {
  // The balls stay in the planes of their hinges, which moves the centre sideways: the platform
  // does not take a tilt without that shift, and says how far it is off.
  const Model model = parallel("three-rps");
  const ParallelRobot robot(model);
  Pose<double> pose = robot.home().pose;
  pose.position.z() = 0.65;
  EXPECT_LT(robot.at_pose(pose).off, 1e-9);
  pose.rotation =
      Eigen::AngleAxisd(0.3, Vector3<double>(1, 0.4, 0).normalized()).toRotationMatrix();
  const ParallelPosture tilted = robot.at_pose(pose);
  EXPECT_GT(tilted.off, 1e-4);
  EXPECT_LT(tilted.off, 0.05);
  // The balls, in the world, keep their planes.
  for (int k = 0; k < 3; ++k) {
    const double t = 2 * M_PI * k / 3;
    const Vector3<double> out(std::cos(t), std::sin(t), 0), across(-std::sin(t), std::cos(t), 0);
    EXPECT_NEAR((tilted.pose * Vector3<double>(0.2 * out)).dot(across), 0, 1e-9);
  }
}

TEST(ParallelRobots, CountPosesOfThePlatformNotOfTheRods) {
  const Model model = parallel("hexaglide");
  const ParallelRobot robot(model);
  const ParallelRobot::All all = robot.all_at_drives(robot.drive_values(robot.home().q), 60);
  // Each rod closes with its universal joint turned either way: 64 assemblies of one pose.
  EXPECT_GE(all.poses.size(), 2u);
  EXPECT_GT(all.postures, static_cast<int>(all.poses.size()));
  for (std::size_t i = 0; i < all.poses.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_GT((all.poses[i].pose.position - all.poses[j].pose.position).norm() +
                    (all.poses[i].pose.rotation - all.poses[j].pose.rotation).norm(),
                1e-4);
}

TEST(PlatformStart, IsTheHomePose) {
  for (const char* name : {"ddts", "stewart-6-6", "delta", "rotary-hexapod"}) {
    const Model model(read_robot(name).robot);
    const Platform platform(platform_of(model));
    const Pose<double> pose = platform_pose(model, platform, assembled(model));
    EXPECT_LT((pose.position - platform.data().home.position).norm(), 1e-9) << name;
    EXPECT_LT((pose.rotation - platform.data().home.rotation).norm(), 1e-9) << name;
  }
  // With the drives of another pose, the branch of home.
  const Model model = parallel("hexaglide");
  const ParallelRobot robot(model);
  Pose<double> pose = robot.home().pose;
  pose.position += Vector3<double>(0.02, 0.05, -0.03);
  pose.rotation = Eigen::AngleAxisd(0.2, Vector3<double>::UnitZ()).toRotationMatrix();
  const ParallelPosture at = robot.at_pose(pose);
  EXPECT_LT(at.off, 1e-9);
  const ParallelPosture back = robot.at_drives(robot.drive_values(at.q));
  EXPECT_TRUE(back.home_branch);
  EXPECT_LT((back.pose.position - pose.position).norm(), 1e-8);
  EXPECT_LT((back.pose.rotation - pose.rotation).norm(), 1e-8);
}

TEST(PlatformQuality, NearestSingularityOfTheDdts) {
  // At its home height the DDTS is singular when turned by 30 degrees about the vertical (Lim,
  // Freeman and Tesar): no farther than that, and the pose found is singular.
  const Platform platform(testing::ddts_platform());
  const Pose<double> home = platform.data().home;
  const NearestSingularity nearest = nearest_singularity(platform, home);
  ASSERT_TRUE(nearest.found);
  EXPECT_LE(nearest.distance, platform.radius() * M_PI / 6 * (1 + 1e-6));
  PlatformMotion motion(platform);
  platform.inverse(nearest.pose, motion);
  EXPECT_GT(singularity(platform, motion, nearest.pose).condition, 1e6);
}

TEST(PlatformQuality, WithoutClosedFormDeterminantsAreTheSame) {
  for (const char* name : {"ddts", "stewart-6-6", "planar-3rrr", "delta"}) {
    const Model model(read_robot(name).robot);
    const Platform platform(platform_of(model));
    const ParallelRobot robot(model, {drive_speeds(model, platform), -1});
    PlatformMotion motion(platform);
    platform.inverse(robot.home().pose, motion);
    const double closed = singularity(platform, motion, robot.home().pose).determinant;
    // The sign of fewer freedoms than six is that of their basis.
    EXPECT_NEAR(
        std::abs(robot.singularity(robot.rates(robot.home().q), robot.home().pose).determinant),
        std::abs(closed), 1e-9 * (1 + std::abs(closed)))
        << name;
  }
}

TEST(PlatformQuality, SingularPosesAlongAPathAreTheNearestOfEachPose) {
  const Model model(read_robot("planar-3rrr").robot);
  const Platform platform(platform_of(model));
  const ParallelRobot robot(model, {drive_speeds(model, platform), -1});
  std::vector<Eigen::VectorXd> postures;
  std::vector<Pose<double>> path;
  for (const double x : {0.0, 0.02, 0.04}) {
    Pose<double> pose = platform.data().home;
    pose.position += Vector3<double>(x, x / 2, 0);
    path.push_back(pose);
    postures.push_back(robot.at_pose(pose).q);
  }
  const std::vector<NearestSingularity> closed = nearest_singularities(platform, path),
                                        loops = nearest_singularities(robot, postures);
  for (std::size_t k = 0; k < path.size(); ++k) {
    EXPECT_NEAR(closed[k].distance, nearest_singularity(platform, path[k]).distance, 1e-7) << k;
    EXPECT_NEAR(loops[k].distance, closed[k].distance, 1e-7) << k;
  }
}

TEST(PlatformQuality, LociOfTheDdtsLieAtThirtyDegrees) {
  const Platform platform(testing::ddts_platform());
  const WorkspaceSlice slice =
      workspace_slice(platform, platform.data().home,
                      {SliceRange{SliceAxis::x, 2.5, 3.5, 5}, {SliceAxis::rx, -0.3, 0.9, 7}});
  const std::vector<LocusPiece> loci = singular_loci(platform, slice);
  ASSERT_FALSE(loci.empty());
  for (const LocusPiece& piece : loci) {
    EXPECT_NEAR(piece.from[1], M_PI / 6, 1e-6);
    EXPECT_NEAR(piece.to[1], M_PI / 6, 1e-6);
  }
}

TEST(PlatformQuality, OfThreeOrthogonalDrivesIsThatOfACube) {
  // Drives along the axes: a cube of side 2 of speeds, forces and errors.
  Eigen::Matrix<double, 6, Eigen::Dynamic> basis(6, 3);
  basis.setZero();
  basis.bottomRows<3>().setIdentity();
  const VectorXd ones = VectorXd::Ones(3);
  const PlatformQuality q = quality(Eigen::MatrixXd::Identity(3, 3), basis, 1, {ones, ones, ones});
  EXPECT_NEAR(q.dexterity, 1, 1e-12);
  for (const Capability& c : {q.speed, q.force}) {
    EXPECT_NEAR(c.everywhere, 1, 1e-12);
    EXPECT_NEAR(c.best, std::sqrt(3.0), 1e-12);
    EXPECT_EQ(c.dimension, 3);
  }
  EXPECT_EQ(q.turning.dimension, 0);
  EXPECT_NEAR(q.position_worst, std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(q.position_rms, std::sqrt(3.0), 1e-12);
  EXPECT_EQ(q.angle_worst, 0);
}

TEST(WorkingModes, OfCranksReachThePose) {
  const Platform platform(platform_of(read_robot("rotary-hexapod").robot));
  const Pose<double> home = platform.data().home;
  const WorkingModes modes = working_modes(platform, home);
  EXPECT_EQ(modes.count, 64);
  for (int k = 0; k < platform.legs(); ++k)
    for (const double angle : modes.angles[k]) {
      const Platform::Leg& leg = platform.leg(k);
      const Vector3<double> tip =
          leg.base + leg.crank * (std::cos(angle) * leg.x + std::sin(angle) * leg.y);
      EXPECT_NEAR((home * leg.platform - tip).norm(), leg.rod, 1e-12);
    }
}

}  // namespace
}  // namespace ulna
