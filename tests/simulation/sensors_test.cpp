// Sensors: what they make of a motion that is known, and their noise.

#include <gtest/gtest.h>

#include <cmath>

#include "drives.hpp"
#include "support/flexible_robot.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::follows;
using testing::frozen;

Experiment measured_swing(const std::string& motion) {
  Experiment e(frozen(testing::pendulum()));
  e.drives = {follows(motion)};
  e.end = 1;
  e.record.interval = 0.01;
  return e;
}

TEST(Sensors, AnEncoderRoundsAndItsRateIsTheDifferenceOfTwoReadings) {
  Experiment e = measured_swing("0.5*t^2");
  Sensor s = encoder(*e.model, 0, 0.01);
  s.outputs[0].resolution = 1e-3;
  s.outputs[0].bias = 0.02;
  e.sensors = {s};
  e.record.channels = {"sensor"};
  const auto run = simulate(e);
  const Eigen::VectorXd q = run.column("sensor.hinge.q"), v = run.column("sensor.hinge.v");
  // A record at a sample shows the reading from before it.
  for (int k = 2; k < static_cast<int>(q.size()); ++k) {
    const double now = (k - 1) * 0.01, before = (k - 2) * 0.01;
    const auto rounded = [](double x) { return 1e-3 * std::round((x + 0.02) / 1e-3); };
    EXPECT_NEAR(q(k), rounded(0.5 * now * now), 1e-12);
    EXPECT_NEAR(v(k), (rounded(0.5 * now * now) - rounded(0.5 * before * before)) / 0.01, 1e-9);
  }
}

TEST(Sensors, ADelayedReadingIsThatOfTheSampleSoFarBack) {
  Experiment e = measured_swing("sin(3*t)");
  Sensor s = encoder(*e.model, 0, 0.01);
  s.delay = 0.035;
  e.sensors = {s};
  e.record.channels = {"sensor"};
  const auto run = simulate(e);
  const Eigen::VectorXd q = run.column("sensor.hinge.q");
  // At t = k/100 the sample of (k - 4)/100 has been there for 5 ms.
  for (int k = 5; k < static_cast<int>(q.size()); ++k)
    EXPECT_NEAR(q(k), std::sin(3 * (k - 4) * 0.01), 1e-12);
}

TEST(Sensors, NoiseIsTheSameForEveryIntegratorAndOtherForEverySeedAndChannel) {
  std::vector<Eigen::VectorXd> seen;
  for (const IntegratorMethod method :
       {IntegratorMethod::dormand_prince, IntegratorMethod::dop853, IntegratorMethod::rk4}) {
    Experiment e(frozen(testing::double_pendulum()));
    e.q = Eigen::Vector2d(0.3, 0.2);
    e.end = 0.5;
    e.integrator.method = method;
    e.integrator.step = method == IntegratorMethod::rk4 ? 1e-3 : 0;
    e.integrator.tolerances = {1e-10, 1e-12};
    for (int k = 0; k < 2; ++k) {
      Sensor s = encoder(*e.model, k, 0.01);
      s.outputs[0].noise = 1e-3;
      e.sensors.push_back(s);
    }
    e.record.interval = method == IntegratorMethod::rk4 ? 0.005 : 0.01;
    e.record.channels = {"sensor.hinge.q", "q.hinge", "sensor.elbow.q", "q.elbow"};
    const auto run = simulate(e);
    const long step = method == IntegratorMethod::rk4 ? 2 : 1;
    Eigen::VectorXd noise(98);
    for (long k = 0; k < 49; ++k) {
      // The reading at the record of sample k + 1 is that of sample k.
      noise(k) = run.values((k + 1) * step, 0) - run.values(k * step, 1);
      noise(49 + k) = run.values((k + 1) * step, 2) - run.values(k * step, 3);
    }
    seen.push_back(noise);
  }
  EXPECT_LT((seen[0] - seen[1]).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT((seen[0] - seen[2]).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_GT((seen[0].head(49) - seen[0].tail(49)).norm(), 1e-3);
}

TEST(Sensors, NoiseIsNormalAndWithoutMemory) {
  double sum = 0, squares = 0, fourth = 0, next = 0;
  constexpr int n = 200000;
  for (int k = 0; k < n; ++k) {
    const double x = noise_sample(7, 1, 0, static_cast<std::uint64_t>(k));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    next += x * noise_sample(7, 1, 0, static_cast<std::uint64_t>(k + 1));
  }
  // Five standard deviations of each mean.
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96.0 / n));
  EXPECT_NEAR(next / n, 0, 5 / std::sqrt(n));
  EXPECT_NE(noise_sample(7, 1, 0, 3), noise_sample(8, 1, 0, 3));
  EXPECT_NE(noise_sample(7, 1, 0, 3), noise_sample(7, 2, 0, 3));
  EXPECT_NE(noise_sample(7, 1, 0, 3), noise_sample(7, 1, 1, 3));
}

TEST(Sensors, AnImuAtRestFeelsGravityUpwardsAndOnARotorItsCentripetalAcceleration) {
  Robot robot = testing::pendulum();
  robot.frames.push_back({"tip", "rod", Pose<double>{Matrix3<double>::Identity(), {0, 0, -1}}, {}});
  Experiment e(frozen(robot));
  e.drives = {follows("2*t")};
  e.end = 0.5;
  e.sensors = {imu(*e.model, e.model->frame("tip"), 0.01)};
  e.record.interval = 0.01;
  e.record.channels = {"sensor"};
  const auto run = simulate(e);
  const Eigen::VectorXd wy = run.column("sensor.tip.wy"), ax = run.column("sensor.tip.ax"),
                        az = run.column("sensor.tip.az");
  for (int k = 2; k < static_cast<int>(wy.size()); ++k) {
    const double angle = 2 * (k - 1) * 0.01;
    EXPECT_NEAR(wy(k), 2, 1e-12);
    // In the axes of the rod: w^2 r towards the axis, and what holds it against gravity.
    EXPECT_NEAR(az(k), 4 + testing::g * std::cos(angle), 1e-9);
    EXPECT_NEAR(ax(k), -testing::g * std::sin(angle), 1e-9);
  }
}

TEST(Sensors, AForceSensorInAWristFeelsWhatHangsOnIt) {
  Experiment e = measured_swing("0.3");
  e.sensors = {force_torque_sensor(*e.model, 0, 0.01)};
  e.end = 0.1;
  e.record.channels = {"sensor"};
  const auto run = simulate(e);
  const double m = 1, g = testing::g;
  const long last = run.values.rows() - 1;
  // The rod is turned by 0.3 about y; the parent carries its weight.
  EXPECT_NEAR(run.column("sensor.hinge.fz")(last), m * g * std::cos(0.3), 1e-9);
  EXPECT_NEAR(run.column("sensor.hinge.fx")(last), -m * g * std::sin(0.3), 1e-9);
}

TEST(Sensors, AStrainGaugeShowsMomentOverStiffnessTimesItsOffset) {
  Experiment e(frozen(read_robot("flexible-single-link").robot));
  const int body = e.model->body("link");
  e.sensors = {strain_gauge(*e.model, body, 0.25, 2e-3, 0, 0.01)};
  e.drives = {testing::pushed("0.5")};
  e.end = 0.2;
  e.record.interval = 0.01;
  e.record.channels = {"moment.link@0.25.z", "sensor.link.strain"};
  const auto run = simulate(e);
  const BeamProperties section = properties_of(e.model->robot().bodies[0].beams[0], 0);
  // A record at a sample shows the reading from before it.
  for (long k = 2; k < run.values.rows(); ++k)
    EXPECT_NEAR(run.values(k, 1), -2e-3 * run.values(k - 1, 0) / section.EIz,
                1e-12 + 1e-9 * std::abs(run.values(k, 1)));
}

TEST(Sensors, AFormulaMayFeedBackAReading) {
  // v.hinge measured once a second and held: the effort is -2 times that of the last sample.
  Robot robot = testing::pendulum();
  robot.gravity.setZero();
  Experiment e(frozen(robot));
  Drive drive;
  drive.kind = DriveKind::effort;
  drive.effort = {testing::formula("0")};
  drive.effort_formulas = {std::make_shared<const VariableFormula>("-0.5*sensor.hinge.v")};
  e.drives = {drive};
  e.v = Eigen::VectorXd::Constant(1, 1.0);
  e.end = 3;
  e.sensors = {tachometer(*e.model, 0, 1.0)};
  const RunSummary end = simulate(e).summary;
  EXPECT_NEAR(end.v(0), 0.125, 1e-9);  // halved each second
}

TEST(Sensors, WhatCannotBeMeasuredIsRefused) {
  Experiment e = measured_swing("0");
  Sensor s = encoder(*e.model, 0, 0.01);
  s.period = 0;
  s.channels = {"q.elbow"};
  e.sensors = {s, s};
  try {
    check(e);
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("two of this name"), std::string::npos) << text;
    EXPECT_NE(text.find("period is 0 s"), std::string::npos) << text;
    EXPECT_NE(text.find("q.elbow"), std::string::npos) << text;
  }
  EXPECT_THROW(encoder(*frozen(testing::top()), 0, 0.01), InputError);
  EXPECT_THROW(strain_gauge(*e.model, e.model->body("rod"), 0.5, 0.01, 0, 0.01), InputError);
}

}  // namespace
}  // namespace ulna
