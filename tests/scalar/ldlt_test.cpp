#include "ulna/scalar/kernels/ldlt.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <vector>

#include "ulna/scalar/dual.hpp"
#include "ulna/scalar/kernels/pack.hpp"

namespace ulna {
namespace {

const double epsilon = std::numeric_limits<double>::epsilon();

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Symmetric, with eigenvalues between 1 and 1 + n or so: condition number of order n.
RowMajor random_positive_definite(int n, unsigned seed) {
  std::srand(seed);
  const Eigen::MatrixXd B = Eigen::MatrixXd::Random(n, n);
  return B * B.transpose() + Eigen::MatrixXd::Identity(n, n);
}

Eigen::VectorXd random_vector(int n) { return Eigen::VectorXd::Random(n); }

// Backward error n eps times the condition number, with room.
double tolerance(int n) { return 50.0 * n * n * epsilon; }

TEST(Ldlt, FactorsMultiplyBackToTheMatrix) {
  for (int n = 1; n <= 12; ++n) {
    const RowMajor A = random_positive_definite(n, n);
    RowMajor factors = A;
    ldlt_factor(factors.data(), n, n);
    const Eigen::MatrixXd L = factors.triangularView<Eigen::UnitLower>();
    const Eigen::VectorXd D = factors.diagonal().cwiseInverse();
    EXPECT_LT((L * D.asDiagonal() * L.transpose() - A).norm(), tolerance(n) * A.norm());
    EXPECT_GT(D.minCoeff(), 0);
  }
}

TEST(Ldlt, SolvesLikeEigen) {
  for (int n = 1; n <= 12; ++n) {
    const RowMajor A = random_positive_definite(n, 100 + n);
    const Eigen::VectorXd b = random_vector(n), expected = A.llt().solve(b);
    RowMajor factors = A;
    Eigen::VectorXd x = b;
    ldlt_factor(factors.data(), n, n);
    ldlt_solve(factors.data(), n, n, x.data());
    EXPECT_LT((x - expected).norm(), tolerance(n) * expected.norm());
  }
}

template <int N>
void expect_fixed_size_agrees() {
  const RowMajor A = random_positive_definite(N, 200 + N);
  const Eigen::VectorXd b = random_vector(N), expected = A.llt().solve(b);
  RowMajor factors = A;
  Eigen::VectorXd x = b;
  ldlt_factor<N>(factors.data());
  ldlt_solve<N>(factors.data(), x.data());
  EXPECT_LT((x - expected).norm(), tolerance(N) * expected.norm());
  RowMajor general = A;
  ldlt_factor(general.data(), N, N);
  const RowMajor difference = (factors - general).triangularView<Eigen::Lower>();
  EXPECT_LT(difference.norm(), tolerance(N));
}

TEST(Ldlt, FixedSizesAgreeWithTheGeneralOne) {
  expect_fixed_size_agrees<1>();
  expect_fixed_size_agrees<3>();
  expect_fixed_size_agrees<6>();
}

TEST(Ldlt, ReadsAndWritesOnlyTheLowerTriangle) {
  constexpr int n = 6, stride = 9;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const RowMajor A = random_positive_definite(n, 3);
  const Eigen::VectorXd b = random_vector(n), expected = A.llt().solve(b);
  std::vector<double> general(n * stride, nan);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) general[i * stride + j] = A(i, j);
  }
  std::vector<double> fixed = general;
  Eigen::VectorXd x = b, y = b;
  ldlt_factor(general.data(), n, stride);
  ldlt_solve(general.data(), n, stride, x.data());
  ldlt_factor<n>(fixed.data(), stride);
  ldlt_solve<n>(fixed.data(), y.data(), stride);
  EXPECT_LT((x - expected).norm(), tolerance(n) * expected.norm());
  EXPECT_LT((y - expected).norm(), tolerance(n) * expected.norm());
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < stride; ++j) {
      EXPECT_TRUE(std::isnan(general[i * stride + j]) && std::isnan(fixed[i * stride + j]));
    }
  }
}

TEST(Ldlt, AnIndefiniteMatrixLeavesANegativePivot) {
  double A[4] = {1, 0, 2, 1};  // eigenvalues -1 and 3
  ldlt_factor<2>(A);
  EXPECT_GT(A[0], 0);
  EXPECT_LT(A[3], 0);
}

// A(p) x(p) = b  =>  dx = -A^-1 dA x
TEST(Ldlt, OnDualsGivesTheDerivativeOfTheSolution) {
  constexpr int n = 6;
  const RowMajor A = random_positive_definite(n, 5);
  const RowMajor half = RowMajor::Random(n, n), dA = half + half.transpose();
  const Eigen::VectorXd b = random_vector(n), expected = A.llt().solve(b);
  const Eigen::VectorXd derivative = -A.llt().solve(dA * expected);
  std::vector<Dual<1>> factors(n * n), x(n);
  for (int i = 0; i < n * n; ++i) {
    factors[i] = A.data()[i];
    factors[i].d[0] = dA.data()[i];
  }
  for (int i = 0; i < n; ++i) x[i] = b[i];
  ldlt_factor<n>(factors.data());
  ldlt_solve<n>(factors.data(), x.data());
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(x[i].value, expected[i], tolerance(n) * expected.norm());
    EXPECT_NEAR(x[i].d[0], derivative[i], 10 * tolerance(n) * derivative.norm());
  }
}

TEST(Ldlt, OnPacksSolvesOneSystemPerLane) {
  constexpr int n = 6, N = 4;
  std::vector<Pack<N>> factors(n * n), x(n);
  std::vector<Eigen::VectorXd> expected;
  for (int lane = 0; lane < N; ++lane) {
    const RowMajor A = random_positive_definite(n, 300 + lane);
    const Eigen::VectorXd b = random_vector(n);
    for (int i = 0; i < n * n; ++i) factors[i].set(lane, A.data()[i]);
    for (int i = 0; i < n; ++i) x[i].set(lane, b[i]);
    expected.push_back(A.llt().solve(b));
  }
  ldlt_factor(factors.data(), n, n);
  ldlt_solve(factors.data(), n, n, x.data());
  for (int lane = 0; lane < N; ++lane) {
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(x[i][lane], expected[lane][i], tolerance(n) * expected[lane].norm());
    }
  }
}

// A scalar that can neither be compared nor read by a kernel, as symbolic expressions cannot.
struct Opaque {
  struct Condition {
    bool truth;
  };

  double hidden;

  Opaque() = default;
  Opaque(double x) : hidden(x) {}  // NOLINT: implicit, as for every scalar
  friend Opaque operator+(Opaque a, Opaque b) { return a.hidden + b.hidden; }
  friend Opaque operator-(Opaque a, Opaque b) { return a.hidden - b.hidden; }
  friend Opaque operator*(Opaque a, Opaque b) { return a.hidden * b.hidden; }
  friend Opaque operator/(Opaque a, Opaque b) { return a.hidden / b.hidden; }
  friend Opaque operator-(Opaque a) { return -a.hidden; }
  Opaque& operator+=(Opaque b) { return *this = *this + b; }
  Opaque& operator-=(Opaque b) { return *this = *this - b; }
  Opaque& operator*=(Opaque b) { return *this = *this * b; }
  friend void sincos(Opaque x, Opaque& s, Opaque& c) { sincos(x.hidden, s.hidden, c.hidden); }
  friend Opaque sqrt(Opaque x) { return std::sqrt(x.hidden); }
  friend Condition less(Opaque a, Opaque b) { return {a.hidden < b.hidden}; }
  friend Opaque select(Condition c, Opaque a, Opaque b) { return c.truth ? a : b; }
};

TEST(Ldlt, NeedsNoComparison) {
  static_assert(Scalar<Opaque> && !Numeric<Opaque>);
  Opaque A[4] = {4, 0, 2, 3}, b[2] = {8, 8};  // 4 x + 2 y = 8, 2 x + 3 y = 8
  ldlt_factor(A, 2, 2);
  ldlt_solve(A, 2, 2, b);
  EXPECT_DOUBLE_EQ(b[0].hidden, 1);
  EXPECT_DOUBLE_EQ(b[1].hidden, 2);
  EXPECT_EQ(sign(Opaque(-3)).hidden, -1);
  EXPECT_EQ(abs_value(Opaque(-3)).hidden, 3);
}

}  // namespace
}  // namespace ulna
