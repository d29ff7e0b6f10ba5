// Joint rates and accelerations reproduce the motion of a frame they are asked for.

#include "along_motion.hpp"
#include "planar_arm.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::planar_arm;

class Rates : public testing::RandomTree {};

TEST_P(Rates, OfTheJointsReproduceAPossibleTwist) {
  const int frame = model.tip_frame();
  const Jacobian J = jacobian(model, work, q, {frame});
  const Vector6<double> twist = J * v;
  const JointRates rates = joint_rates(model, work, q, frame, twist);
  EXPECT_LT(rates.residual, 1e-13 * (1 + twist.norm()));
  expect_near(J * rates.value, twist, 1e-13);
  // Of all that do, the least: no longer than the ones it was made from.
  EXPECT_LE(rates.value.norm(), v.norm() * (1 + 1e-12));
  EXPECT_EQ(rates.rank, static_cast<int>(Eigen::MatrixXd(J).colPivHouseholderQr().rank()));
}

TEST_P(Rates, OfTheJointsReproduceAPossibleVelocityOfThePoint) {
  const int frame = model.tip_frame();
  const Jacobian J = jacobian(model, work, q, {frame});
  Vector6<double> twist = J * v;
  twist.head<3>().setConstant(100);  // not asked for
  const JointRates rates = joint_rates(model, work, q, frame, twist, true);
  EXPECT_LE(rates.rank, 3);
  expect_near(J.bottomRows<3>() * rates.value, twist.tail<3>(), 1e-13);
}

TEST_P(Rates, OfTheRatesReproduceAPossibleAcceleration) {
  const int frame = model.tip_frame();
  update_motions(model, work, q, v, a);
  const Vector6<double> wish = frame_acceleration(model, work, frame).vector();
  const JointRates found = joint_accelerations(model, work, q, v, frame, wish);
  EXPECT_LT(found.residual, 1e-12 * (1 + wish.norm()));
  update_motions(model, work, q, v, found.value);
  expect_near(frame_acceleration(model, work, frame).vector(), wish, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Rates, ::testing::Range(0, 30));

TEST(ImpossibleTwists, LeaveWhatCannotBeDone) {
  const Model model(planar_arm(3));
  Workspace work(model);
  Vector6<double> twist;
  twist << 0, 0, 1, 0.3, 0.4, 12;  // 12 out of the plane
  const Eigen::Vector3d q(0.3, 0.8, -0.5);
  const JointRates rates = joint_rates(model, work, q, model.frame("hand"), twist);
  EXPECT_EQ(rates.rank, 3);
  EXPECT_NEAR(rates.residual, 12, 1e-14);
  const Vector6<double> got = jacobian(model, work, q, {model.frame("hand")}) * rates.value;
  twist(5) = 0;
  expect_near(got, twist, 1e-14);
}

TEST(ImpossibleTwists, OfFramesThatDoNotExistAreRefused) {
  const Model model(planar_arm(2));
  Workspace work(model);
  const Eigen::Vector2d q(0.1, 0.2);
  for (int bad : {-1, 99}) {
    EXPECT_THROW(joint_rates(model, work, q, bad, Vector6<double>::Zero()), InputError);
    EXPECT_THROW(joint_accelerations(model, work, q, q, bad, Vector6<double>::Zero()), InputError);
  }
}

}  // namespace
}  // namespace ulna
