// The force of an actuator as a formula in the robot file, or as an input: it acts in every
// formulation, in derivatives, equilibrium, linear systems, runs and generated code.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/elements.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/simulation/equilibrium.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::actuator_formulas_test {
namespace {

Robot read(const std::string& text) { return read_robot_yaml_text(text, "robot.yaml").robot; }

/// A mass of 2 kg on a slide, pushed from the origin.
Robot carriage(const std::string& jack) {
  return read(R"(ulna: 1
name: carriage
gravity: [0, 0, 0]
bodies:
  - {name: mass, mass: 2}
joints:
  - {name: x, type: prismatic, parent: world, child: mass, axis: [1, 0, 0]}
elements:
  - {name: jack, type: actuator, from: world, to: mass, )" +
              jack + "}\n");
}

/// A four-bar and a jack from the ground to its coupler.
Robot four_bar(const std::string& force) {
  return read(R"(ulna: 1
name: bars
bodies:
  - {name: crank, mass: 1, centre: [0.15, 0, 0], inertia: [0.01, 0.01, 0.01]}
  - {name: rod, mass: 2, centre: [0.4, 0, 0], inertia: [0.05, 0.05, 0.05]}
  - {name: rocker, mass: 1.5, centre: [0.25, 0, 0], inertia: [0.03, 0.03, 0.03]}
joints:
  - {name: a, type: revolute, parent: world, child: crank, axis: [0, -1, 0]}
  - {name: b, type: revolute, parent: crank, child: rod, at: [0.3, 0, 0], axis: [0, -1, 0]}
  - {name: c, type: revolute, parent: world, child: rocker, at: [0.7, 0, 0], axis: [0, -1, 0]}
  - {name: d, type: revolute, parent: rod, child: rocker, at: [0.8, 0, 0], child_at: [-0.5, 0, 0], axis: [0, -1, 0], cut: true}
elements:
  - {name: jack, type: actuator, from: {body: world, point: [0.2, 0, -0.5]}, to: {body: rod, point: [0.4, 0, 0.1]}, force: )" +
              force + "}\n");
}

const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
Eigen::VectorXd number(double x) { return Eigen::VectorXd::Constant(1, x); }

TEST(ActuatorFormulas, AreASpringAndADamperWhereTheySaySo) {
  const Model formula(
      carriage(R"x(force: "-50*(element.jack.length - 0.4) - 3*element.jack.rate")x")),
      spring(read(R"(ulna: 1
name: carriage
gravity: [0, 0, 0]
bodies:
  - {name: mass, mass: 2}
joints:
  - {name: x, type: prismatic, parent: world, child: mass, axis: [1, 0, 0]}
elements:
  - {name: s, type: spring-damper, from: world, to: mass, free_length: 0.4, stiffness: 50, damping: 3}
)"));
  for (const double x : {0.3, 0.7})
    for (const double v : {-0.8, 0.5}) {
      const LinearSystem a = linearize(formula, number(x), number(v), zero),
                         b = linearize(spring, number(x), number(v), zero);
      EXPECT_LT((a.A - b.A).norm(), 1e-12) << x << " " << v;
      EXPECT_NEAR(a.acceleration(0), b.acceleration(0), 1e-12);
    }
  const Equilibrium found = find_equilibrium(formula, number(0.9), zero, 1e-12);
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_NEAR(found.q(0), 0.4, 1e-12);
  EXPECT_TRUE(found.stable);
}

TEST(ActuatorFormulas, FunctionsHaveTheirValuesAndSlopes) {
  struct Case {
    const char* text;
    double value, slope;
  };
  const double x = 0.6;
  for (const Case& c : {Case{"3*sin(2*q.x)", 3 * std::sin(1.2), 6 * std::cos(1.2)},
                        {"cos(q.x) + tan(q.x)", std::cos(x) + std::tan(x),
                         -std::sin(x) + 1 + std::tan(x) * std::tan(x)},
                        {"q.x^3 - 2/q.x^2", x * x * x - 2 / (x * x), 3 * x * x + 4 / (x * x * x)},
                        {"5*q.x^1.5", 5 * std::pow(x, 1.5), 7.5 * std::sqrt(x)},
                        {"q.x^0.3", std::pow(x, 0.3), 0.3 * std::pow(x, -0.7)},
                        {"sqrt(q.x)*abs(-2 - q.x)", std::sqrt(x) * (2 + x),
                         (2 + x) / (2 * std::sqrt(x)) + std::sqrt(x)},
                        {"exp(-q.x) + log(q.x)", std::exp(-x) + std::log(x), -std::exp(-x) + 1 / x},
                        {"10*tanh(4*q.x)", 10 * std::tanh(2.4), 40 / std::pow(std::cosh(2.4), 2)},
                        {"atan(q.x) + atan2(q.x, 2)", std::atan(x) + std::atan2(x, 2),
                         1 / (1 + x * x) + 2 / (4 + x * x)},
                        {"min(q.x, 0.5) + 3*max(q.x, 0.5)", 0.5 + 3 * x, 3},
                        {"7*step(q.x - 1) + 2*sign(q.x)", 2, 0},
                        {"2 kN - 1 N/mm*'element.jack.length'", 2000 - 1000 * x, -1000},
                        {"-2^2 + 3*deg", -4 + 3 * M_PI / 180, 0}}) {
    const Model model(carriage("force: \"" + std::string(c.text) + '"'));
    EXPECT_NEAR(element_reading(model, 0, number(x), zero).force, c.value,
                1e-13 * (1 + std::abs(c.value)))
        << c.text;
    const LinearSystem linear = linearize(model, number(x), zero, zero);
    EXPECT_NEAR(2 * linear.A(1, 0), c.slope, 1e-12 * (1 + std::abs(c.slope))) << c.text;
  }
}

TEST(ActuatorFormulas, WorkAtStrokeAndRate) {
  const Model model(carriage(R"x(force: "40 - 100*q.x", stroke: [0.2, 0.6], rate_limit: 2)x"));
  const auto force = [&](double x, double v) {
    return element_reading(model, 0, number(x), number(v)).force;
  };
  EXPECT_NEAR(force(0.3, 0), 10, 1e-13);
  EXPECT_NEAR(force(0.3, 0.5), 7.5, 1e-13) << "pushing, it loses force as it lengthens";
  EXPECT_NEAR(force(0.5, 0.5), -10, 1e-13) << "pulling, it does not";
  EXPECT_NEAR(force(0.5, -0.5), -7.5, 1e-13);
  EXPECT_NEAR(force(0.7, 0), -30, 1e-13) << "beyond its stroke it may come back";
  EXPECT_NEAR(force(0.1, 0), 30, 1e-13);
}

TEST(ActuatorFormulas, OfTimeMoveAMassAsNewtonSays) {
  Experiment e(std::make_shared<const Model>(carriage(R"x(force: "6*t + 8*step(t - 0.5)")x")));
  e.end = 1;
  e.q = number(1);
  e.integrator.tolerances = {1e-10, 1e-12};
  e.record.channels = {"q", "v", "element", "power"};
  const ulna::Run run = simulate(e);
  // x'' = 3 t + 4 step(t - 0.5)
  EXPECT_NEAR(run.summary.q(0), 1 + 0.5 + 4 * 0.125, 1e-9);
  EXPECT_NEAR(run.summary.v(0), 1.5 + 2, 1e-9);
  EXPECT_NEAR(run.column("element.jack.force")(run.t.size() - 1), 14, 1e-12);
  EXPECT_EQ(e.model->elements()[0].time, 0) << "the robot of the experiment stays as it is";
}

TEST(ActuatorFormulas, OfOtherJointsAreInTheDerivatives) {
  // Another branch decides the force: derivatives reach across the tree.
  Robot robot = read(R"(ulna: 1
name: two
bodies:
  - {name: arm, mass: 3, centre: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}
  - {name: lever, mass: 1, centre: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
  - {name: ball, mass: 2, inertia: [0.02, 0.03, 0.04]}
joints:
  - {name: shoulder, type: revolute, parent: world, child: arm, axis: [0, -1, 0]}
  - {name: lever, type: revolute, parent: world, child: lever, at: [0, 1, 0], axis: [0, 0, 1]}
  - {name: wrist, type: spherical, parent: arm, child: ball, at: [1, 0, 0]}
elements:
  - {name: jack, type: actuator, from: {body: world, point: [0.3, 0, -0.6]}, to: {body: arm, point: [0.6, 0, 0.05]}, force: "300*sin(q.lever) - 20*v.lever*v.shoulder + 90*q.wrist.qx - 5*v.wrist.wz"}
)");
  const Model model(robot);
  std::mt19937_64 generator(5);
  const Eigen::VectorXd q = model.random(generator);
  const int n = model.speeds();
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(n, -0.7, 0.9),
                        a = Eigen::VectorXd::LinSpaced(n, 0.4, -0.2);
  Workspace work(model);
  DerivativeWorkspace derivatives(model);
  const InverseDerivatives d = inverse_dynamics_derivatives(model, work, derivatives, q, v, a);
  const auto efforts = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& rate) {
    return Eigen::VectorXd(inverse_dynamics(model, work, at, rate, a));
  };
  const double h = 1e-6;  // central differences: h^2 and rounding / h, both about 1e-10 of 300
  for (int k = 0; k < n; ++k) {
    const Eigen::VectorXd unit = h * Eigen::VectorXd::Unit(n, k);
    EXPECT_LT(
        ((efforts(model.integrate(q, unit), v) - efforts(model.integrate(q, -unit), v)) / (2 * h) -
         d.dtau_dq.col(k))
            .norm(),
        1e-6)
        << k;
    EXPECT_LT(((efforts(q, v + unit) - efforts(q, v - unit)) / (2 * h) - d.dtau_dv.col(k)).norm(),
              1e-6)
        << k;
  }
}

TEST(ActuatorFormulas, ALoopFeelsThemInBothWaysAndInItsLinearSystem) {
  const Model formula(four_bar(R"x("900 - 400*element.jack.length - 60*tanh(3*v.a)")x"));
  Eigen::VectorXd q(3);
  q << 1.0, -0.8, 1.2;
  AssemblyOptions options;
  options.start = q;
  q = assembled(formula, options);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(3);
  LoopDynamics loops(formula);
  Workspace work(formula);
  const Eigen::VectorXd a = loops.forward(work, q, none, none, {}, LoopMethod::multipliers),
                        b = loops.forward(work, q, none, none, {}, LoopMethod::embedding);
  EXPECT_LT((a - b).norm(), 1e-10 * a.norm());
  // At rest -60 tanh(3 v) is a damper of 180 N s/rad, not what a unit of speed would give.
  LinearOutput output;
  output.independent = {0};
  const LinearSystem linear = linearize(formula, q, none, none, output);
  const Model damped(four_bar(R"x("900 - 400*element.jack.length - 180*v.a")x"));
  const LinearSystem expected = linearize(damped, q, none, none, output);
  EXPECT_LT((linear.A - expected.A).norm(), 1e-7 * expected.A.norm());
}

TEST(ActuatorInputs, AreInputsOfLinearSystems) {
  const Model model(carriage("force: input"));
  LinearOutput output;
  output.elements = {0};
  const LinearSystem linear = linearize(model, number(0.5), zero, zero, output);
  ASSERT_EQ(linear.B.cols(), 1);
  EXPECT_NEAR(linear.B(1, 0), 0.5, 1e-14) << "one newton on two kilograms";
  output.actuators = {0};
  EXPECT_EQ(linearize(model, number(0.5), zero, zero, output).B.cols(), 2);
  output.elements = {0, 0};
  EXPECT_THROW(linearize(model, number(0.5), zero, zero, output), InputError);
}

TEST(ActuatorInputs, OfALoopActThroughTheirLeverArms) {
  const Model model(four_bar("input"));
  Eigen::VectorXd q(3);
  q << 1.0, -0.8, 1.2;
  AssemblyOptions options;
  options.start = q;
  q = assembled(model, options);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(3);
  LinearOutput output;
  output.independent = {0};
  output.elements = {0};
  const LinearSystem linear = linearize(model, q, none, none, output);
  const auto acceleration = [&](double force) {
    Model own = model;
    own.set_actuator_force(0, force);
    LoopDynamics loops(own);
    Workspace work(own);
    return loops.forward(work, q, none, none, {}, LoopMethod::multipliers)(0);
  };
  EXPECT_NEAR(linear.B(1, 0), acceleration(101) - acceleration(100), 1e-9);
}

TEST(ActuatorInputs, SetInACopyMoveItsEquilibrium) {
  const Model model(read(R"(ulna: 1
name: crane
bodies:
  - {name: arm, mass: 20, centre: [0.8, 0, 0], inertia: [0.1, 2, 2]}
joints:
  - {name: shoulder, type: revolute, parent: world, child: arm, axis: [0, -1, 0]}
elements:
  - {name: jack, type: actuator, from: {body: world, point: [0.3, 0, -0.6]}, to: {body: arm, point: [0.6, 0, 0.05]}, force: input}
)"));
  Model own = model;
  own.set_actuator_force(own.actuator("jack"), 350);
  const Equilibrium found = find_equilibrium(own, number(0.3), zero, 1e-12);
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_NEAR(350 * actuator_input(own, 0, found.q, zero)(0),
              20 * 9.81 * 0.8 * std::cos(found.q(0)), 1e-8);
  EXPECT_EQ(model.elements()[0].force, 0);
  EXPECT_THROW(own.actuator("jakc"), InputError);
}

TEST(ActuatorInputs, AreInWhatIsMadeFromTheDataOfACopy) {
  for (const char* force : {"force: input", "force: 40 N", R"x(force: "40 N - 10*q.x")x"}) {
    Model own{read(write_robot_yaml(carriage(force)))};
    own.set_actuator_force(0, 350);
    const Model again(own.robot());
    EXPECT_EQ(again.elements()[0].force, 350) << force;
    EXPECT_EQ(again.elements()[0].formula, nullptr) << force;
  }
}

TEST(ActuatorFormulas, AreWrittenAsTheyWereReadAndMistakesAreNamed) {
  const Robot robot = carriage(R"x(force: "40 N - 10*q.x + sin(t)")x");
  const Robot again = read(write_robot_yaml(robot));
  EXPECT_EQ(again.elements[0].formula, robot.elements[0].formula);
  EXPECT_TRUE(read(write_robot_yaml(carriage("force: input"))).elements[0].input);
  EXPECT_EQ(carriage("force: 2*30 N").elements[0].force, 60);
  const auto complaint = [](const char* force) {
    try {
      const Model model(carriage("force: \"" + std::string(force) + '"'));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(complaint("3*q.y").find("q.y"), std::string::npos) << complaint("3*q.y");
  EXPECT_NE(complaint("3*element.other.length").find("element.jack.length"), std::string::npos);
  EXPECT_NE(complaint("sin(").find("position"), std::string::npos);
  EXPECT_NE(complaint("25 mm*sin(t)").find("force"), std::string::npos);
  EXPECT_NE(complaint("2^q.x").find("exp"), std::string::npos);
}

}  // namespace
}  // namespace ulna::actuator_formulas_test
