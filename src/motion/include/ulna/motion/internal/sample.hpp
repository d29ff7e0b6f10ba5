#pragma once
// Motions as tables and as CSV text.

#include <string>

#include "ulna/motion/motion.hpp"

namespace ulna {

/// Columns with their names; one row per time.
struct SampledMotion {
  std::vector<std::string> columns;
  Eigen::MatrixXd rows;
};

/// `count` times at equal distances from begin to end, both included. InputError for fewer than two
/// or an empty interval.
ULNA_API std::vector<double> equal_times(double begin, double end, int count);

/// Columns time, then all coordinates by name, then all NAME.rate, then all NAME.acceleration.
/// InputError when there are not as many names as coordinates.
ULNA_API SampledMotion sampled(const Motion& motion, const std::vector<double>& times,
                               const std::vector<std::string>& names);
/// Columns time, NAME, NAME.rate, NAME.acceleration, NAME.jerk.
ULNA_API SampledMotion sampled(const ScalarMotion& motion, const std::vector<double>& times,
                               const std::string& name);

/// One header line, then the rows; every number with all its digits, independent of the locale.
ULNA_API std::string csv_text(const SampledMotion& table);

}  // namespace ulna
