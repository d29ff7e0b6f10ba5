// Mechanisms with loops in motion: loops stay closed and energy stays where it is, also through
// singular postures; what is driven is followed; another formulation and another integrator give
// the same motion.

#include <gmock/gmock.h>

#include <numbers>

#include "drives.hpp"
#include "mechanisms.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;
using testing::five_bar;
using testing::formula;
using testing::frozen;
using testing::parallelogram;
using testing::posture_of_parallelogram;
using testing::speed_of;
using testing::worst_closure;

Experiment swing(std::shared_ptr<const Model> model, const VectorXd& q, double end,
                 double rtol = 1e-10) {
  Experiment e(std::move(model));
  e.q = q;
  e.end = end;
  e.integrator.tolerances = {rtol, 1e-2 * rtol};
  e.record.channels = {"q", "v", "energy"};
  if (!e.model->loops().empty()) e.record.channels.push_back("closure");
  return e;
}

TEST(LoopSimulation, ADoubleFourBarKeepsItsEnergyAndItsLoopsForAMinute) {
  // Three cranks on one bar: of the two loops one says partly what the other says. It swings
  // through 1.27 rad to both sides of hanging.
  const auto model = frozen(parallelogram(3));
  const ulna::Run run = simulate(swing(model, posture_of_parallelogram(*model, -0.3), 60));
  EXPECT_TRUE(run.summary.complete);
  EXPECT_LT(worst_closure(run), 1e-10);
  EXPECT_GT(run.summary.largest_kinetic, 10);
  EXPECT_LT(run.summary.energy_balance, 1e-6 * run.summary.largest_kinetic);
}

TEST(LoopSimulation, AFiveBarKeepsItsEnergyAndItsLoopsForAMinute) {
  Robot robot = five_bar();
  robot.gravity = {0, -9.81, 0};
  const auto model = frozen(robot);
  Experiment e = swing(model, {}, 60);
  e.keep_q.assign(4, 0);
  e.q = Eigen::Vector4d(2.4, 1.0, -1.2, 0.8);
  e.keep_q[0] = e.keep_q[1] = 1;
  const ulna::Run run = simulate(e);
  EXPECT_TRUE(run.summary.complete);
  EXPECT_LT(worst_closure(run), 1e-10);
  EXPECT_LT(run.summary.energy_balance, 1e-6 * run.summary.largest_kinetic);
  EXPECT_NEAR(run.column("q.left")(0), 2.4, 1e-12);  // what was to be kept
  EXPECT_EQ(run.summary.independent.size(), 2u);
}

TEST(LoopSimulation, AParallelogramIsAPendulum) {
  // Of inertia and moment as in the test of its accelerations; the period of small swings, and the
  // whole motion against the tree that it equals.
  const auto model = frozen(parallelogram(2));
  const double inertia = 3 * 0.16 + (0.04 + 0.1) + (0.08 + 0.1), moment = 3 * 0.4 + 0.2 + 0.4;
  Robot pendulum;
  pendulum.gravity = {0, -9.81, 0};
  pendulum.bodies.push_back(
      {"rod", {moment, {1, 0, 0}, Vector3<double>(0, 0, inertia - moment).asDiagonal()}});
  // A second moment that large is impossible for a body; a rotor has no such limits.
  pendulum.bodies[0].inertial.inertia.setZero();
  JointData joint;
  joint.name = "foot0";
  joint.type = JointType::revolute;
  joint.child = "rod";
  pendulum.joints.push_back(joint);
  const double length = inertia / moment;  // of the simple pendulum
  pendulum.bodies[0].inertial.centre = {length, 0, 0};
  const auto tree = frozen(pendulum);
  const ulna::Run loop = simulate(swing(model, posture_of_parallelogram(*model, -0.5), 3, 1e-11));
  const ulna::Run rod = simulate(swing(tree, VectorXd::Constant(1, -0.5), 3, 1e-11));
  EXPECT_LT((loop.column("q.foot0") - rod.column("q.foot0")).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(LoopSimulation, PassesAFlatParallelogramOnTheSameBranch) {
  // Turning fully: flat twice in each turn, where it could fold. The bar keeps its direction.
  const auto model = frozen(parallelogram(2));
  Experiment e = swing(model, posture_of_parallelogram(*model, 0.2), 5, 1e-9);
  e.v = 12 * speed_of(*model);
  const ulna::Run run = simulate(e);
  EXPECT_TRUE(run.summary.complete);
  EXPECT_GT(run.column("q.foot0").maxCoeff(), 8 * std::numbers::pi);
  const VectorXd tilt = run.column("q.foot0") + run.column("q.pin0");
  EXPECT_LT(tilt.cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT(run.summary.energy_balance, 1e-6 * run.summary.largest_kinetic);
  EXPECT_LT(worst_closure(run), 1e-10);
}

TEST(LoopSimulation, IdaAgreesWithProjection) {
  for (const int cranks : {2, 3}) {
    const auto model = frozen(parallelogram(cranks));
    Experiment e = swing(model, posture_of_parallelogram(*model, -0.4), 1, 1e-10);
    const ulna::Run projected = simulate(e);
    e.integrator.method = IntegratorMethod::ida;
    if (!is_available(e.integrator.method)) GTEST_SKIP() << "without SUNDIALS";
    e.integrator.tolerances = {1e-9, 1e-11};
    const ulna::Run ida = simulate(e);
    EXPECT_LT((projected.values - ida.values).leftCols(2 * model->speeds()).cwiseAbs().maxCoeff(),
              1e-6);
    EXPECT_LT(worst_closure(ida), 1e-9);  // a hundred times the absolute tolerance
  }
}

TEST(LoopSimulation, IdaAgreesOnAFiveBarWithADrivenArm) {
  const auto model = frozen(five_bar());
  Experiment e(model);
  e.end = 1;
  e.drives.resize(model->joints().size());
  Drive& left = e.drives[model->joint("left")];
  left.kind = DriveKind::motion;
  left.motion = {formula("2.2 + 0.4*sin(3*t)")};
  Drive& right = e.drives[model->joint("right")];
  right.kind = DriveKind::effort;
  right.effort = {formula("0.3*cos(5*t)")};
  e.q = Eigen::Vector4d(2.2, 1.0, -1.0, 0.8);
  e.v = VectorXd();
  e.integrator.tolerances = {1e-10, 1e-12};
  e.record.channels = {"q", "v", "tau", "energy", "closure"};
  const ulna::Run projected = simulate(e);
  EXPECT_LT(projected.summary.energy_balance, 1e-8);
  e.integrator.method = IntegratorMethod::ida;
  e.integrator.tolerances = {1e-9, 1e-11};
  if (!is_available(e.integrator.method)) GTEST_SKIP() << "without SUNDIALS";
  const ulna::Run ida = simulate(e);
  EXPECT_LT((projected.values - ida.values).leftCols(8).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(LoopSimulation, TheEffortOfADrivenCrankIsThatOfInverseDynamics) {
  const auto model = frozen(parallelogram(3));
  Experiment e(model);
  e.end = 1;
  e.drives.resize(model->joints().size());
  Drive& crank = e.drives[model->joint("foot1")];
  crank.kind = DriveKind::motion;
  crank.motion = {formula("0.6 + 0.5*sin(4*t)")};
  e.q = posture_of_parallelogram(*model, 0.6);
  e.record.channels = {"q", "v", "a", "tau", "power", "closure"};
  const ulna::Run run = simulate(e);
  EXPECT_LT(worst_closure(run), 1e-10);
  Workspace work(*model);
  LoopDynamics loops(*model);
  const int n = model->speeds(), driven = model->joints()[model->joint("foot1")].v;
  LoopInverseOptions options;
  options.actuated = {driven};
  for (long r = 0; r < run.values.rows(); r += 10) {
    const VectorXd row = run.values.row(r);
    const VectorXd tau =
        loops.inverse(work, row.head(n), row.segment(n, n), row.segment(2 * n, n), options).tau;
    EXPECT_NEAR(tau(driven), row(3 * n + driven), 1e-9 * (1 + std::abs(tau(driven))));
  }
  EXPECT_LT(run.column("power.residual").cwiseAbs().maxCoeff(), 1e-9);
}

TEST(LoopSimulation, ALockedJointHoldsTheMechanism) {
  const auto model = frozen(parallelogram(2));
  Experiment e = swing(model, posture_of_parallelogram(*model, 0.3), 1);
  e.drives.resize(model->joints().size());
  e.drives[model->joint("pin0")].kind = DriveKind::locked;
  e.record.channels = {"v", "tau"};
  const ulna::Run run = simulate(e);
  EXPECT_LT(run.values.leftCols(model->speeds()).cwiseAbs().maxCoeff(), 1e-12);
  // The pin turns against the crank: it bears the moment of the whole, with the other sign.
  const double moment = 9.81 * (3 * 0.4 + 0.2 + 0.4) * std::cos(0.3);
  EXPECT_NEAR(run.column("tau.pin0")(0), -moment, 1e-9);
}

TEST(LoopSimulation, ComputedTorqueFollowsItsMotionWithoutError) {
  const auto model = frozen(five_bar());
  Experiment e(model);
  e.end = 1;
  e.drives.resize(model->joints().size());
  auto controller = std::make_shared<Feedback>();
  for (const auto& [name, text] :
       {std::pair{"left", "2.2 + 0.2*(1 - cos(3*t))"}, {"right", "1 - 0.1*(1 - cos(2*t))"}}) {
    Drive& drive = e.drives[model->joint(name)];
    drive.kind = DriveKind::controller;
    drive.motion = {formula(text)};
    controller->joints.push_back(model->joint(name));
  }
  controller->kp = VectorXd::Constant(4, 100);
  controller->kd = VectorXd::Constant(4, 20);
  e.q = Eigen::Vector4d(2.2, 1.0, -1.0, 0.8);
  e.keep_q = {1, 1, 0, 0};
  e.record.channels = {"q", "reference"};
  for (const FeedbackLaw law : {FeedbackLaw::computed_torque, FeedbackLaw::feed_forward}) {
    controller->law = law;
    e.controllers = {controller};
    const ulna::Run run = simulate(e);
    for (const char* name : {"left", "right"})
      EXPECT_LT(
          (run.column(std::string("q.") + name) - run.column(std::string("reference.") + name))
              .cwiseAbs()
              .maxCoeff(),
          1e-6)
          << name_of(law);
  }
}

TEST(LoopSimulation, ASpringInAClosingPinKeepsTheEnergy) {
  Robot robot = parallelogram(2);
  for (JointData& joint : robot.joints)
    if (joint.name == "pin1") joint.degrees[0] = {.stiffness = 20, .rest = 0.1};
  const auto model = frozen(robot);
  ASSERT_EQ(model->loops()[0].joint, "pin1");
  Experiment e = swing(model, posture_of_parallelogram(*model, -0.3), 2);
  e.record.channels = {"energy", "closing", "q"};
  const ulna::Run run = simulate(e);
  EXPECT_LT(run.summary.energy_balance, 1e-8);
  EXPECT_LT((run.column("closing.pin1") + run.column("q.foot1")).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(LoopSimulation, ACrankThatMeetsItsStopLosesWhatRestitutionSays) {
  Robot robot = parallelogram(3);
  for (JointData& joint : robot.joints)
    if (joint.name == "foot1") joint.degrees[0].lower = -0.8;
  const auto model = frozen(robot);
  Experiment e = swing(model, posture_of_parallelogram(*model, 0.3), 0.7);
  e.stops.enabled = true;
  e.stops.restitution = 0.5;
  const ulna::Run run = simulate(e);
  EXPECT_GT(run.summary.works(2), 0.1);
  EXPECT_LT(run.summary.energy_balance, 1e-7);
  EXPECT_GT(run.column("q.foot1").minCoeff(), -0.8 - 1e-9);
}

TEST(LoopSimulation, AStartThatCannotBeAssembledNamesTheLoop) {
  const auto model = frozen(five_bar());
  Experiment e(model);
  e.end = 1;
  e.q = Eigen::Vector4d(std::numbers::pi, 0, 0, 0);  // the arms stretched apart: 0.7 m between
  e.keep_q = {1, 1, 0, 0};
  try {
    simulate(e);
    ADD_FAILURE() << "accepted";
  } catch (const ComputationError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the loop closed by joint 'tool'"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("'left', 'right' as given"));
  }
}

TEST(LoopSimulation, MotionsThatContradictEachOtherAreRefused) {
  const auto model = frozen(parallelogram(2));
  Experiment e(model);
  e.end = 1;
  e.drives.resize(model->joints().size());
  for (const auto& [name, text] : {std::pair{"foot0", "0.5 + t"}, {"foot1", "0.5 + t + t^2"}}) {
    Drive& drive = e.drives[model->joint(name)];
    drive.kind = DriveKind::motion;
    drive.motion = {formula(text)};
  }
  try {
    simulate(e);
    ADD_FAILURE() << "accepted";
  } catch (const ComputationError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the loop closed by joint 'pin1'"));
  }
}

// Friction in every joint of the loop, and so in the one that closes it: the motion does not depend
// on which that is, the balance of energy holds through every stop, and it comes to rest.
TEST(LoopSimulation, FrictionOfAClosingJointHoldsItAtRest) {
  std::vector<ulna::Run> runs;
  for (const std::string cut : {"pin0", "pin1"}) {
    Robot robot = parallelogram(2);
    for (JointData& joint : robot.joints) {
      joint.degrees = {DegreeData{.friction = 0.6}};
      joint.cut = joint.name == cut;
    }
    const auto model = frozen(robot);
    EXPECT_EQ(model->speeds(), 4);
    Experiment e = swing(model, {}, 6, 1e-9);
    e.q = VectorXd::Zero(4);
    e.keep_q.assign(4, 0);
    for (int k = 0; k < 4; ++k) {
      const std::string& name = model->speed_names()[k];
      e.q(k) = name.starts_with("foot") ? -0.6 : 0.6;
      e.keep_q[k] = name == "foot0";
    }
    runs.push_back(simulate(e));
    const ulna::Run& run = runs.back();
    EXPECT_TRUE(run.summary.complete);
    EXPECT_LT(run.summary.energy_balance, 1e-6 * run.summary.largest_kinetic);
    const VectorXd speed = run.column("v.foot0");
    EXPECT_GT(speed.cwiseAbs().maxCoeff(), 1);
    // It sticks: the joint that holds it does so exactly, the others follow to rounding.
    const Eigen::Index last = speed.size() - 1;
    EXPECT_LT(std::abs(speed(last)), 1e-30);
    double slowest = 1;
    for (const std::string& name : model->speed_names())
      slowest = std::min(slowest, std::abs(run.column("v." + name)(last)));
    EXPECT_EQ(slowest, 0);
  }
  EXPECT_LT((runs[0].column("q.foot0") - runs[1].column("q.foot0")).cwiseAbs().maxCoeff(), 1e-6);
}

// Joints that turn back at dead points while the others go on: friction changes its sense there and
// holds nothing.
TEST(LoopSimulation, FrictionPassesDeadPoints) {
  for (const bool all : {false, true}) {
    Robot robot = read_robot("four-bar").robot;
    for (JointData& joint : robot.joints)
      if (all || joint.name == "joint4") joint.degrees = {DegreeData{.friction = all ? 0.03 : 0.1}};
    const auto model = frozen(robot);
    ASSERT_EQ(model->speeds(), 4);
    Experiment e = swing(model, {}, 3, 1e-8);
    e.q = model->neutral();
    e.q(0) = -0.2;
    e.keep_q.assign(4, 0);
    e.keep_q[0] = 1;
    const ulna::Run run = simulate(e);
    EXPECT_TRUE(run.summary.complete);
    EXPECT_LT(run.summary.energy_balance, 1e-6 * run.summary.largest_kinetic);
    EXPECT_LT(run.summary.statistics.evaluations, 100000);
    EXPECT_LT(worst_closure(run), 1e-10);
  }
}

}  // namespace
}  // namespace ulna
