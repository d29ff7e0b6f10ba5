// Generated residuals and dynamics of closed loops: C code beside the library on a thousand closed
// states, and what is refused.

#include <gmock/gmock.h>

#include "any_robot.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/generate/compile.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/symbolic/program.hpp"

namespace ulna::test {
namespace {

using Eigen::VectorXd;

/// q closed, v and a with it.
struct ClosedState {
  VectorXd q, v, a, tau;
};

class ClosedStates {
 public:
  explicit ClosedStates(const Model& model) : model_(model), work_(model), closure(model) {}

  ClosedState next() {
    AssemblyOptions options;
    options.start = model_.random(g_);
    options.restarts = 30;
    options.tolerance = 1e-14;  // of redundant rows, those left out see what is left open
    options.seed = static_cast<unsigned>(g_());
    ClosedState s{assembled(model_, options), {}, {}, {}};
    closure.update(work_, s.q);
    s.v = compatible_speeds(closure, testing::random_entries(g_, model_.speeds()));
    closure.update_rates(work_, s.q, s.v);
    s.a = compatible_accelerations(closure, testing::random_entries(g_, model_.speeds()));
    s.tau = testing::random_entries(g_, model_.speeds());
    return s;
  }

 private:
  const Model& model_;
  Workspace work_;
  Generator g_{11};

 public:
  LoopClosure closure;  ///< at the last state
};

double condition(const Eigen::MatrixXd& A) {
  const VectorXd s = dense::singular_values(A);
  return s(0) / s(s.size() - 1);
}

/// Issue 9 asks for 1e-12 of inverse dynamics and 1e-12 + 1e-15 cond(M) of forward dynamics. The
/// rows kept have a condition of their own: the general algorithm, which keeps all rows, does not
/// see it, and it goes to infinity where a row that was kept is about to depend on the others.
double bound_of(const Model& model, const TracedFunction& f, const VectorXd& q,
                const LoopClosure& closure) {
  if (f.loop_rows.empty()) return 1e-12;
  const double rows = condition(closure.scaled_jacobian()(f.loop_rows, Eigen::all));
  if (f.name.ends_with("inverse")) {
    std::vector<int> passive;
    for (int k = 0; k < model.speeds(); ++k)
      if (std::find(f.actuated.begin(), f.actuated.end(), k) == f.actuated.end())
        passive.push_back(k);
    return 1e-12 + 1e-14 * condition(closure.scaled_jacobian()(f.loop_rows, passive));
  }
  Workspace work(model);
  LoopDynamics dynamics(model);
  VectorXd column = VectorXd::Zero(model.speeds());
  dynamics.close_speeds(work, q, column);  // makes the mass matrix of the tree
  Eigen::MatrixXd M(model.speeds(), model.speeds());
  for (int k = 0; k < model.speeds(); ++k) {
    dynamics.mass_times(VectorXd::Unit(model.speeds(), k), column);
    M.col(k) = column;
  }
  return 1e-12 + 1e-15 * condition(M) * rows * rows;
}

class LoopFunctions : public ::testing::TestWithParam<std::string> {};

TEST_P(LoopFunctions, CompiledAgreeWithTheLibraryOnClosedStates) {
  const Model model = shipped_model(GetParam());
  for (const std::string name : {"loop-residual", "loop-inverse", "loop-forward"}) {
    CompileOptions options;
    options.flags = {"-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"};
    options.use_cache = false;
    const CompiledFunction compiled = compile(model, name, options);
    if (!compiled.compiled()) GTEST_SKIP() << compiled.warning();
    const TracedFunction f = trace(model, name);
    GeneralAlgorithm general(model, name);
    ClosedStates states(model);
    Arrays out(f.outputs), expected(f.outputs);
    int strict = 0;
    for (int k = 0; k < 1000; ++k) {
      const ClosedState s = states.next();
      const double* in[] = {s.q.data(), s.v.data(),
                            name == "loop-forward" ? s.tau.data() : s.a.data()};
      const double bound = bound_of(model, f, s.q, states.closure);
      if (!(bound < 1e-6)) continue;  // at a singular posture neither knows the answer
      strict += bound < 2e-11;
      compiled(in, out.pointers.data());
      general(in, expected.pointers.data());
      for (std::size_t i = 0; i < f.outputs.size(); ++i) {
        const Eigen::Map<const VectorXd> x(out.pointers[i], f.outputs[i].size()),
            y(expected.pointers[i], f.outputs[i].size());
        const double size = std::max(1.0, y.cwiseAbs().maxCoeff());
        ASSERT_LE((x - y).cwiseAbs().maxCoeff(), bound * size)
            << GetParam() << ", " << name << ", " << f.outputs[i].name << ", state " << k;
      }
    }
    EXPECT_GT(strict, 800) << name;  // most states are well away from singular ones
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, LoopFunctions,
                         ::testing::Values("slider-crank", "four-bar", "crank-rocker", "five-bar",
                                           "bennett"),
                         [](const auto& name) {
                           std::string out;
                           for (const char c : name.param) out += c == '-' ? '_' : c;
                           return out;
                         });

// Quaternions among the coordinates: A is in the tangent.
// With loops `inverse` and `forward` mean what their older names mean; the open tree by any
// formulation.
TEST(LoopFormulations, EveryOneOfTheTreeGivesTheSame) {
  for (const char* robot : {"four-bar", "five-bar"}) {
    const Model model = shipped_model(robot);
    for (const std::string name : {"inverse", "forward"})
      for (const Formulation& formulation : formulations()) {
        const Question question = name == "inverse" ? Question::inverse : Question::forward;
        SCOPED_TRACE(std::string(robot) + ", " + formulation.name + ", " + name);
        TraceOptions options;
        options.method = formulation.name;
        if (!why_not_generated(formulation, model, question).empty()) {
          EXPECT_THROW(trace(model, name, options), InputError);
          continue;
        }
        const TracedFunction f = trace(model, name, options), older = trace(model, "loop-" + name);
        EXPECT_EQ(f.outputs.size(), older.outputs.size());
        const Program program(f.expressions, *f.graph), before(older.expressions, *older.graph);
        ClosedStates states(model);
        for (int k = 0; k < 10; ++k) {
          const ClosedState s = states.next();
          if (!(bound_of(model, older, s.q, states.closure) < 1e-9)) continue;
          std::vector<double> in;
          for (const VectorXd& x : {s.q, s.v, name == "inverse" ? s.a : s.tau})
            in.insert(in.end(), x.begin(), x.end());
          const std::vector<double> x = program.evaluate(in), y = before.evaluate(in);
          for (std::size_t i = 0; i < x.size(); ++i)
            EXPECT_NEAR(x[i], y[i], 1e-8 * (1 + std::abs(y[i])));
        }
      }
  }
}

TEST(LoopFunctionsOf, BallJointsAgreeToo) {
  const Model model = shipped_model("rotary-hexapod");
  const TracedFunction f = trace(model, "loop-residual");
  const Program program(f.expressions, *f.graph);
  GeneralAlgorithm general(model, f.name);
  Arrays expected(f.outputs);
  Generator g(3);
  for (int k = 0; k < 5; ++k) {
    // Residuals and their derivatives are defined where the loops are open, too.
    const VectorXd q = model.random(g), v = testing::random_entries(g, model.speeds());
    std::vector<double> in(q.begin(), q.end());
    in.insert(in.end(), v.begin(), v.end());
    const std::vector<double> out = program.evaluate(in);
    const double* arrays[] = {q.data(), v.data()};
    general(arrays, expected.pointers.data());
    std::size_t place = 0;
    for (const std::vector<double>& array : expected.values)
      for (const double x : array) ASSERT_NEAR(out[place++], x, 1e-11 * (1 + std::abs(x)));
  }
}

/// The degree of the joint that is to close the loop.
DegreeData& closing_degree(Robot& robot, const std::string& name) {
  for (JointData& joint : robot.joints) joint.cut = joint.name == name;
  JointData& joint = *std::find_if(robot.joints.begin(), robot.joints.end(),
                                   [&](const JointData& j) { return j.name == name; });
  joint.degrees.resize(1);
  return joint.degrees[0];
}

void expect_general_with_closing(const Robot& robot) {
  const Model model(robot);
  for (const std::string name : {"inverse", "forward"}) {
    SCOPED_TRACE(model.name() + ", " + name);
    const TracedFunction f = trace(model, name);
    const Program program(f.expressions, *f.graph);
    GeneralAlgorithm general(model, name);
    Arrays expected(f.outputs);
    ClosedStates states(model);
    int compared = 0;
    for (int k = 0; k < 10; ++k) {
      const ClosedState s = states.next();
      if (!(bound_of(model, f, s.q, states.closure) < 1e-10)) continue;
      const VectorXd& last = name == "inverse" ? s.a : s.tau;
      const double* arrays[] = {s.q.data(), s.v.data(), last.data()};
      general(arrays, expected.pointers.data());
      std::vector<double> in;
      for (const VectorXd* x : {&s.q, &s.v, &last}) in.insert(in.end(), x->begin(), x->end());
      const std::vector<double> out = program.evaluate(in);
      std::size_t place = 0;
      for (const std::vector<double>& array : expected.values)
        for (const double x : array) EXPECT_NEAR(out[place++], x, 1e-8 * (1 + std::abs(x)));
      ++compared;
    }
    EXPECT_GE(compared, 3);
  }
}

TEST(LoopFunctionsOf, DampersAndSpringsOfJointsThatCloseLoopsAreIncluded) {
  Robot bar = read_robot("four-bar").robot;
  closing_degree(bar, "joint4").damping = 3;
  expect_general_with_closing(bar);
  Robot slider = read_robot("slider-crank").robot;
  const auto slide =
      std::find_if(slider.joints.begin(), slider.joints.end(),
                   [](const JointData& j) { return j.type == JointType::prismatic; });
  ASSERT_NE(slide, slider.joints.end());
  DegreeData& bore = closing_degree(slider, slide->name);
  bore.damping = 2;
  bore.stiffness = 100;
  bore.hardening = 50;
  bore.rest = 0.3;
  ASSERT_EQ(Model(slider).loops()[0].type, JointType::prismatic);
  expect_general_with_closing(slider);
}

TEST(LoopFunctionsOf, TreesAndSpringsOfClosingTurnsAreRefused) {
  EXPECT_THROW(trace(shipped_model("puma560"), "loop-forward"), InputError);
  EXPECT_THROW(trace(shipped_model("four-bar"), "mass"), InputError);
  Robot robot = read_robot("four-bar").robot;
  const std::string closing = Model(robot).loops()[0].joint;
  for (JointData& joint : robot.joints)
    if (joint.name == closing) {
      joint.cut = true;
      joint.degrees.resize(1);
      joint.degrees[0].stiffness = 1;  // of a turn: its angle would need an arc tangent
    }
  EXPECT_THROW(trace(Model(robot), "loop-forward"), InputError);
  TraceOptions options;
  options.actuated = {0, 1};
  EXPECT_THROW(trace(shipped_model("four-bar"), "loop-inverse", options), InputError);
}

}  // namespace
}  // namespace ulna::test
