#pragma once
// When two instants are one: multiples of an interval and break times meet up to rounding.

#include <algorithm>
#include <cmath>
#include <limits>

namespace ulna {

inline double time_rounding(double t) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-3);
}
inline bool same_time(double x, double y) {
  return std::abs(x - y) <= time_rounding(std::max(std::abs(x), std::abs(y)));
}

}  // namespace ulna
