// Bang-bang signals and their switch times.

#include "ulna/motion/internal/switch_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "motion/planar_arm.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using ::testing::ElementsAre;

TEST(SwitchedSignal, ChangesItsSignAtEachSwitch) {
  const SwitchedSignal u(2, {1, 3}, 4);
  EXPECT_EQ(u.at(-1).value, 0);
  EXPECT_EQ(u.at(0).value, 2);
  EXPECT_EQ(u.at(1).value, -2);
  EXPECT_EQ(u.at(2.9).value, -2);
  EXPECT_EQ(u.at(3.5).value, 2);
  EXPECT_EQ(u.at(5).value, 0);
  EXPECT_THAT(u.breakpoints(), ElementsAre(0, 1, 3, 4));
  EXPECT_THROW(SwitchedSignal(1, {2, 1}, 3), InputError);
  EXPECT_THROW(SwitchedSignal(1, {2}, 1), InputError);
}

/// The state of a double integrator after a signal of +-1.
Eigen::VectorXd double_integrator(const std::vector<double>& switches, double duration) {
  double t = 0, y = 0, v = 0, a = 1;
  std::vector<double> ends = switches;
  ends.push_back(duration);
  for (const double end : ends) {
    const double h = end - t;
    y += h * (v + h * a / 2);
    v += h * a;
    a = -a;
    t = end;
  }
  return Eigen::Vector2d(y, v);
}

TEST(SwitchTimes, OfADoubleIntegratorAreExact) {
  SwitchProblem problem;
  problem.miss = [](const auto& switches, double duration) -> Eigen::VectorXd {
    return double_integrator(switches[0], duration) - Eigen::Vector2d(3, 0);
  };
  problem.start = {{0.8}};
  problem.start_duration = 2;
  const SwitchTimes found = find_switch_times(problem);
  EXPECT_NEAR(found.switches[0][0], std::sqrt(3.0), 1e-8);
  EXPECT_NEAR(found.duration, 2 * std::sqrt(3.0), 1e-8);
}

TEST(SwitchTimes, WithOneMoreThanNeededTheShortestDurationIsFound) {
  // From rest to rest with a spare switch: the shortest has it of no use.
  SwitchProblem problem;
  problem.miss = [](const auto& switches, double duration) -> Eigen::VectorXd {
    return double_integrator(switches[0], duration) - Eigen::Vector2d(3, 0);
  };
  problem.start = {{1.0, 3.4}};
  problem.start_duration = 4;
  problem.tolerance = 1e-9;
  const SwitchTimes found = find_switch_times(problem);
  EXPECT_NEAR(found.duration, 2 * std::sqrt(3.0), 1e-4);
  EXPECT_LT(found.miss, 1e-9);
}

TEST(SwitchTimes, OfAHarmonicOscillatorMeetTheGoal) {
  // y'' = -y + u moves on circles about +-1. From (-3, 0), first with u = -1 (about -1: radius 2),
  // then u = +1 through the origin (about 1: radius 1): both circles meet where it switches.
  SwitchProblem problem;
  problem.miss = [](const auto& switches, double duration) -> Eigen::VectorXd {
    double y = -3, v = 0, centre = -1, t = 0;
    std::vector<double> ends = switches[0];
    ends.push_back(duration);
    for (const double end : ends) {
      const double c = std::cos(end - t), s = std::sin(end - t), r = y - centre;
      y = centre + r * c + v * s;
      v = -r * s + v * c;
      centre = -centre;
      t = end;
    }
    return Eigen::Vector2d(y, v);
  };
  problem.start = {{3.3}};
  problem.start_duration = 4.5;
  const SwitchTimes found = find_switch_times(problem);
  EXPECT_LT(found.miss, 1e-8);
  // On both circles: (y + 1)^2 + v^2 = 4 and (y - 1)^2 + v^2 = 1 give y = 3/4; v < 0.
  EXPECT_NEAR(found.switches[0][0], M_PI + std::acos(1.75 / 2), 1e-7);
}

TEST(SwitchTimes, AGoalOutOfReachIsSaid) {
  SwitchProblem problem;
  problem.miss = [](const auto&, double duration) -> Eigen::VectorXd {
    return Eigen::Vector2d(1 + duration * duration, 1);
  };
  problem.start = {{0.5}};
  EXPECT_THROW(find_switch_times(problem), ComputationError);
  problem.start = {{2.0, 1.0}};
  EXPECT_THROW(find_switch_times(problem), InputError);
}

/// The state of a planar arm after bang-bang efforts, by Runge-Kutta steps that end at the
/// switches.
Eigen::VectorXd arm_after(const Model& model, const std::vector<std::vector<double>>& switches,
                          double duration) {
  const SwitchedSignal shoulder(30, switches[0], duration), elbow(-8, switches[1], duration);
  Workspace work(model);
  std::vector<double> stops = shoulder.breakpoints();
  for (const double t : elbow.breakpoints()) stops.push_back(t);
  stops = merged_times(stops);
  Eigen::VectorXd state = Eigen::VectorXd::Zero(4);
  for (std::size_t k = 0; k + 1 < stops.size(); ++k) {
    const double middle = (stops[k] + stops[k + 1]) / 2;
    const Eigen::Vector2d tau(shoulder.at(middle).value, elbow.at(middle).value);
    const auto rate = [&](const Eigen::VectorXd& x) {
      Eigen::VectorXd d(4);
      d << x.tail(2), forward_dynamics(model, work, x.head(2), x.tail(2), tau);
      return d;
    };
    constexpr int steps = 60;
    const double h = (stops[k + 1] - stops[k]) / steps;
    for (int i = 0; i < steps; ++i) {
      const Eigen::VectorXd a = rate(state), b = rate(state + h / 2 * a),
                            c = rate(state + h / 2 * b), d = rate(state + h * c);
      state += h / 6 * (a + 2 * b + 2 * c + d);
    }
  }
  return state;
}

TEST(SwitchTimes, OfATwoLinkArmAreFoundFromNearby) {
  const Model model = testing::planar_arm(2);
  const std::vector<std::vector<double>> exact{{0.42}, {0.31, 0.55}};
  const Eigen::VectorXd goal = arm_after(model, exact, 0.8);
  SwitchProblem problem;
  problem.miss = [&](const auto& switches, double duration) -> Eigen::VectorXd {
    return arm_after(model, switches, duration) - goal;
  };
  problem.start = {{0.37}, {0.27, 0.6}};
  problem.start_duration = 0.76;
  problem.tolerance = 1e-10;
  const SwitchTimes found = find_switch_times(problem);
  EXPECT_NEAR(found.duration, 0.8, 1e-8);
  EXPECT_NEAR(found.switches[0][0], exact[0][0], 1e-8);
  EXPECT_NEAR(found.switches[1][0], exact[1][0], 1e-8);
  EXPECT_NEAR(found.switches[1][1], exact[1][1], 1e-8);
}

}  // namespace
}  // namespace ulna
