#pragma once
// Bounds of a formula over a time, by interval arithmetic: one evaluation shows what otherwise
// hundreds of values would be sampled for.

#include <map>
#include <optional>

#include "ulna/motion/formula.hpp"

namespace ulna {

/// All values of a function lie in between; its rate and acceleration are finite.
struct MotionRange {
  double least = 0, most = 0;
};

/// What is known of functions of time over an experiment.
using MotionRanges = std::map<const ScalarMotion*, MotionRange>;

/// For 0 <= t <= end. The bounds hold for the numbers that `Formula::at` returns, rounding
/// included; they may be wider than needed. None where they cannot be shown to be finite.
ULNA_API std::optional<MotionRange> formula_range(const std::string& text,
                                                  const FormulaConstants& constants, double end);

}  // namespace ulna
