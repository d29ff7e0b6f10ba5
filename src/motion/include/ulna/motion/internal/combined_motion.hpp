#pragma once
// Motions made of motions: weighted sums, shifts and stretches in time, one after the other, and
// the change of time y(law(t)).

#include <string>

#include "ulna/motion/motion.hpp"

namespace ulna {

/// offset + sum of weight * motion.
class ULNA_API SumMotion final : public ScalarMotion {
 public:
  struct Term {
    double weight;
    ScalarMotionPtr motion;
  };
  explicit SumMotion(std::vector<Term> terms, double offset = 0);
  MotionValue at(double t) const override;
  std::vector<double> breakpoints() const override;
  double duration() const override;
  int depth() const override { return depth_; }
  const std::vector<Term>& terms() const { return terms_; }
  double offset() const { return offset_; }

 private:
  std::vector<Term> terms_;
  double offset_;
  int depth_ = 1;
};

/// motion(speed (t - delay)): later by `delay`, faster by `speed`.
class ULNA_API ShiftedMotion final : public ScalarMotion {
 public:
  /// InputError unless speed > 0.
  ShiftedMotion(ScalarMotionPtr motion, double delay, double speed = 1);
  MotionValue at(double t) const override;
  std::vector<double> breakpoints() const override;
  double duration() const override;
  int depth() const override { return depth_; }

 private:
  ScalarMotionPtr motion_;
  double delay_, speed_;
  int depth_ = 1;
};

/// One after the other; each begins (its t = 0) when the one before has ended. InputError when a
/// part but the last never ends, or when the value jumps between two parts by more than `gap` times
/// the larger of both.
class ULNA_API SequenceMotion final : public ScalarMotion {
 public:
  explicit SequenceMotion(std::vector<ScalarMotionPtr> parts, double gap = 1e-9);
  MotionValue at(double t) const override;
  std::vector<double> breakpoints() const override;
  double duration() const override;
  int depth() const override { return depth_; }

 private:
  std::vector<ScalarMotionPtr> parts_;
  std::vector<double> starts_;
  int depth_ = 1;
};

/// motion(law(t)), with its derivatives by the chain rule. The breakpoints of `motion` are found
/// where the law, sampled between its own breakpoints, passes them.
class ULNA_API RetimedMotion final : public ScalarMotion {
 public:
  RetimedMotion(ScalarMotionPtr motion, ScalarMotionPtr law);
  MotionValue at(double t) const override;
  std::vector<double> breakpoints() const override;
  double duration() const override { return law_->duration(); }
  int depth() const override { return depth_; }

 private:
  ScalarMotionPtr motion_, law_;
  int depth_ = 1;
};

/// Times in [begin, end] at which a motion passes one of `levels`, to rounding; found between
/// samples, 200 for each piece between breakpoints.
ULNA_API std::vector<double> crossing_times(const ScalarMotion& motion,
                                            const std::vector<double>& levels, double begin,
                                            double end);

}  // namespace ulna
