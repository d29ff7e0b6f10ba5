// Cases with closed answers: free bodies, tops, floating bases, rolling discs.

#include <gtest/gtest.h>

#include "simulation/cases/cases.hpp"

namespace ulna {
namespace {

using testing::at;
using testing::elliptic_k;
using testing::free_body;
using testing::frozen;
using testing::g;
using testing::jacobi;
using testing::pi;
using testing::place;
using testing::with;

Experiment spinning(const Vector3<double>& inertia, const Vector3<double>& w, double end) {
  Robot robot = free_body(1, inertia);
  robot.gravity.setZero();
  Experiment e = with(robot, end);
  e.v.head<3>() = w;
  e.record.channels = {"v", "energy", "momentum"};
  return e;
}

TEST(Cases, ASymmetricBodyPrecessesAtItsEulerRate) {
  // w1 + i w2 turns at (I3 - I1)/I1 w3 in the body.
  const Vector3<double> inertia(0.3, 0.3, 0.5), w(0.4, 0, 5);
  const auto run = simulate(spinning(inertia, w, 4));
  const double rate = (0.5 - 0.3) / 0.3 * 5;
  EXPECT_NEAR(run.summary.v(0), 0.4 * std::cos(rate * 4), 1e-8);
  EXPECT_NEAR(run.summary.v(1), 0.4 * std::sin(rate * 4), 1e-8);
  EXPECT_NEAR(run.summary.v(2), 5, 1e-10);
}

TEST(Cases, ATumblingBodyTurnsByJacobisFunctions) {
  // Dzhanibekov: spin about the middle axis, with L^2 > 2 T I2. Landau and Lifshitz, section 37.
  const double I1 = 1, I2 = 2, I3 = 3;
  const Vector3<double> start(0.02, 0, 1.0);
  const double T2 = I1 * start.x() * start.x() + I3 * start.z() * start.z();
  const double L2 = I1 * I1 * start.x() * start.x() + I3 * I3 * start.z() * start.z();
  ASSERT_GT(L2, T2 * I2);
  const double k = std::sqrt((I2 - I1) * (T2 * I3 - L2) / ((I3 - I2) * (L2 - T2 * I1)));
  const double rate = std::sqrt((I3 - I2) * (L2 - T2 * I1) / (I1 * I2 * I3));
  const auto run = simulate(spinning({I1, I2, I3}, start, 20));
  const double A1 = std::sqrt((T2 * I3 - L2) / (I1 * (I3 - I1))),
               A2 = std::sqrt((T2 * I3 - L2) / (I2 * (I3 - I2))),
               A3 = std::sqrt((L2 - T2 * I1) / (I3 * (I3 - I1)));
  const Eigen::VectorXd w1 = run.column("v.free.wx"), w2 = run.column("v.free.wy"),
                        w3 = run.column("v.free.wz");
  for (std::size_t i = 0; i < run.t.size(); ++i) {
    const auto j = jacobi(rate * run.t[i], k);
    const auto row = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(w1(row), A1 * j.cn, 1e-8);
    EXPECT_NEAR(std::abs(w2(row)), std::abs(A2 * j.sn), 1e-8);
    EXPECT_NEAR(w3(row), A3 * j.dn, 1e-8);
  }
}

TEST(Cases, TheMiddleAxisFlipsInTheTimeOfTheEllipticIntegral) {
  const double I1 = 1, I2 = 2, I3 = 3, small = 1e-3;
  const Vector3<double> start(small, 1, 0);
  const double T2 = I1 * small * small + I2, L2 = I1 * I1 * small * small + I2 * I2;
  ASSERT_LT(L2, T2 * I2);  // the roles of the axes 1 and 3 change
  const double k = std::sqrt((I3 - I2) * (L2 - T2 * I1) / ((I2 - I1) * (T2 * I3 - L2)));
  const double rate = std::sqrt((I2 - I1) * (T2 * I3 - L2) / (I1 * I2 * I3));
  Experiment e = spinning({I1, I2, I3}, start, 60);
  e.events = {testing::passes("flip", "v.free.wy", 0, Event::Direction::either)};
  const RunSummary summary = simulate(e).summary;
  ASSERT_GE(summary.events.size(), 2u);
  EXPECT_NEAR(summary.events[1].t - summary.events[0].t, 2 * elliptic_k(k) / rate, 1e-6);
}

TEST(Cases, AFastTopPrecessesSteadily) {
  // m g l = I3 w3 p - I1 p^2 cos(theta) about the support, w3 the whole spin.
  const double m = 1.5, l = 0.3, I1 = 0.004 + m * l * l, I3 = 0.006, theta = 0.6, spin = 400;
  const double a = I1 * std::cos(theta);
  const double p = (I3 * spin - std::sqrt(I3 * I3 * spin * spin - 4 * a * m * g * l)) / (2 * a);
  Experiment e = with(testing::top(), 1);
  e.q << std::cos(theta / 2), std::sin(theta / 2), 0, 0;
  // The precession in body axes, and the spin that makes w3 = spin.
  e.v << 0, p * std::sin(theta), spin;
  e.record.channels = {"frame.rotor", "energy"};
  const auto run = simulate(e);
  const Eigen::VectorXd w = run.column("frame.rotor.qw"), x = run.column("frame.rotor.qx"),
                        y = run.column("frame.rotor.qy"), z = run.column("frame.rotor.qz");
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    const double axis_z = 1 - 2 * (x(i) * x(i) + y(i) * y(i));
    EXPECT_NEAR(axis_z, std::cos(theta), 1e-8);
    const double axis_x = 2 * (x(i) * z(i) + w(i) * y(i)), axis_y = 2 * (y(i) * z(i) - w(i) * x(i));
    const double turned = p * run.t[static_cast<std::size_t>(i)];
    EXPECT_NEAR(axis_x, std::sin(theta) * std::sin(turned), 1e-6);
    EXPECT_NEAR(axis_y, -std::sin(theta) * std::cos(turned), 1e-6);
  }
}

TEST(Cases, TheCentreOfMassOfAFloatingArmFliesAParabola) {
  Robot robot = free_body(3, {0.2, 0.3, 0.4});
  robot.bodies.push_back(
      testing::body("arm", {1, {0.4, 0, 0}, Vector3<double>(0.01, 0.02, 0.02).asDiagonal()}));
  JointData joint;
  joint.name = "shoulder";
  joint.type = JointType::revolute;
  joint.parent = "thing";
  joint.child = "arm";
  joint.axis = {0, 1, 0};
  joint.X_PF.position << 0.2, 0, 0;
  robot.joints.push_back(joint);
  Experiment e = with(robot, 2);
  e.v << 0.3, -0.2, 0.1, 1, 0, 4, 0.5;
  e.drives = {Drive{}, testing::pushed("0.7*sin(3*t)")};
  e.record.channels = {"momentum", "energy"};
  const auto run = simulate(e);
  const Eigen::VectorXd lx = run.column("momentum.lx"), lz = run.column("momentum.lz");
  for (std::size_t i = 0; i < run.t.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(lx(row), lx(0), 1e-8);
    EXPECT_NEAR(lz(row), lz(0) - 4 * g * run.t[i], 1e-8);
  }
  EXPECT_LT(run.summary.energy_balance, 1e-7);
}

/// A disc of mass 1 that rolls without slip at a constant tilt: Euler's disc.
TEST(Cases, AnEulerDiscRollsSteadilyAtItsTilt) {
  // Thin disc, angle alpha between face and ground, the contact runs round at Omega about the
  // vertical through the resting centre: Omega^2 sin(alpha) = 4 g / r (McDonald, 2000).
  const double r = 0.3, alpha = 0.2, Omega = std::sqrt(4 * g / (r * std::sin(alpha)));
  Experiment e = with(free_body(1, {0.25 * r * r, 0.25 * r * r, 0.5 * r * r}), 1);
  // The axis is tilted by alpha towards x: the lowest point is at +x.
  e.q.head<4>() << std::cos(alpha / 2), 0, std::sin(alpha / 2), 0;
  place(e) << 0, 0, r * std::sin(alpha);
  // The axis precesses at Omega, and the disc turns about the line to its contact: w = -Omega
  // cos(alpha) e3 + Omega z = Omega sin(alpha) along the face, in the vertical plane of the axis.
  e.v.head<3>() << -Omega * std::sin(alpha), 0, 0;
  Contact rim = at("rim", Vector3<double>::Zero(), 0, 0.9);
  rim.shape.radius = r;
  rim.shape.axis = {0, 0, 1};
  e.contacts = {rim};
  e.record.channels = {"q", "energy", "contact"};
  const auto run = simulate(e);
  ASSERT_TRUE(run.summary.complete) << run.summary.reason;
  const Eigen::VectorXd z = run.column("q.free.z");
  for (const double height : z) EXPECT_NEAR(height, r * std::sin(alpha), 1e-6);
  EXPECT_EQ(run.summary.contacts[0].state, ContactState::sticks);
  EXPECT_LT(run.summary.energy_balance, 1e-7);
}

TEST(Cases, ASphericalPendulumGoesRoundItsCone) {
  // w^2 = g / (l cos(theta)).
  Robot robot = testing::pendulum();
  robot.joints[0].type = JointType::spherical;
  robot.bodies[0].inertial.inertia = Vector3<double>::Constant(1e-9).asDiagonal();
  const double theta = 0.7, w = std::sqrt(g / std::cos(theta));
  Experiment e = with(robot, 3);
  e.q << std::cos(theta / 2), 0, std::sin(theta / 2), 0;
  // About the vertical, in the axes of the rod.
  e.v << -w * std::sin(theta), 0, w * std::cos(theta);
  e.record.channels = {"energy.potential"};
  const auto run = simulate(e);
  const Eigen::VectorXd potential = run.column("energy.potential");
  for (const double level : potential) EXPECT_NEAR(level, potential(0), 1e-7);
}

}  // namespace
}  // namespace ulna
