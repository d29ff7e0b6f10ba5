// Every formulation gives the same efforts, accelerations and mass matrix for every kind of robot,
// or says in one sentence why it does not apply.

#include "ulna/dynamics/formulation.hpp"

#include <gmock/gmock.h>

#include <random>

#include "support/places.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/platform_posture.hpp"

namespace ulna {
namespace {

struct ClosedState {
  Eigen::VectorXd q, v, a;
};

/// Near the reference posture, with the loops closed.
ClosedState state_near_home(const Model& model) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> one(-0.3, 0.3);
  const auto drawn = [&] {
    Eigen::VectorXd x(model.speeds());
    for (double& e : x) e = one(generator);
    if (model.flexible()) x *= 0.01;  // small deflections
    return x;
  };
  ClosedState state;
  if (model.loops().empty()) {
    state.q = model.integrate(model.neutral(), drawn());
    state.v = drawn();
    state.a = drawn();
    return state;
  }
  Workspace work(model);
  LoopClosure closure(model);
  state.q = assembled(model);
  closure.update(work, state.q);
  state.v = compatible_speeds(closure, drawn());
  closure.update_rates(work, state.q, state.v);
  state.a = compatible_accelerations(closure, drawn());
  return state;
}

double largest_share(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
  return (x - y).cwiseAbs().maxCoeff() / std::max(1e-300, y.cwiseAbs().maxCoeff());
}

/// A shipped robot, or the humanoid of the test data.
Robot robot_of_the_walk(const std::string& name) {
  return read_robot(name == "humanoid" ? testing::data_file("humanoid.yaml") : name).robot;
}

class EveryFormulation : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryFormulation, GivesTheSameNumbersOrSaysWhyNot) {
  const Model model(robot_of_the_walk(GetParam()));
  const ClosedState s = state_near_home(model);
  Dynamics reference(model);
  const LoopEfforts efforts = reference.inverse(s.q, s.v, s.a);
  const Eigen::VectorXd accelerations = reference.forward(s.q, s.v, 0.5 * efforts.tau);
  const Eigen::MatrixXd M = reference.mass_matrix(s.q);
  int answered = 0;
  for (const Formulation& f : formulations()) {
    const auto refused = [&](Question question) {
      const std::string reason = why_not(f, model, question);
      // A sentence that names the formulation, the robot or the joint.
      if (!reason.empty()) {
        EXPECT_THAT(reason, ::testing::HasSubstr("'"));
      }
      return !reason.empty();
    };
    DynamicsOptions options{f.name};
    options.actuated = efforts.actuated;
    if (refused(Question::forward)) {
      EXPECT_THROW(Dynamics(model, options), InputError) << f.name;
      continue;
    }
    Dynamics dynamics(model, options);
    ++answered;
    // Some hundred operations each; the loops multiply rounding by their condition.
    const double bound = model.loops().empty() ? 1e-11 : 1e-8;
    if (refused(Question::inverse)) {
      EXPECT_THROW(dynamics.inverse(s.q, s.v, s.a), InputError) << f.name;
    } else {
      EXPECT_LT(largest_share(dynamics.inverse(s.q, s.v, s.a).tau, efforts.tau), bound) << f.name;
    }
    EXPECT_LT(largest_share(dynamics.forward(s.q, s.v, 0.5 * efforts.tau), accelerations),
              100 * bound)
        << f.name;
    if (refused(Question::mass)) {
      EXPECT_THROW(dynamics.mass_matrix(s.q), InputError) << f.name;
    } else {
      EXPECT_LT(largest_share(dynamics.mass_matrix(s.q), M), 1e-11) << f.name;
    }
    if (refused(Question::reactions)) {
      EXPECT_THROW(dynamics.reactions(s.q, s.v, s.a), InputError) << f.name;
    } else {
      const Reactions expected = reference.reactions(s.q, s.v, s.a);
      const Reactions& found = dynamics.reactions(s.q, s.v, s.a);
      for (std::size_t j = 0; j < expected.joints.size(); ++j)
        EXPECT_LT((found.joints[j] - expected.joints[j]).vector().norm(),
                  bound * (1 + expected.joints[j].vector().norm()) * 100)
            << f.name << " " << model.joints()[j].name;
    }
  }
  EXPECT_GE(answered, 2);
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryFormulation,
                         ::testing::Values("puma560", "scara", "four-bar", "delta", "ddts",
                                           "flexible-two-link", "flexible-four-bar", "humanoid"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(Formulations, WrenchesActAlikeInAll) {
  const Model model(read_robot("puma560").robot);
  const ClosedState s = state_near_home(model);
  ExternalWrench wrench;
  wrench.body = static_cast<int>(model.bodies().size()) - 1;
  wrench.point = {0.1, -0.2, 0.05};
  wrench.force = {3, -7, 11};
  wrench.moment = {0.5, 0.25, -1};
  const Eigen::VectorXd expected = Dynamics(model).inverse(s.q, s.v, s.a, {&wrench, 1}).tau;
  for (const std::string& name : formulation_names(Question::inverse, model))
    EXPECT_LT(
        largest_share(Dynamics(model, {name}).inverse(s.q, s.v, s.a, {&wrench, 1}).tau, expected),
        1e-11)
        << name;
}

TEST(Formulations, ThePlatformIsForPlatforms) {
  const auto reason = [](const char* name) {
    return why_not(formulation_named("platform"), Model(robot_of_the_walk(name)),
                   Question::inverse);
  };
  for (const char* platform : {"ddts", "delta", "stewart-6-6", "planar-3rrr"})
    EXPECT_EQ(reason(platform), "") << platform;
  EXPECT_THAT(reason("puma560"), ::testing::HasSubstr("'puma560' is not a platform"));
  EXPECT_THAT(reason("four-bar"), ::testing::HasSubstr("'four-bar' is not a platform"));
  EXPECT_THAT(reason("gough-leg"), ::testing::HasSubstr("body 'platform' has 1 leg"));
  // Its equations have dampers at the drives only.
  Robot damped = robot_of_the_walk("ddts");
  for (JointData& joint : damped.joints)
    if (joint.type == JointType::free) joint.degrees.assign(6, {.damping = 3});
  EXPECT_THAT(why_not(formulation_named("platform"), Model(damped), Question::inverse),
              ::testing::HasSubstr("at the drives only"));
  // A payload keeps it from being one, and the sentence says so.
  Robot loaded = robot_of_the_walk("ddts");
  PayloadData& payload = loaded.payloads.emplace_back();
  payload.name = "box";
  payload.body = "platform";
  payload.inertial.mass = 2;
  EXPECT_THAT(why_not(formulation_named("platform"), Model(loaded), Question::inverse),
              ::testing::HasSubstr(
                  "payload 'box' is a mass in addition to those of the bodies (expected no "
                  "payloads: add it to its body)"));
}

// What a front end need not ask: a tree is assembled as it stands, its state is what was given, and
// the efforts that hold it are those of its weight.
TEST(Formulations, ATreeIsARobotWithNothingToClose) {
  const Model arm(robot_of_the_walk("puma560"));
  std::mt19937_64 generator(7);
  const Eigen::VectorXd q = arm.random(generator) * 5;  // beyond its limits, too
  EXPECT_EQ(assembled(arm, {.start = q, .held = {}}), q);
  const AssemblyResult found = assemble(arm, {.start = q, .held = {0}});
  ASSERT_EQ(found.solutions.size(), 1u);
  EXPECT_EQ(found.solutions[0].q, q);
  Workspace work(arm);
  LoopClosure closure(arm);
  const State state =
      complete_state(closure, work, {.q = q, .v = NamedValues{{"joint2", 0.5}}, .a = {}});
  EXPECT_EQ(state.q, q);
  EXPECT_EQ(state.v, 0.5 * Eigen::VectorXd::Unit(6, 1));
  EXPECT_TRUE(state.closing.empty());
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(6);
  EXPECT_LT(largest_share(holding_efforts(arm, q, rest), Dynamics(arm).inverse(q, rest, rest).tau),
            1e-13);
  const Model four_bar(robot_of_the_walk("four-bar"));
  const Eigen::VectorXd closed = assembled(four_bar);
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(3);
  EXPECT_LT(largest_share(holding_efforts(four_bar, closed, still, {0}),
                          Dynamics(four_bar, {.actuated = {0}}).inverse(closed, still, still).tau),
            1e-11);
}

TEST(Formulations, ThePlatformTakesWrenchesOnThePlatformOnly) {
  const Model model(robot_of_the_walk("ddts"));
  const ClosedState s = state_near_home(model);
  Dynamics by_form(model, {"platform"}), by_loops(model);
  ExternalWrench wrench{model.body("platform"), {0.1, 0, 0.2}, {10, -20, 30}, {1, 2, 3}, 0};
  EXPECT_LT(largest_share(by_form.inverse(s.q, s.v, s.a, {&wrench, 1}).tau,
                          by_loops.inverse(s.q, s.v, s.a, {&wrench, 1}).tau),
            1e-8);
  wrench.body = wrench.body == 1 ? 2 : 1;
  EXPECT_THROW(by_form.inverse(s.q, s.v, s.a, {&wrench, 1}), InputError);
  EXPECT_THROW(Dynamics(model, {.method = "platform", .actuated = {0}}), InputError);
}

TEST(Formulations, ThePlatformKnowsOneWayToReachIt) {
  // A crank on the other side of the line to the platform: the loops are closed all the same.
  const Model model(robot_of_the_walk("planar-3rrr"));
  const Eigen::VectorXd home = assembled(model), none = Eigen::VectorXd::Zero(model.speeds());
  Dynamics by_form(model, {"platform"}), by_loops(model);
  const Platform platform(platform_of(model));
  const Eigen::VectorXd known =
      platform_posture(model, platform, platform_pose(model, platform, home));
  const Twist<double> acceleration{{0, 0, 3}, {1, 2, 0}};
  const Eigen::VectorXd a = platform_rates(model, platform, known, {}, acceleration).a;
  EXPECT_LT(
      largest_share(by_form.inverse(known, none, a).tau, by_loops.inverse(known, none, a).tau),
      1e-8);
  std::mt19937_64 generator(1);
  AssemblyOptions options;
  const Joint& floating = model.joints()[model.joint("float")];
  for (int k = 0; k < floating.coordinates; ++k) options.held.push_back(floating.q + k);
  int refused = 0;
  for (int trial = 0; trial < 30; ++trial) {
    options.start = model.random(generator);
    for (const int k : options.held) options.start(k) = home(k);
    const AssemblyResult found = assemble(model, options);
    if (found.solutions.empty()) continue;
    const Eigen::VectorXd& q = found.solutions[0].q;
    try {
      by_form.inverse(q, none, none);
    } catch (const ComputationError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("another formulation"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(Formulations, ARefusalListsThoseThatApply) {
  const Model model(robot_of_the_walk("four-bar"));
  try {
    formulation_for("articulated-body", model, Question::forward);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("loops of robot 'four-bar'"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("kane"));
    EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("platform")));
  }
}

TEST(Formulations, ALegOfAPlatformAloneIsAMechanismLikeAnyOther) {
  const Model model(read_robot("gough-leg").robot);
  EXPECT_NO_THROW(Dynamics{model});
}

TEST(Formulations, UnknownNamesAreRefusedWithTheNearest) {
  try {
    formulation_named("kanes");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("kane"));
  }
}

}  // namespace
}  // namespace ulna
