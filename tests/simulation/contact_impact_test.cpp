// Impacts of points, balls and blocks with planes.

#include <gtest/gtest.h>

#include <cmath>

#include "contacts.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::at;
using testing::free_body;
using testing::frozen;
using testing::g;
using testing::place;
using testing::planar_body;
using testing::speed;
using testing::with;

TEST(Contact, ABallBouncesToTheSquareOfItsRestitutionTimesItsHeight) {
  const double e = 0.8, h = 1.5, r = 0.2;
  Experiment experiment = with(free_body(2, {0.1, 0.1, 0.1}), 3);
  place(experiment) << 0, 0, h + r;
  Contact ball = at("ball", Vector3<double>::Zero(), e, 0);
  ball.shape.radius = r;
  experiment.contacts = {ball};
  experiment.record.channels = {"contact.ball", "q", "energy"};
  experiment.events = {{"top", "v.free.vz", 0, Event::Direction::falling, false, {}, NAN, {}}};
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
  experiment.events = {
      {"rests", "contact.point.normal", 1, Event::Direction::rising, false, {}, NAN, {}}};
  const auto run = simulate(experiment);
  const double last = std::sqrt(2 * h / g) * (1 + e) / (1 - e);
  EXPECT_EQ(run.summary.contacts[0].state, ContactState::sticks);
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

}  // namespace
}  // namespace ulna
