// Controllers: the errors that they leave, in continuous and in sampled time.

#include <gtest/gtest.h>

#include <cmath>

#include "drives.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::arm_under;
using testing::feedback;
using testing::formula;
using testing::frozen;

TEST(Controllers, ErrorsUnderComputedTorqueObeyTheirLinearEquation) {
  // e'' + kd e' + kp e = 0 with kp = 100, kd = 20: e = e0 (1 + 10 t) exp(-10 t).
  Experiment experiment = arm_under(feedback(FeedbackLaw::computed_torque, 6, 100, 20));
  experiment.integrator.tolerances = {1e-11, 1e-12};
  const auto run = simulate(experiment);
  for (std::size_t row = 0; row < run.t.size(); ++row) {
    const double t = run.t[row], expected = 0.02 * (1 + 10 * t) * std::exp(-10 * t);
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(run.values(row, k) - run.values(row, 6 + k), expected, 1e-9);
  }
}

TEST(Controllers, SamplingAtAHighRateComesNearTheContinuousLaw) {
  double worst[2];
  for (int k = 0; k < 2; ++k) {
    auto controller = feedback(FeedbackLaw::computed_torque, 6, 100, 20);
    controller->period = k == 0 ? 1e-3 : 5e-4;
    const auto run = simulate(arm_under(controller));
    worst[k] = 0;
    for (std::size_t row = 0; row < run.t.size(); ++row) {
      const double t = run.t[row], expected = 0.02 * (1 + 10 * t) * std::exp(-10 * t);
      worst[k] = std::max(worst[k], std::abs(run.values(row, 0) - run.values(row, 6) - expected));
    }
  }
  EXPECT_LT(worst[0], 2e-3);
  EXPECT_NEAR(worst[0] / worst[1], 2, 0.2);  // the delay of half a period, to first order
}

TEST(Controllers, FeedForwardNeedsNoErrorAndPdWithGravityHoldsStill) {
  Experiment forward = arm_under(feedback(FeedbackLaw::feed_forward, 6, 300, 30));
  forward.q = Eigen::VectorXd::Constant(6, 0.1);
  forward.integrator.tolerances = {1e-10, 1e-11};
  const RunSummary end = simulate(forward).summary;
  EXPECT_LT((end.q.array() - 0.6).abs().maxCoeff(), 1e-7);

  auto pd = feedback(FeedbackLaw::pd, 6, 200, 60);
  pd->gravity = true;
  Experiment hold = arm_under(pd);
  for (Drive& drive : hold.drives) drive.motion.clear();  // regulation at the start
  hold.v = Eigen::VectorXd::Constant(6, 0.3);
  hold.end = 20;
  const RunSummary held = simulate(hold).summary;
  EXPECT_LT((held.q - hold.q).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT(held.v.cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Controllers, TheIntegralRemovesTheSagThatGravityLeavesAndDoesNotWindUp) {
  Experiment experiment(frozen(testing::pendulum()));
  experiment.end = 30;
  experiment.q = Eigen::VectorXd::Constant(1, 0.5);
  experiment.drives = {{DriveKind::controller, {formula("1")}, {}, {}}};
  auto pd = feedback(FeedbackLaw::pd, 1, 50, 15);
  experiment.controllers = {pd};
  const double sag = simulate(experiment).summary.q(0);
  EXPECT_NEAR(50 * (1 - sag), 9.81 * std::sin(sag), 1e-6);  // statics

  auto pid = feedback(FeedbackLaw::pd, 1, 50, 15);
  pid->ki = Eigen::VectorXd::Constant(1, 40);
  experiment.controllers = {pid};
  EXPECT_NEAR(simulate(experiment).summary.q(0), 1, 1e-6);

  // With a bound too low to hold it the integral must not grow while it waits: once the reference
  // comes back within reach the joint is there soon.
  pid->limit = Eigen::VectorXd::Constant(1, 5);
  experiment.drives[0].motion = {formula("1 - 0.8*step(t - 20)")};
  experiment.end = 26;
  experiment.record.channels = {"q", "tau"};
  const auto run = simulate(experiment);
  EXPECT_LE(run.column("tau.hinge").cwiseAbs().maxCoeff(), 5);
  EXPECT_NEAR(run.summary.q(0), 0.2, 0.02);
}

TEST(Controllers, ASphericalJointIsHeldByItsQuaternionError) {
  Experiment experiment(frozen(testing::top()));
  experiment.end = 8;
  auto pd = feedback(FeedbackLaw::computed_torque, 1, 25, 10);
  pd->kp = Eigen::Vector3d::Constant(25);
  pd->kd = Eigen::Vector3d::Constant(10);
  experiment.controllers = {pd};
  const auto zero = formula("0");
  experiment.drives = {{DriveKind::controller, {formula("0.5"), zero, formula("-1")}, {}, {}}};
  experiment.q = experiment.model->neutral();
  const RunSummary summary = simulate(experiment).summary;
  Experiment there = inverse_of(experiment);
  there.end = 1;
  EXPECT_LT(experiment.model->difference(summary.q, simulate(there).summary.q).norm(), 1e-6);
}

}  // namespace
}  // namespace ulna
