// Twists and accelerations of frames, and the motion of closing joints, as channels of a run.

#include <gtest/gtest.h>

#include "drives.hpp"
#include "mechanisms.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::frozen;

/// The derivative of a channel by central differences over the records, against another channel.
/// What is left are the errors of the integrator over the distance of two records.
void expect_rate(const ulna::Run& run, const std::string& value, const std::string& rate) {
  const Eigen::VectorXd x = run.column(value), v = run.column(rate);
  const double h = run.t[1] - run.t[0], tolerance = 1e-5 * (1 + v.cwiseAbs().maxCoeff());
  for (long k = 2; k + 2 < x.size(); ++k)
    ASSERT_NEAR((8 * (x(k + 1) - x(k - 1)) - (x(k + 2) - x(k - 2))) / (12 * h), v(k), tolerance)
        << value << " " << rate << " at " << run.t[static_cast<std::size_t>(k)];
}

/// Shorter than any vibration of the flexible robots.
ulna::Run recorded_moment(Experiment e, std::vector<std::string> channels) {
  e.end = 2e-4;
  e.record.interval = 2e-6;
  e.record.channels = std::move(channels);
  e.integrator.tolerances = {1e-13, 1e-15};
  return simulate(e);
}

/// All joints of a tree move; of a mechanism the first one, and the others follow.
Experiment moving(const std::string& robot) {
  Experiment e(frozen(read_robot(robot).robot));
  const int joints = e.model->speeds() - e.model->modes();
  e.v = Eigen::VectorXd::Zero(e.model->speeds());
  e.v.head(joints).setLinSpaced(0.4, 1.1);
  if (e.model->loops().empty()) return e;
  e.v.setZero();
  e.v(0) = 1;
  e.keep_v.assign(static_cast<std::size_t>(e.model->speeds()), 0);
  e.keep_v[0] = 1;
  return e;
}

TEST(FrameMotionChannels, AreTheDerivativesOfPositions) {
  for (const char* robot : {"puma560", "four-bar", "flexible-two-link", "flexible-four-bar"}) {
    SCOPED_TRACE(robot);
    const Experiment e = moving(robot);
    const std::string tip = e.model->frames()[static_cast<std::size_t>(e.model->tip_frame())].name;
    const ulna::Run run =
        recorded_moment(e, {"frame." + tip, "twist." + tip, "acceleration." + tip});
    for (const char* axis : {"x", "y", "z"}) {
      expect_rate(run, "frame." + tip + "." + axis, "twist." + tip + ".v" + axis);
      expect_rate(run, "twist." + tip + ".v" + axis, "acceleration." + tip + ".a" + axis);
      expect_rate(run, "twist." + tip + ".w" + axis, "acceleration." + tip + ".dw" + axis);
    }
  }
}

TEST(FrameMotionChannels, SeenFromAMovingBodyTheyAreDerivativesInItsAxes) {
  // In the axes of the body they are relative to, components may be differentiated as they are.
  const Experiment e = moving("puma560");
  const std::string twist = "twist.link6/link2@link2.", rate = "acceleration.link6/link2@link2.";
  const ulna::Run run =
      recorded_moment(e, {"twist.link6/link2@link2", "acceleration.link6/link2@link2"});
  for (const char* axis : {"x", "y", "z"}) {
    expect_rate(run, twist + "v" + axis, rate + "a" + axis);
    expect_rate(run, twist + "w" + axis, rate + "dw" + axis);
  }
  const ulna::Run own =
      recorded_moment(e, {"twist.link3/link3", "twist.link3@link3", "twist.link3"});
  for (const char* part : {"wx", "vy", "vz"})
    EXPECT_LT(own.column(std::string("twist.link3/link3.") + part).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT(own.column("twist.link3.wz").cwiseAbs().maxCoeff(), 0.1);
}

TEST(FrameMotionChannels, ClosingJointsHaveRatesAccelerationsAndEfforts) {
  Robot robot = testing::parallelogram(2);
  for (JointData& joint : robot.joints)
    if (joint.name == "pin1") joint.degrees[0].damping = 0.25;
  Experiment e(frozen(robot));
  e.q = testing::posture_of_parallelogram(*e.model, 0.4);
  e.end = 0.05;
  e.record.interval = 5e-4;
  e.integrator.tolerances = {1e-12, 1e-14};
  e.record.channels = {"closing", "closing_rate", "closing_acceleration", "closing_effort", "v"};
  const ulna::Run run = simulate(e);
  if (e.model->loops().front().joint != "pin1") GTEST_SKIP() << "the damped joint is in the tree";
  expect_rate(run, "closing.pin1", "closing_rate.pin1");
  expect_rate(run, "closing_rate.pin1", "closing_acceleration.pin1");
  EXPECT_LT((run.column("closing_rate.pin1") + run.column("v.foot1")).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((run.column("closing_effort.pin1") + 0.25 * run.column("closing_rate.pin1"))
                .cwiseAbs()
                .maxCoeff(),
            1e-12);
}

TEST(FrameMotionChannels, UnknownFramesAreRefused) {
  Experiment e(frozen(read_robot("puma560").robot));
  e.end = 1;
  for (const char* name : {"twist.link9", "twist.link6/nowhere", "acceleration.link6@nowhere"}) {
    e.record.channels = {name};
    EXPECT_THROW(check(e), InputError) << name;
  }
  EXPECT_EQ(channels_named(*e.model, "twist.link6/link2@link1.vx").size(), 1u);
}

}  // namespace
}  // namespace ulna
