#pragma once
// Where a structure is watched when the robot file names no place.

#include "ulna/model/model.hpp"

namespace ulna::cli {

/// Whether a link of the robot has a beam.
bool has_beams(const Model& model);

/// The robot with a frame "end" at the end of its last beam where the file has no frames: the last
/// body's own frame, at its joint, would be a poor place to watch.
Model with_end_frame(const Model& model);

}  // namespace ulna::cli
