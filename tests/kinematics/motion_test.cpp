// Velocities and accelerations of frames, and the centre of mass.

#include "along_motion.hpp"
#include "ulna/kinematics/frame_motion.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::rate;
using testing::unskew;

class Motions : public testing::RandomTree {};

TEST_P(Motions, VelocityOfAFrameIsItsJacobianTimesTheSpeeds) {
  for (std::size_t f = 0; f < model.frames().size(); ++f) {
    const int frame = static_cast<int>(f);
    update_motions(model, work, q, v, a);
    const Vector6<double> V = frame_velocity(model, work, frame).vector();
    expect_near(V, jacobian(model, work, q, {frame}) * v, 1e-14);
  }
}

TEST_P(Motions, VelocityOfAFrameIsTheRateOfItsPose) {
  for (std::size_t f = 0; f < model.frames().size(); ++f) {
    const int frame = static_cast<int>(f);
    update_motions(model, work, q, v, a);
    const Twist<double> V = frame_velocity(model, work, frame);
    const Matrix3<double> R = frame_pose(model, work, frame).rotation;
    const Matrix3<double> dR =
        rate([&](double t) -> Matrix3<double> { return pose_at(frame, t, v).rotation; });
    const Vector3<double> dp =
        rate([&](double t) -> Vector3<double> { return pose_at(frame, t, v).position; });
    expect_near(V.angular, unskew(dR * R.transpose()), 1e-10);
    expect_near(V.linear, dp, 1e-10);
  }
}

TEST_P(Motions, AccelerationOfAFrameIsTheRateOfItsVelocity) {
  for (std::size_t f = 0; f < model.frames().size(); ++f) {
    const int frame = static_cast<int>(f);
    update_motions(model, work, q, v, a);
    const Vector6<double> A = frame_acceleration(model, work, frame).vector();
    const auto V = [&](double t) -> Vector6<double> {
      update_motions(model, work, model.integrate(q, t * v), v + t * a, a);
      return frame_velocity(model, work, frame).vector();
    };
    expect_near(A, rate(V), 1e-10);
  }
}

TEST_P(Motions, SeenFromAnotherFrameTheVelocityIsTheJacobianOfThatQuery) {
  for (int trial = 0; trial < 5; ++trial) {
    const int frame = any_frame(), from = any_frame(), axes = any_frame();
    const Vector6<double> expected =
        jacobian(model, work, q, {.frame = frame, .relative_to = from, .expressed_in = axes}) * v;
    update_motions(model, work, q, v, a);
    expect_near(frame_velocity(model, work, FrameQuery{frame, from, axes}).vector(), expected,
                1e-13);
  }
}

TEST_P(Motions, SeenFromAnotherFrameVelocitiesAndAccelerationsAreRatesInItsAxes) {
  for (int trial = 0; trial < 5; ++trial) {
    const int frame = any_frame(), from = any_frame(), axes = any_frame();
    const FrameQuery own{frame, from, from};
    const auto at = [&](double t) {
      update_motions(model, work, model.integrate(q, t * v), v + t * a, a);
    };
    const auto position = [&](double t) -> Vector3<double> {
      at(t);
      return frame_pose(model, work, own).position;
    };
    const auto velocity = [&](double t) -> Vector6<double> {
      at(t);
      return frame_velocity(model, work, own).vector();
    };
    const Vector3<double> dp = rate(position);
    const Vector6<double> dV = rate(velocity);
    at(0);
    expect_near(frame_velocity(model, work, own).linear, dp, 1e-10);
    expect_near(frame_acceleration(model, work, own).vector(), dV, 1e-9);
    // Other axes turn the components and nothing else.
    const Matrix3<double> R_ER =
        frame_pose(model, work, axes).rotation.transpose() * frame_pose(model, work, from).rotation;
    const Twist<double> A = frame_acceleration(model, work, FrameQuery{frame, from, axes});
    expect_near(A.angular, R_ER * frame_acceleration(model, work, own).angular, 1e-13);
    expect_near(A.linear, R_ER * frame_acceleration(model, work, own).linear, 1e-13);
  }
}

TEST_P(Motions, AccelerationOfAFrameIsJacobianTimesAccelerationsPlusItsRateTimesSpeeds) {
  for (std::size_t f = 0; f < model.frames().size(); ++f) {
    const int frame = static_cast<int>(f);
    update_motions(model, work, q, v, a);
    const Vector6<double> A = frame_acceleration(model, work, frame).vector();
    const Jacobian J = jacobian(model, work, q, {frame});
    expect_near(A, J * a + jacobian_derivative(model, q, v, {frame}) * v, 1e-13);
  }
}

TEST_P(Motions, CentreOfMassIsTheMeanOfTheBodiesThatMoveWeightedByMass) {
  update_poses(model, work, q);
  double mass = 0;
  Vector3<double> moment = Vector3<double>::Zero();
  for (const BodyData& body : model.robot().bodies) {
    const int b = model.body(body.name);
    if (model.bodies()[b].node == 0) continue;  // fixed to the world
    moment += body.inertial.mass * (frame_pose(model, work, b) * body.inertial.centre);
    mass += body.inertial.mass;
  }
  expect_near(centre_of_mass(model, work), moment / mass, 1e-14);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Motions, ::testing::Range(0, 40));

TEST(CentreOfMass, CountsPayloadsAndNeedsMass) {
  Robot robot;
  robot.name = "seesaw";
  robot.bodies = {{"plank", {}, {}, {}}};
  JointData hinge;
  hinge.name = "hinge";
  hinge.type = JointType::revolute;
  hinge.child = "plank";
  robot.joints = {hinge};
  {
    const Model model(robot);
    Workspace work(model);
    update_poses(model, work, model.neutral());
    EXPECT_THROW(centre_of_mass(model, work), ComputationError);
  }
  Inertial child;
  child.mass = 20;
  robot.payloads = {{"left", "plank", Pose<double>::translation({-2, 0, 0}), child, {}},
                    {"right", "plank", Pose<double>::translation({1, 0, 0}), child, {}},
                    {"by-stander", world_name, Pose<double>::translation({5, 5, 5}), child, {}}};
  const Model model(robot);
  Workspace work(model);
  update_poses(model, work, Eigen::VectorXd::Constant(1, M_PI_2));
  EXPECT_LT((centre_of_mass(model, work) - Vector3<double>(0, -0.5, 0)).norm(), 1e-15);
}

}  // namespace
}  // namespace ulna
