// Facts of mechanics that hold for robots with flexible bodies, on random trees of all joints, with
// bending in both planes, torsion and stretching.

#include <gtest/gtest.h>

#include "support/flexible_robot.hpp"
#include "ulna/dynamics/elastic_level.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/internal/energy_rate.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

using testing::all_moving_types;
using testing::BeamRecipe;
using testing::Generator;
using testing::random_entries;
using testing::random_flexible_robot;
using testing::RobotRecipe;

struct FlexibleCase {
  const char* name;
  RobotRecipe robot;
  BeamRecipe beams;
  bool turned = false;
};

const FlexibleCase cases[] = {
    {"PlanarBending", {5, {JointType::revolute}}, {3, 0, 0, 0}},
    {"Space", {5, all_moving_types, true}, {2, 2, 1, 0}},
    {"Stretching", {4, {JointType::revolute, JointType::prismatic}, true}, {2, 2, 1, 1}},
    {"Damped", {5, all_moving_types, true, true}, {2, 1, 1, 1, ModeFamily::clamped_free, 0.02}},
    {"FiniteElements", {4, {JointType::revolute}}, {3, 3, 1, 0, ModeFamily::finite_element}},
    {"TipBody", {4, {JointType::spherical}}, {2, 2, 0, 0, ModeFamily::clamped_tip_body}},
    {"Pinned", {4, {JointType::revolute}}, {2, 2, 0, 0, ModeFamily::pinned_pinned}},
    {"HeldAtTheFarEnd", {4, {JointType::revolute}}, {2, 2, 1, 0}, true},
};

class Flexible : public ::testing::TestWithParam<FlexibleCase> {
 protected:
  Generator g{11};
  Model model{random_flexible_robot(g, GetParam().robot, GetParam().beams, GetParam().turned)};
  Workspace work{model};
  Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds(), 2),
                  a = random_entries(g, model.speeds(), 5);
};

TEST_P(Flexible, ForwardUndoesInverseByBothRoutes) {
  ASSERT_TRUE(model.flexible());
  const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
  const Eigen::VectorXd articulated =
      forward_dynamics(model, work, q, v, tau, {}, ForwardMethod::articulated_body);
  const Eigen::VectorXd composite =
      forward_dynamics(model, work, q, v, tau, {}, ForwardMethod::composite_body);
  // The modal inertias are small against those of the joints: M is conditioned like 1e6.
  const double size = 1e-9 * a.norm();
  EXPECT_NEAR((articulated - a).norm(), 0, size);
  EXPECT_NEAR((composite - a).norm(), 0, size);
}

TEST_P(Flexible, MassMatrixIsTheKineticEnergyAndPositive) {
  const Eigen::MatrixXd M = mass_matrix(model, work, q);
  EXPECT_NEAR((M - M.transpose()).norm(), 0, 1e-13 * M.norm());
  const Energy e = energy(model, work, q, v);
  EXPECT_NEAR(0.5 * v.dot(M * v), e.kinetic, 1e-12 * e.kinetic);
  EXPECT_GT(dense::eigenvalues_symmetric(M)(0), 0);
}

TEST_P(Flexible, ColumnsOfTheMassMatrixAreUnitAccelerations) {
  const Eigen::MatrixXd M = mass_matrix(model, work, q);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  const Eigen::VectorXd rest = inverse_dynamics(model, work, q, zero, zero);
  for (int k = 0; k < model.speeds(); ++k) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(model.speeds(), k);
    const Eigen::VectorXd tau = inverse_dynamics(model, work, q, zero, unit);
    EXPECT_NEAR((tau - rest - M.col(k)).norm(), 0, 1e-11 * (M.norm() + rest.norm())) << k;
  }
}

TEST_P(Flexible, EnergyChangesByTheWorkOfTheEfforts) {
  const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
  const EnergyRate rate = energy_rate(model, work, q, v, a);
  const double power = tau.dot(v) - dissipated_power(model, q, v);
  const double size = std::abs(rate.kinetic) + std::abs(rate.potential) + std::abs(power);
  EXPECT_NEAR(rate.kinetic + rate.potential, power, 1e-11 * size);
}

TEST_P(Flexible, WrenchesDoTheWorkOfTheirPoints) {
  const int body = model.flexible_links().back().body;
  const FlexibleLink& link = model.flexible_links().back();
  const Vector3<double> tip = link.modal->X_BR * Vector3<double>(link.modal->length, 0.1, -0.2);
  const ExternalWrench wrench{body, tip, {1, 2, 3}, {-1, 0.5, 2}, 0};
  const Eigen::VectorXd with = inverse_dynamics(model, work, q, v, a, {&wrench, 1});
  const Eigen::VectorXd without = inverse_dynamics(model, work, q, v, a);
  const double power = external_power(model, work, q, v, {&wrench, 1});
  EXPECT_NEAR((without - with).dot(v), power, 1e-11 * std::abs(power) + 1e-10);
}

TEST_P(Flexible, VelocitiesAreRatesOfPosesAndJacobiansTheirSlopes) {
  const int frame = model.tip_frame();
  update_motions(model, work, q, v, a);
  const Twist<double> V = frame_velocity(model, work, frame),
                      A = frame_acceleration(model, work, frame);
  const Eigen::VectorXd Jv = jacobian(model, work, q, {frame}) * v;
  EXPECT_NEAR((Jv - V.vector()).norm(), 0, 1e-12 * V.vector().norm());
  const Eigen::VectorXd Ja =
      jacobian(model, work, q, {frame}) * a + jacobian_derivative(model, q, v, {frame}) * v;
  EXPECT_NEAR((Ja - A.vector()).norm(), 0, 1e-11 * A.vector().norm());
  // Central differences: error of order h^2, rounding 1e-16 / h.
  const double h = 1e-6;
  const auto position = [&](double s) {
    update_poses(model, work, model.integrate(q, s * v));
    return frame_pose(model, work, frame).position;
  };
  const Vector3<double> numeric = (position(h) - position(-h)) / (2 * h);
  EXPECT_NEAR((numeric - V.linear).norm(), 0, 1e-8 * (1 + V.linear.norm()));
}

INSTANTIATE_TEST_SUITE_P(All, Flexible, ::testing::ValuesIn(cases),
                         [](const auto& test) { return test.param.name; });

TEST(FlexibleMomentum, IsKeptByAFloatingRobotWithoutWeight) {
  Generator g{5};
  RobotRecipe recipe{4, {JointType::revolute}, true};
  Robot robot = random_flexible_robot(g, recipe, {2, 2, 1, 0});
  robot.gravity.setZero();
  for (JointData& joint : robot.joints)
    if (joint.parent == world_name) joint.type = JointType::free;
  const Model model(robot);
  Workspace work(model);
  const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds(), 2);
  const Eigen::VectorXd a =
      forward_dynamics(model, work, q, v, Eigen::VectorXd::Zero(model.speeds()));
  // Along the motion the momentum does not change: central differences in time.
  const double h = 1e-5;
  const auto at = [&](double t) {
    return Vector6<double>(
        momentum(model, work, model.integrate(q, t * v + 0.5 * t * t * a), v + t * a));
  };
  const Vector6<double> rate = (at(h) - at(-h)) / (2 * h);
  EXPECT_NEAR(rate.norm(), 0, 2e-6 * (1 + at(0).norm() * a.norm()));
}

TEST(ElasticLevels, ConsistentIsTheFirstOrderOfExact) {
  Generator g{3};
  const Model model(random_flexible_robot(g, {4, all_moving_types, true}, {2, 2, 1, 0}));
  const int modes = model.modes();
  ElasticEquations exact(model, ElasticLevel::exact), consistent(model, ElasticLevel::consistent),
      inconsistent(model, ElasticLevel::inconsistent);
  const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds(), 1),
                        a = random_entries(g, model.speeds(), 1);
  const auto error = [&](ElasticEquations& level, double size) {
    Eigen::VectorXd qs = q, vs = v, as = a;
    qs.tail(modes) *= size, vs.tail(modes) *= size, as.tail(modes) *= size;
    exact.update(qs, vs);
    level.update(qs, vs);
    return (exact.M() * as + exact.h() - level.M() * as - level.h()).norm();
  };
  // Halving the deflection quarters the error of consistent, and only halves that of inconsistent.
  EXPECT_NEAR(std::log2(error(consistent, 0.02) / error(consistent, 0.01)), 2, 0.05);
  EXPECT_NEAR(std::log2(error(inconsistent, 1e-3) / error(inconsistent, 5e-4)), 1, 0.1);
}

}  // namespace
}  // namespace ulna
