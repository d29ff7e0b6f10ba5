// What touches a plane and stays there: rest, sliding, rolling, jamming.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "contacts.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::at;
using testing::body;
using testing::free_body;
using testing::frozen;
using testing::g;
using testing::incline;
using testing::place;
using testing::planar_body;
using testing::speed;
using testing::with;

TEST(Contact, ABlockSlidesDownWithGTimesSineMinusMuCosine) {
  const double slope = 0.5, mu = 0.3, t = 1.5;
  const auto run = simulate(incline(slope, mu, t));
  const double s = 0.5 * g * (std::sin(slope) - mu * std::cos(slope)) * t * t;
  const Vector3<double> start =
      Eigen::AngleAxisd(slope, Vector3<double>::UnitY()) * Vector3<double>(0, 0, 0.1);
  EXPECT_NEAR((Vector3<double>(run.summary.q.tail<3>()) - start).norm(), s, 1e-9);
  EXPECT_GT(run.summary.q(4), 0);
  EXPECT_LT(run.summary.energy_balance, 1e-9);
  EXPECT_NEAR(run.summary.works(2), mu * 2 * g * std::cos(slope) * s, 1e-8);
  EXPECT_LT(run.summary.statistics.steps, 400);
  // Normal forces carry the weight, more in front.
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += run.column("contact.c" + std::to_string(k) + ".normal")(50);
  EXPECT_NEAR(sum, 2 * g * std::cos(slope), 1e-9);
  EXPECT_GT(run.column("contact.c1.normal")(50), run.column("contact.c0.normal")(50));
}

TEST(Contact, ABlockSticksWhenMuExceedsTheSlope) {
  for (const double mu : {std::tan(0.5) * 1.01, 0.9, 2.0}) {
    const auto run = simulate(incline(0.5, mu, 2));
    EXPECT_LT(run.summary.v.norm(), 1e-12) << mu;
    EXPECT_EQ(run.summary.contacts[0].state, ContactState::sticks);
    EXPECT_LT(run.summary.statistics.steps, 300);
  }
  EXPECT_GT(simulate(incline(0.5, std::tan(0.5) * 0.99, 2)).summary.v.norm(), 1e-3);
}

/// Kane's double pendulum: rods of 1 m and 1 kg, turned by 20 and 10 degrees, the tip on a plane.
Experiment kanes_pendulum(double mu, double gravity, double end) {
  Robot robot;
  robot.name = "kane";
  robot.gravity = {0, 0, -gravity};
  const double I = 1.0 / 12;
  for (const std::string name : {"a", "b"}) {
    robot.bodies.push_back(body(name, {1, {0, 0, -0.5}, Vector3<double>(I, I, 1e-4).asDiagonal()}));
    JointData joint;
    joint.name = "j" + name;
    joint.type = JointType::revolute;
    joint.child = name;
    joint.axis = {0, -1, 0};
    if (name == "b") joint.parent = "a", joint.X_PF.position = {0, 0, -1};
    robot.joints.push_back(joint);
  }
  Experiment e = with(robot, end);
  e.q << std::numbers::pi / 9, std::numbers::pi / 18;
  e.contacts = {at("tip", {0, 0, -1}, 0, mu, 2)};
  e.contacts[0].plane.point.z() = -std::cos(e.q(0)) - std::cos(e.q(0) + e.q(1));
  return e;
}

/// Its tip at the start, along x and z: M, the rows of the tip, D = J M^-1 J', and the forces or
/// impulses of slipping forwards or backwards that Coulomb's law allows from u.
struct KanesTip {
  Eigen::Matrix2d M, J, D;
  explicit KanesTip(const Eigen::VectorXd& q) {
    const double a = q(0), b = q(0) + q(1), I = 1.0 / 12;
    const Eigen::Vector2d first(std::cos(a), std::sin(a)), second(std::cos(b), std::sin(b));
    J << first + second, second;
    Eigen::Matrix2d A, B, turn;
    A << first / 2, Eigen::Vector2d::Zero();
    B << first + second / 2, second / 2;
    turn << 2, 1, 1, 1;
    M = A.transpose() * A + B.transpose() * B + I * turn;
    D = J * M.inverse() * J.transpose();
  }
  /// Friction along sign x.
  Eigen::Vector2d rubbing(const Eigen::Vector2d& u, double mu, double sign) const {
    const double normal = -u(1) / (D(1, 1) + sign * mu * D(1, 0));
    return {sign * mu * normal, normal};
  }
};

TEST(Contact, FrictionThatPushesTheTipUpDoesNotKeepItFromSlipping) {
  // Taking normal and tangent in turns diverges where mu D_nt > D_nn, here for mu > 0.66; yet there
  // is exactly one solution.
  for (const double mu : {0.3, 0.7, 1.0, 1.5, 2.0}) {
    Experiment hit = kanes_pendulum(mu, 0, 1e-9);
    hit.v << -0.1, -0.1;
    const KanesTip tip(hit.q);
    const Eigen::Vector2d u = tip.J * hit.v, p = tip.rubbing(u, mu, 1), after = u + tip.D * p;
    ASSERT_LT(after(0), 0);  // it does slip against that friction
    const RunSummary end = simulate(hit).summary;
    // 1e-9 s later.
    EXPECT_LT((tip.J * end.v - after).norm(), 1e-9) << mu;

    Experiment rest = kanes_pendulum(mu, g, 1e-9);
    rest.record.channels = {"contact"};
    const Eigen::Vector2d weight(
        -g * (1.5 * std::sin(rest.q(0)) + 0.5 * std::sin(rest.q(0) + rest.q(1))),
        -g * 0.5 * std::sin(rest.q(0) + rest.q(1)));
    const Eigen::Vector2d f = tip.rubbing(tip.J * tip.M.inverse() * weight, mu, 1);
    const auto run = simulate(rest);
    EXPECT_NEAR(run.column("contact.tip.normal")(0), f(1), 1e-9) << mu;
    EXPECT_NEAR(std::hypot(run.column("contact.tip.t1")(0), run.column("contact.tip.t2")(0)), f(0),
                1e-9);
  }
}

/// A block of 1 kg on the ground, carried by slides along x, y and z; `carriage`: mass of the slide
/// along x, which makes it harder to move that way. Forces along x and y act on it.
Experiment dragged_block(double carriage, double mu, const char* fx, const char* fy) {
  Robot robot;
  robot.name = "slides";
  const char* names[] = {"x", "y", "z"};
  const double masses[] = {carriage, 0, 1};
  for (int k = 0; k < 3; ++k) {
    robot.bodies.push_back(body(names[k], {masses[k], Vector3<double>::Zero(),
                                           Matrix3<double>::Identity() * (0.01 * masses[k])}));
    JointData joint;
    joint.name = std::string("j") + names[k];
    joint.type = JointType::prismatic;
    joint.child = names[k];
    joint.axis = Vector3<double>::Unit(k);
    if (k > 0) joint.parent = names[k - 1];
    robot.joints.push_back(joint);
  }
  Experiment e = with(robot, 1);
  e.integrator.tolerances = {1e-8, 1e-10};
  e.contacts = {at("c", Vector3<double>::Zero(), 0, mu, 3)};
  e.wrenches.push_back({});
  e.wrenches[0].body = 3;
  e.wrenches[0].force[0] = std::make_shared<Formula>(fx);
  e.wrenches[0].force[1] = std::make_shared<Formula>(fy);
  return e;
}

TEST(Contact, AForceThatTurnsDragsABlockAlongItsCurve) {
  // It breaks loose where the force has grown to mu m g, with no acceleration yet, while the force
  // turns: friction turns with a slip that begins like t^2.
  const RunSummary end = simulate(dragged_block(0, 0.5, "10*t*cos(3*t)", "10*t*sin(3*t)")).summary;
  // From an implicit integration of the two equations of the block.
  EXPECT_NEAR(end.q(0), -0.1586676, 1e-5);
  EXPECT_NEAR(end.q(1), 0.1380403, 1e-5);
  EXPECT_LT(end.statistics.steps, 800);
}

/// The same by implicit Euler steps, whose friction is exact at any speed: (M r + h mu m g) s = M v
/// + h F with v+ = r s and |s| = 1, for r by bisection.
Eigen::Vector2d dragged_by_small_steps(const Eigen::Vector2d& M, double limit, double h,
                                       Eigen::Vector2d (*force)(double)) {
  Eigen::Vector2d place = Eigen::Vector2d::Zero(), v = Eigen::Vector2d::Zero();
  const int steps = static_cast<int>(std::lround(1 / h));
  for (int k = 1; k <= steps; ++k) {
    const Eigen::Vector2d w = M.cwiseProduct(v) + h * force(k * h);
    const auto direction = [&](double r) -> Eigen::Vector2d {
      return w.cwiseQuotient(Eigen::Vector2d(r * M + Eigen::Vector2d::Constant(h * limit)));
    };
    v.setZero();
    if (w.norm() > h * limit) {
      double low = 0, high = w.norm() / M.minCoeff();
      for (int round = 0; round < 50; ++round)
        (direction(0.5 * (low + high)).norm() > 1 ? low : high) = 0.5 * (low + high);
      v = high * direction(high);
    }
    place += h * v;
  }
  return place;
}

TEST(Contact, ASlipThatBeginsAcrossTheForceThatHeldItGoesOn) {
  // The force reaches the limit at 0.4 s and turns while it hardly grows. With friction along its
  // direction at that instant the block, harder to move along x, would be pushed back; friction
  // turns with the slip instead. Before, such a slip began anew for ever.
  const auto force = [](double t) -> Eigen::Vector2d {
    const double size = 4.905 + 0.3 * (t - 0.4), angle = 0.8 - 2 * (t - 0.4);
    return {size * std::cos(angle), size * std::sin(angle)};
  };
  Experiment e = dragged_block(4, 0.5, "(4.905 + 0.3*(t-0.4))*cos(0.8 - 2*(t-0.4))",
                               "(4.905 + 0.3*(t-0.4))*sin(0.8 - 2*(t-0.4))");
  e.record.channels = {"contact", "v"};
  const auto run = simulate(e);
  const auto reference = [&](double h) { return dragged_by_small_steps({5, 1}, 4.905, h, force); };
  // Euler errs by its step: what is left after extrapolation is of its square.
  const Eigen::Vector2d exact = 2 * reference(1e-5) - reference(2e-5);
  EXPECT_NEAR(run.summary.q(0), exact(0), 1e-8);
  EXPECT_NEAR(run.summary.q(1), exact(1), 1e-8);
  EXPECT_LT(run.summary.statistics.steps, 4000);
  EXPECT_LT(run.summary.energy_balance, 1e-8);
  // Friction is against the slip: to the lag (docs/theory/simulation.md, eq. 63) times the rate at
  // which it turns.
  const Eigen::VectorXd vx = run.column("v.jx"), vy = run.column("v.jy"),
                        t1 = run.column("contact.c.t1"), t2 = run.column("contact.c.t2");
  for (Eigen::Index i = 0; i < vx.size(); ++i) {
    const double slip = std::hypot(vx(i), vy(i));
    if (slip < 1e-3) continue;
    EXPECT_LT(std::abs(vx(i) * t2(i) - vy(i) * t1(i)), 1e-7 * slip * 4.905) << i;
    EXPECT_LT(vx(i) * t1(i) + vy(i) * t2(i), 0) << i;
  }
  // Tighter tolerances look less far ahead and take it along.
  e.integrator.tolerances = {1e-11, 1e-13};
  const RunSummary tight = simulate(e).summary;
  EXPECT_LT((tight.q - run.summary.q).norm(), 1e-8);
}

TEST(Contact, AContactThatJamsWhileItSlidesIsNamed) {
  Experiment e(frozen(read_robot("intelledex605").robot));
  e.end = 0.5;
  e.v = Eigen::VectorXd::Zero(e.model->speeds());
  e.q.resize(6);
  e.q << -0.841236507594241, 1.3575123867569587, -0.3052293758481843, -0.03821767502735951,
      1.4696143642328594, 0.9973340084488429;
  const Frame& wrist = e.model->frames()[static_cast<std::size_t>(e.model->frame("wrist"))];
  const Frame& own = e.model->frames()[static_cast<std::size_t>(wrist.body)];
  const Pose<double> seat = own.X_NF.inverse() * wrist.X_NF;
  e.contacts = {at("hand", seat.position, 0, 1, wrist.body)};
  e.contacts[0].plane.point.z() = 0.507324438040331;
  try {
    simulate(e);
    FAIL() << "it went on";
  } catch (const ComputationError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'hand' jams"), std::string::npos) << text;
    EXPECT_NE(text.find("t = 0.3078"), std::string::npos) << text;
  }
}

TEST(Contact, ASlidingBlockStopsAfterTheDistanceOfItsEnergyAndBreaksLooseWhenPulled) {
  const double mu = 0.25, v0 = 2;
  Experiment e = incline(0, mu, 6);
  e.v.tail<3>() << v0, 0, 0;
  e.wrenches.push_back({});
  e.wrenches[0].body = 1;
  e.wrenches[0].point = {0, 0, -0.1};
  // Nothing, and from 2 s on a pull along y that grows to twice what friction holds.
  e.wrenches[0].force[1] = std::make_shared<Formula>("max(0, t-2)*2*9.81*0.25");
  e.events = {{"loose", "contact.c0.mode", 1.5, Event::Direction::rising, false, {}, NAN, {}}};
  const auto run = simulate(e);
  EXPECT_NEAR(run.summary.q(4), v0 * v0 / (2 * mu * g), 1e-8);
  ASSERT_EQ(run.summary.events.size(), 1u);
  EXPECT_NEAR(run.summary.events[0].t, 3, 1e-6);
  // m y'' = mu m g (t - 3) from then on.
  EXPECT_NEAR(run.summary.q(5), mu * g * 27 / 6, 1e-6);
  EXPECT_LT(run.summary.energy_balance, 1e-7);
}

TEST(Contact, ABowledBallSlidesAndThenRollsWithFiveSevenths) {
  const double r = 0.1, m = 1, I = 0.4 * m * r * r, mu = 0.2, v0 = 3;
  Experiment e = with(free_body(m, {I, I, I}), 2);
  place(e) << 0, 0, r;
  speed(e) << v0, 0, 0;
  Contact ball = at("ball", Vector3<double>::Zero(), 0, mu);
  ball.shape.radius = r;
  e.contacts = {ball};
  e.record.channels = {"contact"};
  e.record.interval = 0.01;
  const auto run = simulate(e);
  const double rolls = 2 * v0 / (7 * mu * g);
  const Eigen::VectorXd mode = run.column("contact.ball.mode");
  for (std::size_t i = 0; i < run.t.size(); ++i)
    EXPECT_EQ(mode(static_cast<Eigen::Index>(i)), run.t[i] < rolls ? 2 : 1) << run.t[i];
  EXPECT_NEAR(run.summary.v(1), 5.0 / 7 * v0 / r, 1e-8);
  const double x = v0 * rolls - 0.5 * mu * g * rolls * rolls + 5.0 / 7 * v0 * (2 - rolls);
  EXPECT_NEAR(run.summary.q(4), x, 1e-8);
}

TEST(Contact, ARodThatSlidesOnAWallAndAFloorLeavesTheWallAtTwoThirdsOfItsHeight) {
  // Without friction: a uniform rod from rest at angle a0 from the wall leaves the wall where
  // cos a = 2/3 cos a0.
  const double l = 1, m = 1, a0 = 0.3;
  Experiment e = with(planar_body(m, m * l * l / 12), 2);
  // The rod's lower end is on the floor at +x, its upper end on the wall x = 0.
  const double c = std::cos(a0), s = std::sin(a0);
  e.q << 0.5 * l * s, -0.5 * l * c, 0;
  const Vector3<double> half(0.5 * l * s, 0, -0.5 * l * c);
  Contact floor = at("floor", half, 0, 0), wall = at("wall", -half, 0, 0);
  wall.plane.normal = {1, 0, 0};
  e.contacts = {floor, wall};
  e.events = {{"leaves", "contact.wall.mode", 1.5, Event::Direction::falling, true, {}, NAN, {}}};
  e.record.channels = {"contact", "q"};
  const auto run = simulate(e);
  EXPECT_EQ(run.summary.reason, "event 'leaves'");
  EXPECT_NEAR(std::abs(run.summary.q(1)), 0.5 * l * 2.0 / 3 * c, 1e-7);
  EXPECT_GE(run.column("contact.floor.normal").minCoeff(), 0);
}

TEST(Contact, ARodStandingOnARoughFloorFallsWithoutItsFootSlippingAtFirst) {
  // Foot held: a rod that falls about it, theta'' = 3 g sin(theta) / (2 l). It slips backwards
  // before it is down; until then the energy is kept.
  const double l = 1, m = 1, a0 = 0.1;
  Experiment e = with(planar_body(m, m * l * l / 12), 0.6);
  e.q << 0, -0.5 * l * std::cos(a0), 0;
  const Vector3<double> foot(-0.5 * l * std::sin(a0), 0, -0.5 * l * std::cos(a0));
  e.contacts = {at("foot", foot, 0, 0.8)};
  e.record.channels = {"contact", "energy", "q"};
  const auto run = simulate(e);
  EXPECT_EQ(run.summary.contacts[0].state, ContactState::sticks);
  const double w2 = run.summary.v(2) * run.summary.v(2), turned = std::abs(run.summary.q(2));
  EXPECT_NEAR(w2, 3 * g / l * (std::cos(a0) - std::cos(a0 + turned)), 1e-8);
  EXPECT_LT(run.summary.energy_balance, 1e-9);
}

}  // namespace
}  // namespace ulna
