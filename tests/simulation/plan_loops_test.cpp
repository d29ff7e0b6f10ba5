// Timing of robots whose joints do not all have a motion of their own: loops, platforms, flexible
// mechanisms, balls and floating bases. The efforts of the run keep the limits and reach them.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/formats/read_experiment.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/internal/plan.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

Experiment loop_plan(const std::string& text) {
  return read_experiment_text("experiment: 1\n" + text, "e.yaml").experiment;
}

/// The largest magnitude of each channel along the motions, 1000 records.
double peak_along(Experiment e, const std::string& channel) {
  e = inverse_of(e);
  e.record.channels = {channel};
  e.record.interval = e.end / 1000;
  const ulna::Run run = simulate(e);
  EXPECT_TRUE(run.summary.complete);
  return run.column(channel).cwiseAbs().maxCoeff();
}

const std::string five_bar_swing = R"(robot: five-bar
start: {q: {left: 2.2, right: 0.9}}
motions: {left: 2.2 + 0.3*poly345(t), right: 0.9 - 0.2*poly345(t)}
duration: 1 s
)";

TEST(PlanLoops, TheLargestScaleMeetsTheEffortLimitOfTheMotors) {
  const Experiment plain = loop_plan(five_bar_swing);
  const double left = peak_along(plain, "tau.left"), right = peak_along(plain, "tau.right");
  // Without gravity, dampers and friction efforts go with the square of the speed.
  const double limit = 4 * std::max(left, right);
  const Experiment fast =
      loop_plan(five_bar_swing + "timing: {within: {efforts: {left: " + std::to_string(limit) +
                ", right: " + std::to_string(limit) + "}}}\n");
  EXPECT_NEAR(fast.end, 0.5, 1e-6);  // six digits of the limit
  EXPECT_NEAR(std::max(peak_along(fast, "tau.left"), peak_along(fast, "tau.right")), limit,
              1e-5 * limit);
}

TEST(PlanLoops, RatesOfJointsThatTheLoopsMoveAreLimitedToo) {
  const double elbow = peak_along(loop_plan(five_bar_swing), "v.left_elbow");
  const Experiment slow = loop_plan(five_bar_swing + "timing: {within: {rates: {left_elbow: " +
                                    std::to_string(elbow / 2) + "}}}\n");
  EXPECT_NEAR(slow.end, 2, 1e-4);  // the peak lies between two records
}

TEST(PlanLoops, TheLeastTimeKeepsAMotorAtItsLimit) {
  const Experiment e = loop_plan(five_bar_swing +
                                 "timing: {minimum_time: {efforts: {left: 1, right: 1}, "
                                 "intervals: 400}}\n");
  Experiment run = inverse_of(e);
  run.record.channels = {"tau.left", "tau.right"};
  run.record.interval = e.end / 500;
  const ulna::Run result = simulate(run);
  ASSERT_TRUE(result.summary.complete);
  const Eigen::VectorXd share =
      result.column("tau.left").cwiseAbs().cwiseMax(result.column("tau.right").cwiseAbs());
  EXPECT_LT(share.maxCoeff(), 1.02);
  int at_limit = 0;
  for (const double x : share) at_limit += x > 0.98;
  EXPECT_GT(at_limit, 480);
}

TEST(PlanLoops, APlatformIsLedAlongItsPathWithinTheForcesOfItsLegs) {
  const std::string path = R"(robot: ddts
gravity: [0, 0, 0]
path: {frame: platform, line: {to: [3.5, 0, 0.1]}, time: 2 s}
)";
  const auto largest = [](const Experiment& e) {
    double most = 0;
    for (int leg = 1; leg <= 6; ++leg)
      most = std::max(most, peak_along(e, "tau.leg" + std::to_string(leg)));
    return most;
  };
  const double plain = largest(loop_plan(path));
  const Experiment fast =
      loop_plan(path + "timing: {within: {efforts: " + std::to_string(4 * plain) + "}}\n");
  EXPECT_NEAR(fast.end, 1, 1e-4);
  const Experiment least =
      loop_plan(path + "timing: {minimum_time: {efforts: " + std::to_string(4 * plain) +
                ", intervals: 200}}\n");
  EXPECT_LT(least.end, fast.end);
  EXPECT_LT(largest(least), 4.1 * plain);
}

TEST(PlanLoops, APlatformStartsFromRestAlongAnyLine) {
  const Experiment least = loop_plan(R"(robot: ddts
gravity: [0, 0, 0]
path: {frame: platform, line: {to: [3.5, 0.1, 0]}, time: 1 s}
timing: {minimum_time: {efforts: 20000, intervals: 100}}
)");
  // The third leg is at its limit all the way; between the points of the path within a hundredth.
  EXPECT_NEAR(peak_along(least, "tau.leg3"), 20000, 200);
}

TEST(PlanLoops, FlexibleMechanismsArePlannedWithRigidLinks) {
  const std::string crank = R"(robot: flexible-four-bar
gravity: [0, 0, 0]
motions: {crank: 0.5 + 2*poly345(t)}
duration: 1 s
timing: {within: {efforts: {crank: 0.5 N m}}}
)";
  const Experiment flexible = loop_plan(crank);
  const Experiment rigid = loop_plan(crank + "elastic: {rigid: [coupler, rocker]}\n");
  EXPECT_DOUBLE_EQ(flexible.end, rigid.end);
  EXPECT_NE(flexible.timing->limit.find("rigid links"), std::string::npos);
  EXPECT_NEAR(peak_along(rigid, "tau.crank"), 0.5, 1e-4);
}

TEST(PlanLoops, BallsHaveTimingsLikeOtherJoints) {
  const Robot robot = read_robot_text(R"(ulna: 1
name: ball
gravity: [0, 0, 0]
bodies: [{name: arm, mass: 2, centre: [0.3, 0, 0], inertia: [0.01, 0.05, 0.06]}]
joints: [{name: ball, type: spherical, parent: world, child: arm}]
)",
                                      "ball.yaml")
                          .robot;
  Experiment turned(std::make_shared<const Model>(robot));
  turned.end = 1;
  turned.drives.resize(1);
  turned.drives[0].kind = DriveKind::motion;
  for (const char* angle : {"0.4*poly345(t)", "-0.3*poly345(t)", "0.8*poly345(t)"})
    turned.drives[0].motion.push_back(std::make_shared<Formula>(angle));
  const std::string w = "v." + turned.model->speed_names()[0],
                    m = "tau." + turned.model->speed_names()[2];
  const auto planned = [&](const Timing& timing) {
    Experiment e = turned;
    e.end = plan_timing(e, timing).duration;
    return e;
  };
  Timing timing;
  timing.kind = TimingKind::limits;
  timing.limits.rates = Eigen::Vector3d(peak_along(turned, w) / 2, INFINITY, INFINITY);
  EXPECT_NEAR(planned(timing).end, 2, 1e-4);  // the peak lies between two records
  timing.limits.rates.resize(0);
  timing.limits.efforts = Eigen::Vector3d(INFINITY, INFINITY, 4 * peak_along(turned, m));
  EXPECT_NEAR(planned(timing).end, 0.5, 1e-4);
  timing.kind = TimingKind::minimum_time;
  timing.limits.efforts = Eigen::Vector3d(1, 1, 1);
  timing.intervals = 200;
  const Experiment least = planned(timing);
  EXPECT_LT(peak_along(least, m), 1.05);
  EXPECT_GT(peak_along(least, m), 0.95);
}

TEST(PlanLoops, FreedomsThatNoMotionLeadsAreNamed) {
  const auto message = [](const std::string& text) {
    try {
      loop_plan(text);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_NE(message("robot: five-bar\nmotions: {left: 2.2 + 0.3*poly345(t)}\nduration: 1 s\n"
                    "start: {q: {left: 2.2, right: 0.9}}\n"
                    "timing: {within: {efforts: {left: 3 N m}}}\n")
                .find("1 freedom of robot 'five-bar'"),
            std::string::npos);
  EXPECT_EQ(message(five_bar_swing + "timing: {within: {efforts: {left: 3}}}\n"), "not refused");
  // Farther than the arms reach.
  EXPECT_NE(message("robot: five-bar\n"
                    "start: {q: {left: 2.2, right: 0.9}}\n"
                    "motions: {left: 2.2 + 2*poly345(t), right: 0.9 - 2*poly345(t)}\n"
                    "duration: 1 s\ntiming: {within: {efforts: {left: 3 N m}}}\n")
                .find("cannot follow its motions beyond"),
            std::string::npos);
}

TEST(TipErrors, OfMechanismsAreThoseOfTheirClosedPosture) {
  // Stiff links: the frame is where the crank puts it, a little behind.
  const auto largest = [](const std::string& elastic) {
    Experiment e = loop_plan(R"(robot: flexible-four-bar
gravity: [0, 0, 0]
motions: {crank: 0.5 + 3*poly345(t/0.3)}
duration: 0.3 s
integrator: {rtol: 1e-9}
record: {interval: 10 ms, channels: [tip_error.coupler_point, deflection.coupler]}
)" + elastic);
    const ulna::Run run = simulate(e);
    EXPECT_TRUE(run.summary.complete);
    return run.column("tip_error.coupler_point.distance").maxCoeff();
  };
  const double off = largest("");
  EXPECT_GT(off, 1e-5);
  EXPECT_LT(off, 5e-3);  // the links move by decimetres
}

}  // namespace
}  // namespace ulna
