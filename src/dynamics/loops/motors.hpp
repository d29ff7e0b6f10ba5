#pragma once
// Which joints of a mechanism with loops have the motors when nobody says so.

#include "ulna/dynamics/loops.hpp"

namespace ulna {

/// Those that were given; else the drives of a platform, unless its rods may spin, which nothing
/// drives; else none, and LoopDynamics finds some by pivoting. Modes of flexible bodies join those
/// of the joints: their given motion has efforts of its own, which no motor exerts.
LoopInverseOptions with_motors(const Model& model, LoopInverseOptions given);

}  // namespace ulna
