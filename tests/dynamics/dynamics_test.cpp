// Dynamics: every question about robots of every kind, and odd robots, for which there is an answer
// or a sentence.

#include "ulna/dynamics/dynamics.hpp"

#include <gmock/gmock.h>

#include <random>
#include <thread>

#include "support/allocations.hpp"
#include "support/places.hpp"
#include "support/random_robot.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

Model model_named(const std::string& name) {
  return Model(read_robot(name == "humanoid" ? testing::data_file("humanoid.yaml") : name).robot);
}

struct AnyState {
  VectorXd q, v, a;
};

AnyState closed_state_of(const Model& model, unsigned seed = 3) {
  testing::Generator g(seed);
  const double size = model.flexible() ? 0.002 : 0.2;
  const auto drawn = [&] { return VectorXd(size * testing::random_entries(g, model.speeds())); };
  if (model.loops().empty()) return {model.integrate(model.neutral(), drawn()), drawn(), drawn()};
  AnyState state;
  Workspace work(model);
  LoopClosure closure(model);
  state.q = assembled(model);
  closure.update(work, state.q);
  state.v = compatible_speeds(closure, drawn());
  closure.update_rates(work, state.q, state.v);
  state.a = compatible_accelerations(closure, drawn());
  return state;
}

class AnyRobot : public ::testing::TestWithParam<const char*> {
 protected:
  const Model model = model_named(GetParam());
  const AnyState s = closed_state_of(model);
  Dynamics dynamics{model};
};

TEST_P(AnyRobot, TheTermsMakeUpTheEffortsOnIndependentSpeeds) {
  const EquationsOfMotion e = dynamics.equations(s.q, s.v);
  const VectorXd tau = dynamics.inverse(s.q, s.v, s.a).tau;
  VectorXd left = e.M * s.a(e.speeds) + e.coriolis + e.gravity + e.passive, right = tau;
  if (LoopDynamics* loops = dynamics.loops()) {
    loops->update_closure(dynamics.work(), s.q);
    right =
        independent_map(loops->closure(), split_speeds(loops->closure(), e.speeds)).G.transpose() *
        tau;
  }
  EXPECT_LT((left - right).norm(), 1e-8 * (1 + e.gravity.norm() + right.norm()));
}

TEST_P(AnyRobot, TheEnergyChangesByTheWorkOfEffortsAndPassiveElements) {
  const VectorXd tau = dynamics.inverse(s.q, s.v, s.a).tau;
  const double h = 1e-4;
  const auto total = [&](double t) {
    const Energy e =
        dynamics.energy(model.integrate(s.q, VectorXd(t * s.v + 0.5 * t * t * s.a)), s.v + t * s.a);
    return e.kinetic + e.potential;
  };
  // Springs are in the energy; dampers and friction take the rest.
  const double gained = (total(h) - total(-h)) / (2 * h);
  EXPECT_LE(gained, tau.dot(s.v) + 1e-5 * (1 + std::abs(gained)));
}

TEST_P(AnyRobot, LinearTermsAreTheSlopesOfTheEfforts) {
  const LinearTerms terms = dynamics.linear(s.q, s.v, s.a);
  const auto n = static_cast<Eigen::Index>(terms.speeds.size());
  EXPECT_EQ(terms.M.rows(), n);
  EXPECT_EQ(terms.exact, model.loops().empty());
  EXPECT_TRUE(terms.K.allFinite() && terms.C.allFinite());
  if (!model.loops().empty()) {
    const Eigen::MatrixXd M = dynamics.equations(s.q, s.v, terms.speeds).M;
    EXPECT_LT((M - terms.M).norm(), 1e-9 * M.norm());
    return;
  }
  testing::Generator g(5);
  const VectorXd e = testing::random_entries(g, model.speeds());
  const double h = 1e-6;
  const auto efforts = [&](double t) -> VectorXd {
    return dynamics.inverse(model.integrate(s.q, VectorXd(t * e)), s.v, s.a).tau;
  };
  const VectorXd slope = (efforts(h) - efforts(-h)) / (2 * h);
  EXPECT_LT((terms.K * e - slope).norm(), 1e-5 * (1 + slope.norm()));
}

TEST_P(AnyRobot, MixedIsInverseWhereHeldAndForwardElsewhere) {
  const VectorXd tau = dynamics.inverse(s.q, s.v, s.a).tau;
  VectorXd a = VectorXd::Zero(model.speeds()), found = tau;
  ASSERT_TRUE(dynamics.mixed(s.q, s.v, a, found));  // none held: forward dynamics
  EXPECT_LT((a - s.a).norm(), 1e-6 * (1 + s.a.norm()));
  std::vector<char> held(static_cast<std::size_t>(model.speeds()), 0);
  held[0] = 1;
  dynamics.hold(held);
  found(0) = 99;
  a = VectorXd::Zero(model.speeds());
  a(0) = s.a(0);
  ASSERT_TRUE(dynamics.mixed(s.q, s.v, a, found));
  EXPECT_LT((a - s.a).norm(), 1e-5 * (1 + s.a.norm()));
  if (model.loops().empty()) {
    EXPECT_NEAR(found(0), tau(0), 1e-6 * (1 + tau.norm()));
  }
  // A copy holds the same speeds.
  Dynamics copy(dynamics);
  VectorXd again = VectorXd::Zero(model.speeds()), same = tau;
  again(0) = s.a(0);
  ASSERT_TRUE(copy.mixed(s.q, s.v, again, same));
  EXPECT_EQ(again, a);
}

TEST_P(AnyRobot, AnImpulseChangesTheMomentumByItself) {
  testing::Generator g(6);
  const VectorXd impulse = testing::random_entries(g, model.speeds());
  VectorXd change;
  ASSERT_TRUE(dynamics.respond(s.q, impulse, change));
  // On any speeds that keep the loops closed: change' M w = impulse' w.
  const VectorXd momentum = dynamics.mass_matrix(s.q) * change;
  EXPECT_NEAR(momentum.dot(s.v), impulse.dot(s.v), 1e-8 * (1 + momentum.norm()));
}

TEST_P(AnyRobot, CopiesAnswerAlikeOnOtherThreads) {
  const VectorXd tau = dynamics.inverse(s.q, s.v, s.a).tau;
  const VectorXd a = dynamics.forward(s.q, s.v, tau);
  int wrong[2] = {};
  const auto run = [&](int& count) {
    Dynamics own(dynamics);
    for (int k = 0; k < 20; ++k) {
      if (own.inverse(s.q, s.v, s.a).tau != tau) ++count;
      if (own.forward(s.q, s.v, tau) != a) ++count;
    }
  };
  std::thread one(run, std::ref(wrong[0])), two(run, std::ref(wrong[1]));
  one.join();
  two.join();
  EXPECT_EQ(wrong[0] + wrong[1], 0);
}

INSTANTIATE_TEST_SUITE_P(Walk, AnyRobot,
                         ::testing::Values("puma560", "humanoid", "four-bar", "slider-crank",
                                           "delta", "ddts", "flexible-two-link",
                                           "flexible-four-bar", "screw-jack"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(Dynamics, ReactionsOfLoopsBalanceEveryBodyAtAnyFrame) {
  // Gravity alone, at rest: what the ground gives through the joints that stand on it, closing ones
  // included, bears the weight of all.
  const Model model = model_named("four-bar");
  const VectorXd q = assembled(model), none = VectorXd::Zero(model.speeds());
  Dynamics dynamics(model);
  const Reactions r = dynamics.reactions(q, none, none, {}, {.at = 0, .expressed_in = 0});
  Wrench<double> ground;
  double carried = 0;
  for (std::size_t j = 0; j < r.joints.size(); ++j)
    if (model.joints()[j].parent == 0) ground += r.joints[j];
  for (std::size_t k = 0; k < r.closing.size(); ++k) {
    if (model.loops()[k].parent == 0) ground += r.closing[k];
    if (model.loops()[k].child == 0) ground -= r.closing[k];
  }
  Workspace work(model);
  update_poses(model, work, q);
  for (const BodyData& body : model.robot().bodies) carried += body.inertial.mass;
  const Vector3<double> g = model.robot().gravity;
  EXPECT_LT((ground.force + carried * g).norm(), 1e-9 * carried * g.norm());
  const Vector3<double> centre = centre_of_mass(model, work);
  EXPECT_LT((ground.moment + carried * centre.cross(g)).norm(), 1e-9 * carried * g.norm());
}

TEST(Dynamics, WhatTheGroundGivesChangesTheMomentumOfFlexibleRobotsToo) {
  for (const char* name :
       {"flexible-two-link", "flexible-four-bar", "four-bar", "puma560", "humanoid"}) {
    SCOPED_TRACE(name);
    const Model model = model_named(name);
    const AnyState s = closed_state_of(model);
    Dynamics dynamics(model);
    const Reactions r = dynamics.reactions(s.q, s.v, s.a, {}, {.at = 0, .expressed_in = 0});
    Wrench<double> ground;
    for (std::size_t j = 0; j < r.joints.size(); ++j)
      if (model.joints()[j].parent == 0) ground += r.joints[j];
    for (std::size_t k = 0; k < r.closing.size(); ++k) {
      if (model.loops()[k].parent == 0) ground += r.closing[k];
      if (model.loops()[k].child == 0) ground -= r.closing[k];
    }
    // The same without gravity has only momentum to change.
    Robot floating = model.robot();
    floating.gravity.setZero();
    const Model light(floating);
    Workspace work(light);
    const double h = 1e-4;
    const auto at = [&](double t) {
      return momentum(light, work, light.integrate(s.q, VectorXd(t * s.v + 0.5 * t * t * s.a)),
                      s.v + t * s.a);
    };
    const Vector6<double> rate = (at(h) - at(-h)) / (2 * h);
    const Reactions free =
        Dynamics(light).reactions(s.q, s.v, s.a, {}, {.at = 0, .expressed_in = 0});
    Wrench<double> without;
    for (std::size_t j = 0; j < free.joints.size(); ++j)
      if (light.joints()[j].parent == 0) without += free.joints[j];
    for (std::size_t k = 0; k < free.closing.size(); ++k) {
      if (light.loops()[k].parent == 0) without += free.closing[k];
      if (light.loops()[k].child == 0) without -= free.closing[k];
    }
    EXPECT_LT((without.vector() - rate).norm(), 1e-5 * (1 + rate.norm()));
    EXPECT_LT((ground.force - without.force + model.mass() * model.robot().gravity).norm(),
              1e-8 * (1 + model.mass() * 9.81));
  }
}

TEST(Dynamics, TheReactionAlongAHingeIsItsEffort) {
  const Model model = model_named("flexible-two-link");
  const AnyState s = closed_state_of(model);
  Dynamics dynamics(model);
  const VectorXd tau = dynamics.inverse(s.q, s.v, s.a).tau;
  const Reactions& r = dynamics.reactions(s.q, s.v, s.a);
  for (std::size_t j = 0; j < 2; ++j) {  // hinges about z
    const Joint& joint = model.joints()[j];
    EXPECT_NEAR(r.joints[j].moment.z(), tau(joint.v), 1e-9 * (1 + tau.norm())) << joint.name;
  }
}

TEST(Dynamics, ReactionsOfClosingJointsMayBeTakenAtAnyFrame) {
  const Model model = model_named("five-bar");
  const AnyState s = closed_state_of(model);
  Dynamics dynamics(model);
  const Wrench<double> own = dynamics.reactions(s.q, s.v, s.a).closing[0];
  const Wrench<double> there =
      dynamics.reactions(s.q, s.v, s.a, {}, {.at = 0, .expressed_in = 0}).closing[0];
  Workspace work(model);
  update_poses(model, work, s.q);
  const Loop& loop = model.loops()[0];
  const Pose<double> X_WC = frame_pose(model, work, loop.child);
  const Vector3<double> p = X_WC * (model.bodies()[loop.child].X_NB.inverse() * loop.X_NM).position;
  EXPECT_LT((there.force - X_WC.rotation * own.force).norm(), 1e-12 * (1 + own.force.norm()));
  EXPECT_LT((there.moment - X_WC.rotation * own.moment - p.cross(there.force)).norm(),
            1e-12 * (1 + own.force.norm()));
}

TEST(Dynamics, TheEnergyHoldsTheSpringsOfClosingJoints) {
  Robot robot = read_robot("four-bar").robot;
  const Model plain(robot);
  const std::string closing = plain.loops()[0].joint;
  for (JointData& joint : robot.joints)
    if (joint.name == closing) joint.degrees.assign(1, {.stiffness = 50, .rest = 3});
  const Model sprung(robot);
  const VectorXd q = assembled(sprung), none = VectorXd::Zero(sprung.speeds());
  Workspace work(sprung);
  LoopClosure closure(sprung);
  closure.update(work, q);
  const double at = closure.closing_state(work, 0, q, none, none).q(0);
  EXPECT_NEAR(
      Dynamics(sprung).energy(q, none).potential - Dynamics(plain).energy(q, none).potential,
      25 * (at - 3) * (at - 3), 1e-9);
}

TEST(Dynamics, LevelsBelowExactHaveTheirOwnTerms) {
  const Model model = model_named("flexible-two-link");
  const AnyState s = closed_state_of(model);
  for (const ElasticLevel level : {ElasticLevel::consistent, ElasticLevel::ruthless}) {
    Dynamics dynamics(model, {.level = level});
    const EquationsOfMotion e = dynamics.equations(s.q, s.v);
    const VectorXd tau = dynamics.inverse(s.q, s.v, s.a).tau;
    EXPECT_LT((e.M * s.a + e.coriolis + e.gravity + e.passive - tau).norm(), 1e-10 * tau.norm());
    EXPECT_LT((dynamics.forward(s.q, s.v, tau) - s.a).norm(), 1e-8 * (1 + s.a.norm()));
    EXPECT_FALSE(dynamics.linear(s.q, s.v, s.a).exact);
  }
  EXPECT_THROW(Dynamics(model_named("puma560"), {.level = ElasticLevel::ruthless}), InputError);
}

TEST(Dynamics, LevelsBelowExactHoldWithLoops) {
  // Forward dynamics undoes inverse dynamics on the same level; the loops stay closed.
  const Model model = model_named("flexible-four-bar");
  const AnyState s = closed_state_of(model);
  const VectorXd exact = Dynamics(model).inverse(s.q, s.v, s.a).tau;
  for (const ElasticLevel level :
       {ElasticLevel::consistent, ElasticLevel::ruthless, ElasticLevel::mixed}) {
    Dynamics dynamics(model, {.level = level});
    const VectorXd tau = dynamics.inverse(s.q, s.v, s.a).tau;
    EXPECT_GT((tau - exact).norm(), 1e-9 * exact.norm()) << name_of(level);
    EXPECT_LT((dynamics.forward(s.q, s.v, tau) - s.a).norm(), 1e-7 * (1 + s.a.norm()))
        << name_of(level);
  }
  EXPECT_THROW(Dynamics(model, {.closing = LoopMethod::embedding, .level = ElasticLevel::ruthless}),
               InputError);
}

TEST(Dynamics, APlainTreeIsAnsweredLikeTheFreeFunctionsWithoutAllocating) {
  const Model model = model_named("puma560");
  const AnyState s = closed_state_of(model);
  Dynamics dynamics(model);
  Workspace work(model);
  const VectorXd tau = inverse_dynamics(model, work, s.q, s.v, s.a);
  EXPECT_EQ(dynamics.inverse(s.q, s.v, s.a).tau, tau);
  EXPECT_EQ(dynamics.forward(s.q, s.v, tau), forward_dynamics(model, work, s.q, s.v, tau));
  EXPECT_EQ(dynamics.mass_matrix(s.q), mass_matrix(model, work, s.q));
  EXPECT_EQ(testing::allocations_of([&] {
              dynamics.inverse(s.q, s.v, s.a);
              dynamics.forward(s.q, s.v, tau);
              dynamics.mass_matrix(s.q);
            }),
            0);
}

// Robots at the edges.

constexpr const char* statue = R"(
ulna: 1
name: statue
bodies: [{name: block, mass: 2, inertia: [1, 1, 1]}]
joints: [{name: foot, type: fixed, parent: world, child: block}]
)";

constexpr const char* truss = R"(
ulna: 1
name: truss
bodies:
  - {name: left, mass: 1, inertia: [1, 1, 1]}
  - {name: right, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: a, type: revolute, axis: [0, 1, 0], parent: world, child: left}
  - {name: b, type: revolute, axis: [0, 1, 0], parent: world, child: right, at: [1, 0, 0]}
  - {name: top, type: revolute, axis: [0, 1, 0], parent: left, child: right, at: [0.5, 0, 1], child_at: [0.5, 0, -1], cut: true}
)";

/// The bars of a parallelogram along one line: the branches of its motion meet.
constexpr const char* folded = R"(
ulna: 1
name: folded
bodies:
  - {name: crank, mass: 1, inertia: [1, 1, 1]}
  - {name: coupler, mass: 1, inertia: [1, 1, 1]}
  - {name: rocker, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: a, type: revolute, axis: [0, 1, 0], parent: world, child: crank}
  - {name: b, type: revolute, axis: [0, 1, 0], parent: crank, child: coupler, at: [1, 0, 0]}
  - {name: c, type: revolute, axis: [0, 1, 0], parent: world, child: rocker, at: [2, 0, 0]}
  - {name: d, type: revolute, axis: [0, 1, 0], parent: coupler, child: rocker, at: [2, 0, 0], child_at: [-1, 0, 0], cut: true}
)";

constexpr const char* massless_tip = R"(
ulna: 1
name: massless-tip
bodies:
  - {name: arm, mass: 1, centre: [0.3, 0, 0], inertia: [1, 1, 1]}
  - {name: tip}
joints:
  - {name: a, type: revolute, axis: [0, 1, 0], parent: world, child: arm}
  - {name: b, type: revolute, axis: [0, 1, 0], parent: arm, child: tip, at: [1, 0, 0]}
)";

constexpr const char* massless_coupler = R"(
ulna: 1
name: massless-coupler
bodies:
  - {name: crank, mass: 1, inertia: [1, 1, 1]}
  - {name: coupler}
  - {name: rocker, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: a, type: revolute, axis: [0, 1, 0], parent: world, child: crank}
  - {name: b, type: revolute, axis: [0, 1, 0], parent: crank, child: coupler, at: [1, 0, 1]}
  - {name: c, type: revolute, axis: [0, 1, 0], parent: world, child: rocker, at: [3, 0, 0]}
  - {name: d, type: revolute, axis: [0, 1, 0], parent: coupler, child: rocker, at: [2, 0, 0], child_at: [0, 0, -1], cut: true}
)";

/// What a question gives: numbers, or the sentence of an error.
struct Outcome {
  std::optional<VectorXd> numbers;
  std::string sentence;
};

template <class Ask>
Outcome outcome_of(const Ask& ask) {
  try {
    return {VectorXd(ask()), {}};
  } catch (const InputError& error) {
    return {{}, error.what()};
  } catch (const ComputationError& error) {
    return {{}, error.what()};
  }
}

class OddRobot : public ::testing::TestWithParam<const char*> {};

TEST_P(OddRobot, IsAnsweredAlikeByEveryFormulationOrWithASentence) {
  const Model model(read_robot_yaml_text(GetParam(), "odd.yaml").robot);
  const VectorXd q = model.neutral(), none = VectorXd::Zero(model.speeds());
  const auto compare = [&](const char* name, const char* question, const Outcome& found,
                           const Outcome& expected) {
    SCOPED_TRACE(std::string(model.name()) + " " + name + " " + question);
    if (!found.numbers) {
      EXPECT_GT(found.sentence.size(), 20u);
      return;
    }
    ASSERT_TRUE(expected.numbers) << expected.sentence;
    ASSERT_EQ(found.numbers->size(), expected.numbers->size());
    if (found.numbers->size() == 0) return;
    EXPECT_TRUE(found.numbers->allFinite());
    EXPECT_LT((*found.numbers - *expected.numbers).norm(), 1e-9 * (1 + expected.numbers->norm()));
  };
  Dynamics reference(model);
  const auto inverse = [&](Dynamics& d) {
    return outcome_of([&] { return d.inverse(q, none, none).tau; });
  };
  const auto forward = [&](Dynamics& d) {
    return outcome_of([&] { return d.forward(q, none, none); });
  };
  const auto mass = [&](Dynamics& d) {
    return outcome_of([&] { return d.mass_matrix(q).reshaped(); });
  };
  const auto reactions = [&](Dynamics& d) {
    return outcome_of([&] {
      const Reactions& r = d.reactions(q, none, none);
      VectorXd all(6 * (std::ssize(r.joints) + std::ssize(r.closing)));
      Eigen::Index place = 0;
      for (const auto& list : {r.joints, r.closing})
        for (const Wrench<double>& w : list) all.segment<6>(6 * place++) = w.vector();
      return all;
    });
  };
  const Outcome tau = inverse(reference), a = forward(reference), M = mass(reference),
                F = reactions(reference);
  outcome_of([&] { return reference.equations(q, none).gravity; });
  outcome_of([&] { return reference.linear(q, none, none).K.reshaped(); });
  outcome_of([&] { return VectorXd::Constant(1, reference.energy(q, none).potential); });
  for (const Formulation& f : formulations()) {
    if (!why_not(f, model, Question::forward).empty() &&
        !why_not(f, model, Question::inverse).empty())
      continue;
    Dynamics by(model, {f.name});
    compare(f.name, "inverse", inverse(by), tau);
    compare(f.name, "forward", forward(by), a);
    compare(f.name, "mass", mass(by), M);
    compare(f.name, "reactions", reactions(by), F);
  }
}

INSTANTIATE_TEST_SUITE_P(Edges, OddRobot,
                         ::testing::Values(statue, truss, folded, massless_tip, massless_coupler));

TEST(OddRobots, AnswersThatMustBeThere) {
  const auto model_of = [](const char* text) {
    return Model(read_robot_yaml_text(text, "odd.yaml").robot);
  };
  const Model block = model_of(statue);
  const VectorXd empty(0);
  Dynamics at_rest(block);
  EXPECT_EQ(at_rest.inverse(empty, empty, empty).tau.size(), 0);
  EXPECT_EQ(at_rest.forward(empty, empty, empty).size(), 0);
  EXPECT_NEAR(at_rest.reactions(empty, empty, empty).joints[0].force.z(), 2 * 9.81, 1e-12);
  // A triangle of bars does not move, whatever acts on it.
  const Model bars = model_of(truss);
  const VectorXd none = VectorXd::Zero(2);
  Dynamics rigid(bars);
  EXPECT_EQ(rigid.inverse(bars.neutral(), none, none).dof, 0);
  EXPECT_LT(rigid.forward(bars.neutral(), none, VectorXd::Ones(2)).norm(), 1e-9);
  // A joint that moves nothing has no acceleration, and a sentence names it.
  const Model light = model_of(massless_tip);
  Dynamics hinge(light);
  EXPECT_NO_THROW(hinge.inverse(light.neutral(), none, none));
  try {
    hinge.forward(light.neutral(), none, none);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("'b'"));
  }
  // A coupler without mass is no trouble: the loop holds it.
  const Model four_bar = model_of(massless_coupler);
  EXPECT_TRUE(Dynamics(four_bar)
                  .inverse(four_bar.neutral(), VectorXd::Zero(3), VectorXd::Zero(3))
                  .tau.allFinite());
}

}  // namespace
}  // namespace ulna
