// Actuators among the elements of a robot, driven by inputs of the experiment: functions of time,
// formulas of the state, functions of one's own and controllers.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <optional>

#include "ulna/formats/read_experiment.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/simulation/internal/element_input.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::winch_inputs_test {
namespace {

Robot carriage(const std::string& element) {
  return read_robot_yaml_text(R"(ulna: 1
name: carriage
gravity: [0, 0, 0]
bodies:
  - {name: mass, mass: 2}
joints:
  - {name: x, type: prismatic, parent: world, child: mass, axis: [1, 0, 0]}
elements:
  - {name: jack, from: world, to: mass, )" +
                                  element + "}\n",
                              "carriage.yaml")
      .robot;
}

/// An arm on a hinge that a jack from the base lifts.
const char* crane = R"(ulna: 1
name: crane
bodies:
  - {name: arm, mass: 20, centre: [0.8, 0, 0], inertia: [0.1, 2, 2]}
joints:
  - {name: shoulder, type: revolute, parent: world, child: arm, axis: [0, -1, 0], damping: 3}
elements:
  - {name: jack, type: actuator, from: {body: world, point: [0.3, 0, -0.6]}, to: {body: arm, point: [0.6, 0, 0.05]}JACK}
)";
Robot crane_with(const std::string& jack) {
  std::string text = crane;
  text.replace(text.find("JACK"), 4, jack);
  return read_robot_yaml_text(text, "crane.yaml").robot;
}

Experiment experiment_of(const Robot& robot, double q, double end = 2) {
  Experiment e(std::make_shared<const Model>(robot));
  e.end = end;
  e.q = Eigen::VectorXd::Constant(1, q);
  e.integrator.tolerances = {1e-11, 1e-12};
  e.record.channels = {"q", "v", "tau", "element", "energy", "power", "reaction"};
  return e;
}

std::shared_ptr<ElementInput> input(const std::string& force) {
  auto in = std::make_shared<ElementInput>();
  in->element = 0;
  const auto formula = std::make_shared<const VariableFormula>(force);
  if (formula->variables().empty())
    in->force = std::make_shared<Formula>(force);
  else
    in->formula = formula;
  return in;
}

void expect_same_motion(const ulna::Run& a, const ulna::Run& b, const char* channel,
                        double tolerance) {
  ASSERT_EQ(a.t.size(), b.t.size());
  EXPECT_LT((a.column(channel) - b.column(channel)).cwiseAbs().maxCoeff(), tolerance);
}

TEST(ElementInputs, AForceOfTimeMovesAMassAsNewtonSays) {
  // 2 x'' = 30 sin 3t from rest at 1: x = 1 + (30/2) (t/3 - sin 3t / 9).
  Experiment e = experiment_of(carriage("type: actuator"), 1);
  e.controllers = {input("30*sin(3*t)")};
  const ulna::Run run = simulate(e);
  const Eigen::VectorXd x = run.column("q.x"), f = run.column("element.jack.force");
  for (std::size_t k = 0; k < run.t.size(); ++k) {
    const double t = run.t[k];
    EXPECT_NEAR(x(static_cast<Eigen::Index>(k)), 1 + 15 * (t / 3 - std::sin(3 * t) / 9), 1e-8);
    EXPECT_NEAR(f(static_cast<Eigen::Index>(k)), 30 * std::sin(3 * t), 1e-9);
  }
  // What the actuator gives is work taken from "dissipated", with the other sign.
  EXPECT_LT(run.summary.energy_balance, 1e-7);
  EXPECT_LT(run.column("power.residual").cwiseAbs().maxCoeff(), 1e-9);
  // The robot itself is as it was: the run has set the forces of a copy.
  EXPECT_EQ(e.model->elements()[0].force, 0);
}

TEST(ElementInputs, AFormulaOfLengthAndRateIsASpringAndADamper) {
  const ulna::Run expected = simulate(experiment_of(
      carriage("type: spring-damper, free_length: 0.5, stiffness: 200, damping: 4"), 0.8));
  Experiment e = experiment_of(carriage("type: actuator"), 0.8);
  e.controllers = {input("-200*(element.jack.length - 0.5) - 4*element.jack.rate")};
  expect_same_motion(simulate(e), expected, "q.x", 1e-9);
  const auto law = std::make_shared<ElementInput>();
  law->element = 0;
  law->law = [](double, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    return -200 * (q(0) - 0.5) - 4 * v(0);
  };
  e.controllers = {law};
  expect_same_motion(simulate(e), expected, "q.x", 1e-9);
  // Implicit integrators differentiate the input by differences.
  e.integrator.method = IntegratorMethod::radau5;
  expect_same_motion(simulate(e), expected, "q.x", 1e-8);
}

TEST(ElementInputs, AJackDeliversWhatAControllerAsksOfAJoint) {
  const auto controlled = [](const Robot& robot) {
    Experiment e = experiment_of(robot, 0.2, 3);
    e.drives.resize(1);
    e.drives[0].kind = DriveKind::controller;
    e.drives[0].motion = {std::make_shared<Formula>("0.2 + 0.5*poly345(t/2)")};
    auto pd = std::make_shared<Feedback>();
    pd->joints = {0};
    pd->kp = Eigen::VectorXd::Constant(1, 4000);
    pd->kd = Eigen::VectorXd::Constant(1, 600);
    pd->gravity = true;
    e.controllers = {pd};
    return e;
  };
  Experiment by_jack = controlled(crane_with(""));
  const auto jack = std::make_shared<ElementInput>();
  jack->element = 0;
  jack->delivers = 0;
  by_jack.controllers.push_back(jack);
  const ulna::Run a = simulate(controlled(crane_with(""))), b = simulate(by_jack);
  expect_same_motion(a, b, "q.shoulder", 1e-8);
  // The hinge has no motor now, and bears what the jack pushes with.
  EXPECT_EQ(b.column("tau.shoulder").cwiseAbs().maxCoeff(), 0);
  EXPECT_GT(b.column("element.jack.force").minCoeff(), 100);
  const Eigen::Index last = static_cast<Eigen::Index>(b.t.size()) - 1;
  EXPECT_LT(b.column("reaction.shoulder.fz")(last), a.column("reaction.shoulder.fz")(last) - 100);
  EXPECT_LT(b.column("power.residual").cwiseAbs().maxCoeff(), 1e-6);
}

TEST(ElementInputs, WorkAtStrokeAndRate) {
  // Pushes up to 1.2 m and pulls down to 0.9 m, and is weaker the faster it goes.
  const auto force = [](double x, double rate, double asked) {
    Experiment e =
        experiment_of(carriage("type: actuator, stroke: [0.9, 1.2], rate_limit: 0.5"), x, 1e-3);
    e.v = Eigen::VectorXd::Constant(1, rate);
    e.controllers = {input(std::to_string(asked))};
    return simulate(e).column("element.jack.force")(0);
  };
  EXPECT_NEAR(force(1.1, 0, 10), 10, 1e-12);
  EXPECT_NEAR(force(1.1, 0.25, 10), 5, 1e-12);
  EXPECT_NEAR(force(1.1, 0.6, 10), 0, 1e-12);
  EXPECT_NEAR(force(1.1, -2, 10), 10, 1e-12);  // it holds against what overruns it
  EXPECT_NEAR(force(1.3, 0, 10), 0, 1e-12);
  EXPECT_NEAR(force(1.3, 0, -5), -5, 1e-12);
  EXPECT_NEAR(force(0.95, -0.25, -5), -2.5, 1e-12);
  EXPECT_NEAR(force(0.8, 0, -5), 0, 1e-12);
}

TEST(ElementInputs, WithWrongUnitsOrAlgebraicLoopsAreRefused) {
  const auto complaint = [](const std::string& inputs) -> std::string {
    try {
      Experiment e = experiment_of(crane_with(""), 0.2);
      e.controllers = {input(inputs)};
      check(e);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(complaint("3 kN*sin(t)"), "");
  EXPECT_NE(complaint("3 kg*t").find("wrong unit"), std::string::npos);
  EXPECT_NE(complaint("2*element.jack.force").find("algebraic loop"), std::string::npos);
  EXPECT_NE(complaint("2*tau.shoulder").find("algebraic loop"), std::string::npos);
  EXPECT_NE(complaint("2*q.elbow").find("q.elbow"), std::string::npos);
}

/// An experiment with these inputs, read as a file is; or the complaint about it.
struct ReadInputs {
  std::optional<Experiment> experiment;
  std::string complaint;
};
ReadInputs read_inputs(const std::string& inputs, const std::string& more = {}) {
  const std::string folder = ::testing::TempDir();
  std::string robot = crane;
  robot.replace(robot.find("JACK"), 4, "");
  std::ofstream(folder + "/crane.yaml") << robot;
  const std::string text =
      "experiment: 1\nrobot: crane.yaml\nduration: 1\nstart: {q: {shoulder: 0.2}}\ninputs: " +
      inputs + "\n" + more;
  try {
    return {read_experiment_text(text, folder + "/lift.yaml").experiment, {}};
  } catch (const InputError& error) {
    return {{}, error.what()};
  }
}

TEST(ElementInputs, StandInAnExperimentFile) {
  const ReadInputs of_time = read_inputs("{jack: 500 N + 20 N/s*t}");
  ASSERT_EQ(of_time.complaint, "");
  const auto first = [](const ReadInputs& read) {
    for (const auto& controller : read.experiment->controllers)
      if (const auto* found = dynamic_cast<const ElementInput*>(controller.get())) return found;
    return static_cast<const ElementInput*>(nullptr);
  };
  ASSERT_TRUE(first(of_time));
  EXPECT_NEAR(first(of_time)->force->at(2).value, 540, 1e-12);
  const ReadInputs of_state = read_inputs("{jack: 500 - 40*v.shoulder}");
  ASSERT_EQ(of_state.complaint, "");
  EXPECT_TRUE(first(of_state)->formula);
  const ReadInputs delivers = read_inputs("{jack: {delivers: shoulder}}",
                                          "motions: {shoulder: 0.2 + 0.1*t}\ndrives: {shoulder: "
                                          "controller}\ncontrollers: [{law: pd, kp: "
                                          "4000, kd: 600, gravity: true}]\n");
  ASSERT_EQ(delivers.complaint, "");
  EXPECT_EQ(first(delivers)->delivers, 0);
  EXPECT_LT(simulate(*delivers.experiment).column("tau.shoulder").cwiseAbs().maxCoeff(), 1e-12);
  for (const auto& [inputs, word] : {std::pair{"{jak: 5}", "did you mean 'jack'"},
                                     {"{jack: 5 kg}", "a force"},
                                     {"{jack: {delivers: elbow}}", "elbow"},
                                     {"[5]", "a map with the names of elements"},
                                     {"{jack: 5*element.jack.force}", "algebraic loop"}})
    EXPECT_NE(read_inputs(inputs).complaint.find(word), std::string::npos)
        << read_inputs(inputs).complaint;
}

}  // namespace
}  // namespace ulna::winch_inputs_test
