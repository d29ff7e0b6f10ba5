// Three independent routes to the efforts of a platform's drives: Newton and Euler for each body in
// closed form, influence coefficients with transfer, and the embedding of the loops.

#include <gmock/gmock.h>

#include "support/places.hpp"
#include "support/platforms.hpp"
#include "ulna/dynamics/internal/coordinate_transfer.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/dynamics/platform_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;
using testing::random_pose;
using testing::random_twist;

struct PlatformCase {
  const char* name;
  double length, angle;
  int poses;
  bool heavy = false;  ///< bodies that are not slender, off their lines
};
void PrintTo(const PlatformCase& c, std::ostream* out) { *out << c.name; }

/// General inertias for every body.
PlatformData made_heavy(PlatformData data, testing::Generator& g) {
  data.inertial = testing::random_inertial(g);
  for (PlatformLeg& leg : data.legs)
    for (Inertial* body : {&leg.cross, &leg.cylinder, &leg.rod, &leg.crank})
      *body = testing::random_inertial(g);
  // The two rods of a pair are equal.
  return data;
}

class PlatformRoutes : public ::testing::TestWithParam<PlatformCase> {};

TEST_P(PlatformRoutes, Agree) {
  testing::Generator g(11);
  const std::string name = GetParam().name;
  const bool shipped = name != "hexaglide" && name != "linear-delta";
  PlatformData given = platform_of(
      read_robot(shipped ? name : testing::data_file("parallel/" + name + ".yaml")).robot);
  if (GetParam().heavy) given = made_heavy(given, g);
  const Robot robot = platform_robot(given);
  const Model model(robot);
  const Platform platform(platform_of(robot));
  PlatformDynamics dynamics(platform);
  LoopDynamics loops(model);
  LoopClosure closure(model);
  Workspace work(model);
  LoopInverseOptions actuated;
  actuated.actuated = drive_speeds(model, platform);
  const std::vector<int>& drives = actuated.actuated;
  PlatformMotion motion(platform);
  double worst_loops = 0, worst_influence = 0;
  int done = 0;
  while (done < GetParam().poses) {
    const Pose<double> pose = random_pose(g, platform, GetParam().length, GetParam().angle);
    const Twist<double> V = random_twist(g, platform), A = random_twist(g, platform, 5);
    platform.inverse(pose, motion);
    if (singularity(platform, motion, pose).condition > 100) continue;
    ++done;
    Wrench<double> load{testing::random_vector(g, 10), testing::random_vector(g, 10)};
    const VectorXd F = dynamics.inverse(pose, V, A, load);
    const VectorXd q = platform_posture(model, platform, pose);
    const PlatformRates rates = platform_rates(model, platform, q, V, A);
    const std::vector<ExternalWrench> wrenches = {
        {model.body("platform"), Vector3<double>::Zero(), load.force, load.moment, 0}};
    const VectorXd by_loops =
        loops.inverse(work, q, rates.v, rates.a, actuated, wrenches).tau(drives);
    const double size = F.norm() + dynamics.equations(pose, V).mass.norm();
    worst_loops = std::max(worst_loops, (by_loops - F).norm() / size);
    const CoordinateMap map = map_from_inputs(closure, work, q, drives);
    const DynamicModel inputs = transfer(dynamic_model(model, work, q, wrenches), map);
    const VectorXd by_influence =
        inputs.efforts(dynamics.motion().rates(), dynamics.motion().accelerations());
    dynamics.inverse(pose, V, A, load);
    worst_influence = std::max(
        worst_influence,
        (inputs.efforts(dynamics.motion().rates(), dynamics.motion().accelerations()) - F).norm() /
            size);
    // Forward gives the acceleration back.
    const Twist<double> back = dynamics.forward(pose, V, F, load);
    EXPECT_LT((back.vector() - A.vector()).norm(), 1e-8 * (1 + A.vector().norm()));
  }
  EXPECT_LT(worst_loops, 1e-9);
  EXPECT_LT(worst_influence, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Robots, PlatformRoutes,
                         ::testing::Values(PlatformCase{"ddts", 0.5, 0.5, 1000},
                                           PlatformCase{"ddts", 0.5, 0.4, 20, true},
                                           PlatformCase{"stewart-6-6", 0.08, 0.3, 50},
                                           PlatformCase{"stewart-6-3", 0.08, 0.3, 50},
                                           PlatformCase{"delta", 0.15, 0, 50},
                                           PlatformCase{"delta", 0.15, 0, 20, true},
                                           PlatformCase{"rotary-hexapod", 0.02, 0.1, 50},
                                           PlatformCase{"rotary-hexapod", 0.02, 0.1, 20, true},
                                           PlatformCase{"planar-3rrr", 0.08, 0.3, 50},
                                           PlatformCase{"hexaglide", 0.04, 0.1, 50},
                                           PlatformCase{"hexaglide", 0.04, 0.1, 20, true},
                                           PlatformCase{"linear-delta", 0.1, 0, 50},
                                           PlatformCase{"linear-delta", 0.1, 0, 20, true}),
                         [](const auto& i) {
                           std::string name = i.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + (i.param.heavy ? "_heavy" : "");
                         });

TEST(PlatformRods, WithUniversalJointsAtBothEndsCarryADelta) {
  // A delta of single rods: the platform may not turn, and the three routes agree.
  PlatformData data = platform_of(read_robot("delta").robot);
  for (PlatformLeg& leg : data.legs) leg.kind = LegKind::universal;
  const Robot robot = platform_robot(data);
  const Model model(robot);
  const Platform platform(platform_of(robot));
  EXPECT_EQ(platform.freedom(), PlatformFreedom::translation);
  PlatformDynamics dynamics(platform);
  LoopDynamics loops(model);
  Workspace work(model);
  LoopInverseOptions actuated;
  actuated.actuated = drive_speeds(model, platform);
  testing::Generator g(4);
  for (int k = 0; k < 20; ++k) {
    const Pose<double> pose = random_pose(g, platform, 0.15, 0);
    const Twist<double> V = random_twist(g, platform), A = random_twist(g, platform, 5);
    const VectorXd F = dynamics.inverse(pose, V, A);
    const VectorXd q = platform_posture(model, platform, pose);
    const PlatformRates rates = platform_rates(model, platform, q, V, A);
    const VectorXd tau = loops.inverse(work, q, rates.v, rates.a, actuated).tau(actuated.actuated);
    EXPECT_LT((tau - F).norm(), 1e-9 * (1 + F.norm()));
  }
}

TEST(PlatformRods, BetweenTwoBallsSpinIdlyAndChangeNothing) {
  // Slender rods: with balls at the cranks the efforts are the same, and the robot with its six
  // idle spins accelerates under them as asked.
  PlatformData data = platform_of(read_robot("rotary-hexapod").robot);
  const Platform held(data);
  for (PlatformLeg& leg : data.legs) {
    leg.crank_balls = true;
    leg.rod.inertia(0, 0) = 1e-6;  // a spin needs inertia for forward dynamics
  }
  const Robot robot = platform_robot(data);
  const Model model(robot);
  const Platform platform(platform_of(robot));
  PlatformDynamics with_balls(platform), with_universals(held);
  LoopDynamics loops(model);
  Workspace work(model);
  const std::vector<int> drives = drive_speeds(model, platform);
  testing::Generator g(6);
  for (int k = 0; k < 10; ++k) {
    const Pose<double> pose = random_pose(g, platform, 0.02, 0.1);
    const Twist<double> A = random_twist(g, platform, 5), V = random_twist(g, platform);
    const VectorXd F = with_balls.inverse(pose, V, A);
    EXPECT_LT((F - with_universals.inverse(pose, V, A)).norm(), 1e-11 * (1 + F.norm()));
    // From rest: speeds of the spins do not matter then.
    const VectorXd rest = with_balls.inverse(pose, {}, A);
    const VectorXd q = platform_posture(model, platform, pose);
    VectorXd tau = VectorXd::Zero(model.speeds());
    tau(drives) = rest;
    const VectorXd none = VectorXd::Zero(model.speeds());
    const VectorXd a = loops.forward(work, q, none, tau);
    update_motions(model, work, q, none, a);
    const Vector6<double> got = frame_acceleration(model, work, model.body("platform")).vector();
    EXPECT_LT((got - A.vector()).norm(), 1e-7 * A.vector().norm());
  }
}

TEST(PlatformForces, ContainForceElements) {
  Robot robot = read_robot("stewart-6-6").robot;
  const Platform bare(platform_of(robot));
  ElementData spring;
  spring.name = "spring";
  spring.to.body = bare.data().platform_body;
  spring.to.X_BE.position = {0.1, -0.05, 0.02};
  spring.law.stiffness = 300, spring.law.damping = 40;
  robot.elements = {spring};
  const Model model(robot);
  const Platform platform(platform_of(model));
  PlatformDynamics with(platform, model);
  PlatformDynamics without(bare);
  LoopDynamics loops(model);
  Workspace work(model);
  LoopInverseOptions actuated;
  actuated.actuated = drive_speeds(model, platform);
  testing::Generator g(11);
  for (int k = 0; k < 5; ++k) {
    const Pose<double> pose = random_pose(g, platform, 0.02, 0.05);
    const Twist<double> V = random_twist(g, platform), A = random_twist(g, platform);
    const VectorXd q = platform_posture(model, platform, pose);
    const PlatformRates rates = platform_rates(model, platform, q, V, A);
    const VectorXd expected =
        loops.inverse(work, q, rates.v, rates.a, actuated).tau(actuated.actuated);
    const VectorXd found = with.inverse(pose, V, A);
    EXPECT_LT((found - expected).norm(), 1e-9 * expected.norm());
    EXPECT_GT((found - without.inverse(pose, V, A)).norm(), 1e-3 * expected.norm());
    const Twist<double> back = with.forward(pose, V, found);
    EXPECT_LT((back.vector() - A.vector()).norm(), 1e-9 * (1 + A.vector().norm()));
  }
  EXPECT_THROW(PlatformDynamics{platform}, InputError);
}

TEST(PlatformForces, AreRefusedWhereThePlatformIsSingular) {
  const Platform platform(testing::ddts_platform());
  PlatformDynamics dynamics(platform);
  try {
    dynamics.inverse(testing::ddts_pose({3, 0, 0}, 30 * testing::degree), {}, {});
    FAIL();
  } catch (const ComputationError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("singular at position (3, 0, 0)"));
  }
}

TEST(PlatformInputs, AnySetOfJointsThatDeterminesThePlatform) {
  // Leg lengths, the first hinges, all six joints of one leg (its ball included), and a mix: the
  // same motion, the same power.
  const Robot robot = read_robot("ddts").robot;
  const Model model(robot);
  const Platform platform(platform_of(robot));
  Workspace work(model);
  LoopClosure closure(model);
  const Pose<double> pose = testing::ddts_pose({3.3, 0.1, -0.2}, -0.6);
  const VectorXd q = platform_posture(model, platform, pose);
  testing::Generator g(3);
  const Twist<double> V = random_twist(g, platform), A = random_twist(g, platform);
  const PlatformRates rates = platform_rates(model, platform, q, V, A);
  const DynamicModel tree = dynamic_model(model, work, q);
  const std::vector<std::string> names = all_speed_names(model);
  double power = 0;
  bool first = true;
  for (const std::vector<std::string>& wanted :
       {std::vector<std::string>{"leg1", "leg2", "leg3", "leg4", "leg5", "leg6"},
        {"leg1_hinge", "leg2_hinge", "leg3_hinge", "leg4_hinge", "leg5_hinge", "leg6_hinge"},
        {"leg1_hinge", "leg1_swing", "leg1", "leg1_ball.wx", "leg1_ball.wy", "leg1_ball.wz"},
        {"leg1", "leg2", "leg3_hinge", "leg3_swing", "leg5", "leg6"}}) {
    std::vector<int> inputs;
    for (const std::string& name : wanted)
      inputs.push_back(
          static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin()));
    const CoordinateMap map = map_from_inputs(closure, work, q, inputs);
    // Rates of the inputs from the tree's speeds, by least squares on the map's columns.
    const VectorXd u = dense::PivotedQr(map.G).solve(rates.v);
    EXPECT_LT((map.G * u - rates.v).norm(), 1e-9);
    const VectorXd du = dense::PivotedQr(map.G).solve(rates.a - map.gamma_at(u));
    EXPECT_LT((map.G * du + map.gamma_at(u) - rates.a).norm(), 1e-8);
    const DynamicModel d = transfer(tree, map);
    const double now = d.efforts(u, du).dot(u);
    if (first) power = now;
    first = false;
    EXPECT_NEAR(now, power, 1e-8 * std::abs(power));
  }
}

}  // namespace
}  // namespace ulna
