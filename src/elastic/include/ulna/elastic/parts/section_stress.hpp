#pragma once
// Stresses in a cross-section from the resultants N, Qy, Qz, T, My, Mz on it (positive face):
// normal stress of stretching and bending, shear of the forces and of torsion, and the largest von
// Mises stress over the section (docs/theory/structure.md, eqs. 45-49).
//
// Round and tube: along the circumference. Rectangle: along the edges and at the middle, torsion by
// Saint-Venant's series. Box: along the walls, torsion by Bredt's formula.

#include <optional>

#include "ulna/model/parts/beam.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna::elastic {

using Resultants = Eigen::Matrix<double, 6, 1>;  ///< N, Qy, Qz, T, My, Mz

struct SectionStress {
  double von_mises = 0;          ///< the largest of the section, Pa
  double y = 0, z = 0;           ///< where it is, in the section's axes
  double normal = 0, shear = 0;  ///< there
  double largest_normal = 0;     ///< of the section, by its amount
  double largest_shear = 0;
};

/// None for sections whose stresses are not known: `i`, and those given by numbers.
ULNA_API std::optional<SectionStress> section_stress(const Section& section,
                                                     const Resultants& resultants);

}  // namespace ulna::elastic
