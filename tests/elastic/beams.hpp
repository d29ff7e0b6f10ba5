#pragma once
// A straight beam along x, cut into equal elements, for the tests of textbook results.

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "ulna/elastic/beam_structure.hpp"
#include "ulna/elastic/natural_modes.hpp"

namespace ulna::elastic {

enum class Ends { clamped_free, free_free, pinned_pinned, clamped_clamped };

// Different stiffness in the two planes, so that modes come one by one; stiff axially and in
// torsion.
inline BeamProperties slender() {
  BeamProperties p;
  p.EA = 1e9, p.GJ = 1e8, p.EIz = 1, p.EIy = 1e4;
  p.mass = 1, p.polar_inertia = 1;
  return p;
}

/// Unit length. With `plane` only v and rz move.
inline BeamStructure straight_beam(const BeamProperties& p, int elements, Ends ends,
                                   bool plane = true, double length = 1) {
  const unsigned all = plane ? 0b100010u : 0b111111u, turning = plane ? 0b100000u : 0b110000u;
  BeamStructure frame;
  for (int k = 0; k <= elements; ++k) {
    const bool end = k == 0 || k == elements;
    unsigned freedoms = all;
    if (end && ends == Ends::pinned_pinned)
      freedoms = k == 0 ? turning : (plane ? turning : turning | 1u);
    if (end && (ends == Ends::clamped_clamped || (ends == Ends::clamped_free && k == 0)))
      freedoms = 0;
    frame.add_node("node " + std::to_string(k), {length * k / elements, 0, 0}, freedoms);
  }
  for (int k = 0; k < elements; ++k)
    frame.add_element({"element " + std::to_string(k), k, k + 1, Matrix3<double>::Identity(),
                       length / elements, p, 0});
  return frame;
}

}  // namespace ulna::elastic
