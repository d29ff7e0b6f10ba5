// A sparse LDL' solves what a dense solver solves, for any pattern and again after its values
// change.

#include "ulna/numerics/internal/sparse_ldlt.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

namespace ulna {
namespace {

TEST(SparseLdlt, SolvesQuasiDefiniteSystemsOfRandomPattern) {
  std::mt19937_64 g(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int n : {1, 2, 7, 30, 80}) {
    std::vector<std::pair<int, int>> entries;
    for (int r = 0; r < n; ++r)
      for (int c = 0; c <= r; ++c)
        if (r == c || uniform(g) > 0.8) entries.push_back({r, c});
    SparseLdlt ldlt;
    ldlt.analyse(n, entries);
    for (int round = 0; round < 2; ++round) {
      // [P A'; A -Q] with definite P and Q: any order of elimination has pivots that are not zero.
      Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
      for (std::size_t e = 0; e < entries.size(); ++e) {
        const auto [r, c] = entries[e];
        K(r, c) = K(c, r) = r == c ? (r < n / 2 ? n : -n) : uniform(g);
        ldlt.values()[e] = K(r, c);
      }
      ASSERT_TRUE(ldlt.factor());
      Eigen::VectorXd b(n);
      for (double& x : b) x = uniform(g);
      Eigen::VectorXd x = b;
      ldlt.solve(x);
      EXPECT_LT((K * x - b).norm(), 1e-13 * n) << n;  // n operations of rounding
    }
  }
}

TEST(SparseLdlt, FillsNothingInAnArrow) {
  // All couple to the last only: AMD eliminates it last, and L keeps the pattern.
  std::vector<std::pair<int, int>> entries;
  for (int k = 0; k < 50; ++k) entries.push_back({k, k});
  for (int k = 1; k < 50; ++k) entries.push_back({k, 0});
  SparseLdlt ldlt;
  ldlt.analyse(50, entries);
  EXPECT_EQ(ldlt.fill(), 49);
}

TEST(SparseLdlt, SaysWhereItCannotGoOn) {
  SparseLdlt ldlt;
  ldlt.analyse(2, {{0, 0}, {1, 0}, {1, 1}});
  ldlt.values() = {1, 1, 1};
  EXPECT_FALSE(ldlt.factor());
}

}  // namespace
}  // namespace ulna
