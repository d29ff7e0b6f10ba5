// T. Nie, Oregon State University, 1988: the simulation of the Intelledex 605. Fed with the torques
// of the cycloidal motion the arm should repeat that motion. It is an unstable one (link A is an
// inverted pendulum under the gravity of the thesis): a disturbance of the start grows by up to
// 7e7 in the two seconds, so that the run shows what an integrator is worth.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

/// from + (to - from) (t/T - sin(2 pi t/T) / (2 pi)), T = 2 s.
class Cycloid final : public ScalarMotion {
 public:
  Cycloid(double from, double to) : from_(from), rise_(to - from) {}
  MotionValue at(double t) const override {
    const double w = M_PI;  // 2 pi / T
    return {from_ + rise_ * (t / 2 - std::sin(w * t) / (2 * M_PI)),
            rise_ / 2 * (1 - std::cos(w * t)), rise_ / 2 * w * std::sin(w * t),
            rise_ / 2 * w * w * std::cos(w * t)};
  }
  double duration() const override { return 2; }

 private:
  double from_, rise_;
};

std::vector<ScalarMotionPtr> cycloidal_motion() {
  std::vector<ScalarMotionPtr> list(6, std::make_shared<Cycloid>(0, M_PI / 3));
  list[1] = std::make_shared<Cycloid>(M_PI / 2, M_PI / 3);
  return list;
}

/// The torques of the motion as functions of time, and nothing that corrects errors.
Experiment open_loop(const std::shared_ptr<const Model>& model) {
  Experiment experiment(model);
  experiment.end = 2;
  auto torques = std::make_shared<Feedback>();
  torques->law = FeedbackLaw::feed_forward;
  torques->kp = torques->kd = VectorXd::Zero(6);
  torques->joints = {0, 1, 2, 3, 4, 5};
  experiment.controllers = {torques};
  const std::vector<ScalarMotionPtr> joints = cycloidal_motion();
  for (const ScalarMotionPtr& joint : joints)
    experiment.drives.push_back({DriveKind::controller, {joint}, {}, {}});
  experiment.record.channels = {"q", "v", "a", "tau"};
  return experiment;
}

class NieSimulation : public ::testing::Test {
 protected:
  std::shared_ptr<const Model> model =
      std::make_shared<const Model>(read_robot("intelledex605").robot);

  double distance(const auto& run, double t) const {
    double worst = 0;
    for (std::size_t row = 0; row < run.t.size(); ++row)
      if (std::abs(run.t[row] - t) < 1e-12)
        for (int k = 0; k < 6; ++k)
          worst = std::max(worst, std::abs(run.values(static_cast<long>(row), k) -
                                           cycloidal_motion()[k]->at(t).value));
    return worst;
  }
};

TEST_F(NieSimulation, TorquesGiveTheMotionBack) {
  Experiment experiment = open_loop(model);
  experiment.record.interval = 0.5;
  experiment.integrator.tolerances = {1e-12, 1e-14};
  const auto run = simulate(experiment);
  EXPECT_EQ(run.summary.method, IntegratorMethod::dop853);
  EXPECT_LT(distance(run, 1), 1e-9);
  EXPECT_LT(distance(run, 2), 1e-6);
}

TEST_F(NieSimulation, RungeKuttaWithFixedStepsErrsAsItShould) {
  // Computed independently, to two digits: joints away from the motion by so much at 1 and 2 s.
  const struct {
    double step, at_1, at_2;
  } rows[] = {{0.01, 1.1e-5, 3.8e-2}, {0.005, 6.9e-7, 2.5e-3}, {0.002, 1.8e-8, 6.4e-5}};
  for (const auto& row : rows) {
    Experiment experiment = open_loop(model);
    experiment.record.interval = 1;
    experiment.integrator.method = IntegratorMethod::rk4;
    experiment.integrator.step = row.step;
    const auto run = simulate(experiment);
    EXPECT_NEAR(distance(run, 1), row.at_1, 0.05 * row.at_1);
    EXPECT_NEAR(distance(run, 2), row.at_2, 0.05 * row.at_2);
  }
}

TEST_F(NieSimulation, InverseDynamicsOfTheRecordReturnsTheTorques) {
  Experiment experiment = open_loop(model);
  experiment.integrator.tolerances = {1e-12, 1e-14};
  const auto run = simulate(experiment);
  Workspace work(*model);
  double worst = 0;
  for (long row = 0; row < run.values.rows(); ++row) {
    const VectorXd q = run.values.row(row).segment(0, 6), v = run.values.row(row).segment(6, 6),
                   a = run.values.row(row).segment(12, 6), tau = run.values.row(row).segment(18, 6);
    worst = std::max(worst, (inverse_dynamics(*model, work, q, v, a) - tau).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(worst, 1e-8);
}

TEST_F(NieSimulation, PrescribedMotionNeedsTheTorquesOfTheTableAndDoesTheirWork) {
  Experiment experiment = inverse_of(open_loop(model));
  experiment.integrator.tolerances = {1e-11, 1e-11};
  experiment.record.interval = 1;
  const auto run = simulate(experiment);
  VectorXd expected(6);
  expected << -5.5640761707, 19.1986519183, -24.0732691934, -3.8089236426, 0.0075238060,
      -0.0045090619;
  const VectorXd tau = run.values.row(1).segment(18, 6);
  EXPECT_LT((tau - expected).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(run.summary.works(0), -36.207397616170, 1e-8);
  EXPECT_LT(run.summary.energy_balance, 1e-8);
}

/// The time integration of the thesis: the derivative of X = (q, u) by a three-point difference
/// at the new time (two points in the first step), all 2 n equations with X as unknown, solved by
/// a quasi-Newton iteration whose inverse Jacobian is kept from step to step. Torques and equations
/// at the new time (blend 1). Only of historical interest.
class ThesisScheme {
 public:
  ThesisScheme(const Model& model, double h)
      : model_(model), work_(model), h_(h), B_(h * Eigen::MatrixXd::Identity(12, 12)) {}

  /// The time at which a joint leaves the motion by more than `band`.
  double leaves(double band) {
    const std::vector<ScalarMotionPtr> joints = cycloidal_motion();
    VectorXd old(12), now(12);
    for (int k = 0; k < 6; ++k) now(k) = joints[k]->at(0).value, now(6 + k) = 0;
    old = now;
    VectorXd rate = VectorXd::Zero(12);
    for (int n = 1; n * h_ <= 2; ++n) {
      const double t = n * h_;
      set_torques(joints, t);
      VectorXd next = n == 1 ? VectorXd(now + h_ * rate) : VectorXd(old + 2 * h_ * rate);
      const auto residual = [&](const VectorXd& x) {
        rate = n == 1 ? VectorXd((x - now) / h_) : VectorXd((3 * x - 4 * now + old) / (2 * h_));
        VectorXd r(12);
        r.head(6) = rate.head(6) - x.tail(6);
        r.tail(6) = inverse_dynamics(model_, work_, x.head(6), x.tail(6), rate.tail(6)) - tau_;
        return r;
      };
      solve(residual, next);
      old = now;
      now = next;
      for (int k = 0; k < 6; ++k)
        if (std::abs(now(k) - joints[k]->at(t).value) > band) return t;
    }
    return 2;
  }

 private:
  void set_torques(const std::vector<ScalarMotionPtr>& joints, double t) {
    VectorXd q(6), v(6), a(6);
    for (int k = 0; k < 6; ++k) {
      const MotionValue x = joints[k]->at(t);
      q(k) = x.value, v(k) = x.rate, a(k) = x.acceleration;
    }
    tau_ = inverse_dynamics(model_, work_, q, v, a);
  }

  template <class Residual>
  void solve(const Residual& residual, VectorXd& x) {
    std::vector<VectorXd> directions;
    VectorXd r = residual(x);
    for (int i = 0; i < 500 && r.cwiseAbs().maxCoeff() > 1e-10; ++i) {
      x -= B_ * r;
      const VectorXd next = residual(x), y = next - r;
      VectorXd p = y;
      for (int pass = 0; pass < 2; ++pass)
        for (const VectorXd& d : directions) p -= d.dot(p) * d;
      const double rho = p.norm();
      if (rho > 1e-8 * y.cwiseAbs().maxCoeff() && rho > 0) {
        p /= rho;
        B_ -= (B_ * next) * p.transpose() / rho;
        directions.push_back(p);
        if (directions.size() >= 12) directions.erase(directions.begin());
      }
      r = next;
    }
  }

  const Model& model_;
  Workspace work_;
  double h_;
  Eigen::MatrixXd B_;
  VectorXd tau_;
};

TEST_F(NieSimulation, TheSchemeOfTheThesisLosesTheMotionHalfWay) {
  const struct { double step, time; } rows[] = {{0.01, 0.91}, {0.002, 1.23}, {0.001, 1.39}};
  for (const auto& row : rows)
    EXPECT_NEAR(ThesisScheme(*model, row.step).leaves(0.05), row.time, 0.011) << row.step;
}

}  // namespace
}  // namespace ulna
