// Runs with force elements: their channels, the balance of power, and vibrations that are known.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/simulation/equilibrium.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

std::shared_ptr<const Model> oscillator(const std::string& more) {
  return std::make_shared<const Model>(read_robot_yaml_text(R"(ulna: 1
name: oscillator
bodies:
  - {name: mass, mass: 2}
joints:
  - {name: z, type: prismatic, parent: world, child: mass, axis: [0, 0, -1]}
elements:
  - {name: coil, type: spring-damper, from: world, to: mass, free_length: 0.5, stiffness: 200)" +
                                                                more + "}\n",
                                                            "t.yaml")
                                           .robot);
}

TEST(SimulationElements, AMassOnASpringSwingsAsItsFrequencySays) {
  Experiment experiment(oscillator(""));
  experiment.end = 1;
  const double rest = 0.5 + 2 * 9.81 / 200;
  experiment.q = Eigen::VectorXd::Constant(1, rest + 0.1);
  experiment.record.channels = {"q", "element", "energy", "power"};
  experiment.integrator.tolerances = {1e-11, 1e-13};
  const ulna::Run run = simulate(experiment);
  const Eigen::VectorXd length = run.column("element.coil.length"),
                        force = run.column("element.coil.force"),
                        residual = run.column("power.residual");
  for (std::size_t k = 0; k < run.t.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    EXPECT_NEAR(length(i), rest + 0.1 * std::cos(10 * run.t[k]), 1e-9);
    EXPECT_NEAR(force(i), 200 * (length(i) - 0.5), 1e-9);
    EXPECT_NEAR(residual(i), 0, 1e-9);
  }
  EXPECT_LT(run.summary.energy_balance, 1e-9);
}

TEST(SimulationElements, ADamperTakesWhatTheEnergyLoses) {
  Experiment experiment(oscillator(", damping: 4"));
  experiment.end = 2;
  experiment.q = Eigen::VectorXd::Constant(1, 0.8);
  experiment.record.channels = {"energy", "power"};
  const ulna::Run run = simulate(experiment);
  EXPECT_GT(run.summary.works(2), 1);
  EXPECT_LT(run.summary.energy_balance, 1e-6);
  for (const double off : run.column("power.residual")) EXPECT_NEAR(off, 0, 1e-9);
}

TEST(SimulationElements, EquilibriumAndPolesKnowThem) {
  const auto model = oscillator(", damping: 4");
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  const Equilibrium found = find_equilibrium(*model, Eigen::VectorXd::Constant(1, 1), zero, 1e-12);
  ASSERT_TRUE(found.found);
  EXPECT_NEAR(found.q(0), 0.5 + 2 * 9.81 / 200, 1e-9);
  const LinearSystem linear = linearize(*model, found.q, zero, zero);
  EXPECT_NEAR(linear.A(1, 0), -100, 1e-9);
  EXPECT_NEAR(linear.A(1, 1), -2, 1e-9);
}

TEST(SimulationElements, AnEquilibriumIsNotFoundWhereACableHasNoLength) {
  // At the start the ends of the cable meet: its slope there is no measure of what is missing.
  const Model model(read_robot_yaml_text(R"(
ulna: 1
name: tackle
bodies:
  - {name: hook, mass: 10, inertia: [0.1, 0.1, 0.1]}
joints:
  - {name: z, type: prismatic, parent: world, child: hook, axis: [0, 0, -1]}
elements:
  - {name: rope, type: spring-damper, from: world, through: [hook, world], to: hook, free_length: 1.5, stiffness: 1000}
)",
                                         "tackle")
                        .robot);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  const Equilibrium found = find_equilibrium(model, zero, zero);
  // Between its two directions there may be a balance, which is unstable; nothing else is one.
  if (found.found) {
    EXPECT_LT(found.residual, 1e-6 * 98.1);
  }
  const Equilibrium hangs = find_equilibrium(model, Eigen::VectorXd::Constant(1, 0.4), zero);
  ASSERT_TRUE(hangs.found) << hangs.reason;
  EXPECT_NEAR(hangs.q(0), 0.5 + 98.1 / 9000, 1e-9);
}

TEST(SimulationElements, EquilibriaOfMasslessParts) {
  // The leg has no mass: its spring alone places it, and energy says that both rest stably.
  const Model model(read_robot_yaml_text(R"(
ulna: 1
name: leg
bodies:
  - {name: arm, mass: 2, centre: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: leg}
joints:
  - {name: j, type: revolute, parent: world, child: arm, axis: [0, 1, 0], spring: {stiffness: 100}}
  - {name: k, type: revolute, parent: arm, child: leg, at: [1, 0, 0], axis: [0, 1, 0], spring: {stiffness: 5, rest: 0.2}}
)",
                                         "leg")
                        .robot);
  const Equilibrium found =
      find_equilibrium(model, Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2), 1e-12);
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_TRUE(found.stable);
  EXPECT_NEAR(100 * found.q(0), 2 * 9.81 * 0.5 * std::cos(found.q(0)), 1e-9);
  EXPECT_NEAR(found.q(1), 0.2, 1e-12);
  // Upside down on a spring that is too soft it does not.
  Robot soft = model.robot();
  soft.joints[0].degrees[0].stiffness = 1;
  soft.joints[0].degrees[0].rest = -M_PI / 2;
  const Model upside(soft);
  Eigen::VectorXd up(2);
  up << -M_PI / 2, 0.2;
  const Equilibrium stands = find_equilibrium(upside, up, Eigen::VectorXd::Zero(2), 1e-12);
  ASSERT_TRUE(stands.found);
  EXPECT_NEAR(stands.q(0), -M_PI / 2, 1e-9);
  EXPECT_FALSE(stands.stable);
}

TEST(SimulationElements, AFourBarOnABushingFallsToItsRest) {
  // The least squares of the missing effort end where it is least and not zero; the energy has a
  // minimum all the same.
  const Model model(read_robot_yaml_text(R"(
ulna: 1
name: b
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 0.7980, centre: [0.2093, -0.0250, 0], inertia: [0.02, 0.02, 0.03]}
  - {name: coupler, mass: 3.2361, centre: [0.0510, -0.0310, 0], inertia: [0.02, 0.02, 0.03]}
  - {name: rocker, mass: 1.7013, centre: [0.0988, 0.0453, 0], inertia: [0.02, 0.02, 0.03]}
joints:
  - {name: a, type: revolute, parent: world, child: crank}
  - {name: b, type: revolute, parent: crank, child: coupler, at: [0.3, 0, 0]}
  - {name: c, type: revolute, parent: coupler, child: rocker, at: [0.8, 0, 0]}
  - {name: d, type: revolute, parent: world, child: rocker, at: [0.7, 0, 0], child_at: [-0.6, 0, 0], cut: true}
elements:
  - {name: m, type: bushing, from: {body: world, point: [0.0838, 0.3851, 0]}, to: {body: coupler, point: [0.3497, 0, 0]}, stiffness: [36.1322, 72.2644, 36.1322, 375.0817, 375.0817, 125.0272]}
)",
                                         "four-bar")
                        .robot);
  const Equilibrium found =
      find_equilibrium(model, assembled(model), Eigen::VectorXd::Zero(model.speeds()));
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_TRUE(found.stable);
  EXPECT_LT(found.residual, 1e-6);
}

/// A mass of 1.5 that slides freely by 2 b between half swings on its spring, at 0.7 m/s.
RunSummary swing_with_play(const std::string& law, double k) {
  const double b = 0.02, v = 0.7, m = 1.5;
  Experiment e(std::make_shared<const Model>(read_robot_yaml_text(R"(ulna: 1
name: rattle
gravity: [0, 0, 0]
bodies:
  - {name: mass, mass: 1.5}
  - {name: wheel, mass: 1, inertia: [1.5, 1.5, 1.5]}
joints:
  - {name: x, type: prismatic, parent: world, child: mass, axis: [1, 0, 0]}
  - {name: turn, type: revolute, parent: world, child: wheel, axis: [0, 0, 1]}
elements:
  - {name: play, )" + law + "}\n",
                                                                  "t.yaml")
                                                 .robot));
  const bool turns = law.find("torsion") != std::string::npos;
  e.end = 10.5 * (4 * b / v + 2 * 3.14159265358979323846 * std::sqrt(m / k));
  e.q = Eigen::Vector2d(turns ? 0 : 1, 0);
  e.v = Eigen::Vector2d(turns ? 0 : v, turns ? v : 0);
  Event middle;
  middle.name = "middle";
  middle.channel = turns ? "q.turn" : "q.x";
  middle.value = turns ? 0 : 1;
  middle.direction = Event::Direction::rising;
  middle.stops = false;
  e.events = {middle};
  e.integrator.tolerances = {1e-10, 1e-12};
  const RunSummary summary = simulate(e).summary;
  const double period = 4 * b / v + 2 * 3.14159265358979323846 * std::sqrt(m / k);
  EXPECT_GE(summary.events.size(), 10u) << law;
  for (std::size_t n = 0; n < std::min<std::size_t>(10, summary.events.size()); ++n)
    EXPECT_NEAR(summary.events[n].t, static_cast<double>(n + 1) * period, 1e-7) << law;
  EXPECT_LT(summary.energy_balance, 1e-8) << law;
  return summary;
}

TEST(SimulationElements, KinksOfTheirSpringsAreEvents) {
  for (const double k : {1e3, 1e6}) {
    const std::string stiffness = "stiffness: " + std::to_string(k) + ", backlash: 0.02";
    const double far = 0.02 * k;
    const std::string table = "table: [[-0.04, " + std::to_string(-far) +
                              "], [-0.02, 0], [0.02, 0], [0.04, " + std::to_string(far) + "]]";
    for (const std::string& law :
         {"type: spring-damper, from: world, to: mass, free_length: 1, " + stiffness,
          "type: spring-damper, from: world, to: mass, free_length: 1, " + table,
          "type: torsion, joint: turn, " + stiffness,
          "type: torsion, from: world, to: wheel, axis: [0, 0, 1], " + stiffness}) {
      const RunSummary summary = swing_with_play(law, k);
      EXPECT_LT(summary.statistics.rejected, summary.statistics.steps / 3) << law;
    }
  }
}

/// A mass of 2 kg that rises along z; `elements` act between it and the ground.
Experiment lift_on(const std::string& elements, double q, double v) {
  Experiment e(std::make_shared<const Model>(read_robot_yaml_text(R"(ulna: 1
name: lift
bodies:
  - {name: mass, mass: 2}
joints:
  - {name: z, type: prismatic, parent: world, child: mass, axis: [0, 0, 1]}
elements:
)" + elements + "\n",
                                                                  "t.yaml")
                                                 .robot));
  e.q = Eigen::VectorXd::Constant(1, q);
  e.v = Eigen::VectorXd::Constant(1, v);
  e.integrator.tolerances = {1e-10, 1e-12};
  return e;
}

TEST(SimulationElements, KinksOfDamperTablesAreEvents) {
  // Thrown up against gravity with another damping each way: v' = -g - c v / m by pieces.
  const double m = 2, g = 9.81, v0 = 3, up = 4, down = 40;
  Experiment e = lift_on(
      "  - {name: d, type: spring-damper, from: world, to: mass, damper_table: [[-1, -40], [0, 0], "
      "[1, "
      "4]]}",
      1, v0);
  e.end = 1;
  const RunSummary summary = simulate(e).summary;
  const double top = m / up * std::log(1 + up * v0 / (m * g));
  const double v = -m * g / down * (1 - std::exp(-down / m * (e.end - top)));
  EXPECT_NEAR(summary.v(0), v, 1e-9);
  EXPECT_LT(summary.energy_balance, 1e-8);
  // Once at the kink; nothing is searched by steps that fail.
  EXPECT_LE(summary.statistics.rejected, 3);
}

TEST(SimulationElements, EndsOfStrokesAreEvents) {
  // 30 N lift 2 kg from rest at 0.5 m until the stroke ends at 0.6 m; then it flies and comes back.
  const double m = 2, g = 9.81, F = 30, s = 0.1;
  Experiment e = lift_on(
      "  - {name: jack, type: actuator, from: world, to: mass, force: 30, stroke: [0.4, 0.6]}", 0.5,
      0);
  const double out = F / m - g, v = std::sqrt(2 * out * s), rise = v / out, flight = 2 * v / g;
  e.end = 3 * (2 * rise + flight);
  const RunSummary summary = simulate(e).summary;
  ASSERT_TRUE(summary.complete) << summary.reason;
  EXPECT_NEAR(summary.q(0), 0.5, 1e-8);  // after three whole periods
  EXPECT_NEAR(summary.v(0), 0, 1e-7);
  EXPECT_LE(summary.statistics.rejected, summary.statistics.steps / 5);
}

TEST(SimulationElements, AnActuatorRestsAtTheEndOfItsStroke) {
  // Slowed by a strong damper it comes to the end and stays, held by as much as the weight takes.
  Experiment e = lift_on(
      "  - {name: jack, type: actuator, from: world, to: mass, force: 30, stroke: [0.4, 0.6]}\n"
      "  - {name: d, type: spring-damper, from: world, to: mass, damping: 4000}",
      0.5999, 0);
  e.end = 2;
  e.record.channels = {"q", "a"};
  const ulna::Run run = simulate(e);
  ASSERT_TRUE(run.summary.complete) << run.summary.reason;
  EXPECT_NEAR(run.summary.q(0), 0.6, 1e-9);
  EXPECT_NEAR(run.summary.v(0), 0, 1e-9);
  EXPECT_NEAR(run.column("a.z")(run.values.rows() - 1), 0, 1e-9);
  EXPECT_LT(run.summary.statistics.steps, 2000);
}

TEST(SimulationElements, TheRateLimitOfAnActuatorIsAnEvent) {
  // F (1 - v / limit) against the weight while it rises, all of F while it sinks.
  const double m = 2, g = 9.81, F = 15, limit = 2, v0 = 1;
  Experiment e = lift_on(
      "  - {name: jack, type: actuator, from: world, to: mass, force: 15, rate_limit: 2}", 1, v0);
  e.end = 0.4;
  const RunSummary summary = simulate(e).summary;
  const double c = F / limit, rest = F - m * g;  // m v' = rest - c v while v > 0
  const double top = m / c * std::log((c * v0 - rest) / -rest);
  ASSERT_LT(top, e.end);
  EXPECT_NEAR(summary.v(0), rest / m * (e.end - top), 1e-9);
  EXPECT_LE(summary.statistics.rejected, 3);
}

TEST(SimulationElements, PlayOfAClosingJointIsAnEvent) {
  // A parallelogram without gravity whose last hinge has a spring with play: all of its hinges turn
  // alike, so that it swings as a wheel of its whole inertia on that spring does.
  for (const bool hardens : {false, true}) {
    const double k = 500, b = 0.05, w = 0.7,
                 J = 2 * 0.04 + 1.0 * 0.5 * 0.5;  // the bar is carried around without turning
    const std::string law = hardens ? "{stiffness: 500, hardening: 1e-9, backlash: 0.05, rest: 1}"
                                    : "{stiffness: 500, backlash: 0.05, rest: 1}";
    Experiment e(std::make_shared<const Model>(read_robot_yaml_text(R"(ulna: 1
name: parallelogram
gravity: [0, 0, 0]
bodies:
  - {name: left, inertia: [0.04, 0.04, 0.04], mass: 1e-9}
  - {name: bar, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: right, inertia: [0.04, 0.04, 0.04], mass: 1e-9}
joints:
  - {name: a, type: revolute, parent: world, child: left}
  - {name: b, type: revolute, parent: left, child: bar, at: [0.5, 0, 0]}
  - {name: c, type: revolute, parent: bar, child: right, at: [1, 0, 0], child_at: [-0.5, 0, 0]}
  - {name: d, type: revolute, parent: world, child: right, at: [1, 0, 0], cut: true, spring: )" +
                                                                        law + "}\n",
                                                                    "t.yaml")
                                                   .robot));
    const double period = 4 * b / w + 2 * M_PI * std::sqrt(J / k);
    e.end = 3.5 * period;
    e.q = Eigen::Vector3d(1, -1, 1);
    e.v = Eigen::Vector3d(w, -w, w);
    Event middle;
    middle.name = "middle";
    middle.channel = "q.a";
    middle.value = 1;
    middle.direction = Event::Direction::rising;
    middle.stops = false;
    e.events = {middle};
    e.integrator.tolerances = {1e-10, 1e-12};
    const RunSummary summary = simulate(e).summary;
    ASSERT_GE(summary.events.size(), 3u);
    for (std::size_t n = 0; n < 3; ++n)
      EXPECT_NEAR(summary.events[n].t, static_cast<double>(n + 1) * period, 1e-7);
    EXPECT_LT(summary.energy_balance, 1e-8);
    EXPECT_LT(summary.statistics.rejected, summary.statistics.steps / 3);
  }
}

TEST(SimulationElements, TheForceChannelShowsWhatHoldsAnActuatorAtTheEndOfItsStroke) {
  Experiment e = lift_on(
      "  - {name: jack, type: actuator, from: world, to: mass, force: 30, stroke: [0.4, 0.6]}\n"
      "  - {name: d, type: spring-damper, from: world, to: mass, damping: 4000}",
      0.5999, 0);
  e.end = 2;
  e.record.channels = {"element.jack"};
  const ulna::Run run = simulate(e);
  const Eigen::VectorXd force = run.column("element.jack.force");
  EXPECT_NEAR(force(0), 30, 1e-12);
  EXPECT_NEAR(force(force.size() - 1), 2 * 9.81, 1e-6);  // the weight, no longer all of its 30 N
}

TEST(SimulationElements, AnEquilibriumBeyondAStrokeNamesTheActuator) {
  const Experiment e = lift_on(
      "  - {name: jack, type: actuator, from: world, to: mass, force: 30, stroke: [0.4, 0.6]}", 0.5,
      0);
  const Equilibrium found =
      find_equilibrium(*e.model, Eigen::VectorXd::Constant(1, 0.5), Eigen::VectorXd::Zero(1));
  EXPECT_FALSE(found.found);
  EXPECT_NE(found.reason.find("stroke of actuator 'jack' (0.6 m)"), std::string::npos)
      << found.reason;
}

TEST(SimulationElements, AFreeBodyFallsWhateverItsAttitude) {
  // Its weight is the same force at every posture, though not in axes that turn with it.
  const Model model(read_robot_yaml_text(R"(
ulna: 1
name: stone
bodies:
  - {name: stone, mass: 2, centre: [0.1, 0, 0], inertia: [0.1, 0.2, 0.2]}
joints:
  - {name: float, type: free, parent: world, child: stone}
)",
                                         "stone")
                        .robot);
  for (const double tilt : {0.0, 0.4}) {
    Eigen::VectorXd start = model.neutral();
    start(0) = std::cos(tilt), start(2) = std::sin(tilt);
    const Equilibrium found = find_equilibrium(model, start, Eigen::VectorXd::Zero(6));
    EXPECT_FALSE(found.found);
    EXPECT_NE(found.reason.find("19.62 N along 'float.z'"), std::string::npos) << found.reason;
  }
}

}  // namespace
}  // namespace ulna
