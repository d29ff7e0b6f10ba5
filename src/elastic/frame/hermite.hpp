#pragma once
// The cubic between two nodes with given values and slopes.

#include "ulna/elastic/parts/mode_family.hpp"

namespace ulna::elastic_detail {

/// At the share s of an element of length h from value a and slope b / h to value c and slope d /
/// h.
inline ShapeValue hermite(double a, double b, double c, double d, double s, double h) {
  const double s2 = s * s, s3 = s2 * s;
  return {a * (1 - 3 * s2 + 2 * s3) + b * (s - 2 * s2 + s3) + c * (3 * s2 - 2 * s3) + d * (s3 - s2),
          (a * (6 * s2 - 6 * s) + b * (1 - 4 * s + 3 * s2) + c * (6 * s - 6 * s2) +
           d * (3 * s2 - 2 * s)) /
              h,
          (a * (12 * s - 6) + b * (6 * s - 4) + c * (6 - 12 * s) + d * (6 * s - 2)) / (h * h)};
}

}  // namespace ulna::elastic_detail
