// Decompositions give back the matrix, and solutions solve, for every shape from empty to large.

#include "ulna/numerics/dense.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

namespace ulna::dense {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(generator); });
}

/// Random matrices of n rows lose a factor n or so to their condition; the rest is rounding.
double rounding(Eigen::Index n) { return 1e3 * epsilon * static_cast<double>(n * n); }

TEST(Dense, LuSolvesWithTheMatrixAndItsTransposeForOneAndSeveralRightSides) {
  for (const int n : {1, 2, 3, 7, 40, 100}) {
    const Eigen::MatrixXd A = random_matrix(n, n);
    const Lu lu(A);
    for (const int columns : {1, 3}) {
      const Eigen::MatrixXd b = random_matrix(n, columns, 2);
      Eigen::MatrixXd x = b;
      lu.solve_in_place(x);
      EXPECT_LE((A * x - b).norm(), rounding(n) * x.norm()) << n;
      EXPECT_LE((lu.solve(b) - x).norm(), rounding(n) * x.norm()) << n;
      const Eigen::MatrixXd y = lu.solve_transposed(b);
      EXPECT_LE((A.transpose() * y - b).norm(), rounding(n) * y.norm()) << n;
    }
    EXPECT_LE((lu.inverse() * A - Eigen::MatrixXd::Identity(n, n)).norm(),
              rounding(n) * lu.inverse().norm());
    const double product = lu.permutation_sign() * lu.pivots().prod();
    EXPECT_NEAR(product / lu.determinant(), 1, rounding(n));
    EXPECT_NEAR(determinant(A) / product, 1, rounding(n));
  }
}

TEST(Dense, SmallLuSolvesAsTheLargeOneDoes) {
  const Eigen::MatrixXd A = random_matrix(6, 6), b = random_matrix(6, 1, 2);
  const Lu large(A);
  const SmallLu<6> lu(A);
  EXPECT_LE((lu.solve(b) - large.solve(b)).norm(), rounding(6));
  EXPECT_LE((solve_lu<6>(A, b) - large.solve(b)).norm(), rounding(6));
  EXPECT_LE((lu.pivots() - large.pivots()).norm(), rounding(6));
  const SmallLu<3> part(A.topLeftCorner<3, 3>());
  EXPECT_LE((A.topLeftCorner<3, 3>() * part.solve(b.topRows<3>()) - b.topRows<3>()).norm(),
            rounding(6));
}

TEST(Dense, CholeskyAndLdltSolvePositiveDefiniteSystems) {
  for (const int n : {1, 5, 60}) {
    const Eigen::MatrixXd B = random_matrix(n, n + 3), A = B * B.transpose(),
                          b = random_matrix(n, 2, 2);
    const Cholesky cholesky(A);
    ASSERT_TRUE(cholesky.ok());
    const Eigen::MatrixXd L = cholesky.L();
    EXPECT_LE((L * L.transpose() - A).norm(), rounding(n) * A.norm());
    Eigen::MatrixXd x = b;
    cholesky.solve_L(x);
    EXPECT_LE((L * x - b).norm(), rounding(n) * b.norm());
    cholesky.solve_L_transposed(x);
    EXPECT_LE((A * x - b).norm(), rounding(n) * A.norm() * x.norm());
    EXPECT_LE((A * cholesky.solve(b.col(0)) - b.col(0)).norm(), rounding(n) * A.norm() * x.norm());
    EXPECT_LE((A * Ldlt(A).solve(b.col(1)) - b.col(1)).norm(), rounding(n) * A.norm() * x.norm());
    EXPECT_GT(Ldlt(A).pivots().minCoeff(), 0);
  }
  EXPECT_FALSE(Cholesky(-Eigen::MatrixXd::Identity(3, 3)).ok());
}

TEST(Dense, SingularValuesAndVectorsGiveTheMatrixBackInEveryShape) {
  const std::pair<int, int> shapes[] = {{1, 1},   {1, 30},  {30, 1},  {3, 40},  {40, 3},
                                        {15, 20}, {20, 15}, {20, 50}, {50, 20}, {30, 30}};
  for (const auto& [m, n] : shapes) {
    const Eigen::MatrixXd A = random_matrix(m, n);
    const int k = std::min(m, n);
    const Svd thin = svd(A, SvdParts::thin), full = svd(A, SvdParts::full),
              right = svd(A, SvdParts::right);
    EXPECT_LE((thin.U * thin.values.asDiagonal() * thin.V.transpose() - A).norm(),
              rounding(k) * A.norm());
    EXPECT_LE((full.U.transpose() * full.U - Eigen::MatrixXd::Identity(m, m)).norm(), rounding(m));
    for (const Svd& s : {full, right}) {
      ASSERT_EQ(s.V.cols(), n);
      EXPECT_LE((s.V.transpose() * s.V - Eigen::MatrixXd::Identity(n, n)).norm(), rounding(n));
      EXPECT_LE((A * s.V.rightCols(n - k)).norm(), rounding(n) * A.norm());
      EXPECT_LE((s.values - singular_values(A)).norm(), rounding(k) * A.norm());
    }
    EXPECT_NEAR(reciprocal_condition(A), thin.values(k - 1) / thin.values(0), rounding(k));
  }
  EXPECT_EQ(reciprocal_condition(Eigen::MatrixXd::Zero(3, 3)), 0);
  EXPECT_EQ(reciprocal_condition(Eigen::MatrixXd::Zero(0, 3)), 1);
}

TEST(Dense, LeastSquaresOfDeficientRankHaveTheLeastNorm) {
  const Eigen::MatrixXd A = random_matrix(8, 3) * random_matrix(3, 6, 2);
  const Eigen::VectorXd b = random_matrix(8, 1, 3);
  const LeastNorm solver(A, 1e-10);
  EXPECT_EQ(solver.rank(), 3);
  const Eigen::VectorXd x = solver.solve(b);
  EXPECT_LE((A.transpose() * (A * x - b)).norm(), rounding(8) * A.squaredNorm());
  EXPECT_LE((x - svd(A, SvdParts::thin).solve(b, 1e-10)).norm(), rounding(8));
  EXPECT_EQ(PivotedQr(A, 1e-10).rank(), 3);
  const Eigen::MatrixXd full = random_matrix(8, 6);
  EXPECT_LE((Qr(full).solve(b) - PivotedQr(full).solve(b)).norm(), rounding(8));
  EXPECT_LE((Qr(full).thin_Q() * Qr(full).R() - full).norm(), rounding(8));
}

TEST(Dense, EmptySystemsHaveEmptySolutions) {
  const Eigen::MatrixXd none(0, 0);
  const Eigen::VectorXd b(0);
  EXPECT_EQ(Lu(none).solve(b).size(), 0);
  EXPECT_EQ(Lu(none).solve_transposed(b).size(), 0);
  EXPECT_EQ(Cholesky(none).solve(b).size(), 0);
  EXPECT_EQ(LeastNorm(Eigen::MatrixXd(0, 4)).solve(b), (Eigen::VectorXd::Zero(4)));
  EXPECT_EQ(svd(Eigen::MatrixXd(0, 4), SvdParts::right).V, (Eigen::MatrixXd::Identity(4, 4)));
}

}  // namespace
}  // namespace ulna::dense
