#pragma once
// A beam of a link by itself, in finite elements and then in few coordinates: what a flexible link
// can take for its modes (model/internal/mode_table.hpp). The beam stands along x in the axes of
// its section, held at its start; shapes, stiffness, mass and damping are those of a condensation
// of it (docs/theory/condensation.md, eq. 9). Attached parts are not in it: they stay with the
// link.

#include "ulna/elastic/beam_structure.hpp"
#include "ulna/elastic/parts/reduction.hpp"
#include "ulna/model/parts/mode_table.hpp"
#include "ulna/model/robot.hpp"

namespace ulna {

/// `elements`: into how many the beam is cut, 0 for as many as the file says. Where sections
/// differ, a multiple of theirs (InputError). `freedoms`: of the nodes, as in StructureOptions, in
/// the axes of the section.
ULNA_API elastic::BeamStructure beam_frame(const BeamData& beam, int elements = 0,
                                           unsigned freedoms = 0b111111);

/// Freedoms of the beam's end in `beam_frame`.
ULNA_API std::vector<int> end_freedoms(const elastic::BeamStructure& frame);

/// The reduced beam, its coordinates named as the reduced system names them.
ULNA_API ModeTable reduced_mode_table(const elastic::BeamStructure& frame,
                                      const elastic::SystemMatrices& system,
                                      const elastic::Reduction& reduction);

}  // namespace ulna
