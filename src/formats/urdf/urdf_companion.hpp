#pragma once
// Extended URDF (arXiv 2504.04767): the URDF of a tree, and a YAML file of the same name beside it
// with the pairs of frames that closing the loops makes coincide.
//
//   closed_loop: [['rod_end', 'bar_end']]
//   type: ['6d']          # the whole pose; '3d': the origins
//   name_mot: ['mot1']
//
// A frame is a link, or a joint, which stands for its child.

#include <string>

#include "ulna/formats/read_robot.hpp"

namespace ulna {

/// True when the text has `closed_loop` and is no robot file of Ulna; it need not be valid.
bool looks_like_companion(const std::string& text);

/// The robot of the URDF beside a companion, loops closed.
ReadResult read_companion(const std::string& text, const std::string& file,
                          const ReadOptions& options);

/// Closes the loops of a URDF that has a companion beside it; without one nothing changes.
void add_companion_loops(ReadResult& urdf, const std::string& urdf_file);

}  // namespace ulna
