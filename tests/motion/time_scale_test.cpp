// Time scaling, and tables of motions.

#include "ulna/motion/internal/time_scale.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "motion/planar_arm.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/motion/internal/sample.hpp"
#include "ulna/motion/internal/scaled_motion.hpp"
#include "ulna/motion/kernels/cycloidal.hpp"
#include "ulna/motion/kernels/polynomial_345.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;

MotionPtr two_joints() {
  return std::make_shared<JointMotion>(std::vector<ScalarMotionPtr>{
      std::make_shared<Polynomial345>(0, 2, 4), std::make_shared<Cycloidal>(1, -2, 4)});
}

TEST(ScaledMotion, RatesGrowWithAlphaAccelerationsWithItsSquare) {
  const MotionPtr slow = two_joints();
  const ScaledMotion fast(slow, 2.5);
  EXPECT_NEAR(fast.duration(), 1.6, 1e-15);
  EXPECT_EQ(fast.breakpoints().size(), slow->breakpoints().size());
  Eigen::VectorXd q(2), v(2), a(2), q1(2), v1(2), a1(2);
  fast.at(0.7, q, v, a);
  slow->at(0.7 * 2.5, q1, v1, a1);
  EXPECT_LT((q - q1).norm(), 1e-15);
  EXPECT_LT((v - 2.5 * v1).norm(), 1e-14);
  EXPECT_LT((a - 6.25 * a1).norm(), 1e-14);
  EXPECT_THROW(ScaledMotion(slow, 0), InputError);
}

TEST(TimeScale, MeetsARateLimit) {
  const MotionPtr motion = two_joints();
  // Peaks 1.875 * 2/4 and 2 * 3/4.
  const TimeScale found = alpha_for_rates(*motion, Eigen::Vector2d(3, 3));
  EXPECT_NEAR(found.alpha, 2, 1e-11);
  EXPECT_EQ(found.coordinate, 1);
  EXPECT_NEAR(found.time, 2, 1e-6);
  EXPECT_NEAR(alpha_for_rates(*motion, Eigen::Vector2d(0.1, 3)).alpha, 0.1 / 0.9375, 1e-12);
  EXPECT_THROW(alpha_for_rates(*motion, Eigen::Vector2d(0, 3)), InputError);
  EXPECT_THROW(alpha_for_rates(*motion, Eigen::VectorXd::Ones(3)), InputError);
}

EffortTerms terms(double a, double b, double c) {
  return {Eigen::VectorXd::Constant(1, a), Eigen::VectorXd::Constant(1, b),
          Eigen::VectorXd::Constant(1, c)};
}
const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);

TEST(TimeScale, MeetsAnEffortLimitByTheRootOfItsQuadratic) {
  // 4 alpha^2 + alpha + 1 = 6 -> alpha = 1
  const auto all = [](double t) { return terms(4 * std::sin(t), std::sin(t), std::sin(t)); };
  const TimeScale found = alpha_for_efforts(all, 3, -6 * one, 6 * one);
  EXPECT_NEAR(found.alpha, 1, 1e-12);
  EXPECT_NEAR(found.time, M_PI / 2, 1e-4);
  EXPECT_TRUE(found.all_slower);
  // The lower limit counts as well.
  EXPECT_NEAR(
      alpha_for_efforts([](double) { return terms(-4, -1, -1); }, 1, -6 * one, 60 * one).alpha, 1,
      1e-12);
  EXPECT_EQ(alpha_for_efforts([](double) { return terms(0, 0, 1); }, 1, -6 * one, 6 * one).alpha,
            INFINITY);
}

TEST(TimeScale, AWeightTooHeavyToHoldMayStillBeSwung) {
  // 5 - alpha^2 within -4..4: alpha from 1 to 3.
  const TimeScale found =
      alpha_for_efforts([](double) { return terms(-1, 0, 5); }, 1, -4 * one, 4 * one);
  EXPECT_NEAR(found.alpha, 3, 1e-12);
  EXPECT_FALSE(found.all_slower);
  try {
    alpha_for_efforts([](double) { return terms(1, 0, 5); }, 1, -4 * one, 4 * one);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("coordinate 1"));
  }
}

TEST(TimeScale, OfAnArmIsWhatInverseDynamicsSays) {
  const Model model = testing::planar_arm(2);
  Workspace work(model);
  const auto motion = two_joints();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2);
  const auto split = [&](double t) {
    Eigen::VectorXd q(2), v(2), a(2);
    motion->at(t, q, v, a);
    EffortTerms e;
    e.constant = inverse_dynamics(model, work, q, zero, zero);
    e.inertial = inverse_dynamics(model, work, q, v, a) - e.constant;
    e.viscous = zero;
    return e;
  };
  const Eigen::Vector2d limit(30, 12);
  const TimeScale found = alpha_for_efforts(split, 4, -limit, limit);
  const ScaledMotion fast(motion, found.alpha);
  double most = 0;
  for (int k = 0; k <= 20000; ++k) {
    Eigen::VectorXd q(2), v(2), a(2);
    fast.at(fast.duration() * k / 20000, q, v, a);
    const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
    most = std::max(most, tau.cwiseQuotient(limit).cwiseAbs().maxCoeff());
  }
  EXPECT_NEAR(most, 1, 1e-7) << "met, and not exceeded";
}

TEST(TimeScale, MeetsAnyGrowingMeasure) {
  int calls = 0;
  const auto measure = [&](double alpha) { return ++calls, alpha * alpha * alpha; };
  EXPECT_NEAR(alpha_for_measure(measure, 2, 0.1, 10), std::cbrt(2.0), 1e-8);
  EXPECT_LT(calls, 60);
  EXPECT_THROW(alpha_for_measure(measure, 2, 2, 10), ComputationError);
  EXPECT_THROW(alpha_for_measure(measure, 2, -1, 10), InputError);
}

TEST(Sampled, TablesRoundTripThroughText) {
  const auto motion = two_joints();
  const SampledMotion table = sampled(*motion, equal_times(0, 4, 5), {"a", "b, the \"second\""});
  EXPECT_EQ(table.rows.rows(), 5);
  EXPECT_EQ(table.rows(4, 0), 4);
  EXPECT_EQ(table.rows(4, 1), 2);
  const std::string text = csv_text(table);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "time,a,\"b, the \"\"second\"\"\",a.rate,\"b, the \"\"second\"\".rate\",a.acceleration,"
            "\"b, the \"\"second\"\".acceleration\"");
  const std::string row = text.substr(text.find("\n2,") + 1);
  EXPECT_EQ(std::stod(row.substr(row.find(',') + 1)), table.rows(2, 1)) << "all digits";
  EXPECT_EQ(text.find("-0,"), std::string::npos);
  EXPECT_THROW(sampled(*motion, {0, 1}, {"a"}), InputError);
  EXPECT_THROW(equal_times(0, 0, 5), InputError);
  EXPECT_THROW(equal_times(0, 1, 1), InputError);
}

}  // namespace
}  // namespace ulna
