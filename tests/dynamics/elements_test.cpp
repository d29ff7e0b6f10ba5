// Force elements: their laws on robots small enough for the answer to be written down, and what
// holds for all of them on random trees: efforts are slopes of the energy, every formulation has
// them, derivatives are those of the efforts, and power balances.

#include "ulna/dynamics/elements.hpp"

#include <gtest/gtest.h>

#include "support/flexible_robot.hpp"
#include "support/four_bar_chain.hpp"
#include "support/random_elements.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/internal/energy_rate.hpp"
#include "ulna/dynamics/internal/momentum_balance.hpp"
#include "ulna/dynamics/reactions.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::random_entries;

/// A point mass on a slide along x, held by one element from a place of the world to the mass.
struct Slide {
  explicit Slide(ElementData element) {
    robot.name = "slide";
    robot.gravity.setZero();
    BodyData mass;
    mass.name = "mass";
    mass.inertial.mass = 2;
    robot.bodies = {mass};
    JointData joint;
    joint.name = "x";
    joint.type = JointType::prismatic;
    joint.axis = {1, 0, 0};
    joint.child = "mass";
    robot.joints = {joint};
    element.name = "e";
    element.to.body = "mass";
    robot.elements = {element};
  }
  double effort(double x, double v = 0) const {
    const Model model(robot);
    Workspace work(model);
    return inverse_dynamics(model, work, Eigen::VectorXd::Constant(1, x),
                            Eigen::VectorXd::Constant(1, v), Eigen::VectorXd::Zero(1))(0);
  }
  double energy_at(double x) const {
    const Model model(robot);
    Workspace work(model);
    return energy(model, work, Eigen::VectorXd::Constant(1, x), Eigen::VectorXd::Zero(1)).potential;
  }
  Robot robot;
};

TEST(Elements, ASpringAndDamperPullsByItsLaw) {
  ElementData e;
  e.law.rest = 0.5;
  e.law.stiffness = 100;
  e.law.damping = 3;
  e.law.preload = 7;
  EXPECT_NEAR(Slide(e).effort(0.8, 0.2), 100 * 0.3 + 3 * 0.2 + 7, 1e-12);
  EXPECT_NEAR(Slide(e).energy_at(0.8), 50 * 0.09 + 7 * 0.3, 1e-13);
  e.law.hardening = 1000;
  e.law.backlash = 0.1;
  EXPECT_NEAR(Slide(e).effort(0.8), 100 * 0.2 + 1000 * 0.008 + 7, 1e-12);
  EXPECT_NEAR(Slide(e).effort(0.45), 7, 1e-13) << "within its play";
  EXPECT_NEAR(Slide(e).effort(0.3), -(100 * 0.1 + 1000 * 0.001) + 7, 1e-12);
}

/// The torque of a torsion about any axis is along the turn, its energy that of the angle.
TEST(Elements, ATorsionAboutAnyAxisPullsBackByItsAngle) {
  Robot robot;
  robot.name = "head";
  robot.gravity.setZero();
  BodyData head;
  head.name = "head";
  head.inertial = {2, {0, 0, 0}, Matrix3<double>::Identity()};
  robot.bodies = {head};
  JointData neck;
  neck.name = "neck";
  neck.type = JointType::spherical;
  neck.child = "head";
  robot.joints = {neck};
  ElementData e;
  e.name = "e";
  e.type = ElementData::Type::torsion;
  e.any_axis = true;
  e.law.stiffness = 5;
  e.law.hardening = 2;
  e.law.backlash = 0.1;
  e.to.body = "head";
  robot.elements = {e};
  const Model model(robot);
  Workspace work(model);
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero(),
                        axis = Eigen::Vector3d(0.3, 1, -2).normalized();
  for (const double angle : {0.0, 0.05, 0.8, 2.5, 3.1}) {
    const Eigen::VectorXd q = model.integrate(model.neutral(), angle * axis);
    const double y = std::max(angle - 0.1, 0.0);
    EXPECT_LT(
        (inverse_dynamics(model, work, q, zero, zero) - (5 * y + 2 * y * y * y) * axis).norm(),
        1e-12)
        << angle;
    EXPECT_NEAR(energy(model, work, q, zero).potential, 2.5 * y * y + 0.5 * y * y * y * y, 1e-13);
  }
  e.law.damping = 1;
  robot.elements = {e};
  EXPECT_THROW(Model{robot}, InputError);
}

TEST(Elements, ASpringAcrossPullsAlongItsLine) {
  ElementData e;
  e.from.X_BE.position = {0, 3, 0};
  e.law.rest = 4;
  e.law.stiffness = 10;
  // 3-4-5: stretched by 1, of which 4/5 lie along the slide.
  EXPECT_NEAR(Slide(e).effort(4), 10 * 1 * 0.8, 1e-13);
}

TEST(Elements, ATableIsStraightBetweenItsPointsAndBeyond) {
  ElementData e;
  e.law.spring = {{0, 0.1, 0.3}, {0, 5, 6}};
  e.law.damper = {{-1, 0, 1}, {-2, 0, 8}};
  EXPECT_NEAR(Slide(e).effort(0.05), 2.5, 1e-13);
  EXPECT_NEAR(Slide(e).effort(0.2), 5.5, 1e-13);
  EXPECT_NEAR(Slide(e).effort(0.5), 7, 1e-13);
  EXPECT_NEAR(Slide(e).effort(0.2, 0.5), 5.5 + 4, 1e-13);
  EXPECT_NEAR(Slide(e).effort(0.2, -0.5), 5.5 - 1, 1e-13);
  EXPECT_NEAR(Slide(e).energy_at(0.2), 0.25 + 0.525, 1e-13);
}

TEST(Elements, ACableThroughAnEyePullsTowardsTheEye) {
  ElementData e;
  ElementEnd eye;
  eye.X_BE.position = {0, 3, 0};
  e.from.X_BE.position = {0, 4, 0};
  e.through = {eye};
  e.law.rest = 5;
  e.law.stiffness = 10;
  const Slide slide(e);
  EXPECT_NEAR(slide.effort(4), 10 * (1 + 5 - 5) * 0.8, 1e-13);
  const Model model(slide.robot);
  const ElementReading reading =
      element_reading(model, 0, Eigen::VectorXd::Constant(1, 4), Eigen::VectorXd::Constant(1, 1));
  EXPECT_NEAR(reading.length, 6, 1e-14);
  EXPECT_NEAR(reading.rate, 0.8, 1e-14);
  EXPECT_NEAR(reading.force, 10, 1e-13);
}

TEST(Elements, WithoutLengthALineHasNoForce) {
  ElementData e;
  e.law.rest = 0.5;
  e.law.stiffness = 100;
  EXPECT_EQ(Slide(e).effort(0), 0);
  // A spring of no free length is smooth there.
  e.law.rest = 0;
  EXPECT_NEAR(Slide(e).effort(1e-9), 1e-7, 1e-20);
}

TEST(Elements, AnActuatorPushesWithinItsStrokeAndSlowsWithItsRate) {
  ElementData e;
  e.type = ElementData::Type::actuator;
  e.force = 40;
  e.least_length = 0.2;
  e.greatest_length = 0.6;
  e.rate_limit = 2;
  EXPECT_NEAR(Slide(e).effort(0.4), -40, 1e-13);
  EXPECT_NEAR(Slide(e).effort(0.4, 0.5), -30, 1e-13);
  EXPECT_NEAR(Slide(e).effort(0.4, -0.5), -40, 1e-13) << "driven back it keeps its force";
  EXPECT_EQ(Slide(e).effort(0.4, 3), 0);
  EXPECT_EQ(Slide(e).effort(0.7), 0) << "at the end of its stroke";
  EXPECT_NEAR(Slide(e).effort(0.1), -40, 1e-13) << "away from an end it pushes";
}

TEST(Elements, ATorsionAboutAHingeIsASpringOnItsAngle) {
  Generator g(3);
  testing::RobotRecipe recipe;
  recipe.bodies = 3;
  Robot robot = testing::random_robot(g, recipe);
  Robot along = robot;
  for (JointData& joint : robot.joints)
    if (joint.name == "j1") {
      joint.degrees.resize(1);
      joint.degrees[0].stiffness = 12;
      joint.degrees[0].rest = 0.3;
      joint.degrees[0].damping = 2;
    }
  ElementData e;
  e.name = "e";
  e.type = ElementData::Type::torsion;
  e.joint = "j1";
  e.law.stiffness = 12;
  e.law.rest = 0.3;
  e.law.damping = 2;
  along.elements = {e};
  Robot between = along;
  e.joint.clear();
  for (const JointData& joint : robot.joints)
    if (joint.name == "j1") {
      e.from.body = joint.parent;
      e.from.X_BE = joint.X_PF;
      e.to.body = joint.child;
      e.to.X_BE = joint.X_MC.inverse();
      e.axis = joint.axis;
    }
  between.elements = {e};
  const Model spring(robot), second(along), third(between);
  for (const double angle : {0.3, -3.1, 3.1, 1.7}) {
    Eigen::VectorXd q = random_entries(g, 3), v = random_entries(g, 3), a = random_entries(g, 3);
    q(1) = angle;
    Workspace work(spring);
    const Eigen::VectorXd expected = inverse_dynamics(spring, work, q, v, a);
    Workspace work2(second), work3(third);
    EXPECT_LT((inverse_dynamics(second, work2, q, v, a) - expected).norm(), 1e-12);
    EXPECT_LT((inverse_dynamics(third, work3, q, v, a) - expected).norm(), 1e-12);
  }
}

TEST(Elements, ABushingKeepsItsDigitsUpToHalfATurn) {
  // Equal stiffness k about all axes: the energy is k (1 - cos angle), the torque k sin angle.
  Robot robot;
  robot.gravity.setZero();
  robot.name = "ball";
  BodyData body;
  body.name = "ball";
  body.inertial.mass = 1;
  robot.bodies = {body};
  JointData joint;
  joint.name = "j";
  joint.type = JointType::spherical;
  joint.child = "ball";
  robot.joints = {joint};
  ElementData e;
  e.name = "e";
  e.type = ElementData::Type::bushing;
  e.to.body = "ball";
  e.stiffness.diagonal().setConstant(5);
  robot.elements = {e};
  const Model model(robot);
  Generator g(8);
  for (const double angle : {0.3, 2.0, 2.8, M_PI - 1e-3, M_PI - 1e-6, M_PI - 1e-8})
    for (const Vector3<double>& axis :
         {Vector3<double>(1, 0, 0), Vector3<double>(0, 1, 0), Vector3<double>(0, 0, 1),
          Vector3<double>(testing::random_vector(g).normalized())}) {
      const Eigen::VectorXd q = model.integrate(model.neutral(), angle * axis);
      const Eigen::VectorXd tau = element_efforts(model, q, Eigen::VectorXd::Zero(3));
      EXPECT_LT((tau - 5 * std::sin(angle) * axis).norm(), 1e-14) << angle;
    }
}

TEST(Elements, AWeldedBushingOfLargeStiffnessCarriesTheWeight) {
  // A free body on a bushing sinks by its weight over the stiffness.
  Robot robot;
  robot.name = "block";
  BodyData block;
  block.name = "block";
  block.inertial = {3, Vector3<double>::Zero(), Matrix3<double>::Identity()};
  robot.bodies = {block};
  JointData joint;
  joint.name = "free";
  joint.type = JointType::free;
  joint.child = "block";
  robot.joints = {joint};
  ElementData e;
  e.name = "mount";
  e.type = ElementData::Type::bushing;
  e.to.body = "block";
  e.stiffness = Vector6<double>(10, 20, 30, 100, 200, 300).asDiagonal();
  robot.elements = {e};
  const Model model(robot);
  Workspace work(model);
  Eigen::VectorXd q = model.neutral();
  q(6) = -3 * 9.81 / 300;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(6);
  EXPECT_LT(inverse_dynamics(model, work, q, zero, zero).norm(), 1e-13);
}

struct RandomCase {
  RandomCase(int seed, bool losses, bool flexible = false)
      : g(seed), model(make(seed, losses, flexible)) {
    q = model.random(g);
    v = random_entries(g, model.speeds());
    a = random_entries(g, model.speeds());
  }
  Model make(int seed, bool losses, bool flexible) {
    testing::RobotRecipe recipe;
    recipe.bodies = 2 + seed % 7;
    recipe.types = testing::all_moving_types;
    recipe.branches = seed % 2 == 1;
    recipe.mimic = seed % 5 == 0;
    recipe.reversed = seed % 3 == 0;
    Robot robot;
    if (flexible) {
      testing::BeamRecipe beams;
      beams.bending_z = 1, beams.torsion = 1;
      recipe.mimic = recipe.reversed = false;
      robot = testing::random_flexible_robot(g, recipe, beams);
    } else {
      robot = testing::random_robot(g, recipe);
    }
    testing::add_random_elements(g, robot, losses);
    return Model(robot);
  }
  Generator g;
  Model model;
  Eigen::VectorXd q, v, a;
};

TEST(Elements, EffortsAreTheSlopesOfTheEnergy) {
  for (int seed = 0; seed < 60; ++seed) {
    RandomCase c(seed, false, seed % 4 == 3);
    Workspace work(c.model);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(c.model.speeds());
    const Eigen::VectorXd tau = inverse_dynamics(c.model, work, c.q, zero, zero);
    for (int k = 0; k < c.model.speeds(); ++k) {
      constexpr double h = 1e-5;
      const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(c.model.speeds(), k);
      const double up = energy(c.model, work, c.model.integrate(c.q, step), zero).potential,
                   down = energy(c.model, work, c.model.integrate(c.q, -step), zero).potential;
      // Central differences: h^2 of the third derivative, and rounding of the energy by h.
      EXPECT_NEAR(tau(k), (up - down) / (2 * h), 2e-6 * (1 + std::abs(tau(k)) + std::abs(up)))
          << "seed " << seed << ", speed " << k;
    }
  }
}

TEST(Elements, EveryFormulationHasThem) {
  for (int seed = 0; seed < 40; ++seed) {
    RandomCase c(seed, true, seed % 5 == 4);
    Dynamics reference(c.model);
    const Eigen::VectorXd tau = reference.inverse(c.q, c.v, c.a).tau;
    for (const Formulation& f : formulations()) {
      DynamicsOptions options;
      options.method = f.name;
      if (why_not(f, c.model, Question::inverse).empty()) {
        Dynamics other(c.model, options);
        EXPECT_LT((other.inverse(c.q, c.v, c.a).tau - tau).norm(), 1e-10 * (1 + tau.norm()))
            << f.name << ", seed " << seed;
      }
      if (why_not(f, c.model, Question::forward).empty()) {
        Dynamics other(c.model, options);
        const Eigen::VectorXd back = other.forward(c.q, c.v, tau);
        EXPECT_LT((back - c.a).norm(), 1e-7 * (1 + c.a.norm())) << f.name << ", seed " << seed;
      }
    }
  }
}

TEST(Elements, DerivativesAreThoseOfTheEfforts) {
  for (int seed = 0; seed < 40; ++seed) {
    RandomCase c(seed, true, seed % 4 == 3);
    const int n = c.model.speeds();
    Workspace work(c.model);
    ElementTangent tangent(c.model);
    tangent.update(c.q, c.v);
    for (int k = 0; k < n; ++k) {
      constexpr double h = 1e-6;
      const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(n, k);
      const Eigen::VectorXd up = passive_efforts(c.model, work, c.model.integrate(c.q, step), c.v);
      const Eigen::VectorXd down =
          passive_efforts(c.model, work, c.model.integrate(c.q, -step), c.v);
      const double size = 1 + up.norm() + tangent.stiffness().norm();
      EXPECT_LT((tangent.stiffness().col(k) - (up - down) / (2 * h)).norm(), 1e-6 * size)
          << "seed " << seed << ", speed " << k;
      const Eigen::VectorXd fast = passive_efforts(c.model, work, c.q, c.v + step);
      const Eigen::VectorXd slow = passive_efforts(c.model, work, c.q, c.v - step);
      EXPECT_LT((tangent.damping().col(k) - (fast - slow) / (2 * h)).norm(), 1e-7 * size)
          << "seed " << seed << ", speed " << k;
    }
    DerivativeWorkspace derivatives(c.model);
    const Eigen::VectorXd tau = inverse_dynamics(c.model, work, c.q, c.v, c.a);
    const InverseDerivatives inverse =
        inverse_dynamics_derivatives(c.model, work, derivatives, c.q, c.v, c.a);
    if (c.model.topology().shared_speeds) continue;
    const ForwardDerivatives& forward =
        forward_dynamics_derivatives(c.model, work, derivatives, c.q, c.v, tau);
    const double bound = 1e-7 * (1 + forward.da_dq.norm());
    EXPECT_LT((forward.da_dq + forward.da_dtau * inverse.dtau_dq).norm(), bound);
    EXPECT_LT((forward.da_dv + forward.da_dtau * inverse.dtau_dv).norm(), bound);
  }
}

TEST(Elements, PowerAndMomentumBalance) {
  for (int seed = 0; seed < 40; ++seed) {
    RandomCase c(seed, true, seed % 4 == 3);
    Workspace work(c.model);
    const Eigen::VectorXd tau = inverse_dynamics(c.model, work, c.q, c.v, c.a);
    const EnergyRate rate = energy_rate(c.model, work, c.q, c.v, c.a);
    const double in = tau.dot(c.v) - dissipated_power(c.model, c.q, c.v);
    EXPECT_NEAR(rate.kinetic + rate.potential, in,
                1e-11 * (1 + std::abs(rate.kinetic) + std::abs(rate.potential) +
                         tau.cwiseAbs().dot(c.v.cwiseAbs())))
        << "seed " << seed;
    const Eigen::Vector2d off = momentum_balance(c.model, work, c.q, c.v, c.a, {});
    EXPECT_LT(off.norm(), 1e-10 * (1 + tau.norm() * 10)) << "seed " << seed;
  }
}

TEST(Elements, ReactionsAreRelievedByThem) {
  // The moment that a hinge needs about its axis is the effort of its drive.
  for (int seed = 0; seed < 20; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 4;
    Robot robot = testing::random_robot(g, recipe);
    testing::add_random_elements(g, robot, true);
    robot.elements.erase(std::remove_if(robot.elements.begin(), robot.elements.end(),
                                        [](const ElementData& e) { return !e.joint.empty(); }),
                         robot.elements.end());
    const Model model(robot);
    Workspace work(model);
    const Eigen::VectorXd q = random_entries(g, 4), v = random_entries(g, 4),
                          a = random_entries(g, 4);
    const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
    const auto reactions = JointReactions(model).compute(work, q, v, a, {}, {});
    const auto matrices = joint_reactions_newton_euler_4x4(model, q, v, a, {}, {});
    for (int j = 0; j < 4; ++j) {
      const JointData& joint = robot.joints[static_cast<std::size_t>(j)];
      // In the axes of the child.
      const Vector3<double> axis = joint.X_MC.rotation.transpose() * joint.axis.normalized();
      EXPECT_NEAR(reactions[j].moment.dot(axis), tau(j), 1e-10 * (1 + tau.norm()));
      EXPECT_LT((reactions[j].force - matrices[j].force).norm(), 1e-9 * (1 + tau.norm()));
    }
  }
}

TEST(Elements, ALoopFeelsThemInBothWays) {
  Robot robot = testing::four_bar_chain(3);
  ElementData e;
  e.name = "spring";
  e.from.X_BE.position = {0.3, 0.9, 0};
  e.to.body = "coupler1";
  e.to.X_BE.position = {0.2, 0, 0};
  e.law.rest = 0.2;
  e.law.stiffness = 200;
  e.law.damping = 3;
  robot.elements = {e};
  const Model model(robot);
  Workspace work(model);
  LoopDynamics loops(model);
  const Eigen::VectorXd q =
      loops.project_positions(work, testing::posture_of_chain(model, 1.1), 1e-13);
  const Eigen::VectorXd v = loops.project_speeds(work, q, Eigen::VectorXd::Ones(model.speeds()));
  const Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.speeds());
  const Eigen::VectorXd a = loops.forward(work, q, v, tau, {}, LoopMethod::multipliers);
  const Eigen::VectorXd b = loops.forward(work, q, v, tau, {}, LoopMethod::embedding);
  EXPECT_LT((a - b).norm(), 1e-9 * a.norm());
  const EnergyRate rate = energy_rate(model, work, q, v, a);
  EXPECT_NEAR(rate.kinetic + rate.potential, -dissipated_power(model, q, v),
              1e-9 * (std::abs(rate.kinetic) + std::abs(rate.potential)));
}

TEST(Elements, MistakesAreNamed) {
  const auto message = [](const ElementData& e) -> std::string {
    try {
      const Model model(Slide(e).robot);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  ElementData e;
  EXPECT_NE(message(e).find("exerts no force"), std::string::npos) << message(e);
  e.law.stiffness = 10;
  EXPECT_EQ(message(e), "");
  e.from.frame = "mas";
  EXPECT_NE(message(e).find("did you mean 'mass'"), std::string::npos) << message(e);
  e.from.frame = "mass";
  EXPECT_NE(message(e).find("both ends are on body 'mass'"), std::string::npos) << message(e);
  e.from.frame.clear();
  e.law.damping = -1;
  EXPECT_NE(message(e).find("damping -1"), std::string::npos) << message(e);
  e.law.damping = 0;
  e.law.spring = {{0, 0}, {1, 2}};
  EXPECT_NE(message(e).find("does not rise"), std::string::npos) << message(e);
}

TEST(Elements, BushingsHaveSymmetricMatrices) {
  ElementData e;
  e.type = ElementData::Type::bushing;
  const auto refused = [&] {
    try {
      const Model model(Slide(e).robot);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused().find("exerts no force"), std::string::npos);
  e.stiffness.setIdentity();
  EXPECT_EQ(refused(), "");
  e.damping(0, 1) = 1;
  EXPECT_NE(refused().find("the damping differs from its transpose"), std::string::npos);
  e.damping(1, 0) = 1;
  EXPECT_EQ(refused(), "");
  e.stiffness(2, 4) = 0.5;
  EXPECT_NE(refused().find("the stiffness differs from its transpose"), std::string::npos);
}

}  // namespace
}  // namespace ulna
