#pragma once
// Functions of time of an experiment: their values, jumps and limits, and the start against them.

#include <vector>

#include "ulna/motion/internal/formula_range.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// What is wrong with motions, efforts and wrenches. Those that `checked` has as well, over the
/// same duration and between the same limits, are not evaluated again; null: all are. Nor are those
/// whose range is known, where it lies between the limits.
void check_motions(const Experiment& experiment, const Experiment* checked,
                   const MotionRanges& known, std::vector<Problem>& problems);

}  // namespace ulna
