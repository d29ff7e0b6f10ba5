// Cases with closed answers: friction at rest and in motion, rolling, belts.

#include <gtest/gtest.h>

#include "simulation/cases/cases.hpp"

namespace ulna {
namespace {

using testing::at;
using testing::free_body;
using testing::g;
using testing::incline;
using testing::one;
using testing::pi;
using testing::place;
using testing::with;

TEST(Cases, ABlockHoldsBelowTheAngleOfFrictionAndSlidesAboveIt) {
  const double mu = 0.4, limit = std::atan(mu);
  const RunSummary holds = simulate(incline(limit - 1e-3, mu, 1)).summary;
  EXPECT_EQ(holds.contacts[0].state, ContactState::sticks);
  EXPECT_NEAR(holds.v.norm(), 0, 1e-9);
  const double slope = limit + 1e-3;
  const RunSummary slides = simulate(incline(slope, mu, 1)).summary;
  EXPECT_EQ(slides.contacts[0].state, ContactState::slips);
  EXPECT_NEAR(slides.v.tail<3>().norm(), g * (std::sin(slope) - mu * std::cos(slope)), 1e-7);
}

TEST(Cases, StaticFrictionHoldsLongerThanSlidingFrictionBrakes) {
  const double kinetic = 0.3, stiction = 0.5, slope = std::atan(0.4);
  Experiment e = incline(slope, kinetic, 1);
  for (Contact& c : e.contacts) c.static_friction = stiction;
  EXPECT_EQ(simulate(e).summary.contacts[0].state, ContactState::sticks);
  // Once it slides, only the sliding coefficient counts.
  Experiment moving = e;
  const double start = 0.01;
  moving.v.tail<3>() << start, 0, 0;
  const RunSummary slides = simulate(moving).summary;
  EXPECT_NEAR(slides.v.tail<3>().norm(), start + g * (std::sin(slope) - kinetic * std::cos(slope)),
              1e-7);
}

TEST(Cases, StribecksFrictionFallsWithTheSpeed) {
  // Thrown at v0: dv/dt = -g (mu + (mu_s - mu) exp(-(v / v_s)^2)), integrated here by Simpson's
  // rule for the time to come down to v1.
  const double mu = 0.2, mu_s = 0.6, v_s = 0.5, v0 = 1.5, v1 = 0.1;
  const auto brake = [&](double v) {
    return g * (mu + (mu_s - mu) * std::exp(-(v / v_s) * (v / v_s)));
  };
  const int n = 20000;
  double time = 0;
  for (int i = 0; i <= n; ++i) {
    const double v = v1 + (v0 - v1) * i / n;
    time += (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) / brake(v);
  }
  time *= (v0 - v1) / n / 3;
  Experiment e = incline(0, mu, 3);
  for (Contact& c : e.contacts) c.static_friction = mu_s, c.stribeck_speed = v_s;
  e.v.tail<3>() << v0, 0, 0;
  e.events = {testing::stops_at("slow", "v.free.vx", v1, Event::Direction::falling)};
  EXPECT_NEAR(simulate(e).summary.t, time, 1e-7);
}

TEST(Cases, AJointSticksUpToItsStaticFriction) {
  DegreeData degree;
  degree.friction = 1;
  Experiment e = one(testing::wheel(0.5, degree), 0, 0, 4);
  e.joint_friction = {{0, 2.5, 0, {}}};
  e.drives = {testing::pushed("t")};
  const RunSummary summary = simulate(e).summary;
  // It breaks loose at 2.5 s and goes on against 1: I v = (t^2 - 2.5^2) / 2 - (t - 2.5).
  EXPECT_NEAR(summary.v(0), ((16 - 6.25) / 2 - 1.5) / 0.5, 1e-7);
}

TEST(Cases, AnOscillatorUnderCoulombFrictionLosesAFixedAmplitudeEachHalfSwing) {
  DegreeData degree;
  degree.stiffness = 40;
  degree.friction = 1;
  Experiment e = one(testing::slide(2, degree), 0.5, 0, 10);
  const RunSummary summary = simulate(e).summary;
  // 2 F / k = 0.05 a half swing: 0.5, -0.45, 0.4, ... until the spring is weaker than F: |x| <=
  // 0.025.
  EXPECT_NEAR(summary.q(0), 0, 0.025 + 1e-9);
  double x = 0.5;
  while (std::abs(x) > 0.025 + 1e-12) x = x > 0 ? -(x - 0.05) : -(x + 0.05);
  EXPECT_NEAR(summary.q(0), x, 1e-7);
  EXPECT_EQ(summary.v(0), 0);
}

TEST(Cases, ABeltDragsASpringByStickAndSlip) {
  // Static friction F_s, sliding F_k, belt at v: sticks until k x = F_s, slips about F_k / k with
  // x'' = -w^2 (x - F_k / k), sticks again when it has the belt's speed.
  const double k = 100, m = 1, v = 0.1, w = std::sqrt(k / m), mu_s = 0.6, mu_k = 0.3;
  Robot robot = testing::slide(m);
  robot.gravity = {0, 0, -g};
  DegreeData spring;
  spring.stiffness = k;
  // The block lifts off freely: x, then z; the belt is a plane on a driven body.
  robot.joints[0].degrees = {spring};
  robot.bodies.push_back(robot.bodies[0]);
  robot.bodies[0].name = "rail";
  robot.bodies[0].inertial.mass = 0;
  robot.bodies[0].inertial.inertia.setZero();
  robot.joints[0].child = "rail";
  robot.bodies[1].name = "block";
  JointData up = robot.joints[0];
  up.name = "up";
  up.parent = "rail";
  up.child = "block";
  up.axis = {0, 0, 1};
  up.degrees = {};
  robot.joints.push_back(up);
  robot.bodies.push_back(robot.bodies[1]);
  robot.bodies[2].name = "belt";
  JointData belt = robot.joints[0];
  belt.name = "belt";
  belt.child = "belt";
  belt.degrees = {};
  robot.joints.push_back(belt);
  Experiment e = with(robot, 12);
  Contact contact = at("rub", Vector3<double>::Zero(), 0, mu_k, 2);
  contact.static_friction = mu_s;
  contact.plane.body = 3;
  e.contacts = {contact};
  e.drives = {Drive{}, Drive{}, testing::follows("0.1*t")};
  e.v << v, 0, v;
  e.record.channels = {"q", "v", "contact"};
  e.events = {testing::passes("slips", "contact.rub.slip", 1e-6, Event::Direction::rising)};
  const RunSummary summary = simulate(e).summary;
  const double F_s = mu_s * m * g, F_k = mu_k * m * g, A = (F_s - F_k) / k;
  // Slip from x - F_k/k = A at speed v until the speed is v again.
  const double slip = (2 * pi - 2 * std::atan(A * w / v)) / w, stick = 2 * A / v;
  ASSERT_GE(summary.events.size(), 3u);
  EXPECT_NEAR(summary.events[0].t, F_s / k / v, 1e-5);
  EXPECT_NEAR(summary.events[2].t - summary.events[1].t, slip + stick, 1e-5);
}

Contact ball_contact(double r, double mu) {
  Contact ball = at("ball", Vector3<double>::Zero(), 0, mu);
  ball.shape.radius = r;
  return ball;
}

TEST(Cases, ASlidingBallRollsWithFiveSeventhsOfItsSpeed) {
  const double m = 0.6, r = 0.11, I = 0.4 * m * r * r, mu = 0.25, v0 = 3;
  Experiment e = with(free_body(m, {I, I, I}), 2);
  place(e) << 0, 0, r;
  e.v.tail<3>() << v0, 0, 0;
  e.contacts = {ball_contact(r, mu)};
  e.record.channels = {"contact.ball", "v"};
  e.events = {testing::passes("rolls", "contact.ball.slip", 1e-9, Event::Direction::falling)};
  const RunSummary summary = simulate(e).summary;
  ASSERT_FALSE(summary.events.empty());
  EXPECT_NEAR(summary.events[0].t, 2 * v0 / (7 * mu * g), 1e-7);
  EXPECT_NEAR((Eigen::Vector3d(summary.v.tail<3>()).norm()), 5 * v0 / 7, 1e-8);
}

TEST(Cases, ABallRollsInAGrooveAboutTheLineThroughItsContacts) {
  // Both contacts hold: it rolls with the radius r cos 45 degrees and the acceleration g sin(slope)
  // / (1 + I / (m r_c^2)). Friction could clamp it in the groove by any amount, and need not.
  const double m = 2, r = 0.1, I = 0.02, slope = 0.3, half = std::sqrt(0.5);
  const Matrix3<double> R = Eigen::AngleAxisd(slope, Vector3<double>::UnitX()).toRotationMatrix();
  for (const double mu : {0.2, 0.5, 0.9}) {
    Experiment e = with(testing::free_body(m, Vector3<double>::Constant(I)), 0.3);
    testing::place(e) = R * Vector3<double>(0, 0, r / half);
    for (const double side : {-1.0, 1.0}) {
      Contact wall = at(side < 0 ? "left" : "right", Vector3<double>::Zero(), 0, mu);
      wall.shape.radius = r;
      wall.plane.normal = R * Vector3<double>(side * half, 0, half);
      e.contacts.push_back(wall);
    }
    const RunSummary summary = simulate(e).summary;
    ASSERT_TRUE(summary.complete) << summary.reason;
    const Vector3<double> along = R * Vector3<double>(0, -1, 0);
    EXPECT_NEAR(summary.q.tail<3>().dot(along),
                0.5 * g * std::sin(slope) / (1 + I / (m * r * r / 2)) * e.end * e.end, 1e-9)
        << mu;
    EXPECT_EQ(summary.contacts[0].state, ContactState::sticks);
    EXPECT_LT(summary.statistics.steps, 1000);
  }
}

TEST(Cases, RollingResistanceBrakesABallEvenly) {
  // m a = -F, I a / r = F r - rho m g: a = -(5/7) g rho / r.
  const double m = 0.6, r = 0.1, I = 0.4 * m * r * r, rho = 0.004, v0 = 1;
  Experiment e = with(free_body(m, {I, I, I}), 2);
  place(e) << 0, 0, r;
  e.v << 0, v0 / r, 0, v0, 0, 0;
  Contact ball = ball_contact(r, 0.8);
  ball.rolling_resistance = rho;
  e.contacts = {ball};
  e.record.channels = {"v", "energy", "q"};
  const RunSummary summary = simulate(e).summary;
  const double a = 5.0 / 7 * g * rho / r;
  EXPECT_NEAR((Eigen::Vector3d(summary.v.tail<3>()).norm()), v0 - 2 * a, 1e-6);
  EXPECT_LT(summary.energy_balance, 1e-7);
  // Long after v0 / a it rests, v0^2 / (2 a) further on.
  e.end = 8;
  const RunSummary rests = simulate(e).summary;
  EXPECT_NEAR(rests.q.tail<3>()(0), v0 * v0 / (2 * a), 1e-3);
  EXPECT_LT(rests.v.norm(), 1e-4);
}

TEST(Cases, ASpinningTripodStopsWhenFrictionHasTakenItsMomentum) {
  // Three feet at the radius r, each under m g / 3: the moment mu m g r brakes the spin evenly.
  const double m = 2, I = 0.05, r = 0.3, mu = 0.25, spin = 9;
  const double brake = mu * m * testing::g * r / I, stops = spin / brake;
  Experiment e = testing::with(testing::free_body(m, {I, I, I}), 1.5 * stops);
  for (int k = 0; k < 3; ++k) {
    const double angle = 2 * testing::pi * k / 3;
    e.contacts.push_back(testing::at("foot" + std::to_string(k),
                                     {r * std::cos(angle), r * std::sin(angle), 0}, 0, mu));
  }
  e.v(2) = spin;
  e.record.channels = {"q", "v", "contact"};
  e.record.interval = stops / 10;
  const auto run = simulate(e);
  ASSERT_TRUE(run.summary.complete) << run.summary.reason;
  const Eigen::VectorXd w = run.column("v.free.wz"), n = run.column("contact.foot1.normal");
  for (Eigen::Index i = 0; i < 10; ++i) {
    EXPECT_NEAR(w(i), spin - brake * run.t[static_cast<std::size_t>(i)], 1e-8);
    EXPECT_NEAR(n(i), m * testing::g / 3, 1e-7);
  }
  EXPECT_NEAR(run.summary.v.norm(), 0, 1e-9);
  const double turned = spin * spin / (2 * brake);
  EXPECT_NEAR(2 * std::atan2(run.summary.q(3), run.summary.q(0)), turned, 1e-7);
}

}  // namespace
}  // namespace ulna
