// What a simulation must keep: energy, momentum, the unit length of quaternions; and that
// different integrators find the same motion.

#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_robot.hpp"
#include "machines.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/simulation/simulate.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using testing::frozen;

Experiment free_swing(std::shared_ptr<const Model> model, double end, double tolerance) {
  Experiment experiment(std::move(model));
  experiment.end = end;
  experiment.integrator.tolerances = {tolerance, tolerance * 1e-2};
  return experiment;
}

TEST(Conservation, AFreeArmKeepsItsEnergyForTenSeconds) {
  for (const char* name : {"intelledex605", "puma560"}) {
    Robot robot = read_robot(name).robot;
    for (JointData& joint : robot.joints)
      for (DegreeData& degree : joint.degrees) degree.damping = degree.friction = 0;
    Experiment experiment = free_swing(frozen(robot), 10, 1e-10);
    experiment.q = Eigen::VectorXd::LinSpaced(6, 0.3, 0.8);
    experiment.record.interval = 0.1;
    const auto run = simulate(experiment);
    EXPECT_EQ(run.summary.method, IntegratorMethod::dop853);
    EXPECT_GT(run.summary.largest_kinetic, 1);
    EXPECT_LT(run.summary.energy_balance, 1e-9 * run.summary.largest_kinetic) << name;
  }
}

TEST(Conservation, ATopKeepsItsMomentaAndItsQuaternionStaysUnit) {
  Experiment experiment = free_swing(frozen(testing::top()), 5, 1e-11);
  experiment.q.resize(4);
  experiment.q << std::cos(0.2), std::sin(0.2), 0, 0;  // tilted by 0.4 rad
  experiment.v = Vector3<double>(0.1, 0.2, 150);       // fast spin: it stays up
  experiment.record.channels = {"q", "v", "energy", "momentum", "constraint"};
  experiment.record.interval = 0.05;
  const auto run = simulate(experiment);
  const Eigen::VectorXd vertical = run.column("momentum.az"), spin = run.column("v.ball.wz");
  const double size = std::abs(vertical(0));
  EXPECT_LT((vertical.array() - vertical(0)).abs().maxCoeff(), 1e-8 * size);
  // No moment acts about the axis of symmetry: its component of angular velocity stays.
  EXPECT_LT((spin.array() - 150).abs().maxCoeff(), 150 * 1e-12);
  EXPECT_LT(run.summary.energy_balance, 1e-8 * run.summary.largest_kinetic);
  EXPECT_LT(run.column("constraint.quaternion").maxCoeff(), 4e-16);
  // It does precess: the axis leaves its plane.
  const Eigen::VectorXd y = run.column("q.ball.qy");
  EXPECT_GT(y.cwiseAbs().maxCoeff(), 0.05);
}

TEST(Conservation, SlowPrecessionOfAFastTop) {
  // With spin s the axis at rest begins to precess at about m g l / (C s); nutation averages out.
  Experiment experiment = free_swing(frozen(testing::top()), 2, 1e-10);
  experiment.q.resize(4);
  experiment.q << std::cos(0.3), std::sin(0.3), 0, 0;
  experiment.v = Vector3<double>(0, 0, 3000);
  experiment.record.channels = {"frame.rotor"};
  const auto run = simulate(experiment);
  const long last = run.values.rows() - 1;
  const auto azimuth = [&](long k) {
    const Quaternion<double> q(run.values(k, 3), run.values(k, 4), run.values(k, 5),
                               run.values(k, 6));
    const Vector3<double> axis = rotation_from_quaternion(q).col(2);
    return std::atan2(axis.y(), axis.x());
  };
  const double expected = 1.5 * 9.81 * 0.3 / (0.006 * 3000);
  EXPECT_NEAR((azimuth(last) - azimuth(0)) / 2, expected, 0.01 * expected);
}

TEST(Conservation, AFreeBodyInSpaceKeepsItsMomentum) {
  testing::Generator g(5);
  testing::RobotRecipe recipe;
  recipe.bodies = 4;
  Robot robot = testing::random_robot(g, recipe);
  robot.gravity.setZero();
  robot.joints[0].type = JointType::free;
  Experiment experiment = free_swing(frozen(robot), 4, 1e-11);
  experiment.q = experiment.model->random(g);
  experiment.v = testing::random_entries(g, experiment.model->speeds(), 2);
  experiment.record.channels = {"momentum", "power"};
  const auto run = simulate(experiment);
  for (int k = 0; k < 6; ++k) {
    const Eigen::VectorXd p = run.values.col(k);
    EXPECT_LT((p.array() - p(0)).abs().maxCoeff(),
              1e-8 * run.values.leftCols(6).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(run.column("power.residual").cwiseAbs().maxCoeff(), 1e-9 * run.summary.largest_kinetic);
}

TEST(Conservation, WorkOfEffortsDampingAndWrenchesBalancesOnAnyRobot) {
  testing::Generator g(11);
  testing::RobotRecipe recipe;
  recipe.bodies = 5;
  recipe.types = testing::all_moving_types;
  recipe.branches = true;
  recipe.friction = true;
  for (int round = 0; round < 4; ++round) {
    Robot robot = testing::random_robot(g, recipe);
    for (JointData& joint : robot.joints)
      for (DegreeData& degree : joint.degrees) degree.friction = 0;  // smooth
    Experiment experiment = free_swing(frozen(robot), 1, 1e-10);
    experiment.q = experiment.model->random(g);
    const auto constant = [](double x) { return std::make_shared<ConstantMotion>(x); };
    experiment.drives.resize(robot.joints.size());
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
      experiment.drives[j].kind = DriveKind::effort;
      for (int k = 0; k < experiment.model->joints()[j].speeds; ++k)
        experiment.drives[j].effort.push_back(constant(testing::uniform(g, -2, 2)));
    }
    AppliedWrench wrench;
    wrench.body = 3;
    wrench.point = {0.1, -0.2, 0.3};
    wrench.expressed_in = 3;  // turns with the body
    for (int k = 0; k < 3; ++k)
      wrench.force[k] = constant(1.0 + k), wrench.moment[k] = constant(0.5 - k);
    experiment.wrenches.push_back(wrench);
    experiment.record.channels = {"energy", "power"};
    const auto run = simulate(experiment);
    EXPECT_GT(run.summary.works.cwiseAbs().minCoeff(), 1e-3);
    EXPECT_LT(run.summary.energy_balance, 1e-8 * run.summary.largest_kinetic);
    EXPECT_LT(run.column("power.residual").cwiseAbs().maxCoeff(),
              1e-10 * (1 + run.column("power.efforts").cwiseAbs().maxCoeff()));
  }
}

TEST(Conservation, IntegratorsAgree) {
  Experiment experiment = free_swing(frozen(testing::double_pendulum()), 3, 1e-11);
  experiment.q = Eigen::Vector2d(1.2, 0.4);
  const Eigen::VectorXd exact = simulate(experiment).summary.q;
  const auto with = [&](IntegratorMethod method, double tolerance, double step) {
    experiment.integrator.method = method;
    experiment.integrator.tolerances = {tolerance, tolerance};
    experiment.integrator.step = step;
    return (simulate(experiment).summary.q - exact).cwiseAbs().maxCoeff();
  };
  EXPECT_LT(with(IntegratorMethod::dormand_prince, 1e-10, 0), 1e-8);
  EXPECT_LT(with(IntegratorMethod::dop853, 1e-12, 0), 1e-10);
  EXPECT_LT(with(IntegratorMethod::rk4, 1e-9, 1e-3), 1e-9);
  if (is_available(IntegratorMethod::sundials_erk)) {
    EXPECT_LT(with(IntegratorMethod::sundials_erk, 1e-11, 0), 1e-8);
    EXPECT_LT(with(IntegratorMethod::sundials_bdf, 1e-10, 0), 1e-6);
  }
  // First order: a tenth of the step, a tenth of the error.
  const double coarse = with(IntegratorMethod::semi_implicit, 1e-9, 1e-3),
               fine = with(IntegratorMethod::semi_implicit, 1e-9, 1e-4);
  EXPECT_NEAR(coarse / fine, 10, 1);
}

TEST(Conservation, QuaternionsAgreeAmongIntegrators) {
  Experiment experiment = free_swing(frozen(testing::top()), 1, 1e-11);
  experiment.v = Vector3<double>(1, 2, 30);
  const Eigen::VectorXd exact = simulate(experiment).summary.q;
  for (const IntegratorMethod method :
       {IntegratorMethod::dormand_prince, IntegratorMethod::rk4, IntegratorMethod::semi_implicit,
        IntegratorMethod::sundials_erk, IntegratorMethod::sundials_bdf}) {
    if (!is_available(method)) continue;
    experiment.integrator.method = method;
    experiment.integrator.step =
        experiment.integrator.fixed_step() ? (method == IntegratorMethod::rk4 ? 1e-4 : 1e-5) : 0;
    const RunSummary summary = simulate(experiment).summary;
    const double bound = method == IntegratorMethod::semi_implicit ? 1e-2 : 1e-7;
    EXPECT_LT((summary.q - exact).cwiseAbs().maxCoeff(), bound) << name_of(method);
    EXPECT_LT(summary.constraint, 1e-15) << name_of(method);
  }
}

TEST(Conservation, ASymplecticStepKeepsTheEnergyWithinABand) {
  Experiment experiment = free_swing(frozen(testing::pendulum()), 200, 1e-8);
  experiment.q = Eigen::VectorXd::Constant(1, 0.5);
  experiment.integrator.method = IntegratorMethod::semi_implicit;
  experiment.integrator.step = 0.01;
  experiment.record.channels = {"energy.total"};
  const Eigen::VectorXd total = simulate(experiment).column("energy.total");
  EXPECT_LT((total.array() - total(0)).abs().maxCoeff(), 0.05);
  EXPECT_LT(std::abs(total.tail(20).mean() - total.head(20).mean()), 0.005);  // no drift
}

TEST(Channels, ReactionsCarryTheWeightAndWhatIsApplied) {
  Experiment e(std::make_shared<Model>(testing::double_pendulum()));
  e.end = 0.1;
  e.drives.resize(2);
  for (Drive& drive : e.drives) drive.kind = DriveKind::locked;
  AppliedWrench push;
  push.body = e.model->body("rod2");
  push.point = {0, 0, -0.5};
  push.force[0] = std::make_shared<ConstantMotion>(3);
  e.wrenches.push_back(push);
  e.record.channels = {"reaction.hinge", "reaction.elbow", "external.rod2"};
  const ulna::Run run = simulate(e);
  const auto row = run.values.row(run.values.rows() - 1);
  const double g = 9.81, tiny = 1e-13;
  // At rest: the hinge holds both weights and the push, whose arm about it is 1.5.
  EXPECT_NEAR(row(0), -3, tiny);
  EXPECT_NEAR(row(2), 1.7 * g, tiny * 20);
  EXPECT_NEAR(row(4), 3 * 1.5, tiny * 10);
  EXPECT_NEAR(row(6), -3, tiny);
  EXPECT_NEAR(row(8), 0.7 * g, tiny * 10);
  EXPECT_NEAR(row(10), 3 * 0.5, tiny * 10);
  EXPECT_NEAR(row(12), 3, tiny);
  EXPECT_NEAR(row(16), -3 * 0.5, tiny * 10);
}

}  // namespace
}  // namespace ulna
