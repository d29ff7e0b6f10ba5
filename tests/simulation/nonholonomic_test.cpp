// Rows A(q) v = 0 that no position says: wheels that roll, blades that go along themselves.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "machines.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::body;
using testing::frozen;
using testing::g;
using Kind = NonholonomicConstraint::Kind;

Robot free_body(const Inertial& inertial) {
  Robot robot;
  robot.name = "thing";
  robot.bodies.push_back(body("thing", inertial));
  JointData joint;
  joint.name = "free";
  joint.type = JointType::free;
  joint.child = "thing";
  robot.joints.push_back(joint);
  return robot;
}

NonholonomicConstraint wheel(double radius, const Vector3<double>& axis) {
  NonholonomicConstraint row;
  row.name = "wheel";
  row.shape.body = 1;
  row.shape.radius = radius;
  row.shape.axis = axis;
  return row;
}

// ---- the knife edge
// ------------------------------------------------------------------------------------

/// Chaplygin's sleigh: a body on a level plane, a blade at its origin along its x axis, its centre
/// of mass `ahead` of the blade.
Experiment sleigh(double ahead, double spin, double end) {
  Robot robot;
  robot.name = "sleigh";
  robot.gravity.setZero();
  robot.bodies.push_back(
      body("sleigh", {2, {ahead, 0, 0}, Vector3<double>(0.2, 0.2, 0.3).asDiagonal()}));
  JointData joint;
  joint.name = "plane";
  joint.type = JointType::planar;
  joint.child = "sleigh";
  joint.axis = {0, 0, 1};
  robot.joints.push_back(joint);
  Experiment e(frozen(robot));
  e.end = end;
  e.integrator.tolerances = {1e-11, 1e-13};
  e.q = Eigen::VectorXd::Zero(3);
  e.v = Eigen::Vector3d(0, 0, spin);
  NonholonomicConstraint blade;
  blade.name = "blade";
  blade.kind = Kind::knife_edge;
  blade.shape.body = 1;
  blade.directions = {{0, 1, 0}};
  e.nonholonomic = {blade};
  e.record.channels = {"q", "v", "energy", "nonholonomic"};
  return e;
}

TEST(Nonholonomic, AChaplyginSleighTurnsStraightAsItsClosedFormSays) {
  // u' = a w^2, (I + m a^2) w' = -m a u w: with k^2 = m / (I + m a^2), w0 its first spin,
  // u = (w0 / k) tanh(a k w0 t), w = w0 / cosh(a k w0 t).
  const double a = 0.4, m = 2, I = 0.3, w0 = 3, k = std::sqrt(m / (I + m * a * a));
  const auto run = simulate(sleigh(a, w0, 4));
  for (std::size_t i = 0; i < run.t.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double s = a * k * w0 * run.t[i];
    const double angle = run.column("q.plane.turn")(row);
    const double u = run.column("v.plane.x")(row) * std::cos(angle) +
                     run.column("v.plane.y")(row) * std::sin(angle);
    EXPECT_NEAR(u, w0 / k * std::tanh(s), 1e-9) << run.t[i];
    EXPECT_NEAR(run.column("v.plane.turn")(row), w0 / std::cosh(s), 1e-9) << run.t[i];
    EXPECT_LT(run.column("nonholonomic.blade.slip")(row), 1e-13);
  }
  EXPECT_LT(run.summary.energy_balance, 1e-10);  // the blade does no work
  EXPECT_LT(run.summary.nonholonomic, 1e-13);
}

TEST(Nonholonomic, ABalancedSleighGoesInCircles) {
  Experiment e = sleigh(0, 2, std::numbers::pi);
  e.v = Eigen::Vector3d(1.5, 0, 2);
  const RunSummary end = simulate(e).summary;  // once around
  EXPECT_NEAR(end.q(0), 0, 1e-9);
  EXPECT_NEAR(end.q(1), 0, 1e-9);
  EXPECT_NEAR(end.q(2), 2 * std::numbers::pi, 1e-10);
}

TEST(Nonholonomic, ASkateOnASlopeDriftsSideways) {
  // A skate that spins on an inclined plane, gravity component G along x: it does not slide down
  // but swings: x = G / (2 w^2) sin^2(w t), and it drifts along y by G / (2 w) t on average.
  Experiment e = sleigh(0, 2, 5);
  Robot robot = e.model->robot();
  robot.gravity = {1, 0, 0};
  e.model = frozen(robot);
  const auto run = simulate(e);
  for (std::size_t i = 0; i < run.t.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double s = std::sin(2 * run.t[i]);
    EXPECT_NEAR(run.column("q.plane.x")(row), s * s / 8, 1e-9);
    EXPECT_NEAR(run.column("q.plane.y")(row), run.t[i] / 4 - std::sin(4 * run.t[i]) / 16, 1e-9);
  }
}

// ---- wheels
// ---------------------------------------------------------------------------------------------

TEST(Nonholonomic, ACylinderRollsDownAnInclineWithTwoThirdsOfTheSlide) {
  const double r = 0.2, m = 3, slope = 0.4;
  const double I = 0.5 * m * r * r;
  Experiment e(
      frozen(free_body({m, Vector3<double>::Zero(), Vector3<double>(I, I, I).asDiagonal()})));
  e.end = 2;
  e.integrator.tolerances = {1e-10, 1e-12};
  const Vector3<double> normal(std::sin(slope), 0, std::cos(slope));
  NonholonomicConstraint row = wheel(r, {0, 1, 0});
  row.plane.normal = normal;
  e.q = e.model->neutral();
  e.q.tail<3>() = r * normal;
  e.nonholonomic = {row};
  e.record.channels = {"nonholonomic", "energy"};
  const auto run = simulate(e);
  const Vector3<double> moved = Vector3<double>(run.summary.q.tail<3>()) - r * normal;
  const double a = 2.0 / 3 * g * std::sin(slope);
  EXPECT_NEAR(moved.norm(), 0.5 * a * 4, 1e-9);
  EXPECT_NEAR(moved.dot(normal), 0, 1e-12);
  EXPECT_LT(run.summary.energy_balance, 1e-9);
  EXPECT_LT(run.summary.nonholonomic, 1e-12);
  // The plane carries m g cos and holds back with a third of m g sin.
  const Vector3<double> force(run.column("nonholonomic.wheel.fx")(50),
                              run.column("nonholonomic.wheel.fy")(50),
                              run.column("nonholonomic.wheel.fz")(50));
  EXPECT_NEAR(force.dot(normal), m * g * std::cos(slope), 1e-9);
  EXPECT_NEAR((force - normal * force.dot(normal)).norm(), m * g * std::sin(slope) / 3, 1e-9);
}

TEST(Nonholonomic, ACoinRollsSteadilyWhereItsLeanSuitsItsTurn) {
  // A thin disc whose axis k rises by a above the level turns steadily about the vertical at W, its
  // spin along k being n. With u from the contact to its centre, L = I_a n k + I_t W cos(a) u, and
  // W z x L is the moment of the contact force m (W z x (n r k x u) + g z) about the centre:
  //   (I_a + m r^2) n W cos a = I_t W^2 sin a cos a - m g r sin a
  const double r = 0.1, m = 0.4, a = 0.35, W = 4.0;
  const double It = 0.25 * m * r * r, Ia = 0.5 * m * r * r;
  const double n =
      (It * W * W * std::cos(a) - m * g * r) * std::sin(a) / ((Ia + m * r * r) * W * std::cos(a));
  Experiment e(
      frozen(free_body({m, Vector3<double>::Zero(), Vector3<double>(It, It, Ia).asDiagonal()})));
  e.end = 3;
  e.integrator.tolerances = {1e-11, 1e-13};
  const Matrix3<double> R =
      Eigen::AngleAxisd(-std::numbers::pi / 2 + a, Vector3<double>::UnitX()).toRotationMatrix();
  const Eigen::Quaterniond turn(R);
  const Vector3<double> k = R.col(2), z(0, 0, 1);
  ASSERT_NEAR(k.z(), std::sin(a), 1e-12);
  const Vector3<double> u = (z - k * k.dot(z)).normalized();
  e.q = e.model->neutral();
  e.q.head<4>() << turn.w(), turn.x(), turn.y(), turn.z();
  e.q.tail<3>() = r * u;
  e.nonholonomic = {wheel(r, {0, 0, 1})};
  e.record.channels = {"frame.thing", "energy"};
  for (const double factor : {1.0, 1.2}) {  // steady, and not
    const Vector3<double> w = factor * n * k + W * std::cos(a) * u;
    const Vector3<double> v = w.cross(r * u);
    e.v.resize(6);
    e.v << R.transpose() * w, R.transpose() * v;
    const auto run = simulate(e);
    EXPECT_LT(run.summary.energy_balance, 1e-10);
    const double off = (run.column("frame.thing.z").array() - r * u.z()).abs().maxCoeff();
    if (factor == 1.0)
      EXPECT_LT(off, 1e-9);
    else
      EXPECT_GT(off, 1e-4);
  }
}

TEST(Nonholonomic, ARollingCoinKeepsItsEnergyAndItsContact) {
  const double r = 0.1, m = 0.4;
  const double It = 0.25 * m * r * r, Ia = 0.5 * m * r * r;
  Experiment e(
      frozen(free_body({m, Vector3<double>::Zero(), Vector3<double>(It, Ia, It).asDiagonal()})));
  e.end = 5;
  e.integrator.tolerances = {1e-11, 1e-13};
  e.q = e.model->neutral();
  e.q.head<4>() << std::cos(0.15), std::sin(0.15), 0, 0;
  e.q(6) = r * std::cos(0.3);
  e.nonholonomic = {wheel(r, {0, 1, 0})};
  // Only the spins are given; the speed of the centre follows.
  e.v = Eigen::VectorXd::Zero(6);
  e.v.head<3>() << 0.2, 12, 1;
  e.keep_v.assign(6, 0);
  e.keep_v[0] = e.keep_v[1] = e.keep_v[2] = 1;
  e.record.channels = {"nonholonomic", "energy", "frame.thing"};
  const auto run = simulate(e);
  EXPECT_LT(run.summary.energy_balance, 1e-9);
  EXPECT_LT(run.summary.nonholonomic, 1e-12);
  EXPECT_GT(run.column("frame.thing.z").minCoeff(), 0);
  EXPECT_LE(run.column("frame.thing.z").maxCoeff(), r + 1e-9);
}

/// A cart on two wheels of one axle and a planar base: redundant rows, and driven wheels.
TEST(Nonholonomic, ADriveWithTwoWheelsGoesWhereItsWheelsSay) {
  Robot robot;
  robot.name = "cart";
  robot.bodies.push_back(body("cart", {10, {0.05, 0, 0}, Matrix3<double>::Identity() * 0.5}));
  JointData base;
  base.name = "base";
  base.type = JointType::planar;
  base.child = "cart";
  base.axis = {0, 0, 1};
  robot.joints.push_back(base);
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "left" : "right";
    robot.bodies.push_back(
        body(name, {1, {0, 0, 0}, Vector3<double>(0.003, 0.005, 0.003).asDiagonal()}));
    JointData axle;
    axle.name = name + "_axle";
    axle.type = JointType::revolute;
    axle.parent = "cart";
    axle.child = name;
    axle.axis = {0, 1, 0};
    axle.X_PF.position = {0, side * 0.3, 0.1};
    robot.joints.push_back(axle);
  }
  Experiment e(frozen(robot));
  e.end = 2;
  e.drives.resize(3);
  e.drives[1] = {DriveKind::motion, {std::make_shared<Formula>("3*t^2")}, {}, {}};
  e.drives[2] = {DriveKind::motion, {std::make_shared<Formula>("2*t^2")}, {}, {}};
  for (const char* name : {"left", "right"}) {
    NonholonomicConstraint row = wheel(0.1, {0, 1, 0});
    row.name = name;
    row.shape.body = e.model->body(name);
    e.nonholonomic.push_back(row);
  }
  e.record.channels = {"v", "q", "energy", "tau", "nonholonomic"};
  const auto run = simulate(e);
  // At 2 s the rims move at 0.1 * 12 and 0.1 * 8: the cart at 1.0 m/s, turning at -0.4/0.6.
  const double angle = run.summary.q(2);
  EXPECT_NEAR(run.summary.v(2), -0.4 / 0.6, 1e-9);
  EXPECT_NEAR(std::hypot(run.summary.v(0), run.summary.v(1)), 1.0, 1e-9);
  EXPECT_NEAR(std::atan2(run.summary.v(1), run.summary.v(0)), angle, 1e-9);
  EXPECT_LT(run.summary.energy_balance, 1e-6);  // the drives do all the work
  EXPECT_GT(run.summary.works(0), 5);
}

TEST(Nonholonomic, AContactAndAWheelWorkTogether) {
  // The sleigh on its planar joint runs its nose against a wall: it stops and turns as the blade
  // lets it, and loses energy.
  Experiment e = sleigh(0.2, 0, 3);
  e.v = Eigen::Vector3d(1, 0, 0);
  Contact nose;
  nose.name = "nose";
  nose.shape.body = 1;
  nose.shape.point = {0.5, 0.1, 0};
  nose.plane.point = {1, 0, 0};
  nose.plane.normal = {-1, 0, 0};
  nose.restitution = 0.5;
  e.contacts = {nose};
  const auto run = simulate(e);
  EXPECT_EQ(run.summary.contacts[0].impacts, 1);
  EXPECT_GT(run.summary.works(2), 0.01);
  EXPECT_LT(run.summary.energy_balance, 1e-9);
  EXPECT_LT(run.summary.nonholonomic, 1e-12);
}

TEST(Nonholonomic, AllIntegratorsAgree) {
  Eigen::VectorXd reference;
  for (const IntegratorMethod method :
       {IntegratorMethod::dop853, IntegratorMethod::dormand_prince, IntegratorMethod::rk4,
        IntegratorMethod::sundials_erk, IntegratorMethod::sundials_bdf}) {
    if (!is_available(method)) continue;
    Experiment e = sleigh(0.4, 3, 1);
    e.integrator.method = method;
    e.integrator.tolerances = {1e-10, 1e-12};
    e.integrator.step = method == IntegratorMethod::rk4 ? 1e-3 : 0;
    const RunSummary end = simulate(e).summary;
    if (reference.size() == 0) reference = end.q;
    EXPECT_LT((end.q - reference).norm(), 1e-6) << name_of(method);
    EXPECT_LT(end.nonholonomic, 1e-12) << name_of(method);
  }
}

TEST(Nonholonomic, BadDataIsRefusedByName) {
  const auto refused = [](auto change) -> std::string {
    Experiment e = sleigh(0.4, 3, 1);
    change(e);
    try {
      simulate(e);
    } catch (const InputError& error) {
      return error.what();
    }
    return "taken";
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos && text.find("blade") != std::string::npos;
  };
  EXPECT_TRUE(has(refused([](Experiment& e) { e.nonholonomic[0].directions.clear(); }), "0 dir"));
  EXPECT_TRUE(
      has(refused([](Experiment& e) { e.nonholonomic[0].directions[0].setZero(); }), "zero"));
  EXPECT_TRUE(has(refused([](Experiment& e) {
                    e.nonholonomic[0].directions = {{0, 1, 0}, {0, 2, 0}};
                  }),
                  "depend"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.nonholonomic[0].shape.body = 5; }), "body"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.v(1) = 1; }), "does not fit"));
  EXPECT_TRUE(
      has(refused([](Experiment& e) { e.nonholonomic[0].kind = Kind::rolling; }), "radius"));
  EXPECT_TRUE(has(refused([](Experiment& e) {
                    e.nonholonomic[0].kind = Kind::rolling;
                    e.nonholonomic[0].shape.radius = 0.3;
                  }),
                  "-0.3 m off"));
}

}  // namespace
}  // namespace ulna
