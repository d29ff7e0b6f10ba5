#pragma once
// Polynomials joined end to end: what splines, tables, trapezoidal jerk and bang-bang motions are
// made of. Each piece is in powers of the time since its beginning. Before the first and after the
// last piece the end values are held.

#include "ulna/motion/motion.hpp"

namespace ulna {

class ULNA_API PiecewisePolynomial final : public ScalarMotion {
 public:
  /// `times`: n + 1, ascending. `coefficients`: one column per piece, the constant term first.
  PiecewisePolynomial(std::vector<double> times, Eigen::MatrixXd coefficients);

  /// On a join, the later piece; at the end, the last piece.
  MotionValue at(double t) const override;
  /// Both ends, and the joins where value, rate or acceleration jump by more than rounding.
  std::vector<double> breakpoints() const override { return breakpoints_; }
  double duration() const override { return times_.back(); }

  const std::vector<double>& times() const { return times_; }
  const Eigen::MatrixXd& coefficients() const { return coefficients_; }

 private:
  MotionValue piece(Eigen::Index k, double t) const;
  std::vector<double> find_breakpoints() const;

  std::vector<double> times_;
  Eigen::MatrixXd coefficients_;
  std::vector<double> breakpoints_;
};

/// Coefficients, in powers of the time since the beginning, of the polynomial of degree 3 or 5 with
/// these values at the beginning and h later (the quintic takes the accelerations, too; the jerks
/// are not used). docs/theory/motions.md, eq. 13-14.
ULNA_API Eigen::Vector4d cubic_hermite(const MotionValue& begin, const MotionValue& end, double h);
ULNA_API Eigen::Matrix<double, 6, 1> quintic_hermite(const MotionValue& begin,
                                                     const MotionValue& end, double h);

/// InputError unless there are at least `least` times, all finite and ascending.
ULNA_API void check_times(const std::vector<double>& times, std::size_t least);

}  // namespace ulna
