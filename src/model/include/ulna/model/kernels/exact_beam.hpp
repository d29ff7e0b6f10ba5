#pragma once
// Geometrically exact beams (docs/theory/geometrically-exact.md): chains of elements, each with
// coordinates of its own, the turns and displacements that its strains add up to along it. The
// ModalBody of such a body has the coordinates of all its elements and is not seen by the kernels;
// those of the elements are, one node each, and the mass rides on their stations as slices.

#include <memory>
#include <vector>

#include "ulna/model/parts/inertial.hpp"
#include "ulna/model/parts/modal_body.hpp"

namespace ulna {

/// A piece of a beam that moves with one of its sections as a rigid body.
struct BeamSlice {
  double x = 0;  ///< from the start of the element
  Inertial inertial;
};

/// What a geometrically exact beam is made of, from its root; coordinates follow each other.
struct BeamElements {
  struct Element {
    std::shared_ptr<ModalBody> body;
    double start = 0;  ///< on the beam
    std::vector<BeamSlice> slices;
  };
  std::vector<Element> list;
};

/// eq. 5: the pose of a station of an element is exp(Omega), Omega = s alpha + f beta +
/// c [alpha, beta]. A ModalStation keeps s, f, c and 1 / h in `position`, and in `angles` for each
/// coordinate the component of alpha (0-5) or beta (6-11) that it is h times; it has no shortening.
inline bool is_of_element(const ModalStation& station) { return station.shortening.empty(); }

}  // namespace ulna
