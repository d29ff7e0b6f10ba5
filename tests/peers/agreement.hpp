#pragma once
// Agreement of two correct programs, relative to the largest entry: what they leave of double
// precision.

#include "support/near.hpp"

namespace ulna::testing {

inline constexpr double kinematics = 1e-12;
inline constexpr double dynamics = 1e-10;

/// The 1e-3 leaves room for noise in a matrix of zeros.
inline void expect_agreement(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& theirs,
                             double tolerance) {
  expect_near(ours, theirs, tolerance, 1e-3);
}

}  // namespace ulna::testing
