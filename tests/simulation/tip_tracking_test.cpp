// A frame of a flexible robot follows the path that it has on the robot with rigid links.

#include "ulna/simulation/tip_tracking.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/dynamics/internal/deflection.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/motion/program.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

Experiment tip_experiment(const std::string& text) {
  return read_experiment_text("experiment: 1\n" + text, "e.yaml").experiment;
}

const std::string tip_arm = R"(
robot: flexible-two-link
elastic: {modes: 1}
duration: 2.5 s
motions:
  shoulder: 60 deg*poly4567(t/2.5)
  elbow: 30 deg + 60 deg*poly4567(t/2.5)
record: {interval: 20 ms, channels: [tip_error.tip, q, tau]}
)";

double peak_error(const Run& run) { return run.column("tip_error.tip.distance").maxCoeff(); }

TEST(TipTracking, StableInversionLeadsTheTipAlongThePathOfTheRigidRobot) {
  const ulna::Run plain = simulate(tip_experiment(tip_arm));
  const Experiment e = tip_experiment(tip_arm + "tip: {frame: tip}\n");
  ASSERT_EQ(e.tracking.size(), 1u);
  EXPECT_GT(e.tracking[0].preview, 0.1);  // joints move before the tip does
  const ulna::Run exact = simulate(e);
  EXPECT_GT(peak_error(plain), 5e-3);
  // What is left is the grid: fourth order, 20 points in a period of the fastest mode.
  EXPECT_LT(peak_error(exact), 1e-3 * peak_error(plain));
  EXPECT_TRUE(exact.summary.complete);
}

TEST(TipTracking, TheJointsAreAtRestAtBothEndsAndMoveEarly) {
  const auto model =
      std::make_shared<const Model>(with_bending_modes(read_robot("flexible-two-link").robot, 1));
  const std::vector<ScalarMotionPtr> joints = {program_named("poly4567", 0, 1, 2.5),
                                               program_named("poly4567", 0.5, 1.5, 2.5)};
  TipOptions options;
  options.frame = model->frame("tip");
  const TipMotion motion = invert_tip(*model, joints, 2.5, options);
  EXPECT_LT(motion.gap, 1e-9);
  EXPECT_LT(motion.early, 1e-5);
  const long last = motion.t.size() - 1;
  EXPECT_NEAR(motion.q(0, 0), 0, 1e-6);
  EXPECT_NEAR(motion.q(last, 1), 1.5, 1e-6);
  // Before the tip moves the joints do, against each other's effect on it.
  double early = 0;
  for (long k = 0; motion.t(k) < motion.preview - 0.01; ++k)
    early = std::max(early, std::abs(motion.v(k, 1)));
  EXPECT_GT(early, 1e-3);
  // Its coordinates between the nodes keep the rates.
  const MotionValue x = motion.coordinate(1)->at(motion.t(last / 2));
  EXPECT_NEAR(x.rate, motion.v(last / 2, 1), 1e-12);
}

TEST(TipTracking, FeedForwardOfTheInversionNeedsNoFeedback) {
  // Efforts alone, open loop: the state of reference is a motion of the robot.
  const Experiment e = tip_experiment(tip_arm + R"(
tip: {frame: tip}
drives: {all: controller}
controllers: [{law: feed-forward}])");
  const ulna::Run run = simulate(e);
  EXPECT_LT(peak_error(run), 2e-4);
}

TEST(TipTracking, CausalInversionMovesNothingEarlyAndIsBetterThanTheJointsAlone) {
  const ulna::Run plain = simulate(tip_experiment(tip_arm));
  const Experiment e = tip_experiment(tip_arm + "tip: {frame: tip, inversion: causal}\n");
  EXPECT_EQ(e.tracking[0].preview, 0);
  EXPECT_LT(peak_error(simulate(e)), 0.7 * peak_error(plain));
}

TEST(TipTracking, GravityIsCompensatedAtRest) {
  const std::string heavy = R"(
robot: flexible-two-link
gravity: [0, -0.5, 0]
elastic: {inboard: 1, outboard: 1}
duration: 4 s
motions:
  shoulder: 30 deg + 40 deg*poly4567(t/4)
  elbow: 40 deg + 20 deg*poly4567(t/4)
record: {interval: 20 ms, channels: [tip_error.tip]}
)";
  const ulna::Run run = simulate(tip_experiment(heavy + "tip: {frame: tip}\n"));
  EXPECT_LT(peak_error(run), 2e-4);
  EXPECT_LT(run.column("tip_error.tip.distance")(0), 1e-8);  // where it sagged by millimetres
}

TEST(TipTracking, SeveralModesPerLinkAreInverted) {
  // With two to four modes the zeros of this arm are not of equal number in both half planes, and
  // some of them pass through infinity while the links bend. Joint control is off by 0.1 m.
  for (const int modes : {2, 3, 4}) {
    std::string text = tip_arm + "tip: {frame: tip}\n";
    text.replace(text.find("modes: 1"), 8, "modes: " + std::to_string(modes));
    const Experiment e = tip_experiment(text);
    EXPECT_LT(peak_error(simulate(e)), 2e-5) << modes << " modes";
  }
}

TEST(TipTracking, FullGravityIsCompensatedAlongTheMotion) {
  // Links five times as stiff as Padilla's sag by a tenth of their length on earth, about as far as
  // theory of second order holds. Two modes each.
  Robot robot = with_bending_modes(read_robot("flexible-two-link").robot, 2);
  for (BodyData& body : robot.bodies)
    for (BeamData& beam : body.beams) beam.products->EIy *= 5, beam.products->EIz *= 5;
  robot.gravity = {0, -9.81, 0};
  make_flexible(robot);
  const auto model = std::make_shared<const Model>(robot);
  TipOptions options;
  options.frame = model->frame("tip");
  const TipMotion motion = invert_tip(
      *model, {program_named("poly4567", 0, 1, 2.5), program_named("poly4567", 0.5, 1.5, 2.5)}, 2.5,
      options);
  EXPECT_LT(motion.gap, 1e-9);
  EXPECT_GT(motion.q.col(2).cwiseAbs().maxCoeff(), 0.02);  // what bends under the weight
  EXPECT_LT(motion.change, 1e-4);
  // At rest the shoulder carries the elbow, 14 kg near 1 m, and more.
  EXPECT_GT(motion.tau(0, 0), 150);
}

TEST(TipTracking, ASingleLinkFollowsItsArc) {
  const Experiment e = tip_experiment(R"(
robot: flexible-single-link
duration: 1 s
motions: {all: 0.5*poly4567(t)}
record: {interval: 10 ms, channels: [q]}
)");
  const Model& model = *e.model;
  int frame = 0;
  for (std::size_t f = 1; f < model.frames().size(); ++f) frame = static_cast<int>(f);
  ASSERT_GT(frame, 0);
  ASSERT_EQ(model.joint_speeds(), 1);
  TipOptions options;
  options.frame = frame;
  const TipMotion motion = invert_tip(model, e.drives[0].motion, 1, options);
  EXPECT_GT(motion.preview, 0);
  EXPECT_LT(motion.gap, 2e-3);  // across the arc nothing drives it: foreshortening is left
}

TEST(TipTracking, ShapingLeavesLessVibrationAfterTheMotion) {
  const std::string quick = R"(
robot: flexible-two-link
elastic: {modes: 1}
motions:
  shoulder: {program: poly345, to: 40 deg, time: 0.8 s}
  elbow: {program: poly345, from: 40 deg, to: 80 deg, time: 0.8 s}
duration: 5 s
record: {interval: 20 ms, channels: [tip_error.tip]}
)";
  const auto residual = [&](const std::string& more) {
    const Experiment e = tip_experiment(quick + more);
    const ulna::Run run = simulate(e);
    const Eigen::VectorXd error = run.column("tip_error.tip.distance");
    return error.tail(error.size() / 4).maxCoeff();
  };
  const double plain = residual("");
  EXPECT_LT(residual("shaping: {shaper: zv, modes: 2}\n"), 0.5 * plain);
  EXPECT_LT(residual("shaping: {shaper: zvd, modes: 2}\n"), 0.2 * plain);
  EXPECT_LT(residual("shaping: {shaper: robust, modes: 2}\n"), 0.2 * plain);
}

TEST(TipTracking, StrainIsTheCurvatureOfTheSection) {
  const Experiment e = tip_experiment(R"(
robot: flexible-two-link
elastic: {modes: 1}
duration: 0.5 s
motions: {shoulder: 0.5*poly345(t/0.5), elbow: 0.2}
record: {interval: 50 ms, channels: [strain.outboard@0.25, moment.outboard@0.25, strain.outboard]}
)");
  const ulna::Run run = simulate(e);
  const Eigen::VectorXd strain = run.column("strain.outboard@0.25.y"),
                        moment = run.column("moment.outboard@0.25.z");
  EXPECT_GT(strain.cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT((strain + moment / 14).cwiseAbs().maxCoeff(), 1e-14);  // EI = 14 N m^2
  EXPECT_GT((run.column("strain.outboard.y") - strain).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(TipTracking, FeedbackOfStrainAndTipAddsItsEfforts) {
  // The elbow is driven by nothing but the feedback: its effort is the gain on the error.
  const Experiment e = tip_experiment(R"(
robot: flexible-two-link
elastic: {modes: 1}
duration: 0.4 s
motions: {shoulder: 0.5*poly345(t/0.4)}
start: {q: {elbow: 0.6}}
drives: {shoulder: motion, elbow: controller}
controllers:
  - law: pd
    joints: [elbow]
    feedback:
      - {channel: strain.outboard@0.y, kp: {elbow: -3}, ki: {elbow: 20}}
record: {interval: 10 ms, channels: [strain.outboard@0, tau, energy]}
)");
  const ulna::Run run = simulate(e);
  const Eigen::VectorXd strain = run.column("strain.outboard@0.y"), tau = run.column("tau.elbow");
  double integral = 0;
  for (long k = 1; k < strain.size(); ++k) integral += 0.01 * 0.5 * (strain(k) + strain(k - 1));
  const long last = strain.size() - 1;
  EXPECT_NEAR(tau(last), 3 * strain(last) - 20 * integral, 2e-3 * tau.cwiseAbs().maxCoeff());
  EXPECT_LT(run.summary.energy_balance, 1e-6);
  // On the frame: with the joints held by stiff gains the tip error drives the elbow.
  const auto sag = [](const std::string& feedback) {
    const ulna::Run held = simulate(tip_experiment(R"(
robot: flexible-two-link
gravity: [0, -1, 0]
elastic: {modes: 1}
duration: 6 s
start: {q: {shoulder: 0.3, elbow: 0.6}}
drives: {all: controller}
controllers:
  - {law: pd, gravity: true, kp: {shoulder: 500, elbow: 80}, kd: {shoulder: 200, elbow: 30}, feedback: [)" +
                                                   feedback + R"(]}
record: {interval: 100 ms, channels: [tip_error.tip]}
)"));
    return held.column("tip_error.tip.distance")(held.t.size() - 1);
  };
  EXPECT_LT(sag("{frame: tip, kp: 20, ki: 60}"), 0.5 * sag(""));
}

TEST(TipTracking, RefusesWhatCannotBeInverted) {
  const auto expect = [](const std::string& text, const std::string& words) {
    try {
      tip_experiment(text);
      ADD_FAILURE() << "expected: " << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    } catch (const ComputationError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  expect("robot: scara\nduration: 1 s\nmotions: {joint1: poly345(t)}\ntip: {frame: tool}\n", "");
  expect(tip_arm + "tip: {frame: tipp}\n", "tip");
  expect(tip_arm + "tip: {frame: tip, inversion: acausal}\n", "preview or causal");
  expect(tip_arm + "tip: {frame: tip}\ndrives: {elbow: free}\n", "elbow");
  expect(tip_arm + "shaping: zzz\n", "zvd");
  expect(
      "robot: flexible-two-link\nelastic: {modes: 1}\nduration: 1 s\n"
      "motions: {shoulder: t, elbow: 1}\ntip: {frame: tip}\n",
      "at rest");
  // Stretched out, two joints move the tip in one direction.
  expect(
      "robot: flexible-two-link\nelastic: {modes: 1}\nduration: 1 s\n"
      "motions: {shoulder: poly345(t), elbow: 0}\ntip: {frame: tip}\n",
      "singular");
  expect(tip_arm +
             "drives: {all: controller}\ncontrollers: [{law: pd, kp: 1, feedback: [{channel: "
             "tau.elbow, kp: 1}]}]\n",
         "algebraic loop");
  expect(
      tip_arm + "drives: {all: controller}\ncontrollers: [{law: pd, kp: 1, feedback: [{kp: 1}]}]\n",
      "channel and frame");
}

TEST(ElasticLevels, HoldInsideOfLoops) {
  // The crank-rocker turns through an eighth of a turn; its links deflect by a thousandth of their
  // length, which is what the levels differ by.
  const auto end = [](const std::string& level) {
    const ulna::Run run =
        simulate(tip_experiment("robot: flexible-four-bar\nelastic: " + level + R"(
duration: 40 ms
start: {q: {crank: 0.5}, v: {crank: 20}}
integrator: {method: dop853, rtol: 1e-8}
record: {interval: 10 ms, channels: [q, closure]}
)"));
    EXPECT_TRUE(run.summary.complete) << level;
    return Eigen::VectorXd(run.summary.q);
  };
  const Eigen::VectorXd exact = end("exact");
  for (const char* level : {"consistent", "inconsistent", "ruthless", "mixed"}) {
    const double off = (end(level) - exact).cwiseAbs().maxCoeff();
    EXPECT_LT(off, 1e-3) << level;
    EXPECT_GT(off, 1e-9) << level;  // they are other equations
  }
}

}  // namespace
}  // namespace ulna
