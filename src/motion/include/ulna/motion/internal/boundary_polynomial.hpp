#pragma once
// The polynomial of least degree through any given conditions: values and derivatives at the two
// ends and at times between. docs/theory/motions.md, eq. 12.
//
//   // from rest at 0 to 1.5 with rate 0.2, passing 1 at t = 0.8
//   BoundaryPolynomial y({{0, 0, 0}, {0, 1, 0}, {0.8, 0, 1}, {2, 0, 1.5}, {2, 1, 0.2}});
//
// Newton's form with confluent nodes, one for each time of a condition; the nearest is used, so
// that every condition is met to the last digits. Where an order below a given one is left free
// (Birkhoff's problem), a linear system is solved first.

#include "ulna/motion/motion.hpp"

namespace ulna {

/// The derivative of this order at t is `value`; order 0 is the value itself.
struct MotionCondition {
  double t;
  int order;
  double value;
};

class ULNA_API BoundaryPolynomial final : public ScalarMotion {
 public:
  /// InputError when two conditions are for the same thing, when none gives a value, or when they
  /// do not determine a polynomial.
  explicit BoundaryPolynomial(const std::vector<MotionCondition>& conditions);

  /// Holds the end values outside the first and last time.
  MotionValue at(double t) const override;
  std::vector<double> breakpoints() const override { return {begin_, end_}; }
  double duration() const override { return end_; }
  int degree() const { return degree_; }

 private:
  /// c0 + (x - x0)(c1 + (x - x1)(c2 + ...)), in the time scaled to 0..1.
  struct NewtonForm {
    std::vector<double> nodes, coefficients;
    MotionValue at(double x) const;
  };
  double scaled(double t) const { return (t - begin_) / (end_ - begin_); }
  const NewtonForm& nearest(double x) const;

  double begin_ = 0, end_ = 0;
  int degree_ = 0;
  std::vector<double> centres_;  ///< where the forms start
  std::vector<NewtonForm> forms_;
};

}  // namespace ulna
