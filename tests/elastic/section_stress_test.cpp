// Stresses in cross-sections, against formulas of strength of materials.

#include "ulna/elastic/parts/section_stress.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ulna::elastic::section_stress_test {
namespace {

Section round_bar(double d) {
  Section s;
  s.shape = Section::Shape::round;
  s.height = d;
  return s;
}

Resultants forces(double N, double Qy, double Qz, double T, double My, double Mz) {
  Resultants r;
  r << N, Qy, Qz, T, My, Mz;
  return r;
}

TEST(SectionStress, BendingAndTorsionOfAShaft) {
  const double d = 0.04, M = 300, T = 400;
  const double W = M_PI * d * d * d / 32;
  // sigma = M/W, tau = T/2W: von Mises sqrt(M^2 + 0.75 T^2)/W, whatever the plane of M.
  for (const double angle : {0.0, 0.3, 1.1, 2.9}) {
    const SectionStress s =
        *section_stress(round_bar(d), forces(0, 0, 0, T, M * std::cos(angle), M * std::sin(angle)));
    EXPECT_NEAR(s.von_mises, std::sqrt(M * M + 0.75 * T * T) / W, 1e-9 * s.von_mises);
    EXPECT_NEAR(std::abs(s.largest_normal), M / W, 2e-3 * M / W);  // among 72 places
    EXPECT_NEAR(s.largest_shear, T / (2 * W), 1e-9 * T / W);
  }
}

TEST(SectionStress, TubeInShearAndTension) {
  Section tube;
  tube.shape = Section::Shape::tube;
  tube.height = 0.1, tube.inner_height = 0.098;
  const double A = *numbers_of(tube).A;
  // Thin: twice the mean shear at the neutral axis.
  EXPECT_NEAR(std::abs(section_stress(tube, forces(0, 1000, 0, 0, 0, 0))->largest_shear),
              2 * 1000 / A, 2e-4 * 2000 / A);
  EXPECT_NEAR(section_stress(tube, forces(5000, 0, 0, 0, 0, 0))->von_mises, 5000 / A, 1e-6);
  // A solid bar: four thirds of it.
  const double area = M_PI / 4 * 0.01;
  EXPECT_NEAR(section_stress(round_bar(0.1), forces(0, 0, 300, 0, 0, 0))->largest_shear,
              4.0 / 3 * 300 / area, 1e-6);
  // Bredt: T/(2 A t).
  const double mean = 0.099 / 2;
  EXPECT_NEAR(section_stress(tube, forces(0, 0, 0, 50, 0, 0))->largest_shear,
              50 / (2 * M_PI * mean * mean * 0.001), 0.02 * 50 / (2 * M_PI * mean * mean * 0.001));
}

TEST(SectionStress, RectangleBendsAboutBothAxesAndTwists) {
  Section bar;
  bar.shape = Section::Shape::rectangle;
  bar.height = 0.06, bar.width = 0.03;
  const double Wz = 0.03 * 0.06 * 0.06 / 6, Wy = 0.06 * 0.03 * 0.03 / 6;
  const SectionStress bent = *section_stress(bar, forces(0, 0, 0, 0, 20, 50));
  EXPECT_NEAR(bent.von_mises, 20 / Wy + 50 / Wz, 1e-6 * bent.von_mises);
  EXPECT_NEAR(std::abs(bent.y), 0.03, 1e-9);
  EXPECT_NEAR(std::abs(bent.z), 0.015, 1e-9);
  EXPECT_NEAR(std::abs(section_stress(bar, forces(0, 900, 0, 0, 0, 0))->largest_shear),
              1.5 * 900 / (0.06 * 0.03), 1e-6);
  // Timoshenko and Goodier, Theory of Elasticity: tau = T/(0.246 a b^2) for a = 2 b, at the middle
  // of the long side; 0.795 of it at the middle of the short one.
  const SectionStress twisted = *section_stress(bar, forces(0, 0, 0, 10, 0, 0));
  EXPECT_NEAR(std::abs(twisted.largest_shear), 10 / (0.246 * 0.06 * 0.03 * 0.03),
              2e-3 * std::abs(twisted.largest_shear));
  EXPECT_NEAR(twisted.y, 0, 1e-6);
  Section square = bar;
  square.width = 0.06;  // tau = T/(0.208 a^3)
  EXPECT_NEAR(std::abs(section_stress(square, forces(0, 0, 0, 10, 0, 0))->largest_shear),
              10 / (0.208 * std::pow(0.06, 3)), 2e-3 * 10 / (0.208 * std::pow(0.06, 3)));
}

TEST(SectionStress, BoxByItsWalls) {
  Section box;
  box.shape = Section::Shape::box;
  box.height = 0.1, box.width = 0.06, box.inner_height = 0.094, box.inner_width = 0.056;
  const Section n = numbers_of(box);
  const double Am = 0.097 * 0.058;
  // Torsion: the thinner walls, 2 mm, have more.
  EXPECT_NEAR(std::abs(section_stress(box, forces(0, 0, 0, 100, 0, 0))->largest_shear),
              100 / (2 * Am * 0.002), 1e-6 * 100 / (2 * Am * 0.002));
  EXPECT_NEAR(section_stress(box, forces(0, 0, 0, 0, 0, 500))->von_mises, 500 * 0.05 / *n.Iz, 1e-6);
  // The flow of a force, over the two sides, is the force.
  const double shear = std::abs(section_stress(box, forces(0, 800, 0, 0, 0, 0))->largest_shear);
  EXPECT_GT(shear, 800 / (2 * 0.097 * 0.002));
  EXPECT_LT(shear, 1.5 * 800 / (2 * 0.097 * 0.002));
  // Torsion adds to a force on one side and takes away on the other, never both.
  const double both = std::abs(section_stress(box, forces(0, 800, 0, 100, 0, 0))->largest_shear);
  EXPECT_NEAR(both, shear + 100 / (2 * Am * 0.002), 1e-3 * both);
}

TEST(SectionStress, UnknownOfNumbersAndOfAnI) {
  EXPECT_FALSE(section_stress(Section(), forces(1, 0, 0, 0, 0, 0)));
  Section i;
  i.shape = Section::Shape::i;
  i.height = 0.1, i.width = 0.05, i.flange = 0.006, i.web = 0.004;
  EXPECT_FALSE(section_stress(i, forces(1, 0, 0, 0, 0, 0)));
}

}  // namespace
}  // namespace ulna::elastic::section_stress_test
