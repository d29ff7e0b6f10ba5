#pragma once
// The path of a motion by its arc length in the space of coordinates: what is left of a motion when
// its time law is forgotten. docs/theory/motions.md, eq. 41. Regular also where the motion starts
// and ends at rest, so that another time law (minimum_time.hpp) can be laid over it.

#include "ulna/motion/motion.hpp"

namespace ulna {

struct ArcLengthPath {
  std::vector<ScalarMotionPtr> coordinates;  ///< functions of s, 0 to length
  double length = 0;
};

/// From 0 to `end`, in `pieces` quintic pieces between each two breakpoints. InputError when the
/// motion does not move at all, or rests on its way: there it may turn on the spot, and a time law
/// along the arc would not know that it has to stop.
ULNA_API ArcLengthPath by_arc_length(const Motion& motion, double end, int pieces = 400);

}  // namespace ulna
