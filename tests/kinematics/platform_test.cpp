// Platforms in closed form: rates are derivatives, direct undoes inverse, the ordinary robot with
// loops says the same.

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/json_data.hpp"
#include "support/platforms.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/mobility.hpp"
#include "ulna/kinematics/platform_direct.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/kinematics/platform_workspace.hpp"

namespace ulna {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::ddts_platform;
using testing::ddts_pose;
using testing::degree;
using testing::random_pose;
using testing::random_twist;

struct Shipped {
  const char* name;
  double length, angle;  ///< how far from home poses are taken
  int idle;
};
void PrintTo(const Shipped& s, std::ostream* out) { *out << s.name; }

class ShippedPlatforms : public ::testing::TestWithParam<Shipped> {
 protected:
  Robot robot = read_robot(GetParam().name).robot;
  Platform platform{platform_of(robot)};
  testing::Generator g{7};
  Pose<double> pose() { return random_pose(g, platform, GetParam().length, GetParam().angle); }
};

TEST_P(ShippedPlatforms, RatesAndAccelerationsAreDerivativesOfTheDrives) {
  PlatformMotion motion(platform), moved(platform);
  for (int trial = 0; trial < 20; ++trial) {
    const Pose<double> at = pose();
    const Twist<double> V = random_twist(g, platform), A = random_twist(g, platform);
    platform.inverse(at, V, A, motion);
    const auto q_at = [&](double t) {
      // Turn by w t + dw t^2 / 2: correct to second order.
      const Vector3<double> r = V.angular * t + A.angular * (t * t / 2);
      Pose<double> X = at;
      if (r.norm() > 0)
        X.rotation = Eigen::AngleAxisd(r.norm(), r.normalized()).toRotationMatrix() * X.rotation;
      X.position += V.linear * t + A.linear * (t * t / 2);
      platform.inverse(X, moved);
      return moved.q();
    };
    const double h = 1e-4;
    const VectorXd rates = (q_at(h) - q_at(-h)) / (2 * h),
                   accelerations = (q_at(h) - 2 * q_at(0) + q_at(-h)) / (h * h);
    EXPECT_LT((rates - motion.rates()).norm(), 1e-5 * (1 + rates.norm()));
    EXPECT_LT((accelerations - motion.accelerations()).norm(), 1e-4 * (1 + accelerations.norm()));
    // The map has the same first and second order.
    const CoordinateMap map = platform.leg_map(at);
    const VectorXd u = platform.basis().transpose() * V.vector(),
                   du = platform.basis().transpose() * A.vector();
    EXPECT_LT((map.G * u - motion.rates()).norm(), 1e-13 * (1 + motion.rates().norm()));
    EXPECT_LT((map.G * du + map.gamma_at(u) - motion.accelerations()).norm(),
              1e-12 * (1 + motion.accelerations().norm()));
  }
}

TEST_P(ShippedPlatforms, DirectReturnsThePoseAlongAPath) {
  // Steps of a hundredth of the way: the start is the pose before.
  PlatformMotion motion(platform);
  const Pose<double> a = pose(), b = pose();
  const Eigen::AngleAxisd turn(a.rotation.transpose() * b.rotation);
  Pose<double> last = a;
  for (int k = 0; k <= 100; ++k) {
    const double s = k / 100.0;
    const Pose<double> at{a.rotation * Eigen::AngleAxisd(s * turn.angle(), turn.axis()),
                          a.position + s * (b.position - a.position)};
    platform.inverse(at, motion);
    if (singularity(platform, motion, at).condition > 1e3) continue;
    const DirectPose found = direct(platform, motion.q(), last);
    // Rounding of the drives, through the inverse of rows of condition below 1e3.
    EXPECT_LT((found.pose.position - at.position).norm(), 1e-12);
    EXPECT_LT((found.pose.rotation - at.rotation).norm(), 1e-12);
    EXPECT_LE(found.iterations, 6);
    last = at;
  }
}

TEST_P(ShippedPlatforms, ContinuationStaysOnTheBranch) {
  PlatformMotion motion(platform);
  const Pose<double> to = pose();
  platform.inverse(to, motion);
  const DirectPose found = direct_by_continuation(platform, motion.q(), platform.data().home);
  EXPECT_LT((found.pose.position - to.position).norm(), 1e-10);
  EXPECT_LT((found.pose.rotation - to.rotation).norm(), 1e-10);
}

TEST_P(ShippedPlatforms, TheOrdinaryRobotHasTheSameDrivesRatesAndFreedom) {
  const Model model(robot);
  PlatformMotion motion(platform);
  LoopClosure closure(model);
  Workspace work(model);
  const std::vector<int> drives = drive_speeds(model, platform);
  for (int trial = 0; trial < 5; ++trial) {
    const Pose<double> at = pose();
    const Twist<double> V = random_twist(g, platform), A = random_twist(g, platform);
    platform.inverse(at, V, A, motion);
    const VectorXd q = platform_posture(model, platform, at);
    for (int k = 0; k < platform.legs(); ++k)
      EXPECT_NEAR(q(model.joints()[model.joint(platform.data().legs[k].name)].q), motion.legs[k].q,
                  1e-10);
    const PlatformRates rates = platform_rates(model, platform, q, V, A);
    closure.update_rates(work, q, rates.v);
    EXPECT_LT(closure.times(rates.v).norm(), 1e-11);
    EXPECT_LT((closure.times(rates.a) - closure.bias()).norm(), 1e-9);
    EXPECT_LT((rates.v(drives) - motion.rates()).norm(), 1e-9 * (1 + motion.rates().norm()));
    EXPECT_LT((rates.a(drives) - motion.accelerations()).norm(),
              1e-8 * (1 + motion.accelerations().norm()));
    EXPECT_LT((platform_pose(model, platform, q).position - at.position).norm(), 1e-12);
  }
  const VectorXd q = platform_posture(model, platform, platform.data().home);
  EXPECT_EQ(mobility(model, q).dof, platform.dof());
  EXPECT_THAT(idle_spins(robot), ::testing::IsEmpty());
}

TEST_P(ShippedPlatforms, TheBuilderMakesTheSameRobotAgain) {
  const PlatformData& data = platform.data();
  const PlatformData again = platform_of(platform_robot(data));
  ASSERT_EQ(again.legs.size(), data.legs.size());
  EXPECT_LT((again.home.matrix() - data.home.matrix()).norm(), 1e-15);
  for (std::size_t k = 0; k < data.legs.size(); ++k) {
    const PlatformLeg &a = again.legs[k], &b = data.legs[k];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.kind, b.kind);
    const auto near = [](const auto& x, const auto& y) { return (x - y).norm() < 1e-14; };
    EXPECT_TRUE(near(a.base, b.base) && near(a.platform, b.platform) && near(a.axis, b.axis) &&
                near(a.zero, b.zero));
    EXPECT_NEAR(a.crank_length, b.crank_length, 1e-15);
    EXPECT_NEAR(a.rod_length, b.rod_length, 1e-15);
    EXPECT_NEAR(a.spacing, b.spacing, 1e-15);
    for (const auto& [x, y] : {std::pair{a.cross, b.cross},
                               {a.cylinder, b.cylinder},
                               {a.rod, b.rod},
                               {a.crank, b.crank}}) {
      EXPECT_EQ(x.mass, y.mass);
      EXPECT_TRUE(near(x.centre, y.centre));
      EXPECT_LT((x.inertia - y.inertia).norm(), 1e-13 * (1 + y.inertia.norm()));
    }
    EXPECT_EQ(a.drive.lower, b.drive.lower);
    EXPECT_EQ(a.drive.upper, b.drive.upper);
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, ShippedPlatforms,
                         ::testing::Values(Shipped{"ddts", 0.3, 0.3, 0},
                                           Shipped{"stewart-6-6", 0.08, 0.2, 0},
                                           Shipped{"stewart-6-3", 0.08, 0.2, 0},
                                           Shipped{"delta", 0.12, 0, 0},
                                           Shipped{"rotary-hexapod", 0.02, 0.1, 0},
                                           Shipped{"planar-3rrr", 0.05, 0.2, 0}),
                         [](const auto& i) {
                           std::string name = i.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PlatformFile, IsTheDdtsOfTheBuilder) {
  const PlatformData file = platform_of(read_robot("ddts").robot), built = ddts_platform();
  const Platform a(file), b(built);
  PlatformMotion m(a), n(b);
  testing::Generator g(2);
  for (int k = 0; k < 50; ++k) {
    const Pose<double> pose = random_pose(g, b, 0.5, 0.5);
    const Twist<double> V = random_twist(g, b), A = random_twist(g, b);
    a.inverse(pose, V, A, m);
    b.inverse(pose, V, A, n);
    EXPECT_LT((m.q() - n.q()).norm() + (m.rates() - n.rates()).norm(), 1e-13);
    EXPECT_LT((m.accelerations() - n.accelerations()).norm(), 1e-12);
  }
}

TEST(PlatformSingularities, OfTheDdtsAtThirtyDegrees) {
  // |det| of the rows at U = (3, 0, 0), from an independent computation of the report's model.
  const Platform platform(ddts_platform());
  PlatformMotion motion(platform);
  for (const auto& [theta, det] : {std::pair{-60.0, 50.107},
                                   {-45.0, 48.187},
                                   {-15.0, 31.874},
                                   {0.0, 19.299},
                                   {15.0, 7.877},
                                   {-120.0, 19.299}}) {
    const Pose<double> pose = ddts_pose({3, 0, 0}, theta * degree);
    platform.inverse(pose, motion);
    EXPECT_NEAR(std::abs(singularity(platform, motion, pose).determinant), det, 6e-4) << theta;
  }
  for (double theta : {30.0, -150.0}) {
    const Pose<double> pose = ddts_pose({3, 0, 0}, theta * degree);
    platform.inverse(pose, motion);
    const PlatformSingularity s = singularity(platform, motion, pose);
    EXPECT_LT(std::abs(s.determinant), 1e-12);
    EXPECT_GT(s.condition, 1e12);
    // The uncontrolled motion: all legs keep their lengths along it.
    for (const LegMotion& m : motion.legs) EXPECT_LT(std::abs(m.row.dot(s.screw.vector())), 1e-13);
    try {
      require_regular(platform, pose, motion);
      FAIL();
    } catch (const ComputationError& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("position (3, 0, 0)"));
    }
  }
}

TEST(PlatformStiffness, IsWorkOfTheLegs) {
  const Platform platform(ddts_platform());
  PlatformMotion motion(platform);
  const Pose<double> pose = ddts_pose({3.2, 0.1, 0.2}, -0.4);
  platform.inverse(pose, motion);
  const VectorXd k = VectorXd::LinSpaced(6, 1e6, 2e6);
  testing::Generator g(1);
  const Twist<double> d = random_twist(g, platform, 1e-3);
  double energy = 0;
  for (int i = 0; i < 6; ++i)
    energy += 0.5 * k(i) * std::pow(motion.legs[i].row.dot(d.vector()), 2);
  const Matrix6<double> K = stiffness(platform, motion, k);
  EXPECT_NEAR(0.5 * d.vector().dot(K * d.vector()), energy, 1e-12 * energy);
}

TEST(IdleSpins, AreListedApartFromTheMobility) {
  // The rotary hexapod with balls at the cranks: twelve freedoms, of which six are spins of rods.
  PlatformData data = platform_of(read_robot("rotary-hexapod").robot);
  for (PlatformLeg& leg : data.legs) leg.crank_balls = true;
  const Robot robot = platform_robot(data);
  EXPECT_EQ(idle_spins(robot).size(), 6u);
  const Model model(robot);
  const Platform platform(platform_of(robot));
  const VectorXd q = platform_posture(model, platform, data.home);
  EXPECT_EQ(mobility(model, q).dof - std::ssize(idle_spins(robot)), 6);
}

TEST(PlatformInput, IsRefusedWithAReason) {
  using ::testing::HasSubstr;
  const auto message = [](auto&& run) -> std::string {
    try {
      run();
    } catch (const InputError& e) {
      return e.what();
    }
    return "nothing thrown";
  };
  EXPECT_THAT(message([] { platform_of(read_robot("puma560").robot); }),
              HasSubstr("not a platform"));
  PlatformData data = ddts_platform();
  data.legs.resize(2);
  EXPECT_THAT(message([&] { Platform p(data); }), HasSubstr("2 legs"));
  data = ddts_platform();
  data.legs[3].axis = data.legs[3].zero;
  EXPECT_THAT(message([&] { Platform p(data); }), HasSubstr("leg 'leg4'"));
  data = ddts_platform();
  data.legs[1].kind = LegKind::planar;
  data.legs[1].crank_length = data.legs[1].rod_length = 1;
  EXPECT_THAT(message([&] { Platform p(data); }), HasSubstr("planar"));
  const Platform platform(ddts_platform());
  EXPECT_THAT(message([&] { direct(platform, VectorXd::Ones(5), {}); }), HasSubstr("5 drives"));
  EXPECT_THAT(message([&] { direct(platform, -VectorXd::Ones(6), {}); }), HasSubstr("leg1"));
}

TEST(PlatformPostures, OfAGeneralHexapodAreAllFound) {
  // Dietmaier 1998: a geometry whose 40 postures are all real, for one set of lengths. Postures by
  // an independent program (quaternions, another iteration, other starts).
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
  const DirectPoses found = direct_all(platform, lengths);
  EXPECT_EQ(found.poses.size(), 40u);
  EXPECT_GE(found.least_hits, 2);
  for (const auto& posture : data["postures"]) {
    const auto& r = posture["rotation"];
    const Matrix3<double> R = Eigen::Quaterniond(r[0], r[1], r[2], r[3]).toRotationMatrix();
    const bool there = std::any_of(found.poses.begin(), found.poses.end(), [&](const auto& f) {
      return (f.pose.rotation - R).norm() < 1e-9 &&
             (f.pose.position - point(posture["position"])).norm() < 1e-9;
    });
    EXPECT_TRUE(there) << posture;
  }
}

TEST(PlatformWorkspace, EndsWhereALegDoes) {
  // Straight up, every leg of the DDTS at theta = -60 deg has the same length: the stroke of 6 m
  // ends at a height that Pythagoras gives.
  const Platform platform(ddts_platform());
  PlatformMotion motion(platform);
  const Pose<double> middle = ddts_pose({3.5, 0, 0}, -60 * degree);
  platform.inverse(middle, motion);
  EXPECT_LT((motion.q().array() - motion.q()(0)).abs().maxCoeff(), 1e-12);
  const double level = std::sqrt(motion.q()(0) * motion.q()(0) - 3.5 * 3.5),
               lowest = std::sqrt(9 - level * level), highest = std::sqrt(36 - level * level);
  const WorkspaceSlice slice = workspace_slice(
      platform, middle, {SliceRange{SliceAxis::x, 1, 7, 601}, {SliceAxis::rx, -0.1, 0.1, 3}});
  double first = INFINITY, last = 0;
  for (int i = 0; i < 601; ++i) {
    const PoseCheck& check = slice.at(i, 1);
    if (check.fault != PoseFault::none) {
      EXPECT_EQ(check.fault, PoseFault::stroke);
      continue;
    }
    first = std::min(first, slice.value(0, i));
    last = std::max(last, slice.value(0, i));
  }
  EXPECT_NEAR(first, lowest, 0.01);
  EXPECT_NEAR(last, highest, 0.01);
}

TEST(PlatformWorkspace, NamesTheFault) {
  PlatformData data = ddts_platform();
  const Platform platform(data);
  PlatformLimits limits;
  const auto fault = [&](const Platform& p, const Pose<double>& pose) {
    return PoseChecker(p, limits).check(pose).fault;
  };
  EXPECT_EQ(fault(platform, ddts_pose({3.3, 0, 0}, -0.3)), PoseFault::none);
  EXPECT_EQ(fault(platform, ddts_pose({8, 0, 0}, -0.3)), PoseFault::stroke);
  EXPECT_EQ(fault(platform, ddts_pose({3, 0, 0}, 30 * degree)), PoseFault::singular);
  limits.ball_angle = 0.1;
  EXPECT_EQ(fault(platform, ddts_pose({3.3, 0, 0}, -0.6)), PoseFault::ball_angle);
  limits = {};
  for (PlatformLeg& leg : data.legs) leg.radius = 0.3;  // wider apart than their feet
  for (PlatformLeg& leg : data.legs) leg.drive = {};
  const Platform thick(data);
  // Turned far enough, neighbours cross; legs of one foot are not compared.
  bool touched = false;
  for (double theta = -60; theta > -170; theta -= 5)
    touched = touched || fault(thick, ddts_pose({3, 0, 0}, theta * degree)) == PoseFault::collision;
  EXPECT_TRUE(touched);
  data = ddts_platform();
  for (PlatformLeg& leg : data.legs) leg.swing.upper = 0.01;
  EXPECT_EQ(fault(Platform(data), ddts_pose({3, 0, 0}, -0.2)), PoseFault::hinge_angle);
  try {
    PoseChecker(platform).require(ddts_pose({8, 0, 0}, 0));
    FAIL();
  } catch (const ComputationError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("leg 'leg1' of 'ddts' is out of its stroke at "
                                               "position (8, 0, 0)"));
  }
}

TEST(PlatformReach, SaysWhichLegAndWhere) {
  const Platform platform(platform_of(read_robot("delta").robot));
  PlatformMotion motion(platform);
  Pose<double> far = platform.data().home;
  far.position.z() = -2;
  try {
    platform.inverse(far, motion);
    FAIL();
  } catch (const ComputationError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("leg 'leg1'"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("position (0, 0, -2)"));
  }
}

}  // namespace
}  // namespace ulna
