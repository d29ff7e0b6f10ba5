// Planned motions: scaling, limits, least time, and switch times that meet a goal.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machines.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/motion/internal/switch_times.hpp"
#include "ulna/simulation/internal/aim.hpp"
#include "ulna/simulation/internal/plan.hpp"
#include "ulna/simulation/internal/reference.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

Experiment read(const std::string& text) {
  return read_experiment_text("experiment: 1\n" + text, "e.yaml").experiment;
}

/// Efforts along the motions at equal times.
Eigen::MatrixXd efforts_along(const Experiment& e, int samples) {
  Reference reference(e);
  Workspace work(*e.model);
  Eigen::MatrixXd tau(e.model->speeds(), samples);
  for (int k = 0; k < samples; ++k) {
    reference.update(e.end * (k + 0.5) / samples);
    tau.col(k) = inverse_dynamics(*e.model, work, reference.q, reference.v, reference.a);
  }
  return tau;
}

const std::string scara = "robot: scara\n";

TEST(Plan, AScaledMotionTakesItsShareOfTheTime) {
  const Experiment e = read(scara + R"(
motions: {joint1: {program: poly345, to: 1, time: 2 s}}
timing: {scale: 2.5})");
  EXPECT_DOUBLE_EQ(e.end, 0.8);
  EXPECT_DOUBLE_EQ(e.drives[0].motion[0]->at(0.4).value, 0.5);
  EXPECT_NEAR(e.drives[0].motion[0]->at(0.4).rate, 1.875 / 0.8, 1e-14);
}

TEST(Plan, TheLargestScaleMeetsTheEffortLimitAndNoMore) {
  const Experiment e = read(scara + R"(
motions: {joint1: {program: poly345, to: 1, time: 2 s}, joint2: {program: cycloidal, to: -1, time: 2 s}}
timing: {within: {efforts: {joint1: 30 N m, joint2: 30 N m}}})");
  const Eigen::MatrixXd tau = efforts_along(e, 20000);
  const double peak = tau.topRows(2).cwiseAbs().maxCoeff();
  EXPECT_LE(peak, 30 * (1 + 1e-9));
  EXPECT_GT(peak, 30 * (1 - 1e-6));  // sampled
  const Experiment slow = read(scara + R"(
motions: {joint1: {program: poly345, to: 1, time: 2 s}}
timing: {within: {rates: {joint1: 0.5 rad/s}}})");
  EXPECT_NEAR(slow.end, 1.875 / 0.5, 1e-9);
}

TEST(Plan, TheLeastTimeOfOneJointIsBangBang) {
  // Constant inertia J, effort limit T: time 2 sqrt(J angle / T).
  Experiment e = read(scara + R"(
gravity: [0, 0, 0]
motions: {joint1: {program: poly4567, to: 60 deg, time: 3 s}}
timing: {minimum_time: {efforts: {joint1: 20 N m}}})");
  Workspace work(*e.model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(3);
  const double J = inverse_dynamics(*e.model, work, zero, zero, Eigen::VectorXd::Unit(3, 0))(0);
  EXPECT_NEAR(e.end, 2 * std::sqrt(J * (M_PI / 3) / 20), 1e-5 * e.end);
  ASSERT_EQ(e.timing->switches.size(), 1u);
  EXPECT_NEAR(e.timing->switches[0], e.end / 2, 2e-3 * e.end);
  EXPECT_NEAR(e.drives[0].motion[0]->at(e.end).value, M_PI / 3, 1e-12);
}

TEST(Plan, TheLeastTimeKeepsLimitsWithFrictionAndUsesThem) {
  const Experiment e = read(R"(
robot: puma560
start: {q: [0, 45 deg, 180 deg, 0, 60 deg, 0]}
path: {frame: wrist, line: {to: [0.5, 0.2, 0.3]}, time: 1 s}
timing: {minimum_time: {efforts: {joint1: 56, joint2: 97, joint3: 52, joint4: 11, joint5: 8, joint6: 8}}})");
  Eigen::VectorXd limits(6);
  limits << 56, 97, 52, 11, 8, 8;
  const Eigen::MatrixXd tau = efforts_along(e, 2000);
  const Eigen::VectorXd share =
      (limits.cwiseInverse().asDiagonal() * tau).cwiseAbs().colwise().maxCoeff();
  // Friction jumps where a joint turns back between two points of the path; the rest is within the
  // distance of points, 1e-3.
  EXPECT_LT(share.maxCoeff(), 1.01);
  int at_limit = 0;
  for (const double x : share) at_limit += x > 0.99;
  EXPECT_GT(at_limit, 1900);
}

TEST(Plan, AFrameFollowsItsLine) {
  const Experiment e = read(R"(
robot: puma560
start: {q: [0, 45 deg, 180 deg, 0, 60 deg, 0]}
path: {frame: wrist, line: {to: [0.5, 0.2, 0.3]}, speed: 0.5 m/s, ramp: 0.1 s}
record: {channels: [q]})");
  Workspace work(*e.model);
  Reference reference(e);
  reference.update(0);
  update_poses(*e.model, work, reference.q);
  const Pose<double> begin = frame_pose(*e.model, work, e.model->frame("wrist"));
  const Vector3<double> way = Vector3<double>(0.5, 0.2, 0.3) - begin.position;
  EXPECT_NEAR(e.end, way.norm() / 0.5 + 0.1, 1e-12);
  for (int k = 0; k <= 50; ++k) {
    reference.update(e.end * k / 50);
    update_poses(*e.model, work, reference.q);
    const Pose<double> now = frame_pose(*e.model, work, e.model->frame("wrist"));
    EXPECT_LT((now.position - begin.position).cross(way).norm() / way.norm(), 1e-9);
    EXPECT_LT((now.rotation - begin.rotation).norm(), 1e-9);
  }
}

TEST(Plan, ACircleCloses) {
  const std::string start = "robot: scara\nstart: {q: [30 deg, 60 deg, 0]}\n";
  const Experiment e = read(start + R"(
path:
  frame: tip
  position_only: true
  circle: {centre: [0.3, 0.4, 0], angle: 360 deg}
  time: 2 s)");
  EXPECT_NEAR(e.drives[0].motion[0]->at(2).value, e.drives[0].motion[0]->at(0).value, 1e-8);
  EXPECT_EQ(e.end, 2);
}

TEST(Plan, AFrameRestsInSharpCorners) {
  const Experiment e = read(R"(
robot: puma560
start: {q: [0, 45 deg, 180 deg, 0, 60 deg, 0]}
path:
  frame: wrist
  polyline: {points: [[0.5, 0.2, 0.4], [0.5, 0.2, 0.3], [0.5, 0.1, 0.3]]}
  time: 2 s)");
  Reference reference(e);
  reference.update(1);  // legs of equal length: the corner is half way
  EXPECT_LT(reference.v.norm(), 1e-9);
  reference.update(0.5);
  EXPECT_GT(reference.v.norm(), 0.05);
}

/// Legs of 0.1 m and 0.2 m at 0.2 m/s with ramps of 0.1 s: each takes its length / speed + ramp.
TEST(Plan, EveryLegOfAPolylineHasATrapezoidOfSpeed) {
  const Experiment e = read(R"(
robot: puma560
start: {q: [0, 45 deg, 180 deg, 0, 60 deg, 0]}
path:
  frame: wrist
  polyline: {points: [[0.5, 0.2, 0.4], [0.5, 0.2, 0.3], [0.5, 0, 0.3]]}
  speed: 0.2
  ramp: 0.1 s)");
  Workspace work(*e.model);
  Reference reference(e);
  const int wrist = e.model->frame("wrist");
  const auto speed_at = [&](double t) {
    reference.update(t);
    update_motions(*e.model, work, reference.q, reference.v, reference.a);
    return frame_velocity(*e.model, work, wrist).linear.norm();
  };
  reference.update(0);
  update_poses(*e.model, work, reference.q);
  const Vector3<double> begin = frame_pose(*e.model, work, wrist).position;
  double t0 = 0;
  for (const double length : {(Vector3<double>(0.5, 0.2, 0.4) - begin).norm(), 0.1, 0.2}) {
    if (length < 1e-9) continue;
    const double duration = length / 0.2 + 0.1;
    for (const double t : {0.0, 0.03, 0.08, 0.1, 0.4 * duration, duration - 0.1, duration - 0.04}) {
      const double expected = 0.2 * std::min({1.0, t / 0.1, (duration - t) / 0.1});
      EXPECT_NEAR(speed_at(t0 + t), expected, 1e-6) << t0 << " + " << t;
    }
    t0 += duration;
  }
  EXPECT_NEAR(e.end, t0, 1e-9);
}

TEST(Plan, ErrorsSayWhereAndWhy) {
  const auto message = [](const std::string& text) {
    try {
      read(text);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  const auto expect = [&](const std::string& text, const std::string& part) {
    EXPECT_NE(message(text).find(part), std::string::npos) << text << "\n--> " << message(text);
  };
  expect(scara + "path: {frame: nose, line: {to: [0, 0, 0]}, time: 1}", "nose");
  expect(scara + "path: {frame: tip, time: 1}", "0 of line, screw, circle and polyline");
  expect(scara + "path: {frame: tip, position_only: true, line: {to: [9, 0, 0]}, time: 1}",
         "cannot");
  expect(scara + "timing: {scale: 2}", "no joint has a motion");
  expect(scara + "motions: {joint1: t}\nduration: 1 s\ntiming: {scale: -2}", "above 0");
  expect(scara + "motions: {joint1: t}\nduration: 1 s\ntiming: {scale: 2, within: {}}",
         "2 of scale");
  expect(scara + "motions: {joint1: t}\nduration: 1 s\ntiming: {within: {rates: robot}}",
         "nothing limits");
  expect(scara + "motions: {joint1: t}\nduration: 1 s\ntiming: {within: {efforts: {joint9: 1}}}",
         "joint9");
  expect(scara +
             "motions: {joint1: 'sin(4*t)'}\nduration: 2 s\n"
             "timing: {minimum_time: {efforts: {joint1: 20 N m}}}",
         "rests at");
  // The weight of joint 3 alone is 29.4 N.
  expect(scara +
             "motions: {joint3: {program: poly345, to: 0.1, time: 1 s}}\n"
             "timing: {within: {efforts: {joint3: 20 N}}}",
         "coordinate 3");
}

const std::string swing_up = scara + R"(
duration: 0.8 s
drives:
  joint1: {effort: {switched: 20 N m, at: [0.3 s]}}
  joint2: locked
  joint3: locked
)";

TEST(Aim, OneSwitchHalfwayIsTheLeastTime) {
  Experiment e = read(swing_up + "goal: {q: {joint1: 60 deg}, v: {joint1: 0}}");
  const AimResult found = aim(e);
  EXPECT_LT(found.miss, 1e-8);
  const auto& signal = dynamic_cast<const SwitchedSignal&>(*e.drives[0].effort[0]);
  EXPECT_NEAR(signal.switches()[0], e.end / 2, 1e-8);
  const RunSummary run = simulate(e, RunOptions{});
  EXPECT_NEAR(run.q(0), M_PI / 3, 1e-7);
  EXPECT_NEAR(run.v(0), 0, 1e-7);
}

TEST(Aim, SaysWhatItMisses) {
  Experiment no_goal = read(swing_up);
  EXPECT_THROW(aim(no_goal), InputError);
  Experiment nothing = read(scara + "duration: 1 s\ngoal: {q: {joint1: 1}}");
  EXPECT_THROW(aim(nothing), InputError);
  // A locked joint does not come along.
  Experiment locked = read(swing_up + "goal: {q: {joint1: 60 deg, joint2: 1}, v: {joint1: 0}}");
  EXPECT_THROW(aim(locked), ComputationError);
}

TEST(Aim, AFlexibleArmIsBroughtToItsGoalInAFiniteNumberOfRuns) {
  // Two conditions and two times for a beam that vibrates: the way is found with rough runs.
  Experiment e = read(R"(
robot: flexible-single-link
elastic: {modes: 1}
duration: 2 s
drives: {all: {effort: {switched: 2 N m, at: [1 s]}}}
goal: {q: {hub: 0.5}, v: {hub: 0}}
)");
  int runs = 0;
  AimOptions options;
  options.progress = [&](int) { ++runs; };
  const AimResult found = aim(e, options);
  EXPECT_LT(found.miss, 1e-8);
  EXPECT_LE(runs, 3000);
}

}  // namespace
}  // namespace ulna
