// What was put in comes out: base parameters from simulated efforts, within the deviations stated.

#include "ulna/study/identification.hpp"

#include <gtest/gtest.h>

#include "ulna/formats/read_robot.hpp"

namespace ulna {
namespace {

constexpr RegressorTerms terms{true, true, true, false};

struct Laboratory {
  Model model{read_robot("puma560").robot};
  TorqueRegressor regressor{model, terms};
  BaseParameters base = base_parameters_by_rank(regressor);
  Eigen::VectorXd truth = base.combination * regressor.parameters();

  Recording record(unsigned seed, const Eigen::VectorXd& noise) {
    ExcitationOptions options;
    options.seed = seed;
    options.candidates = 3;
    Recording out = excitation(regressor, base, options);
    out.tau.resize(model.speeds(), out.samples());
    Workspace work(model);
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    for (int s = 0; s < out.samples(); ++s) {
      out.tau.col(s) = inverse_dynamics(model, work, out.q.col(s), out.v.col(s), out.a.col(s));
      for (int k = 0; k < model.speeds(); ++k) out.tau(k, s) += noise(k) * normal(generator);
    }
    return out;
  }
};

TEST(Identification, GivesBackTheParametersWithoutNoise) {
  Laboratory lab;
  const Recording recording = lab.record(1, Eigen::VectorXd::Zero(6));
  const Identification found = identify(lab.regressor, lab.base, recording);
  // Rounding times the condition number of the weighted problem.
  EXPECT_LT(found.condition, 1e4);
  EXPECT_LT((found.estimate - lab.truth).cwiseAbs().maxCoeff(), 1e-9);
  const Eigen::MatrixXd tau = predicted_efforts(lab.regressor, lab.base, found.estimate, recording);
  EXPECT_LT((tau - recording.tau).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Identification, StatesItsOwnAccuracy) {
  Laboratory lab;
  const Eigen::VectorXd noise{{1, 2, 1, 0.1, 0.05, 0.02}};
  const Recording recording = lab.record(2, noise);
  const Identification found = identify(lab.regressor, lab.base, recording);
  // A standard deviation from 500 samples is known to 1/sqrt(1000) = 3 %; five times that.
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(found.noise(k), noise(k), 0.16 * noise(k));
  const Eigen::VectorXd z = (found.estimate - lab.truth).cwiseQuotient(found.deviations());
  // Some fifty numbers of unit variance: their mean square is 1 within sqrt(2/50) = 0.2 times four.
  const double mean_square = z.squaredNorm() / static_cast<double>(z.size());
  EXPECT_GT(mean_square, 0.2);
  EXPECT_LT(mean_square, 1.8);
  EXPECT_LT(z.cwiseAbs().maxCoeff(), 5);
}

TEST(Identification, PredictsAnotherMotion) {
  Laboratory lab;
  const Eigen::VectorXd noise{{1, 2, 1, 0.1, 0.05, 0.02}};
  const Identification found = identify(lab.regressor, lab.base, lab.record(3, noise));
  const Recording other = lab.record(4, Eigen::VectorXd::Zero(6));
  const Eigen::MatrixXd error =
      predicted_efforts(lab.regressor, lab.base, found.estimate, other) - other.tau;
  // 500 samples average the noise: the model is better than one measurement.
  for (int k = 0; k < 6; ++k)
    EXPECT_LT(error.row(k).norm() / std::sqrt(500.0), 0.5 * noise(k)) << k;
}

TEST(Identification, TakesTermsThatAreNoColumnsFromTheModel) {
  Laboratory lab;
  const Recording recording = lab.record(5, Eigen::VectorXd::Zero(6));
  TorqueRegressor bodies(lab.model);  // friction and rotors known
  const BaseParameters base = base_parameters_by_rank(bodies);
  const Identification found = identify(bodies, base, recording);
  EXPECT_LT((found.estimate - base.combination * bodies.parameters()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Identification, NearestParametersHaveTheEstimateAndChangeLittle) {
  Laboratory lab;
  const Eigen::VectorXd same = nearest_parameters(lab.regressor, lab.base, lab.truth);
  EXPECT_LT((same - lab.regressor.parameters()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_TRUE(impossible_bodies(lab.regressor, same).empty());
  Eigen::VectorXd wanted = lab.truth;
  wanted(1) += 0.1;
  const Eigen::VectorXd p = nearest_parameters(lab.regressor, lab.base, wanted);
  EXPECT_LT((lab.base.combination * p - wanted).cwiseAbs().maxCoeff(), 1e-12);
  Eigen::VectorXd negative = lab.regressor.parameters();
  negative(10) = -1;  // mass of link 2
  const auto why = impossible_bodies(lab.regressor, negative);
  ASSERT_EQ(why.size(), 1u);
  EXPECT_NE(why[0].find("link2"), std::string::npos);
}

TEST(Identification, ExcitationStaysWithinLimits) {
  Robot robot = read_robot("puma560").robot;
  for (JointData& joint : robot.joints) {
    joint.degrees.resize(1);
    joint.degrees[0].lower = -0.5;
    joint.degrees[0].upper = 1.5;
    joint.degrees[0].velocity_limit = 0.8;
  }
  const Model model(robot);
  TorqueRegressor regressor(model);
  const Recording motion = excitation(regressor, base_parameters_by_rank(regressor));
  EXPECT_GE(motion.q.minCoeff(), -0.5);
  EXPECT_LE(motion.q.maxCoeff(), 1.5);
  EXPECT_LE(motion.v.cwiseAbs().maxCoeff(), 0.8);
  EXPECT_LE(motion.a.cwiseAbs().maxCoeff(), 5 + 1e-12);
  // v and a are the derivatives: central differences of a motion with harmonics up to 5 in 10 s.
  const double dt = 10.0 / 500;
  for (int s = 1; s + 1 < motion.samples(); ++s) {
    const Eigen::VectorXd v = (motion.q.col(s + 1) - motion.q.col(s - 1)) / (2 * dt);
    const Eigen::VectorXd a = (motion.v.col(s + 1) - motion.v.col(s - 1)) / (2 * dt);
    EXPECT_LT((v - motion.v.col(s)).cwiseAbs().maxCoeff(), 5e-3);
    EXPECT_LT((a - motion.a.col(s)).cwiseAbs().maxCoeff(), 2e-2);
  }
}

TEST(Identification, RefusesWhatCannotBe) {
  Laboratory lab;
  Recording recording = lab.record(1, Eigen::VectorXd::Zero(6));
  Recording wrong = recording;
  wrong.tau.resize(5, recording.samples());
  EXPECT_THROW(identify(lab.regressor, lab.base, wrong), InputError);
  wrong = recording;
  wrong.v(0, 0) = std::nan("");
  EXPECT_THROW(identify(lab.regressor, lab.base, wrong), InputError);
  wrong = recording;
  for (Eigen::MatrixXd* x : {&wrong.q, &wrong.v, &wrong.a, &wrong.tau}) *x = x->leftCols(5).eval();
  EXPECT_THROW(identify(lab.regressor, lab.base, wrong), InputError);
  wrong = recording;
  wrong.v.setZero();
  wrong.a.setZero();  // standing still tells nothing of inertia
  EXPECT_THROW(identify(lab.regressor, lab.base, wrong), ComputationError);
  const Model one_ball = [] {
    Robot robot;
    robot.name = "ball";
    robot.bodies.push_back({"b", {1, {0, 0, 1}, Matrix3<double>::Identity()}, {}, {}});
    robot.joints.resize(1);
    robot.joints[0].name = "j";
    robot.joints[0].type = JointType::spherical;
    robot.joints[0].child = "b";
    return Model(robot);
  }();
  TorqueRegressor ball(one_ball);
  EXPECT_THROW(excitation(ball, base_parameters_by_rank(ball)), InputError);
}

}  // namespace
}  // namespace ulna
