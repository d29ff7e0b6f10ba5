// Linear systems: discrete time, Gramians, frequency responses, regulators and filters.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "drives.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/simulation/kalman.hpp"
#include "ulna/simulation/linear_analysis.hpp"
#include "ulna/simulation/linearize.hpp"

namespace ulna {
namespace {

using Eigen::MatrixXd;

MatrixXd random_matrix(long rows, long columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  MatrixXd M(rows, columns);
  for (double& x : M.reshaped()) x = normal(generator);
  return M;
}

MatrixXd stable(long n, unsigned seed) {
  MatrixXd A = random_matrix(n, n, seed);
  A -= (A.norm() + 0.5) * MatrixXd::Identity(n, n);
  return A;
}

TEST(LinearAnalysis, ZeroOrderHoldIsTheMatrixExponential) {
  const MatrixXd A = random_matrix(4, 4, 1), B = random_matrix(4, 2, 2);
  const double T = 0.3;
  const DiscreteSystem d = discretize(A, B, T);
  EXPECT_LT((d.A - dense::exponential(A * T)).norm(), 1e-13 * d.A.norm());
  // With A regular, B_d = A^-1 (exp(A T) - 1) B.
  const MatrixXd expected = dense::Lu(A).solve((d.A - MatrixXd::Identity(4, 4)) * B);
  EXPECT_LT((d.B - expected).norm(), 1e-12 * expected.norm());
  // A double integrator, where A is singular: [1 T; 0 1], [T^2/2; T].
  MatrixXd A2(2, 2), B2(2, 1);
  A2 << 0, 1, 0, 0;
  B2 << 0, 1;
  const DiscreteSystem d2 = discretize(A2, B2, T);
  EXPECT_NEAR(d2.A(0, 1), T, 1e-15);
  EXPECT_NEAR(d2.B(0, 0), T * T / 2, 1e-15);
  EXPECT_THROW(discretize(A, B, 0), InputError);
}

TEST(LinearAnalysis, GramiansSolveLyapunovsEquations) {
  const MatrixXd A = stable(5, 3), B = random_matrix(5, 2, 4), C = random_matrix(3, 5, 5);
  const Gramians g = gramians(A, B, C);
  const MatrixXd &Wc = g.controllability, &Wo = g.observability;
  EXPECT_LT((A * Wc + Wc * A.transpose() + B * B.transpose()).norm(), 1e-12 * Wc.norm() * A.norm());
  EXPECT_LT((A.transpose() * Wo + Wo * A + C.transpose() * C).norm(), 1e-12 * Wo.norm() * A.norm());
  const MatrixXd F = dense::exponential(0.1 * A);
  const Gramians d = discrete_gramians(F, B, C);
  EXPECT_LT((F * d.controllability * F.transpose() - d.controllability + B * B.transpose()).norm(),
            1e-13 * d.controllability.norm());
  EXPECT_LT((F.transpose() * d.observability * F - d.observability + C.transpose() * C).norm(),
            1e-13 * d.observability.norm());
  EXPECT_GT(g.hankel(0), g.hankel(4));
  EXPECT_THROW(gramians(-A, B, C), ComputationError);
  EXPECT_THROW(discrete_gramians(dense::exponential(-0.1 * A), B, C), ComputationError);
}

TEST(LinearAnalysis, TheResponseOfAnOscillatorIsItsFormula) {
  // x'' + 2 d w x' + w^2 x = u.
  const double w0 = 5, damping = 0.1;
  MatrixXd A(2, 2), B(2, 1), C(1, 2), D = MatrixXd::Zero(1, 1);
  A << 0, 1, -w0 * w0, -2 * damping * w0;
  B << 0, 1;
  C << 1, 0;
  const std::vector<double> frequencies = bode_frequencies(A, 50);
  EXPECT_NEAR(frequencies.front(), 0.5, 1e-12);
  EXPECT_NEAR(frequencies.back(), 50, 1e-10);
  const auto H = frequency_response(A, B, C, D, frequencies);
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    const double w = frequencies[k];
    const std::complex<double> expected =
        1.0 / std::complex<double>(w0 * w0 - w * w, 2 * damping * w0 * w);
    EXPECT_LT(std::abs(H[k](0, 0) - expected), 1e-12 * std::abs(expected));
  }
  // Sampled: at low frequencies the same but for the hold's half period.
  const double T = 1e-3;
  const DiscreteSystem d = discretize(A, B, T);
  const auto Hd = frequency_response(d.A, d.B, C, D, {1.0}, T);
  const std::complex<double> hold = std::exp(std::complex<double>(0, -0.5 * T));
  EXPECT_LT(std::abs(Hd[0](0, 0) - hold / std::complex<double>(w0 * w0 - 1, 2 * damping * w0)),
            1e-7);
}

TEST(LinearAnalysis, TheDiscreteRegulatorSolvesItsRiccatiEquationAndStabilises) {
  const MatrixXd A = 1.3 * random_matrix(4, 4, 6), B = random_matrix(4, 2, 7);
  const MatrixXd Q = MatrixXd::Identity(4, 4), R = 0.5 * MatrixXd::Identity(2, 2);
  const Regulator r = discrete_regulator(A, B, Q, R);
  const MatrixXd& P = r.P;
  const MatrixXd S = R + B.transpose() * P * B;
  const MatrixXd residual = A.transpose() * P * A - P + Q -
                            A.transpose() * P * B * dense::Lu(S).solve(B.transpose() * P * A);
  EXPECT_LT(residual.norm(), 1e-11 * P.norm());
  EXPECT_LT(dense::eigenvalues(A - B * r.K).cwiseAbs().maxCoeff(), 1);
  // An unstable mode out of reach.
  const MatrixXd A2 = Eigen::Vector2d(2, 0.5).asDiagonal(), B2 = Eigen::Vector2d(0, 1);
  EXPECT_THROW(discrete_regulator(A2, B2, MatrixXd::Identity(2, 2), MatrixXd::Identity(1, 1)),
               ComputationError);
}

TEST(LinearAnalysis, TheCovarianceOfAKalmanFilterSettlesAtTheSolutionOfRiccatisEquation) {
  const MatrixXd A = discretize(random_matrix(4, 4, 8), random_matrix(4, 1, 9), 0.1).A;
  const MatrixXd B = random_matrix(4, 1, 10), C = random_matrix(2, 4, 11);
  const MatrixXd Q = 0.1 * MatrixXd::Identity(4, 4), R = 0.4 * MatrixXd::Identity(2, 2);
  const SteadyKalmanFilter steady = steady_kalman_filter(A, B, C, Q, R);
  KalmanFilter filter(A, B, C, Q, R, Eigen::VectorXd::Zero(4), 10 * MatrixXd::Identity(4, 4));
  for (int k = 0; k < 400; ++k) {
    filter.predict(Eigen::VectorXd::Zero(1));
    if (k < 399) filter.correct(Eigen::VectorXd::Zero(2));
  }
  EXPECT_LT((filter.P() - steady.P).norm(), 1e-9 * steady.P.norm());
  const MatrixXd &P = steady.P, S = C * P * C.transpose() + R;
  EXPECT_LT((A * P * A.transpose() - P + Q -
             A * P * C.transpose() * dense::Lu(S).solve(C * P * A.transpose()))
                .norm(),
            1e-11 * P.norm());
  // Its estimate of a noiseless system goes to the state.
  Eigen::VectorXd x = Eigen::VectorXd::Ones(4), seen = Eigen::VectorXd::Zero(4);
  const Eigen::VectorXd u = Eigen::VectorXd::Constant(1, 0.3);
  for (int k = 0; k < 300; ++k) {
    x = (A * x + B * u).eval();
    seen = steady.next(seen, u, C * x);
  }
  EXPECT_LT((x - seen).norm(), 1e-6 * (1 + x.norm()));
}

TEST(LinearAnalysis, ChosenActuatorsAndOutputsAreColumnsAndRowsOfTheWholeSystem) {
  const auto model = testing::frozen(testing::double_pendulum());
  const Eigen::VectorXd q = Eigen::Vector2d(0.2, -0.4), v = Eigen::Vector2d(0.5, 0.1), tau = v;
  const LinearSystem whole = linearize(*model, q, v, tau);
  LinearOutput what;
  what.actuators = {1};
  what.outputs = {"v.elbow", "q.hinge", "frame.rod2.x"};
  const LinearSystem part = linearize(*model, q, v, tau, what);
  EXPECT_EQ(part.A, whole.A);
  EXPECT_EQ(part.B, whole.B.col(1));
  EXPECT_EQ(part.outputs, (std::vector<std::string>{"v.elbow", "q.hinge", "frame.rod2.x"}));
  EXPECT_EQ(part.C(0, 3), 1);
  EXPECT_EQ(part.C(1, 0), 1);
  // The second rod hangs 1 below the hinge: x moves by -cos(0.2) as it turns about y.
  EXPECT_NEAR(part.C(2, 0), -std::cos(0.2), 1e-12);
  EXPECT_EQ(part.D.rows(), 3);
  EXPECT_EQ(part.D.cols(), 1);
  what.outputs = {"q.elbwo"};
  EXPECT_THROW(linearize(*model, q, v, tau, what), InputError);
}

}  // namespace
}  // namespace ulna
