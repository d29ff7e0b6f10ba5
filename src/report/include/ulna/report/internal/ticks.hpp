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

}  // namespace ulna
