// The pivoted QR that loops use: rank, dependent columns, solutions of least norm.

#include "ulna/numerics/internal/pivoted_qr.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <array>

namespace ulna {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// rows x columns of this rank, with entries of about one.
MatrixXd of_rank(int rank, int rows, int columns, unsigned seed) {
  std::srand(seed);
  return MatrixXd::Random(rows, rank) * MatrixXd::Random(rank, columns);
}

TEST(PivotedQr, ColumnsBeyondTheRankAreMadeOfTheFirstOnes) {
  for (const auto& [rank, rows, columns] :
       {std::array{2, 5, 3}, {3, 4, 9}, {4, 4, 4}, {5, 12, 5}, {1, 1, 6}, {0, 3, 2}}) {
    const MatrixXd A = of_rank(rank, rows, columns, 7);
    PivotedQr qr(rows, columns);
    qr.factor(A, 1e-10);
    ASSERT_EQ(qr.rank(), rank);
    MatrixXd X(rank, columns - rank);
    qr.dependence(X);
    for (int c = rank; c < columns; ++c) {
      VectorXd made = VectorXd::Zero(rows);
      for (int k = 0; k < rank; ++k) made += X(k, c - rank) * A.col(qr.pivots()[k]);
      EXPECT_LT((made - A.col(qr.pivots()[c])).norm(), 1e-13);
    }
    // A x = b for a b in the range of A.
    const VectorXd b = A * VectorXd::Random(columns);
    VectorXd right = b, x = VectorXd::Zero(columns);
    qr.solve_dependent(right);
    for (int k = 0; k < rank; ++k) x(qr.pivots()[k]) = right(k);
    EXPECT_LT((A * x - b).norm(), 1e-13);
  }
}

TEST(PivotedQr, TransposedSystemsAreSolvedWithTheLeastNorm) {
  const MatrixXd A = of_rank(3, 8, 5, 11);
  PivotedQr qr(10, 10);  // more storage than needed
  qr.factor(A, 1e-10);
  const VectorXd x = A.transpose() * VectorXd::Random(8);
  VectorXd y(8);
  qr.solve_transposed(x, y);
  EXPECT_LT((A.transpose() * y - x).norm(), 1e-13);
  const VectorXd least = A.transpose().completeOrthogonalDecomposition().solve(x);
  EXPECT_LT((y - least).norm(), 1e-12 * (1 + least.norm()));
}

}  // namespace
}  // namespace ulna
