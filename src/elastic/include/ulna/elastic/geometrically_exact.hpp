#pragma once
// Robots whose flexible links are geometrically exact beams instead of beams with modes: for
// deflections beyond a tenth of the length. docs/theory/geometrically-exact.md.
//
//   Model model(with_geometrically_exact_links(robot));

#include "ulna/model/robot.hpp"

namespace ulna {

/// How beams are cut into elements.
struct GeometricallyExact {
  int elements = 8;    ///< of each beam, or the next multiple of its number of sections
  bool shear = false;  ///< extension, and shear where the beam has its stiffness and inertia
};

/// The same robot with geometrically exact links. A beam bends in the planes that have modes; it
/// twists where it has torsion modes, or bends in both planes and has GJ and polar inertia; it
/// stretches where it has axial modes. InputError for modes that come from a file.
ULNA_API Robot with_geometrically_exact_links(Robot robot, const GeometricallyExact& options = {});

}  // namespace ulna
