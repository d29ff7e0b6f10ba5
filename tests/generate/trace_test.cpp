// Traced functions, evaluated, are the general algorithms.

#include "../support/random_elements.hpp"
#include "any_robot.hpp"
#include "ulna/symbolic/program.hpp"

namespace ulna::test {
namespace {

/// Evaluates a traced function from arrays to arrays.
class Evaluated {
 public:
  explicit Evaluated(const TracedFunction& f) : program_(f.expressions, *f.graph), f_(f) {
    if (!f.prepare) return;
    c_ = Program(f.prepare->expressions, *f.prepare->graph).evaluate(f.parameters);
  }
  void operator()(const Arrays& in, Arrays& out) const {
    std::vector<double> values;
    for (const auto& array : in.values) values.insert(values.end(), array.begin(), array.end());
    values.insert(values.end(), c_.begin(), c_.end());
    values.resize(f_.graph->input_names().size(), NAN);  // symbols used on the way, not any more
    const std::vector<double> results = program_.evaluate(values);
    auto next = results.begin();
    for (auto& array : out.values)
      for (double& x : array) x = *next++;
  }

 private:
  Program program_;
  const TracedFunction& f_;
  std::vector<double> c_;
};

void check_all(const Model& model, int states, const TraceOptions& options = {}) {
  for (const std::string& name : functions_of_trees()) {
    if (options.symbolic_inertias && name == "regressor") continue;  // has none
    const TracedFunction f = trace(model, name, options);
    expect_general(model, f, Evaluated(f), states, options);
  }
}

TEST(Trace, EveryFunctionOfTheShippedRobotsIsTheGeneralAlgorithm) {
  for (const std::string& robot : shipped) check_all(shipped_model(robot), 20);
}

TEST(Trace, TreesOfAnyJointsWithFrictionSpringsAndRotorsToo) {
  for (unsigned seed = 1; seed <= 6; ++seed) check_all(random_model(seed), 5);
}

TEST(Trace, MimicJointsToo) {
  for (unsigned seed = 1; seed <= 4; ++seed) check_all(random_model(seed, true), 5);
}

TEST(Trace, ForceElementsToo) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 4;
    recipe.types = testing::all_moving_types;
    recipe.branches = true;
    Robot robot = testing::random_robot(g, recipe);
    testing::add_random_elements(g, robot, true);
    check_all(Model(robot), 5);
  }
}

TEST(Trace, ForcesOfActuatorsAndTheirTimeAreArguments) {
  Generator g(4);
  testing::RobotRecipe recipe;
  recipe.bodies = 3;
  Robot robot = testing::random_robot(g, recipe);
  ElementData jack;
  jack.name = "jack";
  jack.type = ElementData::Type::actuator;
  jack.from = testing::random_end(g, "world");
  jack.to = testing::random_end(g, robot.bodies[2].name);
  ElementData ram = jack;
  ram.name = "ram";
  ram.to = testing::random_end(g, robot.bodies[1].name);
  jack.input = true;
  ram.formula = "30*sin(2*t)*element.ram.length - 4*v." + robot.joints[0].name;
  robot.elements = {jack, ram};
  Model model(robot);
  const TracedFunction f = trace(model, "inverse");
  ASSERT_EQ(f.inputs.size(), 4u);
  EXPECT_EQ(f.inputs[3].entries, (std::vector<std::string>{"jack (N)", "t (s)"}));
  const Eigen::VectorXd q = testing::random_entries(g, 3), v = testing::random_entries(g, 3),
                        a = testing::random_entries(g, 3);
  const auto list = [](const Eigen::VectorXd& x) {
    return std::vector<double>(x.begin(), x.end());
  };
  Arrays in(f.inputs), out(f.outputs);
  in.values = {list(q), list(v), list(a), {120, 0.7}};
  const Evaluated evaluated(f);
  evaluated(in, out);
  model.set_actuator_force(0, 120);
  model.set_time(0.7);
  Workspace work(model);
  const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(out.values[0][k], tau(k), 1e-11 * (1 + tau.norm()));
  // The reference of the tests that are generated beside the code takes them too.
  for (const char* name : {"inverse", "forward", "inverse-derivatives", "forward-derivatives"}) {
    const TracedFunction other = trace(model, name);
    expect_general(model, other, Evaluated(other), 5);
  }
  // Generated code has no exponential.
  robot.elements[1].formula = "exp(-t)";
  EXPECT_THROW(trace(Model(robot), "inverse"), InputError);
}

TEST(Trace, ANamedFrameIsTheOneTraced) {
  const Model model = shipped_model("puma560");
  TraceOptions options;
  options.frame = model.frame("link3");
  for (const char* name : {"forward-kinematics", "jacobian"}) {
    const TracedFunction f = trace(model, name, options);
    expect_general(model, f, Evaluated(f), 5, options);
  }
}

TEST(Trace, SymbolicParametersGiveTheSameNumbers) {
  TraceOptions options;
  options.symbolic_inertias = options.symbolic_lengths = true;
  check_all(shipped_model("puma560"), 5, options);
  check_all(random_model(1), 3, options);
}

TEST(Trace, SymbolicMassesMayBeChangedAfterwards) {
  TraceOptions options;
  options.symbolic_inertias = true;
  Robot robot = read_robot("puma560").robot;
  TracedFunction f = trace(Model(robot), "inverse", options);
  const int heavier = 2;
  const double before = robot.bodies[heavier].inertial.mass;
  robot.bodies[heavier].inertial.mass = 2 * before;
  int changed = 0;
  for (std::size_t k = 0; k < f.parameters.size(); ++k)
    if (f.prepare->inputs[0].entries[k].starts_with("mass of " + robot.bodies[heavier].name + " "))
      f.parameters[k] = 2 * before, ++changed;
  ASSERT_EQ(changed, 1);
  expect_general(Model(robot), f, Evaluated(f), 10, options);
}

TEST(Trace, WhatDependsOnParametersAloneIsComputedAtStartUp) {
  TraceOptions options;
  options.symbolic_inertias = options.symbolic_lengths = true;
  const Model model = shipped_model("puma560");
  const OperationCount symbolic = trace(model, "inverse", options).operations();
  // Rotors, damping and friction included. Left where they are used, products and sums of
  // parameters would make thousands.
  EXPECT_LE(symbolic.multiplications, 220);
  EXPECT_LE(symbolic.additions, 188);
}

// Nie's hand derivation of the Intelledex needs 672 + 404, his program as it loops 4083 + 3231.
TEST(Trace, KaneGivesTheEffortsInFewerOperationsThanByHand) {
  TraceOptions options;
  options.method = "kane";
  const Model model = shipped_model("intelledex605");
  const TracedFunction f = trace(model, "inverse", options);
  expect_general(model, f, Evaluated(f), 20, options);
  EXPECT_LE(f.operations().multiplications, 165);
  EXPECT_LE(f.operations().additions, 120);
  const Model other = random_model(3);
  const TracedFunction g = trace(other, "inverse", options);
  expect_general(other, g, Evaluated(g), 20, options);
}

TEST(Trace, PartialVelocitiesInTheSpeedsOfABody) {
  TraceOptions options;
  const Model model = shipped_model("intelledex605");
  for (const char* speeds : {"joint-rates", "body:C", "body:F"}) {
    options.speeds = {speeds};
    const TracedFunction f = trace(model, "partial-velocities", options);
    expect_general(model, f, Evaluated(f), 20, options);
  }
  options.speeds = {"body:world"};
  EXPECT_THROW(trace(model, "partial-velocities", options), InputError);
  options.speeds = {"wheels"};
  EXPECT_THROW(trace(model, "partial-velocities", options), InputError);
}

// Nie's own list of partial velocities in these speeds holds 26 + 6 and 2 divisions.
TEST(Trace, PartialVelocitiesInTheSpeedsOfTheMiddleLinkAreAsShortAsByHand) {
  TraceOptions options;
  options.speeds = {"body:C"};
  const Model model = shipped_model("intelledex605");
  const OperationCount n = trace(model, "partial-velocities", options).operations();
  EXPECT_LE(n.multiplications, 26);
  EXPECT_LE(n.additions, 6);
  EXPECT_LE(n.divisions, 2);
}

TEST(Trace, EveryFormulationThatAppliesIsTheGeneralAlgorithm) {
  const std::pair<const char*, Question> functions[] = {{"inverse", Question::inverse},
                                                        {"bias", Question::inverse},
                                                        {"forward", Question::forward},
                                                        {"mass", Question::mass}};
  int traced = 0;
  for (const Model& model : {shipped_model("stanford"), random_model(2), random_model(3, true)})
    for (const Formulation& formulation : formulations())
      for (const auto& [function, question] : functions) {
        SCOPED_TRACE(std::string(formulation.name) + ", " + function);
        TraceOptions options;
        options.method = formulation.name;
        const std::string reason = why_not_generated(formulation, model, question);
        if (!reason.empty()) {
          try {
            trace(model, function, options);
            ADD_FAILURE() << "no refusal";
          } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
          }
          continue;
        }
        const TracedFunction f = trace(model, function, options);
        expect_general(model, f, Evaluated(f), 5, options);
        ++traced;
      }
  EXPECT_GE(traced, 50);
}

TEST(Trace, KaneInOtherSpeedsGivesTheSameEffortsAndAccelerations) {
  TraceOptions options;
  options.method = "kane";
  const Model model = shipped_model("intelledex605"), branched = random_model(4),
              mimic = random_model(3, true);
  GeneralizedSpeeds formulas{"mine", {}};
  for (int k = 0; k < 6; ++k) {
    const std::string own = "v." + model.speed_names()[k];
    formulas.formulas.emplace_back(
        "u" + std::to_string(k), k == 2
                                     ? own
                                     : "(2 + cos(q." + model.coordinate_names()[1] + "))*" + own +
                                           " + 0.3*v." + model.speed_names()[(k + 1) % 6] + " + t");
  }
  for (const char* function : {"inverse", "bias", "forward"}) {
    for (const GeneralizedSpeeds& speeds :
         {GeneralizedSpeeds{"body:C"}, GeneralizedSpeeds{"body:F"}, GeneralizedSpeeds{"body:B"},
          GeneralizedSpeeds{"middle"}, formulas}) {
      SCOPED_TRACE(speeds.name + ", " + function);
      options.speeds = speeds;
      const TracedFunction f = trace(model, function, options);
      expect_general(model, f, Evaluated(f), 10, options);
    }
    for (const Model* other : {&branched, &mimic})
      for (std::size_t body = 1; body < other->bodies().size(); ++body) {
        options.speeds = {"body:" + other->bodies()[body].name};
        TracedFunction f;
        try {
          f = trace(*other, function, options);
        } catch (const InputError&) {
          continue;  // nothing turns this body
        }
        SCOPED_TRACE(options.speeds.name + ", " + function);
        expect_general(*other, f, Evaluated(f), 3, options);
      }
  }
  options.method = "newton-euler";
  EXPECT_THROW(trace(model, "inverse", options), InputError);
  options.method = "kane";
  EXPECT_THROW(trace(model, "mass", options), InputError);
  formulas.formulas[0].second = "(1 + t)*v." + model.speed_names()[0];
  options.speeds = formulas;
  EXPECT_THROW(trace(model, "inverse", options), InputError);  // generated code knows no time
}

TEST(Trace, UnknownFunctionsAndLoopsAreRefused) {
  const Model model = shipped_model("scara");
  try {
    trace(model, "invers");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'inverse'"), std::string::npos)
        << error.what();
  }
  Robot closed = read_robot("scara").robot;
  JointData joint;
  joint.name = "closing";
  joint.type = JointType::revolute;
  joint.child = closed.bodies.back().name;
  closed.joints.push_back(joint);
  try {
    trace(Model(closed), "mass");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("loop"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ulna::test
