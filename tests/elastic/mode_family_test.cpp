// Mode shapes and their integrals: eigenvalues, orthogonality, and closed forms against quadrature.

#include "ulna/elastic/parts/mode_family.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/elastic/internal/modal_integrals.hpp"

namespace ulna {
namespace {

// Quadrature and closed forms are sums of some hundred terms of size one: 1e-12 of the largest.
constexpr double rounding = 1e-12;

TEST(ModeFamily, ClampedFreeWaveNumbersSolveTheirEquation) {
  const ModeSet set = bending_modes(ModeFamily::clamped_free, 1, 50);
  ASSERT_EQ(set.modes.size(), 50u);
  // Padilla's four, to the digits printed.
  const double printed[] = {1.87510407, 4.69409113, 7.85475744, 10.99554073};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(set.modes[i].lambda, printed[i], 6e-9);
  for (int i = 0; i < 50; ++i) {
    const double l = set.modes[i].lambda;
    EXPECT_NEAR(std::cos(l) + 1 / std::cosh(l), 0, 1e-15 * l * 4) << i;
  }
}

TEST(ModeFamily, TipOfClampedFreeModesIsTwoInTurns) {
  const ModeSet set = bending_modes(ModeFamily::clamped_free, 3.0, 50);
  for (int i = 0; i < 50; ++i) {
    const ShapeValue root = set.modes[i].at(0), tip = set.modes[i].at(3.0);
    const double size = set.modes[i].lambda / 3.0;
    EXPECT_NEAR(root.value, 0, 1e-14);
    EXPECT_NEAR(root.slope, 0, 1e-14 * size);
    EXPECT_NEAR(tip.value, i % 2 == 0 ? 2 : -2, 1e-12) << i;
    EXPECT_NEAR(tip.curvature, 0, 1e-12 * size * size) << i;
  }
}

TEST(ModeFamily, ModesWithTipBodyBalanceItsInertia) {
  const TipBody tip{0.7, 0.1, 0.02};
  const ModeSet set = bending_modes(ModeFamily::clamped_tip_body, 1, 6, tip);
  // Modes of one system are orthogonal in its mass: beam and tip body together.
  const ModalIntegrals beam = modal_integrals(set, 1, 1);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const ShapeValue a = set.modes[i].at(1), b = set.modes[j].at(1);
      const double mass =
          beam.G(i, j) +
          tip.mass * (a.value + tip.offset * a.slope) * (b.value + tip.offset * b.slope) +
          tip.inertia * a.slope * b.slope;
      if (i == j)
        EXPECT_NEAR(beam.H(i, i) / mass, std::pow(set.modes[i].lambda, 4),
                    1e-9 * std::pow(set.modes[i].lambda, 4));
      else
        EXPECT_NEAR(mass, 0, 1e-10) << i << " " << j;
    }
}

TEST(ModeFamily, OtherEndsAreHeld) {
  const ModeSet fixed = bending_modes(ModeFamily::clamped_clamped, 2, 8);
  EXPECT_NEAR(fixed.modes[0].lambda, 4.730040744862704, 1e-12);
  for (const ModeShape& mode : fixed.modes) {
    EXPECT_NEAR(mode.at(2).value, 0, 1e-12);
    EXPECT_NEAR(mode.at(2).slope, 0, 1e-12 * mode.lambda);
  }
  const ModeSet pinned = bending_modes(ModeFamily::pinned_pinned, 2, 3);
  EXPECT_NEAR(pinned.modes[2].at(2).value, 0, 1e-14);
  EXPECT_NEAR(pinned.modes[2].at(0).slope, std::sqrt(2.0) * 3 * M_PI / 2, 1e-13);
}

TEST(ModalIntegrals, ClosedFormsAgreeWithQuadratureUpToModeFifty) {
  const double l = 0.9144, rho = 1.33937, EI = 114;
  const ModalIntegrals closed = clamped_free_integrals(l, 50, rho, EI);
  const ModalIntegrals sums =
      modal_integrals(bending_modes(ModeFamily::clamped_free, l, 50), rho, EI);
  const auto same = [](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const char* what) {
    for (int i = 0; i < a.rows(); ++i)
      for (int j = 0; j < a.cols(); ++j) {
        const double size = a.cols() == 1 ? std::abs(a(0)) : std::sqrt(std::abs(a(i, i) * a(j, j)));
        EXPECT_NEAR(a(i, j), b(i, j), rounding * size) << what << " " << i << " " << j;
      }
  };
  same(closed.E, sums.E, "E");
  same(closed.F, sums.F, "F");
  same(closed.G, sums.G, "G");
  same(closed.H, sums.H, "H");
  same(closed.mu, sums.mu, "mu");
  same(closed.eta, sums.eta, "eta");
  same(closed.beta, sums.beta, "beta");
}

TEST(CraigBampton, CarriesAnyTipLoadExactly) {
  // The two shapes of the tip hold every cubic that is clamped at the root.
  const ModeSet set = craig_bampton_modes(2, {3, 3, 3, 3}, {1, 1, 1, 1}, 4);
  ASSERT_EQ(set.modes.size(), 4u);
  for (const double x : {0.3, 1.1, 1.9}) {
    const double s = x / 2;
    EXPECT_NEAR(set.modes[0].at(x).value, 3 * s * s - 2 * s * s * s, 1e-13);
    EXPECT_NEAR(set.modes[1].at(x).value, (s * s * s - s * s), 1e-13);
  }
  EXPECT_NEAR(set.modes[2].at(2).value, 0, 1e-15);
  const ModeSet one = craig_bampton_modes(2, {3, 3}, {1, 1}, 1);
  EXPECT_NEAR(one.modes[0].at(1).value, 5.0 / 16, 1e-13);  // (3 - s) s^2 / 2 at s = 1/2
}

}  // namespace
}  // namespace ulna
