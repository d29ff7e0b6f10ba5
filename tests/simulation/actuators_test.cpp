// Actuators between a command and a joint: what their equations say in closed form.

#include <gtest/gtest.h>

#include <cmath>

#include "drives.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::frozen;
using testing::pushed;

/// A wheel about the vertical, or a mass on rails: one body without weight along its joint.
Robot one_joint(JointType type, double inertia) {
  Robot robot;
  robot.name = "axis";
  robot.bodies.push_back(testing::body(
      "load", {inertia, Vector3<double>::Zero(), inertia * Matrix3<double>::Identity()}));
  JointData joint;
  joint.name = "axis";
  joint.type = type;
  joint.child = "load";
  joint.axis = type == JointType::prismatic ? Vector3<double>::UnitX() : Vector3<double>::UnitZ();
  robot.joints.push_back(joint);
  return robot;
}

Experiment driven_by(const std::shared_ptr<Actuator>& actuator, JointType type, double inertia,
                     const std::string& command) {
  Experiment e(frozen(one_joint(type, inertia)));
  e.drives = {pushed(command)};
  actuator->speed = 0;
  actuator->name = "axis";
  e.actuators = {actuator};
  e.integrator.tolerances = {1e-11, 1e-12};
  e.record.channels = {"q", "v", "tau", "actuator"};
  return e;
}

std::shared_ptr<DcMotor> motor() {
  auto made = std::make_shared<DcMotor>();
  made->resistance = 2;
  made->inductance = 0.5;
  made->torque_constant = 0.3;
  made->command = DcMotor::Command::voltage;
  return made;
}

TEST(Actuators, AMotorUnderAStepOfVoltageFollowsItsTwoExponentials) {
  // J w' = k i, L i' = V - R i - k w: i = V / (L (s1 - s2)) (exp(s1 t) - exp(s2 t)) with
  // s = -R/2L +- sqrt((R/2L)^2 - k^2/(J L)).
  const double J = 0.1, R = 2, L = 0.5, k = 0.3, V = 12;
  const double half = R / (2 * L), root = std::sqrt(half * half - k * k / (J * L));
  const double s1 = -half + root, s2 = -half - root;
  Experiment e = driven_by(motor(), JointType::revolute, J, "12");
  for (const IntegratorMethod method :
       {IntegratorMethod::dormand_prince, IntegratorMethod::dop853, IntegratorMethod::rk4}) {
    e.end = 3;
    e.integrator.method = method;
    e.integrator.step = method == IntegratorMethod::rk4 ? 1e-3 : 0;
    const auto run = simulate(e);
    const Eigen::VectorXd current = run.column("actuator.axis.current"), w = run.column("v.axis");
    for (std::size_t row = 0; row < run.t.size(); ++row) {
      const double t = run.t[row];
      const double i = V / (L * (s1 - s2)) * (std::exp(s1 * t) - std::exp(s2 * t));
      const double speed =
          k / J * V / (L * (s1 - s2)) * ((std::exp(s1 * t) - 1) / s1 - (std::exp(s2 * t) - 1) / s2);
      EXPECT_NEAR(current(static_cast<long>(row)), i, 1e-8) << name_of(method);
      EXPECT_NEAR(w(static_cast<long>(row)), speed, 1e-8) << name_of(method);
    }
  }
}

TEST(Actuators, AMotorHasItsStallTorqueAtRestAndNoneAtItsNoLoadSpeed) {
  DcMotor m = *motor();
  m.inductance = 0;
  m.command = DcMotor::Command::effort;
  m.voltage_limit = 24;
  m.gear.ratio = 50;
  EXPECT_DOUBLE_EQ(m.stall_torque(), 0.3 * 24 / 2);
  EXPECT_DOUBLE_EQ(m.no_load_speed(), 24 / 0.3);
  // More is asked for than it has.
  EXPECT_NEAR(m.effort({1e6, 0, 0}, nullptr, nullptr), 50 * m.stall_torque(), 1e-9);
  EXPECT_NEAR(m.effort({1e6, 0, m.no_load_speed() / 50}, nullptr, nullptr), 0, 1e-9);
  EXPECT_NEAR(m.effort({1e6, 0, m.no_load_speed() / 100}, nullptr, nullptr),
              50 * m.stall_torque() / 2, 1e-9);
  // Within its limits it gives what is asked for.
  EXPECT_NEAR(m.effort({7, 0, 0.2}, nullptr, nullptr), 7, 1e-12);
}

TEST(Actuators, ACurrentLoopSettlesAtItsBandwidthAndAtTheEffortAskedFor) {
  // A wheel so heavy that it hardly turns: di/dt = (bandwidth + R/L) (wanted - i).
  auto m = motor();
  m->command = DcMotor::Command::effort;
  m->bandwidth = 96;
  m->torque_constant = 1e-6;  // no voltage is induced
  Experiment e = driven_by(m, JointType::revolute, 1e9, "2e-6");
  e.end = 0.1;
  const auto run = simulate(e);
  const Eigen::VectorXd i = run.column("actuator.axis.current");
  for (std::size_t row = 0; row < run.t.size(); ++row)
    EXPECT_NEAR(i(static_cast<long>(row)), 2 * (1 - std::exp(-100 * run.t[row])), 1e-8);
}

TEST(Actuators, ABrushlessMotorLosesVoltageToTheTurningOfItsCurrent) {
  // At current i and speed w the voltage has the part p w L i across it: what is left limits i'.
  DcMotor m = *motor();
  m.command = DcMotor::Command::effort;
  m.voltage_limit = 24;
  m.pole_pairs = 4;
  const double w = 10, i = 1, across = 4 * w * m.inductance * i;
  double di = 0;
  m.effort({1e6, 0, w}, &i, &di);
  const double voltage = std::sqrt(24.0 * 24 - across * across);
  EXPECT_NEAR(di, (voltage - 2 * i - 0.3 * w) / 0.5, 1e-12);
  EXPECT_STREQ(m.kind(), "brushless");
}

TEST(Actuators, AGearPassesItsShareOfPowerInBothDirections) {
  Gear gear;
  gear.ratio = 80;
  gear.efficiency = 0.7;
  const double torque = 0.5, speed = 2;
  // Motor to joint: power out = efficiency x power in.
  EXPECT_NEAR(gear.transmitted(torque, speed) * speed, 0.7 * torque * 80 * speed, 1e-9);
  EXPECT_NEAR(gear.transmitted(-torque, -speed) * -speed, 0.7 * torque * 80 * speed, 1e-9);
  // Joint to motor: the joint gives more than the motor takes.
  EXPECT_NEAR(0.7 * gear.transmitted(-torque, speed) * speed, -torque * 80 * speed, 1e-9);
  EXPECT_NEAR(0.7 * gear.transmitted(torque, -speed) * speed, torque * 80 * speed, 1e-9);
  // At rest it loses nothing.
  EXPECT_DOUBLE_EQ(gear.transmitted(torque, 0), 40);
}

TEST(Actuators, PlayLeavesTheJointAtRestUntilTheFlanksMeet) {
  auto m = motor();
  m->inductance = 0;
  m->command = DcMotor::Command::effort;
  m->gear.ratio = 10;
  m->gear.play = 0.02;
  m->gear.stiffness = 1e5;
  m->gear.damping = 20;
  m->gear.inertia = 1e-4;
  // The rotor alone, N^2 J = 0.01, under N k i = 0.5 crosses half of the play, 0.01, in
  // sqrt(2 0.01 0.01 / 0.5) = 0.02 s.
  Experiment e = driven_by(m, JointType::revolute, 0.5, "0.5");
  e.end = 0.5;
  e.record.interval = 0.005;
  e.integrator.tolerances = {1e-8, 1e-10};
  const auto run = simulate(e);
  const Eigen::VectorXd q = run.column("q.axis");
  EXPECT_EQ(q(3), 0);  // 15 ms
  EXPECT_GT(q(6), 0);  // 30 ms
  // Later both turn together: 0.5 = (0.5 + 0.01) a.
  const Eigen::VectorXd v = run.column("v.axis");
  const long last = v.size() - 1;
  EXPECT_NEAR((v(last) - v(last - 40)) / (run.t[static_cast<std::size_t>(last)] -
                                          run.t[static_cast<std::size_t>(last - 40)]),
              0.5 / 0.51, 0.02);
}

/// Where flanks with damping meet, their effort jumps: that instant is an event, and no step is
/// refused for it. In contact the stretch x of the teeth is that of a damped oscillator.
TEST(Actuators, FlanksOfAGearMeetInAnEvent) {
  constexpr double J = 0.02, I = 0.1, c = 500, d = 1, play = 0.02, tau = 2, T = 0.01;
  auto made = motor();
  made->inductance = 0;
  made->command = DcMotor::Command::effort;
  made->gear.stiffness = c;
  made->gear.damping = d;
  made->gear.play = play;
  made->gear.inertia = J;
  Experiment e = driven_by(made, JointType::revolute, I, "2");
  const double meet = std::sqrt(play * J / tau), w = tau / J * meet;
  e.end = meet + T;
  e.q = Eigen::VectorXd::Zero(1);
  const double inverse = 1 / J + 1 / I, rest = tau / J / (c * inverse), fading = d * inverse / 2,
               turn = std::sqrt(c * inverse - fading * fading);
  const double x = rest + std::exp(-fading * T) * (-rest * std::cos(turn * T) +
                                                   (w - fading * rest) / turn * std::sin(turn * T));
  const double q = (tau * e.end * e.end / 2 - J * (play / 2 + x)) / (J + I);
  for (const IntegratorMethod method :
       {IntegratorMethod::dormand_prince, IntegratorMethod::dop853, IntegratorMethod::radau5,
        IntegratorMethod::rk4, IntegratorMethod::sundials_bdf}) {
    if (!is_available(method)) continue;
    e.integrator.method = method;
    e.integrator.step = method == IntegratorMethod::rk4 ? 1e-4 : 0;
    const auto summary = simulate(e).summary;
    EXPECT_NEAR(summary.q(0), q, 1e-9) << name_of(method);
    if (method == IntegratorMethod::dop853) {
      EXPECT_LT(summary.statistics.rejected, 6);
    }
  }
}

TEST(Actuators, AMassOnAClosedCylinderSwingsAtTheRootOfStiffnessByMass) {
  auto c = std::make_shared<HydraulicCylinder>();
  c->command = HydraulicCylinder::Command::valve;
  c->area = c->rod_area = 2e-3;
  c->volume = c->rod_volume = 4e-4;
  const double mass = 800, k = 1.4e9 * 2 * (2e-3 * 2e-3 / 4e-4);
  EXPECT_NEAR(c->stiffness(0), k, 1e-6);
  const double w = std::sqrt(k / mass);
  Experiment e = driven_by(c, JointType::prismatic, mass, "0");
  e.v = Eigen::VectorXd::Constant(1, 1e-4);  // small: volumes hardly change
  e.end = 10 * 2 * M_PI / w;
  e.record.interval = e.end / 1000;
  for (const IntegratorMethod method :
       {IntegratorMethod::dormand_prince, IntegratorMethod::sundials_bdf}) {
    if (!is_available(method)) continue;
    e.integrator.method = method;
    e.integrator.tolerances = {1e-10, 1e-14};
    const auto run = simulate(e);
    const Eigen::VectorXd v = run.column("v.axis");
    for (std::size_t row = 0; row < run.t.size(); row += 50)
      EXPECT_NEAR(v(static_cast<long>(row)), 1e-4 * std::cos(w * run.t[row]), 1e-7)
          << name_of(method);
  }
}

TEST(Actuators, AnOpenValveMovesThePistonWithTheFlowThatPassesIt) {
  // Nothing to push: all pressure is spent in the valve, half of it at each edge.
  auto c = std::make_shared<HydraulicCylinder>();
  c->command = HydraulicCylinder::Command::valve;
  c->area = c->rod_area = 1e-3;
  c->supply = 7e6;
  c->flow = 1e-3;
  c->flow_pressure = 3.5e6;
  c->volume = c->rod_volume = 1e-3;
  c->leakage = 1e-10;  // lets the first oscillation decay
  Experiment e = driven_by(c, JointType::prismatic, 1, "0.1");
  e.end = 0.5;
  const auto run = simulate(e);
  const Eigen::VectorXd v = run.column("v.axis");
  EXPECT_NEAR(v(v.size() - 1), 0.1 * 1e-3 / 1e-3, 1e-5);  // flow over area
}

TEST(Actuators, TheSizingTableHoldsPeaksAndTheThermalLoadOfAWindow) {
  // +-6 N m for 1 s each, then nothing: 6 over the run's first two seconds, 6 / sqrt 2 over all.
  auto a = std::make_shared<LimitedEffort>();
  a->peak = 6;
  a->window = 1;
  a->continuous = 5;
  Experiment e = driven_by(a, JointType::revolute, 2, "10*(step(1-t) - step(t-1)*step(2-t))");
  e.end = 4;
  const auto run = simulate(e);
  ASSERT_EQ(run.summary.sizing.size(), 1u);
  const SizingRow& row = run.summary.sizing[0];
  EXPECT_EQ(row.name, "axis");
  EXPECT_EQ(row.unit, "Nm");
  EXPECT_NEAR(row.peak_effort, 6, 1e-12);
  EXPECT_NEAR(row.window_rms, 6, 1e-6);
  EXPECT_NEAR(row.rms_effort, 6 / std::sqrt(2), 1e-6);
  EXPECT_NEAR(row.peak_speed, 3, 1e-9);  // 6 / 2 after 1 s
  EXPECT_NEAR(row.peak_power, 18, 1e-6);
  EXPECT_EQ(row.continuous, 5);
}

TEST(Actuators, TheEffortOfALimitedActuatorFallsWithSpeed) {
  LimitedEffort a;
  a.stall = 20;
  a.no_load = 10;
  EXPECT_DOUBLE_EQ(a.effort({100, 0, 5}, nullptr, nullptr), 10);
  EXPECT_DOUBLE_EQ(a.effort({-100, 0, 5}, nullptr, nullptr), -30);  // braking
  EXPECT_DOUBLE_EQ(a.effort({100, 0, 12}, nullptr, nullptr), 0);
  EXPECT_DOUBLE_EQ(a.effort({3, 0, 5}, nullptr, nullptr), 3);
}

TEST(Actuators, WrongNumbersAreRefusedWithTheNameOfTheActuator) {
  auto m = motor();
  m->resistance = -1;
  m->gear.efficiency = 1.5;
  m->gear.play = 0.1;
  Experiment e = driven_by(m, JointType::revolute, 1, "1");
  e.end = 1;
  try {
    check(e);
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("actuator 'axis'"), std::string::npos) << text;
    EXPECT_NE(text.find("resistance is -1"), std::string::npos) << text;
    EXPECT_NE(text.find("efficiency of the gear is 1.5"), std::string::npos) << text;
    EXPECT_NE(text.find("play and no stiffness"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace ulna
