// The rank of products of random matrices is that of the thinner factor, by both routes.

#include "ulna/numerics/internal/rank.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "support/near.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using Eigen::MatrixXd;
using testing::infinity;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

MatrixXd random_matrix(int rows, int columns, std::mt19937& random) {
  std::normal_distribution<double> normal;
  return MatrixXd::Zero(rows, columns).unaryExpr([&](double) { return normal(random); });
}

void expect_null_space(const MatrixXd& A, const RankDecision& decision) {
  const MatrixXd& N = decision.null_space;
  EXPECT_EQ(N.rows(), A.cols());
  EXPECT_EQ(N.cols(), A.cols() - decision.rank);
  EXPECT_LE((A * N).norm(), 100 * epsilon * A.norm());
  EXPECT_LE((N.transpose() * N - MatrixXd::Identity(N.cols(), N.cols())).norm(), 100 * epsilon);
}

TEST(Rank, OfAProductIsThatOfTheThinnerFactor) {
  std::mt19937 random(2);
  for (const auto [rows, columns, rank] :
       {std::array{5, 5, 5}, {5, 5, 2}, {8, 3, 2}, {3, 8, 3}, {3, 8, 1}, {20, 30, 12}, {1, 4, 1}}) {
    const MatrixXd A = random_matrix(rows, rank, random) * random_matrix(rank, columns, random);
    const RankDecision svd = rank_by_svd(A), qr = rank_by_qr(A);
    EXPECT_EQ(svd.rank, rank);
    EXPECT_EQ(qr.rank, rank);
    expect_null_space(A, svd);
    expect_null_space(A, qr);
    EXPECT_GE(svd.margin(), 1e10);
    EXPECT_GE(qr.margin(), 1e10);
    // Both bases span the same space: equal projectors.
    EXPECT_LE(
        (svd.null_space * svd.null_space.transpose() - qr.null_space * qr.null_space.transpose())
            .norm(),
        1e-12);
  }
}

TEST(Rank, DoesNotDependOnUnits) {
  std::mt19937 random(4);
  const MatrixXd A = random_matrix(6, 3, random) * random_matrix(3, 6, random);
  for (const double scale : {1e-150, 1e-9, 1e9, 1e150}) {
    EXPECT_EQ(rank_by_svd(A * scale).rank, 3);
    EXPECT_EQ(rank_by_qr(A * scale).rank, 3);
  }
}

TEST(Rank, IndependentRowsSpanTheOthers) {
  MatrixXd A(4, 3);  // the third row is the sum of the first two, the fourth is zero
  A << 1, 0, 2, 0, 1, -1, 1, 1, 1, 0, 0, 0;
  const RankDecision decision = rank_by_qr(A);
  ASSERT_EQ(decision.rank, 2);
  ASSERT_EQ(decision.independent_rows.size(), 2u);
  EXPECT_EQ(rank_by_svd(A(decision.independent_rows, Eigen::all)).rank, 2);
}

TEST(Rank, ToleranceIsRelativeToTheLargestValue) {
  const MatrixXd A = Eigen::Vector3d(1000, 1, 1e-6).asDiagonal();
  EXPECT_EQ(rank_by_svd(A).rank, 3);
  EXPECT_EQ(rank_by_svd(A, 1e-8).rank, 2);
  EXPECT_EQ(rank_by_svd(A, 1e-2).rank, 1);
  EXPECT_EQ(rank_by_qr(A, 1e-8).rank, 2);
  const RankDecision decision = rank_by_svd(A, 1e-8);
  EXPECT_NEAR(decision.threshold, 1e-5, 1e-15);
  EXPECT_NEAR(decision.margin(), 1e6, 1e-3);
  EXPECT_NEAR(std::abs(decision.null_space(2, 0)), 1, epsilon);
}

TEST(Rank, OfNothingIsZeroAndEverythingIsInTheNullSpace) {
  for (const MatrixXd& A : {MatrixXd::Zero(2, 3).eval(), MatrixXd(0, 3)}) {
    for (const RankDecision& decision : {rank_by_svd(A), rank_by_qr(A)}) {
      EXPECT_EQ(decision.rank, 0);
      expect_null_space(A, decision);
      EXPECT_EQ(decision.margin(), infinity);
      EXPECT_TRUE(decision.independent_rows.empty());
    }
  }
  EXPECT_EQ(rank_by_svd(MatrixXd(3, 0)).null_space.size(), 0);
}

TEST(Rank, OfAMatrixWithoutNumbersIsRefused) {
  MatrixXd A = MatrixXd::Identity(2, 2);
  A(0, 1) = infinity;
  EXPECT_THROW(rank_by_svd(A), ComputationError);
  EXPECT_THROW(rank_by_qr(A), ComputationError);
}

}  // namespace
}  // namespace ulna
