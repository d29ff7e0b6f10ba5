#pragma once

namespace ulna {

/// Loops are closed to this after every step of a run, metres and radians alike.
inline constexpr double closed_loop_gap = 1e-13;

}  // namespace ulna
