// Random arms with friction and stops: whatever sticks, slips, hits and leaves at once, a run goes
// on.

#include <gtest/gtest.h>

#include <random>

#include "machines.hpp"
#include "mechanisms.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

struct Draw {
  explicit Draw(unsigned seed) : bits(seed) {}
  std::mt19937 bits;
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits()) / 4294967296.0);
  }
  double one_of(std::initializer_list<double> values) {
    return values.begin()[bits() % values.size()];
  }
};

Robot random_arm(Draw& draw) {
  Robot robot;
  robot.name = "arm";
  const int joints = 1 + static_cast<int>(draw.bits() % 6);
  for (int k = 0; k < joints; ++k) {
    const double m = draw.between(0.2, 4), l = draw.between(0.1, 0.5);
    const double across = m * l * l / 12 + 0.001;
    const Vector3<double> inertia(across, across, 0.002);
    const std::string name = "link" + std::to_string(k);
    robot.bodies.push_back(testing::body(name, {m, {0, 0, l / 2}, inertia.asDiagonal()}));
    JointData joint;
    joint.name = "joint" + std::to_string(k);
    joint.type = draw.between(0, 1) < 0.25 ? JointType::prismatic : JointType::revolute;
    joint.parent = k == 0 ? "world" : "link" + std::to_string(k - 1);
    joint.child = name;
    joint.axis = {draw.between(-1, 1), draw.between(-1, 1), draw.between(0.1, 1)};
    joint.X_PF = Pose<double>::translation({0, 0, k == 0 ? 0 : l});
    DegreeData degree;
    degree.friction = draw.one_of({0, 0.05, 0.5, 5});
    degree.damping = draw.one_of({0, 0.01, 0.3});
    if (draw.between(0, 1) < 0.6) {
      degree.lower = -draw.between(0.2, 2);
      degree.upper = draw.between(0.2, 2);
    }
    joint.degrees = {degree};
    robot.joints.push_back(joint);
  }
  return robot;
}

TEST(RandomStops, RunsGoOnAndKeepTheirEnergyBalance) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Draw draw(seed);
    Experiment experiment(testing::frozen(random_arm(draw)));
    const int n = experiment.model->speeds();
    experiment.end = 2;
    experiment.q = Eigen::VectorXd::Zero(n);
    experiment.v.resize(n);
    const double fast = draw.one_of({0, 1, 4});
    for (double& speed : experiment.v) speed = draw.between(-fast, fast);
    experiment.stops = {true, draw.one_of({0, 0.3, 0.8}), 1e-4};
    // The hardest of many such arms took 1,500 steps.
    experiment.integrator.most_steps = 20'000;
    const auto run = simulate(experiment);
    const double kinetic = run.column("energy.kinetic").maxCoeff();
    // At the default tolerance of 1e-6.
    EXPECT_LT(run.summary.energy_balance, 1e-4 * std::max(1.0, kinetic)) << "seed " << seed;
  }
}

// Friction in any of the joints of a loop: several may hold the same freedom, and at dead points
// none holds anything. The slider-crank starts at one.
TEST(RandomFriction, LoopsGoOnAndKeepTheirEnergyBalance) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Draw draw(seed);
    const char* names[] = {"four-bar", "slider-crank", "five-bar", "crank-rocker"};
    Robot robot = read_robot(names[seed % 4]).robot;
    for (JointData& joint : robot.joints)
      if (joint.type == JointType::revolute && !joint.cut && draw.between(0, 1) < 0.6)
        joint.degrees.resize(1), joint.degrees[0].friction = draw.one_of({0.01, 0.1, 1});
    Experiment experiment(testing::frozen(robot));
    experiment.end = 1;
    experiment.integrator.most_steps = 50'000;
    Drive push;
    push.kind = DriveKind::effort;
    push.effort = {std::make_shared<Formula>(std::to_string(draw.between(-10, 10)) + "*sin(" +
                                             std::to_string(draw.between(2, 20)) + "*t)")};
    experiment.drives.resize(experiment.model->joints().size());
    if (draw.between(0, 1) < 0.5) experiment.drives[0] = push;
    const auto run = simulate(experiment);
    EXPECT_TRUE(run.summary.complete) << "seed " << seed << ": " << run.summary.reason;
    const double kinetic = run.column("energy.kinetic").maxCoeff();
    EXPECT_LT(run.summary.energy_balance, 1e-4 * std::max(1.0, kinetic)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ulna
