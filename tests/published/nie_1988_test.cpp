// T. Nie, "Derivation and Automatic Generation of Kane's Dynamical Equations for Mechanical
// Manipulators", Oregon State University, 1988: the Intelledex 605 along its cycloidal motion. The
// thesis prints no numbers; these were computed independently by two methods from its data.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/dynamics/parts/newton_euler_4x4.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

struct State {
  Eigen::VectorXd q{6}, v{6}, a{6};
};

State state_at(double t) {
  constexpr double T = 2, third = M_PI / 3, turn = 2 * M_PI / T;
  State state;
  state.q.setConstant(third * (t / T - std::sin(turn * t) / (2 * M_PI)));
  state.v.setConstant(third / T * (1 - std::cos(turn * t)));
  state.a.setConstant(third / T * turn * std::sin(turn * t));
  state.q(1) = M_PI / 2 - state.q(1) / 2;
  state.v(1) /= -2;
  state.a(1) /= -2;
  return state;
}

class Intelledex : public ::testing::Test {
 protected:
  Robot robot = read_robot("intelledex605").robot;
  Model model{robot};
  Workspace work{model};
};

TEST_F(Intelledex, TorquesAlongTheMotion) {
  const struct {
    double t;
    Vector6<double> tau;
  } table[] = {
      {0.0, {0, 0, -41.7410540064, -13.3939461600, 0, 0}},
      {0.5,
       {-2.8397593825, 4.1794186638, -36.4632436004, -11.0439837935, 0.0460859235, 0.0032078793}},
      {1.0,
       {-5.5640761707, 19.1986519183, -24.0732691934, -3.8089236426, 0.0075238060, -0.0045090619}},
      {1.5, {-2.5886062869, 8.6916939076, 1.5144760232, 5.5267551447, -0.0499010075, 0.0004777523}},
      {2.0, {3.6368191501, 5.6074356324, 11.9146048308, 8.3712163500, 0, 0}},
  };
  for (const auto& row : table) {
    const State s = state_at(row.t);
    Kane kane(model);
    const std::pair<const char*, Vector6<double>> routes[] = {
        {"newton-euler", inverse_dynamics(model, work, s.q, s.v, s.a)},
        {"newton-euler-4x4", inverse_dynamics_newton_euler_4x4(model, s.q, s.v, s.a)},
        {"lagrange-4x4", inverse_dynamics_lagrange_4x4(model, s.q, s.v, s.a)},
        {"kane, joint rates", kane.inverse(work, s.q, s.v, s.a)},
        {"kane, body C",
         kane.inverse(work, s.q, s.v, s.a, speeds_named(model, s.q, s.v, "body:C"))},
    };
    for (const auto& [route, tau] : routes)
      EXPECT_LT((tau - row.tau).cwiseAbs().maxCoeff(), 1e-9)
          << route << ", t = " << row.t << ": " << tau.transpose();
  }
}

TEST_F(Intelledex, WorkOfTheTorquesIsTheChangeOfEnergy) {
  // Simpson's rule; the power is smooth and periodic in its highest terms.
  const int n = 2000;
  double work_done = 0;
  for (int k = 0; k <= n; ++k) {
    const State s = state_at(2.0 * k / n);
    const double weight = k == 0 || k == n ? 1 : k % 2 ? 4 : 2;
    work_done += weight * s.v.dot(inverse_dynamics(model, work, s.q, s.v, s.a));
  }
  work_done *= 2.0 / n / 3;
  const State start = state_at(0), end = state_at(2);
  const double change =
      energy(model, work, end.q, end.v).potential - energy(model, work, start.q, start.v).potential;
  EXPECT_NEAR(change, -36.207397616170, 1e-9);
  EXPECT_NEAR(work_done, change, 1e-9);
}

TEST_F(Intelledex, MassMatrixAndGravityInTheMiddleOfTheMotion) {
  const State s = state_at(1);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(6, 6);
  M.row(0) << 1.4889366707, 0.7738746738, 0.4376080094, 0.1764309068, 0.0022776076, -0.0028977775;
  M(1, 1) = 1.1024522955;
  M(2, 2) = 1.6907875124, M(2, 3) = 0.6816766777, M(2, 4) = 0.0088;
  M(3, 3) = 0.3513097421, M(3, 4) = 0.0088;
  M(4, 4) = 0.0088;
  M(5, 5) = 0.003;
  M = M.selfadjointView<Eigen::Upper>();
  Kane kane(model);
  const SpeedMap rates = joint_rate_speeds(model);
  // Newton-Euler gives M by columns: the efforts of one unit acceleration less those of none.
  const Vector6<double> zero = Vector6<double>::Zero();
  Eigen::MatrixXd newton_euler(6, 6);
  const Eigen::VectorXd at_rest = inverse_dynamics(model, work, s.q, zero, zero);
  for (int k = 0; k < 6; ++k)
    newton_euler.col(k) =
        inverse_dynamics(model, work, s.q, zero, Vector6<double>::Unit(k)) - at_rest;
  const std::pair<const char*, Eigen::MatrixXd> masses[] = {
      {"newton-euler", newton_euler},
      {"composite-body", mass_matrix(model, work, s.q)},
      {"kane", kane.matrix(work, s.q, rates)},
      {"lagrange-4x4", mass_matrix_lagrange_4x4(model, s.q)},
      {"lagrange-4x4, D_ij", lagrange_coefficients(model, s.q).D_ij}};
  for (const auto& [route, found] : masses)
    EXPECT_LT((found - M).cwiseAbs().maxCoeff(), 1e-9) << route;

  const Vector6<double> gravity(-9.0126747804, 15.0907985666, -23.7248014042, -4.2986633654, 0, 0);
  const std::pair<const char*, Vector6<double>> weights[] = {
      {"newton-euler", gravity_efforts(model, work, s.q)},
      {"newton-euler-4x4", inverse_dynamics_newton_euler_4x4(model, s.q, zero, zero)},
      {"kane", -kane.active_forces(work, s.q, zero, rates)},
      {"lagrange-4x4, D_i", lagrange_coefficients(model, s.q).D_i}};
  for (const auto& [route, found] : weights)
    EXPECT_LT((found - gravity).cwiseAbs().maxCoeff(), 1e-9) << route;
}

TEST_F(Intelledex, WristPoint) {
  const struct {
    double t;
    Vector3<double> wrist;
  } table[] = {{0, {0, 0, 0.602}},
               {1, {-0.1191499608, 0.4151204033, 0.3895264910}},
               {2, {-0.4569, 0.2513205722, -0.0187061487}}};
  for (const auto& row : table) {
    update_poses(model, work, state_at(row.t).q);
    EXPECT_LT((frame_pose(model, work, model.frame("F")).position - row.wrist).norm(), 1e-9);
  }
}

TEST_F(Intelledex, StressPointWithAllOffsetsAndDistinctInertias) {
  const double L33 = 0.04;
  const auto body = [&](const std::string& name) -> BodyData& {
    for (BodyData& b : robot.bodies)
      if (b.name == name) return b;
    throw std::runtime_error(name);
  };
  const auto set = [&](const std::string& name, const Vector3<double>& centre,
                       const Vector3<double>& inertia) {
    body(name).inertial.centre = centre;
    body(name).inertial.inertia = inertia.asDiagonal();
  };
  set("A", {0, -0.1397, 0.1588}, {0.18, 0.05, 0.14});
  set("B", {0, -0.0127, 0}, {0.03, 0.028, 0.0232});
  set("C", {0.13, 0, L33}, {0.11, 0.10, 0.026});
  set("D", {0.127, 0, -0.03}, {0.065, 0.058, 0.02});
  set("E", {0, -0.05, 0}, {0.0048, 0.0042, 0.0035});
  set("F", {0, 0, 0.11}, {0.0040, 0.0036, 0.0030});
  robot.joints[3].X_PF.position = {0.2794, 0, L33};
  robot.joints[4].X_PF.position = {0.3226, 0, -L33};
  const Model changed(robot);
  Workspace own(changed);
  const Vector6<double> q(0.3, 1.1, -0.4, 0.7, -0.6, 0.9), v(0.5, -0.8, 1.2, -0.3, 0.7, -1.1),
      a(-1, 0.6, 0.4, 1.5, -0.9, 0.2);
  const Vector6<double> tau(-25.0290938150, 14.3164948177, -38.4345420893, -10.1510825424,
                            0.0258566691, -0.0036535707);
  Kane kane(changed);
  const std::pair<const char*, Vector6<double>> routes[] = {
      {"newton-euler", inverse_dynamics(changed, own, q, v, a)},
      {"newton-euler-4x4", inverse_dynamics_newton_euler_4x4(changed, q, v, a)},
      {"lagrange-4x4", inverse_dynamics_lagrange_4x4(changed, q, v, a)},
      {"kane, joint rates", kane.inverse(own, q, v, a)},
      {"kane, body C", kane.inverse(own, q, v, a, speeds_named(changed, q, v, "body:C"))}};
  for (const auto& [route, found] : routes)
    EXPECT_LT((found - tau).cwiseAbs().maxCoeff(), 1e-9) << route;
}

}  // namespace
}  // namespace ulna
