// Condensation: what each method promises exactly.

#include <gtest/gtest.h>

#include "beams.hpp"
#include "ulna/elastic/internal/craig_bampton.hpp"
#include "ulna/elastic/internal/dynamic_condensation.hpp"
#include "ulna/elastic/internal/guyan.hpp"
#include "ulna/elastic/internal/irs.hpp"
#include "ulna/elastic/internal/serep.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {
namespace {

SystemMatrices cantilever() { return straight_beam(slender(), 8, Ends::clamped_free).assemble(); }

Eigen::VectorXd frequencies(const SystemMatrices& s, int count) {
  EigenOptions options;
  options.count = count;
  return natural_modes(s, options).omega;
}

TEST(Guyan, KeepsStaticsExactly) {
  const SystemMatrices s = cantilever();
  const auto masters = select_masters(s, 4, MasterSelection::sequential);
  const ReducedSystem r = reduce(s, guyan(s, masters));
  const Eigen::MatrixXd full = Eigen::MatrixXd(s.K).inverse(), small = r.K.inverse();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_NEAR(small(i, j), full(masters[i], masters[j]), 1e-10 * full.maxCoeff());
}

TEST(Reductions, FrequenciesAreUpperBoundsAndImproveWithSize) {
  const SystemMatrices s = cantilever();
  const Eigen::VectorXd exact = frequencies(s, 3);
  Eigen::VectorXd last = Eigen::VectorXd::Constant(3, 1e9);
  for (const int keep : {4, 6, 8, 10}) {
    const auto masters = select_masters(s, keep, MasterSelection::sequential);
    const Eigen::VectorXd w = frequencies(reduced_system(s, guyan(s, masters)), 3);
    for (int k = 0; k < 3; ++k) {
      EXPECT_GE(w(k), exact(k) * (1 - 1e-12));
      EXPECT_LE(w(k), last(k) * (1 + 1e-12));
    }
    last = w;
  }
}

TEST(DynamicCondensation, IsExactAtItsFrequency) {
  const SystemMatrices s = cantilever();
  const double w2 = frequencies(s, 2)(1);
  const auto masters = select_masters(s, 4, MasterSelection::sequential);
  const Eigen::VectorXd w = frequencies(reduced_system(s, dynamic_condensation(s, masters, w2)), 2);
  EXPECT_NEAR(w(1) / w2, 1, 1e-12);
  const Eigen::MatrixXd at_zero = dynamic_condensation(s, masters, 0).T;
  EXPECT_EQ(at_zero, guyan(s, masters).T);
}

TEST(Serep, KeepsItsModesExactly) {
  const SystemMatrices s = cantilever();
  const auto masters = select_masters(s, 4, MasterSelection::sequential);
  const Eigen::VectorXd exact = frequencies(s, 4);
  const Eigen::VectorXd w = frequencies(reduced_system(s, serep(s, masters)), 4);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(w(k) / exact(k), 1, 1e-9);
}

TEST(Serep, FindsMastersThatTellItsModesApart) {
  const SystemMatrices s = cantilever();
  for (int keep = 1; keep <= s.size(); ++keep) {
    const Reduction r = serep(s, keep);
    ASSERT_EQ(static_cast<int>(r.masters.size()), keep);
    const Eigen::VectorXd exact = frequencies(s, keep), w = frequencies(reduced_system(s, r), keep);
    for (int k = 0; k < keep; ++k) EXPECT_NEAR(w(k) / exact(k), 1, 1e-7) << keep;
  }
  EXPECT_THROW(serep(s, 0), InputError);
  EXPECT_THROW(serep(s, s.size() + 1), InputError);
}

TEST(SystemMatricesCheck, RoundingBelowZeroIsNotIndefinite) {
  SystemMatrices s = cantilever();
  const double largest = s.K.diagonal().maxCoeff();
  s.K.coeffRef(0, 0) = -1e-10 * largest;
  EXPECT_NO_THROW(check(s));
  s.K.coeffRef(0, 0) = -1e-8 * largest;
  EXPECT_THROW(check(s), InputError);
}

TEST(NaturalModes, AClampedBeamOfVeryManyElementsHasNoRigidBodyModes) {
  EigenOptions options;
  options.count = 3;
  const NaturalModes found =
      natural_modes(straight_beam(slender(), 3000, Ends::clamped_free).assemble(), options);
  EXPECT_EQ(found.rigid_body_modes, 0);
  EXPECT_NE(found.warning, "");
}

TEST(Irs, IteratedConvergesToSerep) {
  const SystemMatrices s = cantilever();
  const auto masters = select_masters(s, 5, MasterSelection::sequential);
  const Eigen::VectorXd exact = frequencies(s, 3);
  double last = 1;
  for (const int iterations : {0, 1, 3}) {
    const Eigen::VectorXd w = frequencies(reduced_system(s, irs(s, masters, iterations)), 3);
    const double error = std::abs(w(2) / exact(2) - 1);
    EXPECT_LT(error, 0.5 * last);
    last = error;
  }
}

TEST(CraigBampton, WithAllModesIsTheWholeSystem) {
  const SystemMatrices s = cantilever();
  const Reduction r = craig_bampton(s, {14, 15}, 14);
  EXPECT_EQ(r.size(), 16);
  const Eigen::VectorXd exact = frequencies(s, 16), w = frequencies(reduced_system(s, r), 16);
  for (int k = 0; k < 16; ++k) EXPECT_NEAR(w(k) / exact(k), 1, 1e-9);
}

TEST(Reductions, BadInputIsNamed) {
  const SystemMatrices s = cantilever();
  EXPECT_THROW(guyan(s, {1, 1}), InputError);
  EXPECT_THROW(guyan(s, {99}), InputError);
  EXPECT_THROW(select_masters(s, 0, MasterSelection::sequential), InputError);
  EXPECT_THROW(craig_bampton(s, {0}, 99), InputError);
  // A free beam without masters that hold it.
  const SystemMatrices loose = straight_beam(slender(), 4, Ends::free_free).assemble();
  EXPECT_THROW(guyan(loose, {0}), ComputationError);
}

}  // namespace
}  // namespace ulna::elastic
