// Mechanics of closed loops: two routes to the accelerations, reactions that do no work, motors
// more and fewer than needed, projection in the metric of the masses.

#include "ulna/dynamics/loops.hpp"

#include <gmock/gmock.h>

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/internal/loop_reactions.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/mobility.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

/// Cranks of one length on the ground, all pinned to one bar: parallelograms side by side. Every
/// crank beyond two closes a loop that says nothing new.
Robot parallelogram(int cranks, double damping_of_pins = 0) {
  Robot robot;
  robot.name = "parallelogram";
  robot.gravity = {0, -9.81, 0};
  const auto body = [&](const std::string& name, double mass, double x) {
    BodyData data;
    data.name = name;
    data.inertial.mass = mass;
    data.inertial.centre = {x, 0, 0};
    data.inertial.inertia = Eigen::Vector3d(0.01, 0.1, 0.1).asDiagonal();
    robot.bodies.push_back(data);
  };
  body("bar", 3, 0.5);
  for (int k = 0; k < cranks; ++k) {
    const std::string name = "crank" + std::to_string(k);
    body(name, 1 + k, 0.2);
    JointData foot;
    foot.name = "foot" + std::to_string(k);
    foot.type = JointType::revolute;
    foot.child = name;
    foot.X_PF.position << 1.0 * k, 0, 0;
    JointData pin = foot;
    pin.name = "pin" + std::to_string(k);
    pin.parent = name;
    pin.child = "bar";
    pin.X_PF.position << 0.4, 0, 0;
    pin.X_MC.position << -1.0 * k, 0, 0;
    pin.cut = k > 0;
    pin.degrees.resize(1);
    pin.degrees[0].damping = k > 0 ? damping_of_pins : 0;
    robot.joints.push_back(foot);
    robot.joints.push_back(pin);
  }
  return robot;
}

VectorXd leaning(const Model& model, double angle) {
  VectorXd q = VectorXd::Zero(model.coordinates());
  for (int k = 0; k < model.speeds(); ++k)
    q(k) = model.speed_names()[k].starts_with("foot") ? angle : -angle;
  return q;
}

TEST(LoopDynamics, OfAParallelogramAreThoseOfAPendulum) {
  // The bar does not turn: cranks are pendulums, the bar a mass at their end.
  for (int cranks : {2, 3, 5}) {
    const Model model(parallelogram(cranks));
    const double angle = 0.7;
    const VectorXd q = leaning(model, angle), v = VectorXd::Zero(model.speeds());
    Workspace work(model);
    LoopDynamics loops(model);
    double inertia = 3 * 0.4 * 0.4, moment = 3 * 0.4;
    for (int k = 0; k < cranks; ++k) {
      inertia += (1 + k) * 0.04 + 0.1;
      moment += (1 + k) * 0.2;
    }
    const double expected = -9.81 * moment * std::cos(angle) / inertia;
    for (const LoopMethod method : {LoopMethod::multipliers, LoopMethod::embedding}) {
      const VectorXd a = loops.forward(work, q, v, v, {}, method);
      for (int k = 0; k < model.speeds(); ++k)
        EXPECT_NEAR(std::abs(a(k)), std::abs(expected), 1e-11 * std::abs(expected))
            << cranks << " " << name_of(method);
    }
  }
}

TEST(LoopDynamics, RedundantLoopsAreFoundAndHarmless) {
  const Model model(parallelogram(4));
  const Mobility report = mobility(model, leaning(model, 0.7));
  EXPECT_EQ(report.dof, 1);
  EXPECT_EQ(report.full_cycle_dof, 1);
  ASSERT_EQ(report.loops.size(), 3u);
  // Each further crank adds one speed and one row of rank, though its loop alone has two.
  EXPECT_FALSE(report.loops[0].dependent());
  EXPECT_TRUE(report.loops[1].dependent());
  EXPECT_TRUE(report.loops[2].dependent());
}

TEST(LoopDynamics, AFlatParallelogramIsSingular) {
  const Model model(parallelogram(2));
  const Mobility report = mobility(model, leaning(model, 0));
  EXPECT_EQ(report.dof, 2);  // it may fold into an anti-parallelogram
  EXPECT_EQ(report.full_cycle_dof, 1);
  EXPECT_TRUE(report.singular());
}

TEST(LoopDynamics, ADamperInTheClosingPinTakesItsPower) {
  const Model model(parallelogram(2, 0.5));
  const VectorXd q = leaning(model, 0.7);
  Workspace work(model);
  LoopDynamics loops(model);
  const VectorXd rest = VectorXd::Zero(model.speeds());
  VectorXd v = leaning(model, 2);  // 2 rad/s in the pattern of the motion
  LoopClosure closure(model);
  closure.update_rates(work, q, v);
  ASSERT_LT(closure.times(v).norm(), 1e-14);
  const VectorXd a = compatible_accelerations(closure, rest);
  const Model smooth(parallelogram(2, 0));
  LoopDynamics without(smooth);
  Workspace work2(smooth);
  const double extra =
      loops.inverse(work, q, v, a).tau.dot(v) - without.inverse(work2, q, v, a).tau.dot(v);
  EXPECT_NEAR(extra, 0.5 * 2 * 2, 1e-12);  // damping x rate^2
}

TEST(LoopDynamics, MoreMotorsThanNeededShareByLeastNorm) {
  const Model model(parallelogram(2));
  const VectorXd q = leaning(model, 0.7), zero = VectorXd::Zero(model.speeds());
  Workspace work(model);
  LoopDynamics loops(model);
  const std::vector<int> feet = speeds_by_name(model, {"foot0", "foot1"});
  LoopInverseOptions one, both, weighted;
  one.actuated = {feet[0]};
  both.actuated = weighted.actuated = feet;
  weighted.weights = Eigen::Vector2d(1, 3);
  const double alone = loops.inverse(work, q, zero, zero, one).tau(feet[0]);
  const LoopEfforts shared = loops.inverse(work, q, zero, zero, both);
  EXPECT_TRUE(shared.redundant_actuation);
  EXPECT_NEAR(shared.tau(feet[0]), alone / 2, 1e-12);
  EXPECT_NEAR(shared.tau(feet[1]), alone / 2, 1e-12);
  const LoopEfforts unequal = loops.inverse(work, q, zero, zero, weighted);
  EXPECT_NEAR(unequal.tau(feet[0]), 3 * unequal.tau(feet[1]), 1e-11);
  EXPECT_NEAR(unequal.tau(feet[0]) + unequal.tau(feet[1]), alone, 1e-12);
}

TEST(LoopDynamics, FewerMotorsThanFreedomAreRefused) {
  Robot robot = parallelogram(2);
  JointData free_arm;
  free_arm.name = "arm";
  free_arm.type = JointType::revolute;
  free_arm.parent = "bar";
  free_arm.child = "arm";
  robot.bodies.push_back(robot.bodies[0]);
  robot.bodies.back().name = "arm";
  robot.joints.push_back(free_arm);
  const Model model(robot);
  VectorXd q = leaning(model, 0.7);
  q(model.joints()[model.joint("arm")].q) = 0;
  const VectorXd zero = VectorXd::Zero(model.speeds());
  Workspace work(model);
  LoopDynamics loops(model);
  LoopInverseOptions options;
  options.actuated = speeds_by_name(model, {"foot0"});
  try {
    loops.inverse(work, q, zero, zero, options);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("1 actuated joints ('foot0') for the 2 degrees"));
  }
}

TEST(LoopDynamics, TheReactionOfAPinHoldsItsBody) {
  // The bar at rest: the tree carries it at pin0, the loop at pin1; by symmetry of the bar about
  // its middle each pin bears half the weight.
  const Model model(parallelogram(2));
  const VectorXd q = leaning(model, 0.7), zero = VectorXd::Zero(model.speeds());
  Workspace work(model);
  LoopDynamics loops(model);
  LoopInverseOptions options;
  options.actuated = speeds_by_name(model, {"foot0"});
  const LoopEfforts efforts = loops.inverse(work, q, zero, zero, options);
  const Wrench<double> F = loops.loop_reaction(work, 0, efforts.lambda);
  EXPECT_NEAR(F.force.y(), 3 * 9.81 / 2, 1e-9);  // the bar does not turn: its axes are the world's
  // An open tree with this wrench in place of the pin needs the same efforts.
  Robot open = parallelogram(2);
  open.joints.pop_back();
  const Model tree(open);
  Workspace work2(tree);
  ExternalWrench on_bar, on_crank;
  on_bar.body = tree.body("bar");
  on_bar.point << 1, 0, 0;
  on_bar.force = F.force;
  on_bar.moment = F.moment;
  on_crank = on_bar;
  on_crank.body = tree.body("crank1");
  on_crank.point << 0.4, 0, 0;
  on_crank.force = -F.force;
  on_crank.moment = -F.moment;
  const ExternalWrench both[] = {on_bar, on_crank};
  EXPECT_LT((inverse_dynamics(tree, work2, q, zero, zero, both) - efforts.tau).norm(), 1e-11);
}

TEST(LoopDynamics, ProjectionIsTheLeastChangeInTheMetricOfTheMasses) {
  const Model model(parallelogram(3));
  const VectorXd closed = leaning(model, 0.7);
  VectorXd q = closed;
  for (int k = 0; k < q.size(); ++k) q(k) += 1e-3 * std::sin(k + 1.0);
  Workspace work(model);
  LoopDynamics loops(model);
  const VectorXd p = loops.project_positions(work, q);
  LoopClosure closure(model);
  closure.update(work, p);
  EXPECT_LT(closure.largest_gap(work), 1e-12);
  const VectorXd v = VectorXd::LinSpaced(model.speeds(), -1, 1);
  const VectorXd u = loops.project_speeds(work, p, v);
  closure.update(work, p);
  EXPECT_LT(closure.times(u).norm(), 1e-12);
  // What was taken away is orthogonal, in M, to every motion that is left.
  Robot open = parallelogram(3);
  std::erase_if(open.joints, [](const JointData& joint) { return joint.cut; });
  const Model tree(open);
  Workspace work2(tree);
  const Eigen::MatrixXd M = mass_matrix(tree, work2, p);
  const CoordinateMap map = independent_map(closure, split_speeds(closure));
  EXPECT_LT((map.G.transpose() * M * (v - u)).norm(), 1e-10);
}

TEST(Assembly, OfARodThatIsTooShortNamesTheLoop) {
  Robot robot = parallelogram(2);
  robot.joints.pop_back();
  ConstraintData rod;
  rod.name = "strut";
  rod.parent = "world";
  rod.child = "bar";
  rod.parent_point << 10, 0, 0;
  rod.length = 0.1;
  robot.constraints = {rod};
  AssemblyOptions options;
  options.restarts = 10;
  const AssemblyResult found = assemble(Model(robot), options);
  EXPECT_TRUE(found.solutions.empty());
  EXPECT_THAT(found.reason, ::testing::HasSubstr("distance 'strut' stays open by"));
}

TEST(Mobility, OfARigidStructureIsZeroAndNamesTheLoop) {
  Robot robot = parallelogram(2);
  ConstraintData rod;
  rod.name = "brace";
  rod.parent = "world";
  rod.child = "bar";
  rod.child_point << 1, 0, 0;  // between 0.6 and 1.4 from the origin
  rod.length = 1;
  robot.constraints = {rod};
  const Model model(robot);
  AssemblyOptions options;
  options.start = leaning(model, 0.7);
  const VectorXd q = assembled(model, options);
  const Mobility report = mobility(model, q);
  EXPECT_EQ(report.full_cycle_dof, 0);
  EXPECT_THAT(mobility_notes(model, report)[0], ::testing::HasSubstr("'brace'"));
}

TEST(LoopDynamics, TheFeetBearTheWeight) {
  const Model model(parallelogram(3));
  const VectorXd q = leaning(model, 0.7), zero = VectorXd::Zero(model.speeds());
  Workspace work(model);
  LoopDynamics loops(model);
  const LoopEfforts efforts = loops.inverse(work, q, zero, zero);
  const LoopReactions all = loop_reactions(loops, model, work, q, zero, zero, efforts.lambda, {},
                                           {.at = {}, .expressed_in = 0});
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const char* foot : {"foot0", "foot1", "foot2"}) sum += all.joints[model.joint(foot)].force;
  // bar and cranks; redundant or not, whatever the loops carry adds up
  EXPECT_LT((sum - Eigen::Vector3d(0, 9.81 * (3 + 1 + 2 + 3), 0)).norm(), 1e-9);
  // Along its axis a joint carries its effort.
  for (const Joint& joint : model.joints())
    EXPECT_NEAR(all.joints[model.joint(joint.name)].moment.z(), efforts.tau(joint.v), 1e-9);
}

TEST(LoopDynamics, HeldSpeedsGetTheEffortThatInverseDynamicsSays) {
  const Model model(parallelogram(3));
  const VectorXd q = leaning(model, 0.7), v = leaning(model, 2);
  Workspace work(model);
  LoopDynamics loops(model);
  const int driven = speeds_by_name(model, {"foot1"})[0];
  std::vector<char> held(model.speeds(), 0);
  held[driven] = 1;
  loops.hold(held);
  VectorXd a = VectorXd::Zero(model.speeds()), tau = a;
  a(driven) = 3;
  ASSERT_TRUE(loops.mixed(work, q, v, a, tau));
  EXPECT_DOUBLE_EQ(a(driven), 3);
  LoopDynamics other(model);
  LoopInverseOptions options;
  options.actuated = {driven};
  const LoopEfforts efforts = other.inverse(work, q, v, a, options);
  EXPECT_NEAR(tau(driven), efforts.tau(driven), 1e-10 * std::abs(tau(driven)));
  // And without holding, that effort gives these accelerations.
  EXPECT_LT((other.forward(work, q, v, tau) - a).norm(), 1e-10 * a.norm());
}

// A rotor, spring and damper act alike whether their joint closes the loop or not.
TEST(ClosingJoint, RotorSpringAndDamperActAsInTheTree) {
  std::vector<double> accelerations;
  for (const std::string cut : {"pin0", "pin1"}) {
    Robot robot = parallelogram(2);
    for (JointData& joint : robot.joints) {
      joint.cut = joint.name == cut;
      if (joint.name == "pin1")
        joint.degrees = {DegreeData{
            .damping = 0.3, .stiffness = 5, .rest = 0.2, .rotor_inertia = 0.7, .gear_ratio = 2}};
    }
    const Model model(robot);
    Workspace work(model);
    LoopDynamics loops(model);
    AssemblyOptions start;
    start.start = leaning(model, 0.8);
    const VectorXd q = assembled(model, start);
    VectorXd v = VectorXd::Zero(model.speeds());
    const int foot = speeds_by_name(model, {"foot0"})[0];
    std::vector<char> held(model.speeds(), 0);
    held[foot] = 1;
    loops.hold(held);
    v(foot) = 1.5;
    ASSERT_TRUE(loops.close_speeds(work, q, v));
    loops.hold(std::vector<char>(model.speeds(), 0));
    const VectorXd zero = VectorXd::Zero(model.speeds());
    const VectorXd a = loops.forward(work, q, v, zero),
                   b = loops.forward(work, q, v, zero, {}, LoopMethod::embedding);
    EXPECT_LT((a - b).norm(), 1e-10 * (1 + a.norm()));
    accelerations.push_back(a(foot));
  }
  EXPECT_NEAR(accelerations[0], accelerations[1], 1e-11 * (1 + std::abs(accelerations[0])));
}

}  // namespace
}  // namespace ulna
