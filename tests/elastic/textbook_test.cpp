// What every textbook says of beams: roots of the frequency equations, shear and rotatory inertia,
// spinning beams, buckling.

#include <gtest/gtest.h>

#include <array>

#include "beams.hpp"
#include "ulna/elastic/complex_modes.hpp"
#include "ulna/elastic/parts/buckling.hpp"
#include "ulna/elastic/response.hpp"

namespace ulna::elastic {
namespace {

using std::numbers::pi;

// beta L of the closed forms: cos b cosh b = -1 (clamped-free), = 1 (free-free, clamped-clamped).
const std::array<double, 3> cantilever_roots = {1.875104068711961, 4.694091132974175,
                                                7.854757438237613};
const std::array<double, 3> free_roots = {4.730040744862704, 7.853204624095838, 10.99560783800167};

Eigen::VectorXd lowest(const BeamStructure& frame, int count, const ElementOptions& options = {}) {
  EigenOptions eigen;
  eigen.count = count;
  return natural_modes(frame.assemble(options), eigen).omega;
}

TEST(EulerBernoulli, ConvergesWithTheFourthOrderToTheRoots) {
  struct Case {
    Ends ends;
    std::array<double, 3> roots;
    int rigid;
  };
  for (const Case& c :
       {Case{Ends::clamped_free, cantilever_roots, 0}, Case{Ends::free_free, free_roots, 2},
        Case{Ends::clamped_clamped, free_roots, 0},
        Case{Ends::pinned_pinned, {pi, 2 * pi, 3 * pi}, 0}}) {
    const auto error = [&](int elements, int mode) {
      const Eigen::VectorXd w = lowest(straight_beam(slender(), elements, c.ends), 5);
      return w(c.rigid + mode) / (c.roots[mode] * c.roots[mode]) - 1;
    };
    for (int mode = 0; mode < 3; ++mode) {
      const double coarse = error(12, mode), fine = error(24, mode);
      EXPECT_GT(coarse, 0);  // consistent mass: from above
      EXPECT_NEAR(std::log2(coarse / fine), 4, 0.15) << int(c.ends) << " mode " << mode;
      EXPECT_NEAR(error(64, mode), 0, 1e-6);  // six digits
    }
  }
}

TEST(EulerBernoulli, AFreeBeamInSpaceHasSixRigidModes) {
  EigenOptions options;
  options.count = 9;
  for (const auto method : {EigenOptions::Method::dense, EigenOptions::Method::sparse}) {
    options.method = method;
    const NaturalModes modes =
        natural_modes(straight_beam(slender(), 10, Ends::free_free, false).assemble(), options);
    EXPECT_EQ(modes.rigid_body_modes, 6);
    EXPECT_EQ(modes.omega.head(6), Eigen::VectorXd::Zero(6));
    EXPECT_NEAR(modes.omega(6) / (free_roots[0] * free_roots[0]), 1, 1e-4);
    EXPECT_LT(modes.residual.maxCoeff(), 1e-13);  // relative to |K||x|: rounding
  }
}

TEST(EulerBernoulli, AxialAndTorsionalRods) {
  BeamProperties p = slender();
  p.EA = 4, p.GJ = 9, p.EIy = p.EIz = 1e8;
  const Eigen::VectorXd w = lowest(straight_beam(p, 100, Ends::clamped_free, false), 2);
  // Linear shapes converge with the second order: (pi/200)^2/24 of the frequency.
  EXPECT_NEAR(w(0) / (pi / 2 * 2), 1, 2e-5);
  EXPECT_NEAR(w(1) / (pi / 2 * 3), 1, 2e-5);
}

// Pinned ends: sine shapes solve Timoshenko's equations exactly, with the frequency from
// (rho I / kGA) w^4 - (1 + n^2 (r^2 + EI/kGA)) w^2 m... = 0 for mass and length one.
double timoshenko_pinned(int n, double EI, double kGA, double inertia) {
  const double k = n * pi, k2 = k * k;
  // w^4 inertia/kGA - w^2 (1 + k^2 (inertia + EI/kGA)) + EI k^4 = 0 with mass 1.
  const double a = inertia / kGA, b = -(1 + k2 * (inertia + EI / kGA)), c = EI * k2 * k2;
  return std::sqrt(a > 0 ? (-b - std::sqrt(b * b - 4 * a * c)) / (2 * a) : -c / b);
}

TEST(Timoshenko, PinnedBeamAgreesWithTheClosedForm) {
  BeamProperties p = slender();
  p.kGAy = 40;
  p.rotatory_inertia_z = 0.005;
  ElementOptions options;
  options.theory = BeamTheory::timoshenko;
  for (const bool rotatory : {false, true}) {
    options.rotatory_inertia = rotatory;
    const auto error = [&](int elements, int mode) {
      const Eigen::VectorXd w = lowest(straight_beam(p, elements, Ends::pinned_pinned), 3, options);
      return w(mode) / timoshenko_pinned(mode + 1, 1, 40, rotatory ? 0.005 : 0) - 1;
    };
    for (int mode = 0; mode < 3; ++mode) {
      // Where shear rules (phi >> 1) the shapes are straight: second order. Richardson's
      // extrapolation leaves the fourth.
      const double coarse = error(40, mode), fine = error(80, mode);
      EXPECT_NEAR(std::log2(coarse / fine), 2, 0.05) << rotatory << mode;
      EXPECT_NEAR((4 * fine - coarse) / 3, 0, 3e-6) << rotatory << mode;
    }
  }
}

TEST(Timoshenko, TipDeflectionOfACantileverIsExactWithOneElement) {
  BeamProperties p = slender();
  p.kGAy = 7;
  const BeamStructure frame = straight_beam(p, 1, Ends::clamped_free);
  ElementOptions options;
  options.theory = BeamTheory::timoshenko;
  const Eigen::MatrixXd K = frame.assemble(options).K;
  EXPECT_NEAR(K.inverse()(0, 0), 1.0 / 3 + 1.0 / 7, 1e-14);
}

TEST(GeometricStiffness, BucklingLoads) {
  // Euler: pi^2 (pinned), pi^2/4 (cantilever), 4 pi^2 (clamped).
  for (const auto& [ends, load] :
       {std::pair{Ends::pinned_pinned, pi * pi}, std::pair{Ends::clamped_free, pi * pi / 4},
        std::pair{Ends::clamped_clamped, 4 * pi * pi}}) {
    const BeamStructure frame = straight_beam(slender(), 16, ends);
    const SparseMatrix Kg = frame.sum_elements([](const StructureElement& e) {
      return beam_geometric_stiffness(e.properties, e.length, -1, -1, BeamTheory::euler_bernoulli);
    });
    EXPECT_NEAR(buckling_modes(frame.assemble().K, Kg, 1).factor(0) / load, 1, 1e-4);
  }
}

TEST(GeometricStiffness, ColumnUnderItsOwnWeight) {
  // Greenhill: q L^3/EI = 7.837347 (the first zero of a Bessel function).
  const int n = 20;
  const BeamStructure frame = straight_beam(slender(), n, Ends::clamped_free);
  const SparseMatrix Kg = frame.sum_elements([&](const StructureElement& e) {
    const double start = 1 - double(e.start) / n, end = 1 - double(e.end) / n;
    return beam_geometric_stiffness(e.properties, e.length, -start, -end,
                                    BeamTheory::euler_bernoulli);
  });
  EXPECT_NEAR(buckling_modes(frame.assemble().K, Kg, 1).factor(0) / 7.837347, 1, 1e-5);
}

TEST(ComplexModes, OfAnOscillatorWithADamper) {
  SystemMatrices s;
  s.M.resize(1, 1), s.C.resize(1, 1), s.K.resize(1, 1);
  s.M.insert(0, 0) = 2, s.C.insert(0, 0) = 0.8, s.K.insert(0, 0) = 8;
  const ComplexModes modes = complex_modes(s, 1);
  EXPECT_NEAR(modes.omega(0), 2, 1e-14);
  EXPECT_NEAR(modes.damping_ratio(0), 0.1, 1e-14);
}

TEST(ComplexModes, RayleighDampingHasTheRatiosAskedFor) {
  SystemMatrices s = straight_beam(slender(), 6, Ends::clamped_free).assemble();
  const Eigen::VectorXd w = natural_modes(s).omega;
  const auto [a, b] = rayleigh_coefficients(w(0), 0.01, w(2), 0.03);
  s.C = rayleigh_damping(s, a, b);
  const ComplexModes modes = complex_modes(s, 3);
  EXPECT_NEAR(modes.damping_ratio(0), 0.01, 1e-10);
  EXPECT_NEAR(modes.damping_ratio(2), 0.03, 1e-10);
  EXPECT_NEAR(modes.omega(1) / w(1), 1, 1e-9);
}

TEST(Response, ModesAndDirectSolutionAgree) {
  SystemMatrices s = straight_beam(slender(), 6, Ends::clamped_free).assemble();
  EigenOptions all;
  all.count = 0;
  const NaturalModes modes = natural_modes(s, all);
  Eigen::VectorXd zeta(modes.count());
  for (int k = 0; k < zeta.size(); ++k) zeta(k) = 0.5 * 0.001 * modes.omega(k);
  s.C = rayleigh_damping(s, 0, 0.001);
  const Eigen::VectorXd tip = Eigen::VectorXd::Unit(s.size(), s.size() - 2);
  const Eigen::VectorXd at = Eigen::VectorXd::LinSpaced(40, 0, 80);
  const Eigen::VectorXcd direct = frequency_response(s, tip, tip, at);
  const Eigen::VectorXcd modal = modal_frequency_response(modes, zeta, tip, tip, at);
  EXPECT_LT((direct - modal).cwiseAbs().maxCoeff(), 1e-9 * direct.cwiseAbs().maxCoeff());
  EXPECT_NEAR(direct(0).real(), 1.0 / 3, 1e-12);
}

TEST(Response, AStepOfForceSettlesAtTheStaticDeflection) {
  const SystemMatrices s = straight_beam(slender(), 4, Ends::clamped_free).assemble();
  EigenOptions all;
  all.count = 0;
  const NaturalModes modes = natural_modes(s, all);
  const Eigen::VectorXd zeta = Eigen::VectorXd::Constant(modes.count(), 0.2);
  const Eigen::VectorXd tip = Eigen::VectorXd::Unit(s.size(), s.size() - 2);
  const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(1001, 0, 20);
  const Eigen::MatrixXd y =
      modal_transient(modes, zeta, tip, t, Eigen::VectorXd::Constant(t.size(), 1.0));
  const Eigen::VectorXd x = modes.shapes * y.col(t.size() - 1);
  EXPECT_NEAR(x(s.size() - 2), 1.0 / 3, 1e-6);
  // Undamped, one mode alone overshoots to twice the static value: 1 - cos.
  EXPECT_NEAR(modal_transient(modes, 0 * zeta, tip, t, Eigen::VectorXd::Ones(t.size()))(0, 50),
              modes.shapes(s.size() - 2, 0) / std::pow(modes.omega(0), 2) *
                  (1 - std::cos(modes.omega(0) * t(50))),
              1e-12);
}

}  // namespace
}  // namespace ulna::elastic
