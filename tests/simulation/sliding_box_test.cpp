// A box on its four corners, sliding and turning on a rough floor: four contacts at once, one more
// than determine their forces.
#include <gtest/gtest.h>

#include <cmath>

#include "machines.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::body;
using testing::frozen;
using testing::g;

constexpr double mass = 2, spin_inertia = 0.05, a = 0.2, b = 0.15, mu = 0.3;

/// Its centre of mass `height` above the corners.
Experiment box(double height, const Vector3<double>& speed, double spin, double end) {
  Robot robot;
  robot.name = "box";
  robot.bodies.push_back(body("box", {mass, Vector3<double>::Zero(),
                                      Vector3<double>(0.03, 0.04, spin_inertia).asDiagonal()}));
  JointData joint;
  joint.name = "free";
  joint.type = JointType::free;
  joint.child = "box";
  robot.joints.push_back(joint);
  Experiment e(frozen(robot));
  e.end = end;
  e.integrator.tolerances = {1e-10, 1e-12};
  e.q = e.model->neutral();
  e.q.tail<3>() << 0, 0, height;
  e.v = Eigen::VectorXd::Zero(6);
  e.v(2) = spin;
  e.v.tail<3>() = speed;
  for (const double x : {-a, a})
    for (const double y : {-b, b}) {
      Contact corner;
      corner.name = "c" + std::to_string(e.contacts.size());
      corner.shape.body = 1;
      corner.shape.point = {x, y, -height};
      corner.friction = mu;
      e.contacts.push_back(corner);
    }
  e.record.channels = {"q", "v", "contact", "energy"};
  e.record.interval = end / 100;
  return e;
}

/// x, y, angle and their rates, the weight shared alike by the corners.
using Planar = Eigen::Matrix<double, 6, 1>;

Planar planar_rates(const Planar& s) {
  Planar rates;
  rates << s.tail<3>(), Eigen::Vector3d::Zero();
  const double c = std::cos(s(2)), n = std::sin(s(2));
  for (const double x : {-a, a})
    for (const double y : {-b, b}) {
      const Eigen::Vector2d arm(c * x - n * y, n * x + c * y);
      const Eigen::Vector2d slip(s(3) - s(5) * arm.y(), s(4) + s(5) * arm.x());
      const Eigen::Vector2d force = -mu * mass * g / 4 * slip.normalized();
      rates.segment<2>(3) += force / mass;
      rates(5) += (arm.x() * force.y() - arm.y() * force.x()) / spin_inertia;
    }
  return rates;
}

Planar slid(Planar s, double end, int steps) {
  const double h = end / steps;
  for (int k = 0; k < steps; ++k) {
    const Planar k1 = planar_rates(s), k2 = planar_rates(s + h / 2 * k1),
                 k3 = planar_rates(s + h / 2 * k2), k4 = planar_rates(s + h * k3);
    s += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return s;
}

TEST(SlidingBox, SlidesAndTurnsLikeThePlaneEquations) {
  // The centre of mass in the plane of the corners: no corner bears more than another.
  Planar start = Planar::Zero();
  start.tail<3>() << 0.9, 0.4, 3;
  const Planar wanted = slid(start, 0.25, 20000);
  ASSERT_GT(wanted.tail<3>().norm(), 0.1);  // it still moves
  const ulna::Run run = simulate(box(0, {0.9, 0.4, 0}, 3, 0.25));
  const Eigen::VectorXd& q = run.summary.q;
  EXPECT_NEAR(q(4), wanted(0), 1e-8);
  EXPECT_NEAR(q(5), wanted(1), 1e-8);
  EXPECT_NEAR(2 * std::atan2(q(3), q(0)), wanted(2), 1e-8);
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(run.column("contact.c" + std::to_string(k) + ".normal").tail(1)(0), mass * g / 4,
                1e-8);
  EXPECT_LT(run.summary.energy_balance, 1e-8);
}

TEST(SlidingBox, ComesToRestWithItsTurnAndSlideEndingTogether) {
  const ulna::Run run = simulate(box(0, {0.9, 0.4, 0}, 3, 1));
  ASSERT_TRUE(run.summary.complete) << run.summary.reason;
  EXPECT_LT(run.summary.v.norm(), 1e-9);
  const Eigen::VectorXd spin = run.column("v.free.wz"), slide = run.column("v.free.vx"),
                        lost = run.column("energy.dissipated");
  double last_spin = 0, last_slide = 0;
  for (Eigen::Index i = 0; i < spin.size(); ++i) {
    if (std::abs(spin(i)) > 1e-6) last_spin = run.t[static_cast<std::size_t>(i)];
    if (std::abs(slide(i)) > 1e-6) last_slide = run.t[static_cast<std::size_t>(i)];
    if (i > 0) {
      EXPECT_GE(lost(i), lost(i - 1) - 1e-12);
    }
  }
  EXPECT_NEAR(last_spin, last_slide, 0.0101);  // within a record
  // All energy has gone into friction.
  EXPECT_NEAR(lost.tail(1)(0), mass * (0.81 + 0.16) / 2 + spin_inertia * 9 / 2, 1e-7);
  EXPECT_LT(run.summary.statistics.steps, 3000);
  for (const RunSummary::ContactNote& note : run.summary.contacts)
    EXPECT_EQ(note.state, ContactState::sticks) << note.name;
}

TEST(SlidingBox, APureSpinEndsWhenFrictionHasTakenItsMomentum) {
  const double r = std::hypot(a, b), ends = spin_inertia * 4 / (mu * mass * g * r);
  const ulna::Run run = simulate(box(0, Vector3<double>::Zero(), 4, 2 * ends));
  const Eigen::VectorXd spin = run.column("v.free.wz");
  for (Eigen::Index i = 0; i < spin.size(); ++i)
    EXPECT_NEAR(spin(i), 4 * std::max(0.0, 1 - run.t[static_cast<std::size_t>(i)] / ends), 1e-8);
}

TEST(SlidingBox, AHighBoxLeansOnTheCornersAhead) {
  const double h = 0.1, v0 = 1;
  const ulna::Run run = simulate(box(h, {v0, 0, 0}, 0, 0.2));
  EXPECT_NEAR(run.summary.q(4), v0 * 0.2 - mu * g * 0.04 / 2, 1e-9);
  // Of least squares: both ahead alike, both behind alike, and moments about the centre vanish.
  const double shift = mu * mass * g * h / (4 * a);
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(run.column("contact.c" + std::to_string(k) + ".normal")(50),
                mass * g / 4 + (k < 2 ? -shift : shift), 1e-7)
        << k;
}

TEST(SlidingBox, EnergyNeverGrowsWhileAHighBoxSlidesAndTurns) {
  const ulna::Run run = simulate(box(0.12, {0.9, -0.5, 0}, 4, 0.8));
  ASSERT_TRUE(run.summary.complete) << run.summary.reason;
  const Eigen::VectorXd energy = run.column("energy.total");
  for (Eigen::Index i = 1; i < energy.size(); ++i) EXPECT_LE(energy(i), energy(i - 1) + 1e-10) << i;
  EXPECT_LT(run.summary.v.norm(), 1e-9);
  EXPECT_LT(run.summary.statistics.steps, 5000);
}

}  // namespace
}  // namespace ulna
