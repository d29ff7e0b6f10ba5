#pragma once
// Comparison of matrices relative to their size.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <limits>

namespace ulna::testing {

inline constexpr double epsilon = std::numeric_limits<double>::epsilon();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The largest absolute entry, 0 of an empty matrix.
double largest(const Eigen::MatrixXd& m);

/// The largest difference of two entries over the largest entry of y, or over 1 where y is smaller.
double difference(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y);

/// Same shape, and entries that differ by less than the tolerance times (least + largest entry).
void expect_near(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y, double tolerance,
                 double least = 1);

}  // namespace ulna::testing
