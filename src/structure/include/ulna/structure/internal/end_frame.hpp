#pragma once
// Where a structure is watched when the robot file names no place.

#include "ulna/model/model.hpp"

namespace ulna {

/// Whether a link of the robot has a beam.
ULNA_API bool has_beams(const Model& model);

/// The robot with a frame "end" at the end of its last beam where the file has no frames: the last
/// body's own frame, at its joint, would be a poor place to watch.
ULNA_API Model with_end_frame(const Model& model);

}  // namespace ulna
