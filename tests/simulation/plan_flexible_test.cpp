// Timing and paths of flexible robots are planned on their rigid links; the run lasts as long as
// the motions do.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/formats/read_experiment.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/internal/plan.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

Experiment flexible_plan(const std::string& text) {
  return read_experiment_text("experiment: 1\n" + text, "e.yaml").experiment;
}

std::string notes_of(const Experiment& e) {
  std::string all;
  for (const std::string& note : simulate(e, RunOptions{}).notes) all += note + "\n";
  return all;
}

const std::string planned_arm = "robot: flexible-two-link\nelastic: {modes: 1}\n";
const std::string planned_swing =
    "motions: {shoulder: 1.2*poly345(t/2), elbow: 0.5 + 0.4*poly345(t/2)}\n";

TEST(PlanFlexible, TimingOfFlexibleRobots) {
  EXPECT_DOUBLE_EQ(
      flexible_plan(planned_arm + planned_swing + "duration: 2 s\ntiming: {scale: 2}\n").end, 1);
  const Experiment within =
      flexible_plan(planned_arm + planned_swing +
                    "duration: 2 s\ntiming: {within: {efforts: {shoulder: 5 N m}}}\n");
  const Experiment rigid = flexible_plan(
      "robot: flexible-two-link\nelastic: {rigid: [inboard, outboard]}\n" + planned_swing +
      "duration: 2 s\ntiming: {within: {efforts: {shoulder: 5 N m}}}\n");
  EXPECT_GT(within.end, 2);
  EXPECT_DOUBLE_EQ(within.end, rigid.end);
  EXPECT_NE(within.timing->limit.find("rigid links"), std::string::npos);
  EXPECT_EQ(rigid.timing->limit.find("rigid links"), std::string::npos);
  const Experiment least =
      flexible_plan(planned_arm + planned_swing +
                    "duration: 2 s\ntiming: {minimum_time: {efforts: {shoulder: 5, elbow: 1}}}\n");
  EXPECT_LT(least.end, within.end);
  EXPECT_TRUE(simulate(within, RunOptions{}).complete);
}

TEST(PlanFlexible, TheDurationFollowsTheTiming) {
  // Formulas with a duration: the run lasts as long as the slower motion.
  const std::string scara = "robot: scara\nmotions: {joint1: 2*poly345(t/2)}\n";
  const std::string limit = "timing: {within: {rates: {joint1: 0.5 rad/s}}}\n";
  EXPECT_NEAR(flexible_plan(scara + "duration: 2 s\n" + limit).end, 1.875 * 2 / 0.5, 1e-9);
  // Without a duration a formula ends where it comes to rest.
  EXPECT_NEAR(flexible_plan(scara + limit).end, 1.875 * 2 / 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(flexible_plan(scara + "timing: {scale: 2}\n").end, 1);
  EXPECT_DOUBLE_EQ(flexible_plan(scara + "timing: {scale: 2}\n").drives[0].motion[0]->at(1).value,
                   2);
  // One that goes on has no end.
  try {
    flexible_plan("robot: scara\nmotions: {joint1: sin(t)}\ntiming: {scale: 2}\n");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("come to rest"), std::string::npos) << error.what();
  }
  // A duration that is not that of the motions stays.
  EXPECT_DOUBLE_EQ(
      flexible_plan("robot: scara\nmotions: {joint1: {program: poly345, to: 1, time: 1 s}}\n"
                    "duration: 3 s\ntiming: {scale: 2}\n")
          .end,
      3);
}

TEST(PlanFlexible, AMotionThatIsCutIsReported) {
  const std::string note = "before the motion of 'joint1' is complete";
  const std::string scara = "robot: scara\ngravity: [0, 0, 0]\n";
  EXPECT_NE(notes_of(flexible_plan(scara + "motions: {joint1: poly345(t/2)}\nduration: 1 s\n"))
                .find(note),
            std::string::npos);
  EXPECT_NE(
      notes_of(flexible_plan(scara + "motions: {joint1: {program: poly345, to: 1, time: 2 s}}\n"
                                     "duration: 1 s\n"))
          .find(note),
      std::string::npos);
  EXPECT_NE(
      notes_of(flexible_plan(scara + "motions: {joint1: {program: poly345, to: 1, time: 1 s}}\n"
                                     "duration: 1.5 s\ntiming: {scale: 0.5}\n"))
          .find(note),
      std::string::npos);
  EXPECT_EQ(notes_of(flexible_plan(scara + "motions: {joint1: poly345(t/2)}\nduration: 2 s\n"))
                .find(note),
            std::string::npos);
  EXPECT_EQ(
      notes_of(flexible_plan(scara + "motions: {joint1: sin(t)}\nduration: 1 s\n")).find(note),
      std::string::npos);
}

TEST(PlanFlexible, AFormulaKnowsFromWhenItRests) {
  EXPECT_DOUBLE_EQ(Formula("1 + poly345(t/4)").rests_from(), 4);
  EXPECT_DOUBLE_EQ(Formula("step(t - 2) + cycloid(t - 3)").rests_from(), 4);
  EXPECT_EQ(Formula("0.5").rests_from(), 0);
  EXPECT_TRUE(std::isinf(Formula("sin(t)").rests_from()));
  EXPECT_TRUE(std::isinf(Formula("poly345(t)*t").rests_from()));
  EXPECT_DOUBLE_EQ(Formula("poly345(t/4)", {}, 2).rests_from(), 4);  // whatever it is asked for
}

TEST(PlanFlexible, APathIsPlannedOnTheRigidRobotAndFollowedByTheFlexibleOne) {
  const std::string path = R"(
start: {q: {shoulder: 0.2, elbow: 0.9}}
path: {frame: tip, line: {to: [1.2, 1.3, 0]}, position_only: true, time: 2 s}
record: {interval: 50 ms, channels: [frame.tip, tip_error.tip]}
)";
  const Experiment e = flexible_plan(planned_arm + path);
  EXPECT_DOUBLE_EQ(e.end, 2);
  const Experiment rigid =
      flexible_plan("robot: flexible-two-link\nelastic: {rigid: [inboard, outboard]}\n" + path);
  for (const double t : {0.0, 0.7, 1.6})
    for (int j = 0; j < 2; ++j)
      EXPECT_NEAR(e.drives[j].motion[0]->at(t).value, rigid.drives[j].motion[0]->at(t).value,
                  1e-12);
  const ulna::Run run = simulate(e);
  EXPECT_TRUE(run.summary.complete);
  EXPECT_LT(run.column("tip_error.tip.distance").maxCoeff(), 0.3);
  EXPECT_GT(run.column("tip_error.tip.distance").maxCoeff(), 1e-4);
  // Stable inversion for the same path.
  const ulna::Run exact = simulate(flexible_plan(planned_arm + path + "tip: {frame: tip}\n"));
  EXPECT_LT(exact.column("tip_error.tip.distance").maxCoeff(), 1e-3);
}

TEST(PlanFlexible, NumbersOfModesAndFamiliesByBody) {
  const Experiment e =
      flexible_plan("robot: flexible-two-link\nelastic: {inboard: 2, outboard: 3}\n" +
                    planned_swing + "duration: 2 s\n");
  ASSERT_EQ(e.model->flexible_links().size(), 2u);
  EXPECT_EQ(e.model->flexible_links()[0].modal->modes, 2);
  EXPECT_EQ(e.model->flexible_links()[1].modal->modes, 3);
  const Experiment one =
      flexible_plan("robot: flexible-two-link\nelastic: {inboard: 0, outboard: 1}\n" +
                    planned_swing + "duration: 2 s\n");
  EXPECT_EQ(one.model->modes(), 1);
  const Experiment tip = flexible_plan(
      "robot: flexible-two-link\nelastic: {inboard: 0, outboard: {modes: 1, family: "
      "clamped-tip-body}}\n" +
      planned_swing + "duration: 2 s\n");
  EXPECT_NE(tip.model->flexible_links()[0].modal->frequencies[0],
            one.model->flexible_links()[0].modal->frequencies[0]);
  // All bodies, and one of them otherwise.
  const Experiment mixed =
      flexible_plan("robot: flexible-two-link\nelastic: {modes: 1, outboard: 4}\n" + planned_swing +
                    "duration: 2 s\n");
  EXPECT_EQ(mixed.model->modes(), 5);
  const Experiment none =
      flexible_plan("robot: flexible-two-link\nelastic: {inboard: 0, outboard: 0}\n" +
                    planned_swing + "duration: 2 s\n");
  EXPECT_EQ(none.model->modes(), 0);
  for (const char* wrong : {"{fore: 2}", "{inboard: 1.5}", "{inboard: {family: round}}",
                            "{inboard: 2, rigid: [inboard]}", "{inboard: -1}"})
    EXPECT_THROW(flexible_plan("robot: flexible-two-link\nelastic: " + std::string(wrong) + "\n" +
                               planned_swing + "duration: 2 s\n"),
                 InputError)
        << wrong;
}

TEST(PlanFlexible, TheConsistentLevelHasNoLimitOfRates) {
  const std::string fast =
      "robot: flexible-two-link\nmotions: {elbow: {spin-up: 3, time: 2 s}}\n"
      "drives: {shoulder: locked}\nduration: 2 s\n";
  const auto notes = [&](const std::string& level) {
    return notes_of(
        flexible_plan(fast + "elastic: {level: " + level + ", modes: 1, rigid: [inboard]}\n"));
  };
  EXPECT_EQ(notes("consistent").find("is made for less than"), std::string::npos);
  EXPECT_NE(notes("ruthless").find("is made for less than"), std::string::npos);
}

}  // namespace
}  // namespace ulna
