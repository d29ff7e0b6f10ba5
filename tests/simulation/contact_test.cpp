// Contact of points, balls and discs with planes: impacts, rest, friction.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "machines.hpp"
#include "mechanisms.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::body;
using testing::frozen;

constexpr double g = 9.81;

/// One body with a free joint, its centre of mass at its origin.
Robot free_body(double mass, const Vector3<double>& inertia) {
  Robot robot;
  robot.name = "thing";
  robot.bodies.push_back(body("thing", {mass, Vector3<double>::Zero(), inertia.asDiagonal()}));
  JointData joint;
  joint.name = "free";
  joint.type = JointType::free;
  joint.child = "thing";
  robot.joints.push_back(joint);
  return robot;
}

/// The same with a joint that keeps it in the x-z plane: coordinates are x, -z and the turn about y
/// (conventions: the planar joint's axes are turned so that z goes onto its axis).
Robot planar_body(double mass, double inertia) {
  Robot robot = free_body(mass, {inertia, inertia, inertia});
  robot.joints[0].name = "plane";
  robot.joints[0].type = JointType::planar;
  robot.joints[0].axis = {0, 1, 0};
  return robot;
}

Experiment with(const Robot& robot, double end) {
  Experiment experiment(frozen(robot));
  experiment.end = end;
  experiment.integrator.tolerances = {1e-10, 1e-12};
  experiment.q = experiment.model->neutral();
  experiment.v = Eigen::VectorXd::Zero(experiment.model->speeds());
  return experiment;
}

Contact at(const std::string& name, const Vector3<double>& point, double restitution,
           double friction, int body_index = 1) {
  Contact contact;
  contact.name = name;
  contact.shape.body = body_index;
  contact.shape.point = point;
  contact.restitution = restitution;
  contact.friction = friction;
  return contact;
}

/// Position entries of a free joint's q, and the linear part of its v.
auto place(Experiment& e) { return e.q.tail<3>(); }
auto speed(Experiment& e) { return e.v.tail<3>(); }

// ---- impacts
// ------------------------------------------------------------------------------------------

TEST(Contact, ABallBouncesToTheSquareOfItsRestitutionTimesItsHeight) {
  const double e = 0.8, h = 1.5, r = 0.2;
  Experiment experiment = with(free_body(2, {0.1, 0.1, 0.1}), 3);
  place(experiment) << 0, 0, h + r;
  Contact ball = at("ball", Vector3<double>::Zero(), e, 0);
  ball.shape.radius = r;
  experiment.contacts = {ball};
  experiment.record.channels = {"contact.ball", "q", "energy"};
  experiment.events = {{"top", "v.free.vz", 0, Event::Direction::falling, false, {}}};
  const auto run = simulate(experiment);
  const double fall = std::sqrt(2 * h / g);
  double top = fall, height = h;
  ASSERT_GE(run.summary.events.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    // Tops are a fall and rises later: t = fall (1 + 2 e + ... + e^k) and so on.
    height *= e * e;
    top += (k == 0 ? 0 : fall * std::pow(e, static_cast<double>(k))) +
           fall * std::pow(e, static_cast<double>(k + 1));
    // Impacts are located to 1e-10 s.
    EXPECT_NEAR(run.summary.events[k].t, top, 1e-8) << k;
  }
  // Just before the first impact and after it: speeds in the ratio e, energy m g h (1 - e^2) lost.
  EXPECT_LT(run.summary.energy_balance, 1e-8 * 2 * g * h);
  EXPECT_GE(run.column("contact.ball.gap").minCoeff(), -1e-9);
  const Eigen::VectorXd total = run.column("energy.total");
  for (Eigen::Index i = 1; i < total.size(); ++i) EXPECT_LE(total(i), total(i - 1) + 1e-8);
}

TEST(Contact, BouncesComeToRestAfterTheSumOfTheGeometricSeries) {
  const double e = 0.6, h = 1;
  Experiment experiment = with(free_body(1, {0.1, 0.1, 0.1}), 4);
  place(experiment) << 0, 0, h;
  Contact point = at("point", Vector3<double>::Zero(), e, 0.3);
  point.rest_speed = 1e-7;
  experiment.contacts = {point};
  experiment.record.channels = {"contact.point", "q"};
  experiment.record.interval = 0.01;
  experiment.events = {{"rests", "contact.point.normal", 1, Event::Direction::rising, false, {}}};
  const auto run = simulate(experiment);
  const double last = std::sqrt(2 * h / g) * (1 + e) / (1 - e);
  EXPECT_EQ(run.summary.contacts[0].mode, ContactMode::sticks);
  EXPECT_NEAR(static_cast<double>(run.summary.contacts[0].impacts),
              std::log(1e-7 / std::sqrt(2 * g * h)) / std::log(e), 1.5);
  const Eigen::VectorXd normal = run.column("contact.point.normal");
  for (std::size_t i = 0; i < run.t.size(); ++i)
    EXPECT_NEAR(normal(static_cast<Eigen::Index>(i)), run.t[i] < last ? 0 : g, 1e-9) << run.t[i];
  EXPECT_NEAR(run.summary.q(6), 0, 1e-9);
  EXPECT_NEAR(run.summary.works(2), g * h, 1e-8);
}

TEST(Contact, ASteepImpactOfABallRollsAndAFlatOneSlides) {
  // Sliding: p_t = mu p_n. Rolling: the point of contact stops, and 2/7 of its speed goes into spin
  // for a solid ball.
  const double r = 0.1, m = 0.5, I = 0.4 * m * r * r, mu = 0.2, e = 0.5;
  for (const double along : {0.5, 20.0}) {
    Experiment experiment = with(free_body(m, {I, I, I}), 0.2);
    experiment.model = [] {
      Robot robot = free_body(0.5, {0.002, 0.002, 0.002});
      robot.gravity.setZero();
      return frozen(robot);
    }();
    place(experiment) << 0, 0, r + 0.2;
    speed(experiment) << along, 0, -2;
    Contact ball = at("ball", Vector3<double>::Zero(), e, mu);
    ball.shape.radius = r;
    experiment.contacts = {ball};
    const RunSummary end = simulate(experiment).summary;
    const double slide = mu * (1 + e) * 2;  // p_t / m
    const bool rolls = 2.0 / 7 * along < slide;
    EXPECT_NEAR(end.q(6), r + 0.1, 1e-8);
    const Vector3<double> v_world = Eigen::Quaterniond(end.q(0), end.q(1), end.q(2), end.q(3)) *
                                    Vector3<double>(end.v.tail<3>());
    EXPECT_NEAR(v_world.z(), 1, 1e-9);
    EXPECT_NEAR(v_world.x(), rolls ? 5.0 / 7 * along : along - slide, 1e-9) << along;
    EXPECT_NEAR(end.v(1), rolls ? 5.0 / 7 * along / r : slide * m * r / I, 1e-8);
  }
}

TEST(Contact, APendulumHitsAWallAndSwingsBack) {
  // A point mass on a rod: speed at the bottom sqrt(2 g (1 - cos q0)), after the wall e times that.
  Experiment experiment = with(testing::pendulum(2), 3);
  const double q0 = 0.9, e = 0.7;
  experiment.q(0) = q0;
  Contact bob = at("bob", {0, 0, -1}, e, 0);
  bob.plane.point = {0, 0, 0};
  bob.plane.normal = {-1, 0, 0};  // the turn about y moves the bob to -x first
  experiment.contacts = {bob};
  const auto run = simulate(experiment);
  // x = -sin q: the wall is solid at x > 0.
  EXPECT_GT(run.column("q.hinge").minCoeff(), -1e-9);
  EXPECT_GE(run.summary.contacts[0].impacts, 2);
  EXPECT_LT(run.summary.energy_balance, 1e-8);
  const double loss = 2 * g * (1 - std::cos(q0));
  const long n = run.summary.contacts[0].impacts;
  EXPECT_NEAR(run.summary.works(2), loss * (1 - std::pow(e, 2.0 * static_cast<double>(n))), 1e-7);
}

TEST(Contact, NothingIsMissedWithinALongStep) {
  // Thrown up under a ceiling that it would only just pierce, between two records.
  Experiment experiment = with(free_body(1, {0.1, 0.1, 0.1}), 2);
  speed(experiment) << 0, 0, g;  // up to g/2 after 1 s
  Contact head = at("head", Vector3<double>::Zero(), 1, 0);
  head.plane.point = {0, 0, 0.5 * g - 1e-4};
  head.plane.normal = {0, 0, -1};
  experiment.contacts = {head};
  experiment.record.interval = 2;
  const RunSummary end = simulate(experiment).summary;
  EXPECT_EQ(end.contacts[0].impacts, 1);
}

TEST(Contact, ABlockThatFallsFlatBouncesFlat) {
  Experiment experiment = with(planar_body(3, 0.4), 1);
  experiment.q(1) = -1;  // down is along the second coordinate
  experiment.contacts = {at("left", {-0.3, 0, -0.1}, 0.5, 0.4),
                         at("right", {0.3, 0, -0.1}, 0.5, 0.4)};
  const auto run = simulate(experiment);
  EXPECT_NEAR(run.summary.q(2), 0, 1e-12);
  EXPECT_LT(run.summary.energy_balance, 1e-8);
}

TEST(Contact, EnergyNeverGrowsWhenABoxTumbles) {
  Experiment experiment = with(free_body(2, {0.05, 0.08, 0.1}), 3);
  experiment.q << std::cos(0.3), std::sin(0.3) * 0.6, std::sin(0.3) * 0.8, 0, 0, 0, 1.2;
  experiment.v << 1, -2, 3, 0.5, 0.2, 0;
  for (int k = 0; k < 8; ++k) {
    const Vector3<double> corner(k & 1 ? 0.3 : -0.3, k & 2 ? 0.2 : -0.2, k & 4 ? 0.1 : -0.1);
    experiment.contacts.push_back(at("c" + std::to_string(k), corner, 0.4, 0.5));
  }
  experiment.record.channels = {"energy", "contact"};
  experiment.integrator.tolerances = {1e-9, 1e-11};
  const auto run = simulate(experiment);
  const Eigen::VectorXd total = run.column("energy.total");
  for (Eigen::Index i = 1; i < total.size(); ++i) EXPECT_LE(total(i), total(i - 1) + 1e-7);
  EXPECT_LT(run.summary.energy_balance, 1e-6);
  for (int k = 0; k < 8; ++k)
    EXPECT_GT(run.column("contact.c" + std::to_string(k) + ".gap").minCoeff(), -1e-8);
  // It comes to rest on a face.
  EXPECT_LT(run.summary.v.norm(), 1e-6);
}

// ---- rest and friction
// ---------------------------------------------------------------------------------

/// A block on a plane inclined by `slope` down along x, held by its four corners.
Experiment incline(double slope, double mu, double end) {
  Experiment e = with(free_body(2, {0.02, 0.03, 0.04}), end);
  e.q.head<4>() << std::cos(slope / 2), 0, std::sin(slope / 2), 0;
  const Matrix3<double> R = Eigen::AngleAxisd(slope, Vector3<double>::UnitY()).toRotationMatrix();
  place(e) = R * Vector3<double>(0, 0, 0.1);
  for (int k = 0; k < 4; ++k) {
    Contact corner =
        at("c" + std::to_string(k), {k & 1 ? 0.2 : -0.2, k & 2 ? 0.15 : -0.15, -0.1}, 0, mu);
    corner.plane.normal = R * Vector3<double>::UnitZ();
    e.contacts.push_back(corner);
  }
  e.record.channels = {"q", "energy", "contact"};
  return e;
}

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
    EXPECT_EQ(run.summary.contacts[0].mode, ContactMode::sticks);
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
  // Friction is against the slip: to the lag of eq. 63 times the rate at which it turns.
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
  e.events = {{"loose", "contact.c0.mode", 1.5, Event::Direction::rising, false, {}}};
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
  e.events = {{"leaves", "contact.wall.mode", 1.5, Event::Direction::falling, true, {}}};
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
  EXPECT_EQ(run.summary.contacts[0].mode, ContactMode::sticks);
  const double w2 = run.summary.v(2) * run.summary.v(2), turned = std::abs(run.summary.q(2));
  EXPECT_NEAR(w2, 3 * g / l * (std::cos(a0) - std::cos(a0 + turned)), 1e-8);
  EXPECT_LT(run.summary.energy_balance, 1e-9);
}

// ---- with joints, drives and loops
// ----------------------------------------------------------------------

TEST(Contact, AnArmPushesOnATableWithWhatItsJointGives) {
  // A pendulum held level against a table by an effort: N l = tau + m g l about the hinge.
  Experiment e = with(testing::pendulum(2), 1);
  e.q(0) = -std::numbers::pi / 2;  // the bob at +x
  Contact bob = at("bob", {0, 0, -1}, 0, 0.5);
  e.contacts = {bob};
  e.drives = {{DriveKind::effort, {}, {std::make_shared<Formula>("5")}, {}}};
  e.record.channels = {"contact", "reaction", "v"};
  const auto run = simulate(e);
  EXPECT_NEAR(run.column("contact.bob.normal")(10), 2 * g + 5, 1e-9);
  EXPECT_LT(run.summary.v.norm(), 1e-12);
  // The hinge carries what the table does not.
  EXPECT_NEAR(run.column("reaction.hinge.fz")(10), -5, 1e-9);
}

TEST(Contact, ADrivenPlateThrowsABallAndItsWorkIsCounted) {
  // A plate that rises steadily under a ball at rest on it; then the ball drops with gravity
  // relative to a plate that stops: here the plate moves up and down and the ball leaves when the
  // plate falls faster than g.
  Robot robot = free_body(1, {0.1, 0.1, 0.1});
  robot.bodies.push_back(body("plate", {1, Vector3<double>::Zero(), Matrix3<double>::Identity()}));
  JointData lift;
  lift.name = "lift";
  lift.type = JointType::prismatic;
  lift.child = "plate";
  lift.axis = {0, 0, 1};
  robot.joints.push_back(lift);
  Experiment e(frozen(robot));
  e.end = 2;
  e.integrator.tolerances = {1e-10, 1e-12};
  e.drives.resize(2);
  e.drives[1] = {DriveKind::motion, {std::make_shared<Formula>("0.2*(1-cos(8*t))")}, {}, {}};
  Contact ball = at("ball", Vector3<double>::Zero(), 0.3, 0.2);
  ball.plane.body = e.model->body("plate");
  e.contacts = {ball};
  e.events = {{"leaves", "contact.ball.mode", 0.5, Event::Direction::falling, false, {}}};
  e.record.channels = {"energy", "contact", "q", "tau"};
  const auto run = simulate(e);
  ASSERT_GE(run.summary.events.size(), 1u);
  // 12.8 cos(8 t) = -g
  EXPECT_NEAR(run.summary.events[0].t, std::acos(-g / 12.8) / 8, 1e-8);
  EXPECT_LT(run.summary.energy_balance, 1e-7);
  EXPECT_GE(run.summary.contacts[0].impacts, 1);
  EXPECT_GT(run.column("contact.ball.gap").maxCoeff(), 0.01);
}

TEST(Contact, AParallelogramFallsOnItsBarWithItsLoopsClosed) {
  // Three cranks, one of them redundant; the bar hits a floor and comes to rest on it.
  Experiment e(frozen(testing::parallelogram(3)));
  e.end = 3;
  e.integrator.tolerances = {1e-9, 1e-11};
  e.q = testing::posture_of_parallelogram(*e.model, 1.2);
  Contact bar = at("bar", {0.5, 0, 0}, 0.4, 0.2, e.model->body("bar"));
  bar.plane.normal = {0, 1, 0};
  bar.plane.point = {0, 0.1, 0};
  e.contacts = {bar};
  e.record.channels = {"contact", "energy", "closure"};
  const auto run = simulate(e);
  EXPECT_GE(run.summary.contacts[0].impacts, 3);
  EXPECT_NE(run.summary.contacts[0].mode, ContactMode::open);
  EXPECT_LT(run.summary.closure, 1e-11);
  EXPECT_GT(run.column("contact.bar.gap").minCoeff(), -1e-8);
  EXPECT_LT(run.summary.energy_balance, 1e-6);
  EXPECT_LT(run.summary.v.norm(), 1e-9);
}

TEST(Contact, AllIntegratorsAgree) {
  Eigen::VectorXd reference;
  for (const IntegratorMethod method :
       {IntegratorMethod::dop853, IntegratorMethod::dormand_prince, IntegratorMethod::rk4,
        IntegratorMethod::sundials_erk, IntegratorMethod::sundials_bdf}) {
    if (!is_available(method)) continue;
    Experiment e = incline(0.5, 0.3, 1);
    e.q.tail<3>() += Vector3<double>(0, 0, 0.05);
    for (Contact& c : e.contacts) c.restitution = 0.2;
    e.integrator.method = method;
    e.integrator.step = method == IntegratorMethod::rk4 ? 1e-3 : 0;
    const RunSummary end = simulate(e).summary;
    if (reference.size() == 0) reference = end.q;
    EXPECT_LT((end.q - reference).norm(), 2e-6) << name_of(method);
  }
}

// ---- bad input
// ---------------------------------------------------------------------------------------

TEST(Contact, BadDataIsRefusedByName) {
  const auto refused = [](auto change) -> std::string {
    Experiment e = with(free_body(1, {0.1, 0.1, 0.1}), 1);
    place(e) << 0, 0, 1;
    e.contacts = {at("tip", Vector3<double>::Zero(), 0.5, 0.3)};
    change(e);
    try {
      simulate(e);
    } catch (const InputError& error) {
      return error.what();
    }
    return "taken";
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos && text.find("tip") != std::string::npos;
  };
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].restitution = -0.1; }), "restitution"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].restitution = 1.1; }), "restitution"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].friction = -1; }), "friction"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].friction = NAN; }), "friction"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].plane.normal.setZero(); }), "normal"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].shape.body = 7; }), "body"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].shape.body = 0; }), "world"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts[0].plane.body = 1; }), "same body"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.contacts.push_back(e.contacts[0]); }), "two"));
  EXPECT_TRUE(has(refused([](Experiment& e) { e.q(6) = -0.25; }), "0.25 m inside"));
  EXPECT_EQ(refused([](Experiment&) {}), "taken");
}

}  // namespace
}  // namespace ulna
