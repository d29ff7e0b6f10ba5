// Cases with closed answers: mechanisms through singular postures, and drives that loops cannot
// follow.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/cases/cases.hpp"
#include "simulation/mechanisms.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/simulation/equilibrium.hpp"

namespace ulna {
namespace {

using testing::frozen;
using testing::pi;

TEST(Cases, AParallelogramPassesThroughItsFlatPosture) {
  // Without gravity nothing brakes it: each crank keeps its rate through the flat posture.
  Robot robot = testing::parallelogram(2);
  robot.gravity.setZero();
  Experiment e(frozen(robot));
  e.q = testing::posture_of_parallelogram(*e.model, 0.5);
  e.v = 2 * testing::speed_of(*e.model);
  e.end = 4;
  e.integrator.tolerances = {1e-9, 1e-11};
  const RunSummary summary = simulate(e).summary;
  ASSERT_TRUE(summary.complete);
  for (int k = 0; k < e.model->speeds(); ++k)
    EXPECT_NEAR(std::abs(summary.q(k)), 0.5 + 2 * 4, 1e-6);
}

TEST(Cases, AParallelogramFallsThroughItsFlatPostureWithEveryIntegrator) {
  // All cranks turn alike: one pendulum with the inertia and the weight of all.
  const double until = 2.5;
  Eigen::VectorXd reference;
  for (const IntegratorMethod method :
       {IntegratorMethod::dop853, IntegratorMethod::radau5, IntegratorMethod::automatic,
        IntegratorMethod::sundials_bdf, IntegratorMethod::ida}) {
    if (!is_available(method)) continue;
    Experiment e(frozen(testing::parallelogram(2)));
    e.q = testing::posture_of_parallelogram(*e.model, 0.2);
    e.v = Eigen::VectorXd::Zero(e.model->speeds());
    e.end = until;
    e.integrator.method = method;
    e.integrator.tolerances = {1e-8, 1e-10};
    const RunSummary summary = simulate(e).summary;
    ASSERT_TRUE(summary.complete) << name_of(method) << ": " << summary.reason;
    for (int k = 0; k < e.model->speeds(); ++k)
      EXPECT_NEAR(std::abs(summary.q(k)), std::abs(summary.q(0)), 1e-8) << name_of(method);
    if (reference.size() == 0) reference = summary.q;
    EXPECT_LT((summary.q - reference).norm(), 2e-4) << name_of(method);
    EXPECT_LT(summary.statistics.evaluations, 200'000) << name_of(method);
  }
}

/// A four-bar under gravity with friction in two joints, or with its coupler above a ground.
Experiment falling_four_bar(double friction, bool ground) {
  Robot robot = read_robot("crank-rocker").robot;
  for (JointData& joint : robot.joints)
    if (!joint.cut) {
      joint.degrees.resize(1);
      joint.degrees[0].friction = friction;
    }
  Experiment e(frozen(robot));
  AssemblyOptions options;
  options.start = e.model->neutral();
  options.start(0) = 1;
  options.held = {0};
  e.q = assemble(*e.model, options).solutions.at(0).q;
  e.end = 3;
  e.integrator.tolerances = {1e-8, 1e-10};
  if (!ground) return e;
  // The point of the coupler that it meets falls by a third of its height or so.
  Workspace work(*e.model);
  update_poses(*e.model, work, e.q);
  const Vector3<double> down = e.model->robot().gravity.normalized();
  Contact contact;
  contact.name = "ground";
  contact.shape.body = 2;
  contact.plane.normal = -down;
  contact.plane.point =
      frame_pose(*e.model, work, 2).position + 0.1 * e.model->length_scale() * down;
  contact.friction = 0.4;
  contact.restitution = 0.3;
  e.contacts = {contact};
  return e;
}

TEST(Cases, IdaFollowsFrictionAndContactsOfLoopsLikeTheOthers) {
  if (!is_available(IntegratorMethod::ida)) GTEST_SKIP() << "without SUNDIALS";
  for (const double friction : {0.0, 0.002, 0.02})
    for (const bool ground : {false, true}) {
      SCOPED_TRACE(std::to_string(friction) + (ground ? " on the ground" : ""));
      Experiment e = falling_four_bar(friction, ground);
      const RunSummary plain = simulate(e).summary;
      e.integrator.method = IntegratorMethod::ida;
      const RunSummary ida = simulate(e).summary;
      ASSERT_TRUE(plain.complete && ida.complete) << ida.reason;
      EXPECT_LT((plain.q - ida.q).norm(), 1e-3);
      EXPECT_NEAR(plain.works(2), ida.works(2), 1e-3 * (1e-3 + std::abs(plain.works(2))));
      if (ground) {
        EXPECT_EQ(plain.contacts[0].state, ida.contacts[0].state);
      }
    }
}

TEST(Cases, IdaRestsInALoopWhoseJointsRub) {
  // Crank and coupler come to rest; only one of them is needed to hold, and the other must not
  // seem to move by what the tolerance leaves.
  if (!is_available(IntegratorMethod::ida)) GTEST_SKIP() << "without SUNDIALS";
  Robot robot = read_robot("crank-rocker").robot;
  for (const auto& [joint, friction] : {std::pair{0, 0.05}, {1, 0.2}}) {
    robot.joints[static_cast<std::size_t>(joint)].degrees.resize(1);
    robot.joints[static_cast<std::size_t>(joint)].degrees[0].friction = friction;
  }
  Experiment e(frozen(robot));
  e.end = 3;
  e.integrator.method = IntegratorMethod::ida;
  const RunSummary ida = simulate(e).summary;
  ASSERT_TRUE(ida.complete) << ida.reason;
  EXPECT_LT(ida.v.norm(), 1e-9);
  EXPECT_LT(ida.statistics.steps, 20'000);
}

TEST(Cases, AJointThatComesToRestInALoopTakesTheOthersWithIt) {
  // The pivot turns back again and again. What the search for such an instant left of its speed was
  // taken from it alone: the loop was off by more than a step may err, and every step was refused.
  Experiment e = read_experiment_text(R"(experiment: 1
robot: flexible-four-bar
duration: 0.2
drives: {pin: {effort: 3}}
friction: {pivot: {static: 0.5, stribeck_speed: 0.1}}
record: {interval: 0.1, channels: [q]}
)",
                                      "t.yaml")
                     .experiment;
  e.integrator.tolerances = {1e-8, 1e-10};
  const RunSummary loose = simulate(e).summary;
  e.integrator.tolerances = {1e-9, 1e-11};
  const RunSummary tight = simulate(e).summary;
  ASSERT_TRUE(loose.complete && tight.complete) << loose.reason << tight.reason;
  EXPECT_LT((loose.q - tight.q).norm(), 1e-5);
}

TEST(Cases, ADriveThatItsLoopCannotFollowIsNamedByEveryIntegrator) {
  // The four-bar 4-18-11-10 has no link that turns fully.
  for (const IntegratorMethod method : {IntegratorMethod::automatic, IntegratorMethod::radau5,
                                        IntegratorMethod::sundials_bdf, IntegratorMethod::ida}) {
    if (!is_available(method)) continue;
    Experiment e(frozen(read_robot("four-bar").robot));
    e.drives.resize(e.model->joints().size());
    e.drives[0] = testing::follows("2*t");
    e.end = 3;
    e.integrator.method = method;
    try {
      simulate(e);
      FAIL() << name_of(method);
    } catch (const ComputationError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("joint1")) << name_of(method);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("1.28")) << name_of(method);
    }
  }
}

TEST(Cases, AnEquilibriumOfALoopIsFoundFromWhereItIs) {
  for (const char* name : {"four-bar", "crank-rocker"}) {
    const Model model(read_robot(name).robot);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.speeds());
    Eigen::VectorXd q = model.neutral();
    AssemblyOptions options;
    options.start = q;
    q = assemble(model, options).solutions.at(0).q;
    const Equilibrium first = find_equilibrium(model, q, none);
    ASSERT_TRUE(first.found) << name << first.reason;
    const Equilibrium again = find_equilibrium(model, first.q, none);
    EXPECT_TRUE(again.found) << name << again.reason;
    EXPECT_LT((again.q - first.q).norm(), 1e-8);
  }
}

TEST(Cases, ASliderCrankTurnsByItsLawOfSines) {
  // The shipped slider-crank, driven: the closing joint keeps the loop closed to 1e-10.
  Experiment e(frozen(read_robot("slider-crank").robot));
  e.drives.resize(e.model->joints().size());
  e.drives[0] = testing::follows("3*t");
  e.end = 2 * pi / 3;
  e.record.channels = {"q", "closure"};
  const auto run = simulate(e);
  EXPECT_LT(testing::worst_closure(run), 1e-10);
  // After a turn every other joint is back, up to a turn.
  const Eigen::VectorXd first = run.values.row(0), last = run.values.row(run.values.rows() - 1);
  for (int k = 1; k < e.model->coordinates(); ++k)
    EXPECT_NEAR(std::remainder(last(k) - first(k), 2 * pi), 0, 1e-7);
}

}  // namespace
}  // namespace ulna
