#pragma once
// The check of an experiment that differs from a checked one in few numbers, for those who run
// thousands of them.

#include "ulna/motion/internal/formula_range.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// InputError for what `check` finds. Functions of time that the experiment shares with `checked`
/// are not evaluated over the whole duration again, where that and the limits are the same; nor are
/// those whose range is known, where it lies between the limits.
ULNA_API void check_again(const Experiment& experiment, const Experiment& checked,
                          const MotionRanges& known = {});

}  // namespace ulna
