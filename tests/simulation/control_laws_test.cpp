// Control laws: what their theory promises.

#include <gtest/gtest.h>

#include <cmath>

#include "drives.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/dynamics/torque_regressor.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/simulation/control_laws.hpp"
#include "ulna/simulation/linear_analysis.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::frozen;

/// Two links in a vertical plane with inertias of their own, the first horizontal at zero.
Robot planar_arm() {
  Robot robot = testing::double_pendulum();
  for (BodyData& body : robot.bodies)
    body.inertial.inertia = 0.05 * body.inertial.mass * Matrix3<double>::Identity();
  robot.frames.push_back(
      {"tip", "rod2", Pose<double>{Matrix3<double>::Identity(), {0, 0, -1}}, {}});
  return robot;
}

Experiment tracking(const std::shared_ptr<Controller>& controller) {
  Experiment e(frozen(planar_arm()));
  e.drives.resize(2);
  for (int j = 0; j < 2; ++j) {
    e.drives[static_cast<std::size_t>(j)] = {
        DriveKind::controller,
        {testing::formula(j == 0 ? "0.5*sin(2*t)" : "0.8*cos(3*t)-0.8")},
        {},
        {}};
    controller->joints.push_back(j);
  }
  e.controllers = {controller};
  e.end = 10;
  e.record.channels = {"q", "v", "reference"};
  return e;
}

Robot with_factor(Robot robot, double factor) {
  for (BodyData& body : robot.bodies) {
    body.inertial.mass *= factor;
    body.inertial.inertia *= factor;
  }
  return robot;
}

double largest_error(const Eigen::MatrixXd& values, long from) {
  return (values.middleCols(0, 2) - values.middleCols(4, 2))
      .bottomRows(values.rows() - from)
      .cwiseAbs()
      .maxCoeff();
}

TEST(ControlLaws, AdaptiveControlLearnsToTrackAndFixedParametersDoNot) {
  double worst[2];
  for (int learns = 0; learns < 2; ++learns) {
    auto controller = std::make_shared<Adaptive>();
    controller->lambda = 5;
    controller->kd = Eigen::VectorXd::Constant(2, 10);
    controller->rate = learns ? 1 : 0;
    controller->own_model = frozen(with_factor(planar_arm(), 0.6));
    const auto run = simulate(tracking(controller));
    worst[learns] = largest_error(run.values, 80);
    if (learns) {
      EXPECT_LT(worst[1], 0.3 * largest_error(run.values, 0));
    }
  }
  EXPECT_LT(worst[1], 0.1 * worst[0]);
}

TEST(ControlLaws, TheLyapunovFunctionOfAdaptiveControlNeverGrows) {
  // V = s' M s / 2 + (p - p*)' G^-1 (p - p*) / 2 with dV/dt = -s' kd s, along a run of our own.
  const auto plant = frozen(planar_arm()), guess = frozen(with_factor(planar_arm(), 0.6));
  Adaptive law;
  law.joints = {0, 1};
  law.lambda = 5;
  law.kd = Eigen::Vector2d(10, 6);
  law.rate = 0.5;
  Workspace work(*plant), own(*guess);
  RegressorTerms terms;
  terms.rotors = true;
  const Eigen::VectorXd right = TorqueRegressor(*plant, terms).parameters(),
                        start = TorqueRegressor(*guess, terms).parameters();
  const Eigen::VectorXd rates = law.learning_rates(*guess);
  const long n = start.size();
  Eigen::VectorXd q = Eigen::Vector2d(0.2, -0.1), v = Eigen::Vector2d(0, 0);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n), dz(n), tau(2), a(2), scratch(2);
  Eigen::VectorXd q_ref(2), v_ref(2), a_ref(2), error(2);
  const auto evaluate = [&](double t) {
    q_ref << 0.5 * std::sin(2 * t), 0.3 * std::sin(3 * t);
    v_ref << std::cos(2 * t), 0.9 * std::cos(3 * t);
    a_ref << -2 * std::sin(2 * t), -2.7 * std::sin(3 * t);
    error = q_ref - q;
    tau.setZero();
    law.control({*guess, own, t, q, v, q_ref, v_ref, a_ref, error, scratch, nullptr, nullptr},
                z.data(), tau, dz.data());
    a = forward_dynamics(*plant, work, q, v, tau);
  };
  double before = INFINITY;
  const double h = 1e-4;
  for (int k = 0; k < 20000; ++k) {
    evaluate(k * h);
    const Eigen::VectorXd s = v_ref + law.lambda * error - v;
    double V = 0.5 * s.dot(mass_matrix(*plant, work, q) * s);
    for (long i = 0; i < n; ++i)
      if (rates(i) > 0) V += 0.5 * std::pow(start(i) + z(i) - right(i), 2) / rates(i);
    if (k % 100 == 0) {
      EXPECT_LE(V, before * (1 + 1e-6)) << "t = " << k * h;  // Euler's step adds h^2
      before = V;
    }
    // Half a step of the midpoint rule.
    const Eigen::VectorXd q0 = q, v0 = v, z0 = z;
    q += h / 2 * v, v += h / 2 * a, z += h / 2 * dz;
    const Eigen::VectorXd v_half = v;
    evaluate((k + 0.5) * h);
    q = q0 + h * v_half, v = v0 + h * a, z = z0 + h * dz;
  }
}

TEST(ControlLaws, TheBilinearRegressorGivesMassAndChristoffelsMatrix) {
  const auto model = frozen(planar_arm());
  Adaptive law;
  law.joints = {0, 1};
  Workspace work(*model);
  const Eigen::VectorXd q = Eigen::Vector2d(0.3, -0.7), v = Eigen::Vector2d(1, -2),
                        v_r = Eigen::Vector2d(0.4, 0.9), a_r = Eigen::Vector2d(-1, 3);
  RegressorTerms terms;
  terms.rotors = true;
  const Eigen::VectorXd p = TorqueRegressor(*model, terms).parameters();
  const Eigen::VectorXd tau = law.regressor(*model, work, q, v, v_r, a_r) * p;
  const Eigen::VectorXd expected = mass_matrix(*model, work, q) * a_r +
                                   coriolis_matrix(*model, q, v) * v_r +
                                   gravity_efforts(*model, work, q);
  EXPECT_LT((tau - expected).norm(), 1e-12 * expected.norm());
}

TEST(ControlLaws, AFrameUnderImpedanceGivesWayByForceOverStiffness) {
  auto controller = std::make_shared<Impedance>();
  Experiment e = tracking(controller);
  controller->frame = e.model->frame("tip");
  controller->stiffness << 0, 0, 0, 500, 500, 2000;
  controller->damping.setConstant(100);
  controller->joint_damping = 5;
  for (Drive& drive : e.drives) drive.motion.clear();
  e.q = Eigen::Vector2d(0.6, -1.3);
  AppliedWrench push;
  push.body = e.model->body("rod2");
  push.point = {0, 0, -1};
  push.force[0] = testing::formula("3");
  push.force[2] = testing::formula("-8");
  e.wrenches = {push};
  e.end = 60;
  e.record.channels = {"frame.tip"};
  const auto run = simulate(e);
  const long last = run.values.rows() - 1;
  // Statics: stiffness times displacement is the force, up to the turn of the frame.
  EXPECT_NEAR(run.values(last, 0) - run.values(0, 0), 3.0 / 500, 1e-6);
  EXPECT_NEAR(run.values(last, 2) - run.values(0, 2), -8.0 / 2000, 1e-6);
}

TEST(ControlLaws, InOperationalSpaceAFrameFollowsItsLinearEquation) {
  // Both coordinates of the tip in the plane of the arm; e'' + kd e' + kp e = 0.
  auto controller = std::make_shared<OperationalSpace>();
  Experiment e = tracking(controller);
  controller->frame = e.model->frame("tip");
  controller->position_only = true;
  controller->kp = 100;
  controller->kd = 20;
  for (Drive& drive : e.drives) drive.motion.clear();
  e.drives[0].motion = {testing::formula("0.6")};
  e.drives[1].motion = {testing::formula("-1.3")};
  e.q = Eigen::Vector2d(0.65, -1.25);
  e.end = 0.5;
  e.integrator.tolerances = {1e-11, 1e-12};
  e.record.channels = {"frame.tip"};
  const auto run = simulate(e);
  Workspace work(*e.model);
  update_poses(*e.model, work, Eigen::VectorXd(Eigen::Vector2d(0.6, -1.3)));
  const Vector3<double> goal = frame_pose(*e.model, work, controller->frame).position;
  for (std::size_t row = 0; row < run.t.size(); ++row) {
    const double t = run.t[row], decay = (1 + 10 * t) * std::exp(-10 * t);
    for (const int axis : {0, 2})
      EXPECT_NEAR(run.values(static_cast<long>(row), axis) - goal(axis),
                  decay * (run.values(0, axis) - goal(axis)), 1e-8);
  }
}

TEST(ControlLaws, StateFeedbackHasThePolesOfItsLinearSystem) {
  const auto model = frozen(planar_arm());
  auto controller = std::make_shared<StateFeedback>();
  Experiment e = tracking(controller);
  for (Drive& drive : e.drives) drive.motion.clear();
  const Eigen::VectorXd q0 = Eigen::Vector2d(0.4, 0.3), rest = Eigen::Vector2d::Zero();
  controller->q0 = q0;
  controller->efforts = holding_efforts(*model, q0, rest, {0, 1});
  const LinearSystem linear = linearize(*model, q0, rest, controller->efforts);
  controller->speeds = controller->actuated = {0, 1};
  controller->K = place_poles(linear.A, linear.B, Eigen::Vector4cd(-3, -4, -5, -6));
  e.drives[0].motion = {testing::formula("0.4")};
  e.drives[1].motion = {testing::formula("0.3")};
  e.q = q0 + Eigen::VectorXd(Eigen::Vector2d(1e-4, -1e-4));
  e.end = 4;
  const RunSummary end = simulate(e).summary;
  // exp(A_c t) x0, up to the square of the deviation.
  Eigen::VectorXd x0(4);
  x0 << 1e-4, -1e-4, 0, 0;
  const DiscreteSystem d = discretize(linear.A - linear.B * controller->K, linear.B, 4.0);
  EXPECT_LT((end.q - q0 - (d.A * x0).head(2)).norm(), 1e-8);
}

TEST(ControlLaws, AKalmanFilterBringsStateFeedbackToRestThroughNoisyEncoders) {
  const auto model = frozen(planar_arm());
  auto controller = std::make_shared<StateFeedback>();
  controller->period = 0.005;
  Experiment e = tracking(controller);
  const Eigen::VectorXd q0 = Eigen::Vector2d(0.4, 0.3), rest = Eigen::Vector2d::Zero();
  controller->q0 = q0;
  controller->efforts = holding_efforts(*model, q0, rest, {0, 1});
  const LinearSystem linear = linearize(*model, q0, rest, controller->efforts);
  controller->speeds = controller->actuated = controller->measured = {0, 1};
  const DiscreteSystem d = discretize(linear.A, linear.B, controller->period);
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(4, 4);
  controller->K = discrete_regulator(d.A, d.B, 100 * one, 0.1 * one.topLeftCorner(2, 2)).K;
  controller->filter = steady_kalman_filter(d.A, d.B, one.topRows(2), d.B * d.B.transpose(),
                                            1e-6 * one.topLeftCorner(2, 2));
  e.drives[0].motion = {testing::formula("0.4")};
  e.drives[1].motion = {testing::formula("0.3")};
  for (int k = 0; k < 2; ++k) {
    Sensor s = encoder(*model, k, controller->period);
    s.outputs[0].noise = 1e-3;
    controller->sensors.push_back(s.name);
    e.sensors.push_back(s);
  }
  e.q = q0 + Eigen::VectorXd(Eigen::Vector2d(0.02, -0.02));
  e.end = 5;
  const auto run = simulate(e);
  const Eigen::MatrixXd late = run.values.bottomRows(20).leftCols(2).rowwise() - q0.transpose();
  EXPECT_LT(late.cwiseAbs().maxCoeff(), 1e-3);  // less than one reading is off
}

TEST(ControlLaws, ADelayOfASampleIsThatOfAControllerSampledOneEarlier) {
  // A double integrator under u_k = -kp x_(k-1) - kd v_(k-1), exactly.
  Robot robot = testing::pendulum();
  robot.gravity.setZero();
  auto pd = testing::feedback(FeedbackLaw::pd, 1, 4, 3);
  pd->period = pd->delay = 0.1;
  Experiment e(frozen(robot));
  e.drives = {{DriveKind::controller, {testing::formula("0")}, {}, {}}};
  e.controllers = {pd};
  e.q = Eigen::VectorXd::Constant(1, 0.5);
  e.end = 2;
  e.record.interval = 0.1;
  e.record.channels = {"q", "v"};
  const auto run = simulate(e);
  double x = 0.5, v = 0, u = 0;
  for (long k = 0; k <= 20; ++k) {
    EXPECT_NEAR(run.values(k, 0), x, 1e-9) << k;
    EXPECT_NEAR(run.values(k, 1), v, 1e-9) << k;
    const double next = -4 * x - 3 * v;
    x += 0.1 * v + 0.005 * u;
    v += 0.1 * u;
    u = next;
  }
}

TEST(ControlLaws, AControllerWithAnotherModelLeavesAnError) {
  for (const bool right : {true, false}) {
    auto law = testing::feedback(FeedbackLaw::computed_torque, 2, 100, 20);
    law->joints.clear();
    if (!right) law->own_model = frozen(with_factor(planar_arm(), 0.8));
    Experiment e = tracking(law);
    e.q = Eigen::Vector2d(0, 0);
    e.end = 3;
    const double error = largest_error(simulate(e).values, 50);
    if (right) {
      EXPECT_LT(error, 1e-6);
    } else {
      EXPECT_GT(error, 1e-3);
    }
  }
  auto law = testing::feedback(FeedbackLaw::computed_torque, 2, 100, 20);
  law->joints.clear();
  law->own_model = frozen(testing::pendulum());
  EXPECT_THROW(check(tracking(law)), InputError);
}

TEST(ControlLaws, LawsThatDoNotFitTheRobotSayWhy) {
  Experiment e(frozen(testing::top()));
  auto adaptive = std::make_shared<Adaptive>();
  adaptive->kd = Eigen::VectorXd::Constant(3, 1);
  adaptive->joints = {0};
  e.drives.resize(1);
  e.drives[0].kind = DriveKind::controller;
  e.controllers = {adaptive};
  e.end = 1;
  try {
    check(e);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("angles and lengths"), std::string::npos);
  }
}

}  // namespace
}  // namespace ulna
