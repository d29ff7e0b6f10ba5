// Controllers: the errors that they leave, in continuous and in sampled time.

#include <gtest/gtest.h>

#include <cmath>

#include "drives.hpp"
#include "mechanisms.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/simulation/control_laws.hpp"

namespace ulna {
namespace {

using testing::arm_under;
using testing::feedback;
using testing::formula;
using testing::frozen;

TEST(Controllers, ErrorsUnderComputedTorqueObeyTheirLinearEquation) {
  // e'' + kd e' + kp e = 0 with kp = 100, kd = 20: e = e0 (1 + 10 t) exp(-10 t).
  Experiment experiment = arm_under(feedback(FeedbackLaw::computed_torque, 6, 100, 20));
  experiment.integrator.tolerances = {1e-11, 1e-12};
  const auto run = simulate(experiment);
  for (std::size_t row = 0; row < run.t.size(); ++row) {
    const double t = run.t[row], expected = 0.02 * (1 + 10 * t) * std::exp(-10 * t);
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(run.values(row, k) - run.values(row, 6 + k), expected, 1e-9);
  }
}

TEST(Controllers, SamplingAtAHighRateComesNearTheContinuousLaw) {
  double worst[2];
  for (int k = 0; k < 2; ++k) {
    auto controller = feedback(FeedbackLaw::computed_torque, 6, 100, 20);
    controller->period = k == 0 ? 1e-3 : 5e-4;
    const auto run = simulate(arm_under(controller));
    worst[k] = 0;
    for (std::size_t row = 0; row < run.t.size(); ++row) {
      const double t = run.t[row], expected = 0.02 * (1 + 10 * t) * std::exp(-10 * t);
      worst[k] = std::max(worst[k], std::abs(run.values(row, 0) - run.values(row, 6) - expected));
    }
  }
  EXPECT_LT(worst[0], 2e-3);
  EXPECT_NEAR(worst[0] / worst[1], 2, 0.2);  // the delay of half a period, to first order
}

TEST(Controllers, FeedForwardNeedsNoErrorAndPdWithGravityHoldsStill) {
  Experiment forward = arm_under(feedback(FeedbackLaw::feed_forward, 6, 300, 30));
  forward.q = Eigen::VectorXd::Constant(6, 0.1);
  forward.integrator.tolerances = {1e-10, 1e-11};
  const RunSummary end = simulate(forward).summary;
  EXPECT_LT((end.q.array() - 0.6).abs().maxCoeff(), 1e-7);

  auto pd = feedback(FeedbackLaw::pd, 6, 200, 60);
  pd->gravity = true;
  Experiment hold = arm_under(pd);
  for (Drive& drive : hold.drives) drive.motion.clear();  // regulation at the start
  hold.v = Eigen::VectorXd::Constant(6, 0.3);
  hold.end = 20;
  const RunSummary held = simulate(hold).summary;
  EXPECT_LT((held.q - hold.q).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT(held.v.cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Controllers, TheIntegralRemovesTheSagThatGravityLeavesAndDoesNotWindUp) {
  Experiment experiment(frozen(testing::pendulum()));
  experiment.end = 30;
  experiment.q = Eigen::VectorXd::Constant(1, 0.5);
  experiment.drives = {{DriveKind::controller, {formula("1")}, {}, {}}};
  auto pd = feedback(FeedbackLaw::pd, 1, 50, 15);
  experiment.controllers = {pd};
  const double sag = simulate(experiment).summary.q(0);
  EXPECT_NEAR(50 * (1 - sag), 9.81 * std::sin(sag), 1e-6);  // statics

  auto pid = feedback(FeedbackLaw::pd, 1, 50, 15);
  pid->ki = Eigen::VectorXd::Constant(1, 40);
  experiment.controllers = {pid};
  EXPECT_NEAR(simulate(experiment).summary.q(0), 1, 1e-6);

  // With a bound too low to hold it the integral must not grow while it waits: once the reference
  // comes back within reach the joint is there soon.
  pid->limit = Eigen::VectorXd::Constant(1, 5);
  experiment.drives[0].motion = {formula("1 - 0.8*step(t - 20)")};
  experiment.end = 26;
  experiment.record.channels = {"q", "tau"};
  const auto run = simulate(experiment);
  EXPECT_LE(run.column("tau.hinge").cwiseAbs().maxCoeff(), 5);
  EXPECT_NEAR(run.summary.q(0), 0.2, 0.02);
}

TEST(Controllers, ASphericalJointIsHeldByItsQuaternionError) {
  Experiment experiment(frozen(testing::top()));
  experiment.end = 8;
  auto pd = feedback(FeedbackLaw::computed_torque, 1, 25, 10);
  pd->kp = Eigen::Vector3d::Constant(25);
  pd->kd = Eigen::Vector3d::Constant(10);
  experiment.controllers = {pd};
  const auto zero = formula("0");
  experiment.drives = {{DriveKind::controller, {formula("0.5"), zero, formula("-1")}, {}, {}}};
  experiment.q = experiment.model->neutral();
  const RunSummary summary = simulate(experiment).summary;
  Experiment there = inverse_of(experiment);
  there.end = 1;
  EXPECT_LT(experiment.model->difference(summary.q, simulate(there).summary.q).norm(), 1e-6);
}

// ---- beside passive joints, loops, modes
// ---------------------------------------------------------

/// Two links on a body that floats freely.
Robot floating_arm() {
  Robot robot;
  robot.name = "floating";
  robot.gravity.setZero();
  const auto add = [&](const std::string& name, double mass, double length) {
    const Matrix3<double> inertia = 0.05 * mass * Matrix3<double>::Identity();
    robot.bodies.push_back(testing::body(name, {mass, {length / 2, 0, 0}, inertia}));
  };
  add("base", 8, 0);
  add("upper", 3, 0.5);
  add("fore", 2, 0.4);
  JointData joint;
  joint.name = "float";
  joint.type = JointType::free;
  joint.child = "base";
  robot.joints.push_back(joint);
  joint.name = "shoulder";
  joint.type = JointType::revolute;
  joint.axis = {0, 0, 1};
  joint.parent = "base";
  joint.child = "upper";
  joint.X_PF.position << 0.3, 0, 0;
  robot.joints.push_back(joint);
  joint.name = "elbow";
  joint.parent = "upper";
  joint.child = "fore";
  joint.X_PF.position << 0.5, 0, 0;
  robot.joints.push_back(joint);
  robot.frames.push_back(
      {"tip", "fore", Pose<double>{Matrix3<double>::Identity(), {0.4, 0, 0}}, {}});
  return robot;
}

/// The robot with these joints under a controller, which are to follow their motions.
Experiment under(Robot robot, const std::vector<std::pair<std::string, std::string>>& motions) {
  Experiment e(frozen(std::move(robot)));
  e.drives.resize(e.model->joints().size());
  for (const auto& [joint, motion] : motions) {
    const int j = e.model->joint(joint);
    e.drives[static_cast<std::size_t>(j)] = {DriveKind::controller, {formula(motion)}, {}, {}};
  }
  e.q = e.model->neutral();
  e.keep_q.assign(static_cast<std::size_t>(e.model->coordinates()), 0);
  e.end = 0.5;
  e.integrator.tolerances = {1e-10, 1e-12};
  e.record.channels = {"q", "v", "reference"};
  return e;
}

void start_at(Experiment& e, const std::string& joint, double q) {
  const int k = e.model->joints()[static_cast<std::size_t>(e.model->joint(joint))].q;
  e.q(k) = q;
  e.keep_q[static_cast<std::size_t>(k)] = 1;
}

/// One law for all joints that a controller drives, or one each.
std::shared_ptr<Feedback> computed_torque(const Experiment& e, const std::vector<std::string>& of) {
  auto law = feedback(FeedbackLaw::computed_torque, 0, 0, 0);
  law->kp = Eigen::VectorXd::Constant(e.model->speeds(), 100);
  law->kd = Eigen::VectorXd::Constant(e.model->speeds(), 20);
  for (const std::string& joint : of) law->joints.push_back(e.model->joint(joint));
  return law;
}

/// e = (e0 + (e0' + 10 e0) t) exp(-10 t) of a joint whose reference begins with the rate `rate`.
void expect_linear_error(const Experiment& e, const std::string& joint, double rate,
                         double tolerance) {
  const auto run = simulate(e);
  ASSERT_TRUE(run.summary.complete) << run.summary.reason;
  const Eigen::VectorXd error = run.column("q." + joint) - run.column("reference." + joint);
  const double e0 = error(0), slope = run.column("v." + joint)(0) - rate + 10 * e0;
  for (std::size_t row = 0; row < run.t.size(); ++row) {
    const double t = run.t[row];
    EXPECT_NEAR(error(static_cast<long>(row)), (e0 + slope * t) * std::exp(-10 * t), tolerance)
        << joint << " at " << t;
  }
}

TEST(Controllers, ComputedTorqueIsExactOnAFloatingBase) {
  Experiment e = under(floating_arm(), {{"shoulder", "0.5"}, {"elbow", "0.4"}});
  start_at(e, "shoulder", 0.3);
  start_at(e, "elbow", 0.6);
  e.controllers = {computed_torque(e, {"shoulder", "elbow"})};
  expect_linear_error(e, "shoulder", 0, 1e-8);
  expect_linear_error(e, "elbow", 0, 1e-8);
}

TEST(Controllers, ComputedTorqueIsExactAtTheJointsOfAFlexibleArm) {
  Experiment e =
      under(read_robot("flexible-two-link").robot, {{"shoulder", "0.05"}, {"elbow", "0.04"}});
  start_at(e, "shoulder", 0.03);
  start_at(e, "elbow", 0.06);
  e.end = 0.2;
  e.controllers = {computed_torque(e, {"shoulder", "elbow"})};
  expect_linear_error(e, "shoulder", 0, 1e-7);
  expect_linear_error(e, "elbow", 0, 1e-7);
}

TEST(Controllers, ComputedTorqueKnowsWhatElseIsLedInItsLoop) {
  // By a motion, and by another controller.
  for (const bool by_motion : {true, false}) {
    Experiment e =
        under(testing::five_bar(), {{"left", "0.9 + 0.3*sin(4*t)"}, {"right", "2.1 + 0.1*t"}});
    start_at(e, "left", by_motion ? 0.9 : 0.85);
    start_at(e, "right", 2.2);
    e.controllers = {computed_torque(e, {"right"})};
    if (by_motion)
      e.drives[static_cast<std::size_t>(e.model->joint("left"))].kind = DriveKind::motion;
    else
      e.controllers.push_back(computed_torque(e, {"left"}));
    if (by_motion)
      expect_linear_error(e, "right", 0.1, 1e-8);
    else
      EXPECT_LT(std::abs(simulate(e).summary.q(e.model->joints()[1].q) - 2.15), 0.05);
  }
}

TEST(Controllers, InALoopControlledJointsStartWithTheRatesOfTheirMotions) {
  Experiment e =
      under(testing::five_bar(), {{"left", "0.9 + 0.3*sin(4*t)"}, {"right", "2.1 - 0.2*t"}});
  start_at(e, "left", 0.85);
  start_at(e, "right", 2.2);
  e.controllers = {computed_torque(e, {"left", "right"})};
  const auto run = simulate(e);
  EXPECT_NEAR(run.column("v.left")(0), 1.2, 1e-12);
  EXPECT_NEAR(run.column("v.right")(0), -0.2, 1e-12);
}

/// A frame in operational space with e'' + 20 e' + 100 e = 0 along the axes that it can move.
void expect_linear_frame_error(Experiment e, const std::vector<std::string>& of, int frame,
                               const std::vector<int>& axes, const Eigen::VectorXd& at_reference) {
  auto law = std::make_shared<OperationalSpace>();
  law->frame = frame;
  law->position_only = true;
  law->kp = 100;
  law->kd = 20;
  law->joint_kp = 100;
  law->joint_kd = 20;
  for (const std::string& joint : of) law->joints.push_back(e.model->joint(joint));
  e.controllers = {law};
  e.record.channels = {"frame." + e.model->frames()[static_cast<std::size_t>(frame)].name, "v"};
  const auto run = simulate(e);
  ASSERT_TRUE(run.summary.complete) << run.summary.reason;
  Workspace work(*e.model);
  update_poses(*e.model, work, at_reference);
  const Vector3<double> goal = frame_pose(*e.model, work, frame).position;
  ASSERT_LT(run.values.row(0).segment(7, e.model->speeds()).norm(), 1e-12);
  for (std::size_t row = 0; row < run.t.size(); ++row) {
    const double t = run.t[row], decay = (1 + 10 * t) * std::exp(-10 * t);
    for (const int axis : axes)
      EXPECT_NEAR(run.values(static_cast<long>(row), axis) - goal(axis),
                  decay * (run.values(0, axis) - goal(axis)), 1e-8)
          << axis << " at " << t;
  }
}

TEST(Controllers, InOperationalSpaceTheToolOfALoopFollowsItsLinearEquation) {
  Robot robot = testing::five_bar();
  robot.frames.push_back(
      {"tool", "left_forearm", Pose<double>{Matrix3<double>::Identity(), {0.3, 0, 0}}, {}});
  Experiment e = under(robot, {{"left", "0.9"}, {"right", "2.1"}});
  // The posture of the reference, from a run that starts there.
  Experiment there = e;
  start_at(there, "left", 0.9);
  start_at(there, "right", 2.1);
  there.q(2) = 0.8, there.q(3) = -0.9;
  there.controllers = {computed_torque(there, {"left", "right"})};
  there.end = 1e-6;
  start_at(e, "left", 0.85);
  start_at(e, "right", 2.2);
  e.q(2) = 0.8, e.q(3) = -0.9;
  expect_linear_frame_error(e, {"left", "right"}, e.model->frame("tool"), {0, 1},
                            simulate(there).summary.q);
}

TEST(Controllers, InOperationalSpaceAHandOnAFloatingBaseFollowsItsLinearEquation) {
  Experiment e = under(floating_arm(), {{"shoulder", "0.5"}, {"elbow", "0.8"}});
  Eigen::VectorXd goal = e.q;
  goal.tail(2) << 0.5, 0.8;
  start_at(e, "shoulder", 0.45);
  start_at(e, "elbow", 0.9);
  // The reference of the hand is that with the base where it began.
  expect_linear_frame_error(e, {"shoulder", "elbow"}, e.model->frame("tip"), {0, 1}, goal);
}

TEST(Controllers, TheFirstSampleIsTakenUnderAControllerThatSeesTheRobotAsItIs) {
  // A continuous law with fine encoders: what an accelerometer feels first is what it feels without
  // them. Readings of zero before that sample would be a posture that the robot is not in; in a
  // loop not even one that closes.
  for (const bool adaptive : {false, true}) {
    Experiment e = under(testing::five_bar(), {{"left", "0.9"}, {"right", "2.1"}});
    start_at(e, "left", 0.85);
    start_at(e, "right", 2.2);
    e.end = 0.01;
    std::shared_ptr<Controller> law = computed_torque(e, {"left", "right"});
    if (adaptive) {
      auto learns = std::make_shared<Adaptive>();
      learns->joints = law->joints;
      learns->kd = Eigen::VectorXd::Constant(e.model->speeds(), 0.1);
      law = learns;
    }
    e.controllers = {law};
    Sensor acceleration;
    acceleration.kind = "channel";
    acceleration.name = "felt";
    acceleration.channels = {"a.left"};
    acceleration.outputs = {{"value", "rad/s^2"}};
    acceleration.period = 1e-3;
    e.sensors = {acceleration};
    e.record.channels = {"sensor"};
    e.record.interval = 1e-3;
    const auto first = [&] { return simulate(e).column("sensor.felt.value")(0); };
    const double free_of_encoders = first();
    for (int k = 0; k < 4; ++k) {
      Sensor fine = encoder(*e.model, k, 1e-3);
      e.sensors.push_back(fine);
      law->sensors.push_back(fine.name);
    }
    EXPECT_NEAR(first(), free_of_encoders, 1e-9 * (1 + std::abs(free_of_encoders)));
  }
}

TEST(Controllers, AdaptiveControlInALoopIsPassive) {
  // With the right parameters and no learning V = s' M s / 2 of the driven joints falls by the
  // integral of s' kd s: that is what the matrix of Christoffel's symbols is for.
  Experiment e = under(testing::five_bar(), {{"left", "0.9"}, {"right", "2.1"}});
  start_at(e, "left", 0.6);
  start_at(e, "right", 2.4);
  auto law = std::make_shared<Adaptive>();
  law->joints = {e.model->joint("left"), e.model->joint("right")};
  law->lambda = 4;
  law->kd = Eigen::VectorXd::Constant(e.model->speeds(), 0.3);
  law->rate = 0;
  e.controllers = {law};
  e.end = 0.4;
  e.record.interval = 1e-4;
  const auto run = simulate(e);
  ASSERT_TRUE(run.summary.complete) << run.summary.reason;
  Dynamics dynamics(*e.model);
  double V0 = 0, lost = 0, before = 0;
  for (std::size_t row = 0; row < run.t.size(); ++row) {
    const auto r = static_cast<long>(row);
    const Eigen::VectorXd q = run.values.row(r).head(4), v = run.values.row(r).segment(4, 4);
    Eigen::Vector2d s(4 * (0.9 - q(0)) - v(0), 4 * (2.1 - q(1)) - v(1));
    const Eigen::MatrixXd M = dynamics.equations(q, v, {0, 1}).M;
    const double V = 0.5 * s.dot(M * s), rate = 0.3 * s.squaredNorm();
    if (row == 0) V0 = V;
    if (row > 0) lost += 0.5e-4 * (rate + before);
    before = rate;
    ASSERT_NEAR(V, V0 - lost, 1e-6 * V0) << run.t[row];  // the trapezoidal rule
  }
  EXPECT_LT(lost, V0);
  EXPECT_GT(lost, 0.2 * V0);
}

TEST(Controllers, AdaptiveControlLearnsToTrackInALoop) {
  double late[2];
  for (const bool learns : {false, true}) {
    Robot light = testing::five_bar();
    for (BodyData& body : light.bodies) body.inertial.mass *= 0.5, body.inertial.inertia *= 0.5;
    Experiment e = under(testing::five_bar(),
                         {{"left", "0.9 + 0.3*sin(6*t)"}, {"right", "2.1 + 0.3*cos(5*t)"}});
    auto law = std::make_shared<Adaptive>();
    law->joints = {e.model->joint("left"), e.model->joint("right")};
    law->lambda = 5;
    law->kd = Eigen::VectorXd::Constant(e.model->speeds(), 0.1);
    law->rate = learns ? 5 : 0;
    law->own_model = frozen(light);
    start_at(e, "left", 0.9);
    start_at(e, "right", 2.4);
    e.controllers = {law};
    e.integrator.tolerances = {1e-7, 1e-9};
    e.end = 15;
    const auto run = simulate(e);
    ASSERT_TRUE(run.summary.complete) << run.summary.reason;
    const long rows = run.values.rows() / 4;
    late[learns] =
        (run.column("q.left") - run.column("reference.left")).tail(rows).cwiseAbs().maxCoeff();
  }
  EXPECT_LT(late[1], 0.2 * late[0]);
}

TEST(Controllers, LawsThatNeedMoreOfTheRobotSayWhat) {
  Experiment e = under(floating_arm(), {{"shoulder", "0.5"}, {"elbow", "0.8"}});
  auto law = std::make_shared<Adaptive>();
  law->joints = {e.model->joint("shoulder"), e.model->joint("elbow")};
  law->kd = Eigen::VectorXd::Constant(e.model->speeds(), 1);
  EXPECT_NE(law->refusal(*e.model).find("not linear in the parameters"), std::string::npos);
  OperationalSpace space;
  const auto flexible = frozen(read_robot("flexible-two-link").robot);
  EXPECT_NE(space.refusal(*flexible).find("rigid"), std::string::npos);
}

}  // namespace
}  // namespace ulna
