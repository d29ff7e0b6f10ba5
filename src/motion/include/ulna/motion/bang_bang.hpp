#pragma once
// Bang-bang motions: full effort one way, then the other. docs/theory/motions.md, eq. 38-40.
//
// For one coordinate with constant acceleration limits the fastest motion is known in closed form
// (`fastest_between`). For a robot, efforts at their limits with given switch times are
// `SwitchedSignal`s that a simulation takes as input, and `find_switch_times` finds the times that
// end where they should, given the end state as a function of them.

#include <functional>
#include <string>

#include "ulna/motion/piecewise_polynomial.hpp"

namespace ulna {

struct RateLimits {
  double acceleration = 0;                                ///< largest speeding up, above zero
  double deceleration = 0;                                ///< largest slowing down; 0: the same
  double rate = std::numeric_limits<double>::infinity();  ///< above zero
};

/// The fastest motion from value and rate at t = 0 to value and rate at its end: full acceleration,
/// at the limit of the rate if there is time for it, full deceleration; the other way round first
/// if the start is too fast. Limits hold in both directions of motion. InputError when a rate at an
/// end is above the limit.
ULNA_API PiecewisePolynomial fastest_between(double from, double to, const RateLimits& limits,
                                             double begin_rate = 0, double end_rate = 0);

/// +level and -level in turn, changing at the switch times; as effort of a joint. Its value is the
/// signal; its derivatives are zero.
class ULNA_API SwitchedSignal final : public ScalarMotion {
 public:
  /// Starts with +level (which may be negative). InputError when the times do not ascend from 0 to
  /// `duration`.
  SwitchedSignal(double level, std::vector<double> switches, double duration);
  /// Zero before 0 and after the duration.
  MotionValue at(double t) const override;
  std::vector<double> breakpoints() const override;
  double duration() const override { return duration_; }

 private:
  double level_;
  std::vector<double> switches_;
  double duration_;
};

/// Switch times of several joints that bring a system from its start to its goal at the duration.
struct SwitchProblem {
  /// What is left to the goal at the end, as many numbers as the goal has (coordinates and rates,
  /// scaled to the same importance), for the switch times of each joint, ascending within
  /// [0, duration].
  std::function<Eigen::VectorXd(const std::vector<std::vector<double>>& switches, double duration)>
      miss;
  std::vector<std::vector<double>> start;  ///< first guess, for each joint
  double start_duration = 1;
  double tolerance = 1e-8;   ///< of |miss|
  double difference = 1e-6;  ///< step of the numerical derivatives, part of the duration
  bool minimise = true;      ///< with more times than conditions: the shortest duration, too
  int iterations = 200;
};
struct SwitchTimes {
  std::vector<std::vector<double>> switches;
  double duration = 0;
  double miss = 0;      ///< |miss| that is left
  int evaluations = 0;  ///< of `miss`
};

/// Bounded least squares on the lengths of the intervals between switches. With as many unknowns as
/// conditions this is Newton's method; with more, the duration is brought down step by step until
/// no shorter one is found. ComputationError when the goal is not met, with what is left.
ULNA_API SwitchTimes find_switch_times(const SwitchProblem& problem);

}  // namespace ulna
