#pragma once
// Ticks of an axis: multiples of 1, 2 or 5 times a power of ten, with labels that are short and no
// longer than needed to tell them apart. Where the numbers are large, small or close together, the
// labels are of (value - offset) / factor.

#include <string>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct Ticks {
  std::vector<double> values;
  std::vector<std::string> labels;
  std::string factor;  ///< "10⁻³", or empty for 1
  std::string offset;  ///< "+ 1000", or empty for 0
};

/// At most `most` ticks (at least 2) in [low, high]; low < high.
ULNA_API Ticks nice_ticks(double low, double high, int most);

/// Between logarithms to base ten: whole powers; of less than two decades 2 and 5 times these, too.
Ticks log_ticks(double low, double high);

/// Multiples of 15, 30, 45, 90 or 180 degrees, at most about `count`.
Ticks degree_ticks(double low, double high, int count);

}  // namespace ulna
