#pragma once
// Motion programs: laws that lead a coordinate from one value to another in a given time, at rest
// before and after. docs/theory/motions.md, eq. 4-11.
//
//   y(t) = from + (to - from) s((t - start)/T),   s(0) = 0, s(1) = 1
//
// Each law s has a header of its own, which states s and its closed-form peaks:
//
//   name                    header                     class p
//   constant-rate           constant_rate.hpp          1
//   constant-acceleration   constant_acceleration.hpp  2
//   harmonic                harmonic.hpp               2
//   cycloidal               cycloidal.hpp              3
//   poly345                 polynomial_345.hpp         3
//   poly4567                polynomial_4567.hpp        4
//   trapezoidal-jerk        trapezoidal_jerk.hpp       4

#include <limits>
#include <string>
#include <vector>

#include "ulna/motion/motion.hpp"

namespace ulna {

/// The largest absolute derivatives of s on 0..1: the peak rate of a program is
/// velocity * rise / T, its peak acceleration acceleration * rise / T^2, and so on. Infinite where
/// the derivative before jumps.
struct PeakFactors {
  double velocity, acceleration, jerk;
  int continuity_class;  ///< p: the order of the lowest derivative that jumps
};

class ULNA_API MotionProgram : public ScalarMotion {
 public:
  /// InputError unless all are finite and time > 0.
  MotionProgram(double from, double to, double time, double start = 0);

  /// Holds `from` before the start and `to` after the end. On the jumps inside, the later value; at
  /// the end itself, the last of the program.
  MotionValue at(double t) const final;
  std::vector<double> breakpoints() const final;
  double duration() const final { return end_; }

  /// s and its derivatives by tau, for tau in 0..1.
  virtual MotionValue law(double tau) const = 0;
  virtual PeakFactors peak_factors() const = 0;
  /// Where inside 0..1 a derivative of s up to the second jumps.
  virtual std::vector<double> inner_breaks() const { return {}; }

  double from() const { return from_; }
  double to() const { return to_; }
  double start() const { return start_; }
  double time() const { return time_; }

 private:
  double from_, to_, time_, start_, end_;
};

/// The program of a law that needs nothing but tau.
template <class Law>
class LawProgram final : public MotionProgram {
 public:
  using MotionProgram::MotionProgram;
  MotionValue law(double tau) const override { return Law::at(tau); }
  PeakFactors peak_factors() const override { return Law::peaks(); }
  std::vector<double> inner_breaks() const override { return Law::breaks(); }
};

/// A law extended by rest on both sides: 0 before 0, 1 after 1.
template <class Law>
MotionValue held(double x) {
  if (x < 0) return {0, 0, 0, 0};
  if (x > 1) return {1, 0, 0, 0};
  return Law::at(x);
}

/// The names of the table above.
ULNA_API const std::vector<std::string>& program_names();
/// A program by its name, trapezoidal jerk with its default break times. InputError for an unknown
/// name, with the nearest known one.
ULNA_API std::shared_ptr<const MotionProgram> program_named(const std::string& name, double from,
                                                            double to, double time,
                                                            double start = 0);

}  // namespace ulna
