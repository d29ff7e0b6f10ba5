// Experiments that are refused, and what the refusal says.

#include <gtest/gtest.h>

#include <cmath>

#include "drives.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::follows;
using testing::formula;
using testing::frozen;

/// The text of all problems.
std::string refusal(const Experiment& experiment) {
  try {
    simulate(experiment);
  } catch (const InputError& error) {
    std::string text;
    for (const Problem& p : error.problems()) text += p.text() + "\n";
    return text;
  }
  return "not refused";
}

TEST(Refusals, EachNamesWhatIsWrong) {
  const auto expect = [](auto change, const std::string& part) {
    Experiment experiment(frozen(testing::double_pendulum()));
    experiment.end = 1;
    experiment.drives.resize(2);
    change(experiment);
    EXPECT_NE(refusal(experiment).find(part), std::string::npos) << refusal(experiment);
  };
  expect([](Experiment& e) { e.end = 0; }, "end time above 0");
  expect([](Experiment& e) { e.end = -1; }, "end time above 0");
  expect([](Experiment& e) { e.end = NAN; }, "end time above 0");
  expect([](Experiment& e) { e.record.interval = -0.1; }, "interval");
  expect([](Experiment& e) { e.integrator.tolerances.relative = 0; }, "relative tolerance");
  expect([](Experiment& e) { e.integrator.tolerances.relative = 1e-20; }, "below rounding");
  expect([](Experiment& e) { e.integrator.method = IntegratorMethod::rk4; }, "rk4 needs step");
  expect([](Experiment& e) { e.q = Eigen::VectorXd::Zero(3); }, "q has 3 entries");
  expect([](Experiment& e) { e.v = Eigen::Vector2d(0, NAN); }, "not finite");
  expect([](Experiment& e) { e.drives.resize(3); }, "3 drives");
  expect([](Experiment& e) { e.drives[0].kind = DriveKind::motion; },
         "follow a motion but has none");
  expect([](Experiment& e) { e.drives[0].kind = DriveKind::effort; }, "effort that is not given");
  expect([](Experiment& e) { e.drives[1].kind = DriveKind::controller; }, "no controller lists");
  expect([](Experiment& e) { e.drives[0].motion.assign(2, formula("t")); }, "2 functions");
  expect(
      [](Experiment& e) {
        e.drives[0] = follows("t");
        e.q = Eigen::Vector2d(0.1, 0);
      },
      "away from where its motion begins");
  expect(
      [](Experiment& e) {
        e.drives[0] = follows("t");
        e.v = Eigen::Vector2d(0, 0);
      },
      "away from the rate of its motion");
  expect([](Experiment& e) { e.drives[0] = follows("sqrt(0.5 - t)"); }, "not finite");
  expect([](Experiment& e) { e.record.channels = {"q.elbw"}; }, "did you mean 'q.elbow'");
  expect(
      [](Experiment& e) {
        e.events = {{"x", "energy", 0, {}, true, {}, NAN, {}}};
      },
      "group of channels");
  expect(
      [](Experiment& e) {
        e.drives[0].kind = DriveKind::locked;
        e.v = Eigen::Vector2d(1, 0);
      },
      "locked and starts with a speed");
}

TEST(Refusals, AMotionOutsideTheLimitsOfItsJoint) {
  Robot robot = testing::pendulum();
  robot.joints[0].degrees.resize(1);
  robot.joints[0].degrees[0].upper = 0.8;
  Experiment experiment(frozen(robot));
  experiment.end = 2;
  experiment.drives = {follows("sin(t)")};
  EXPECT_NE(refusal(experiment).find("outside the joint's limits"), std::string::npos);
}

}  // namespace
}  // namespace ulna
