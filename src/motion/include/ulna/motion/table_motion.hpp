#pragma once
// Motions from sampled tables. What the table gives is used as it is given: at its times the motion
// has exactly its values and, where it carries them, its rates and accelerations.

#include <string>

#include "ulna/motion/parts/piecewise_polynomial.hpp"

namespace ulna {

/// The columns for one coordinate; v and a may be empty.
struct MotionTable {
  std::vector<double> t, q, v, a;
};

enum class Interpolation {
  linear,   ///< q only; the rate jumps at every row
  cubic,    ///< q and v: cubic Hermite; q alone: the not-a-knot cubic spline
  quintic,  ///< q, v and a: quintic Hermite; q alone: the not-a-knot quintic spline
};

/// linear, cubic, quintic. InputError for other names.
ULNA_API Interpolation interpolation_named(const std::string& name);

/// InputError naming the row for numbers that are not finite and times that do not ascend, and for
/// columns of different lengths.
ULNA_API PiecewisePolynomial table_motion(const MotionTable& table, Interpolation interpolation);
/// By what the table carries: q, v, a quintic; otherwise cubic.
ULNA_API PiecewisePolynomial table_motion(const MotionTable& table);

}  // namespace ulna
