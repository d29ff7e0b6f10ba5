#pragma once
// Bang-bang control of a system: efforts at their limits that change sign at switch times, and a
// search for the times that lead to a goal. What the efforts do is the caller's: the miss at the
// end is handed in as a function of the times. docs/theory/motions.md, eq. 40.

#include <functional>

#include "ulna/motion/motion.hpp"

namespace ulna {

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
  double level() const { return level_; }
  const std::vector<double>& switches() const { return switches_; }

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
  int runs = 3000;  ///< at most so many questions to `miss`
};
struct SwitchTimes {
  std::vector<std::vector<double>> switches;
  double duration = 0;
  double miss = 0;      ///< |miss| that is left
  int evaluations = 0;  ///< of `miss`
};

/// Bounded least squares on the lengths of the intervals between switches. With as many unknowns as
/// conditions this is Newton's method; with more, reduced gradients along the times that meet the
/// goal lead to the shortest duration nearby. ComputationError when the goal is not met, with what
/// is left.
ULNA_API SwitchTimes find_switch_times(const SwitchProblem& problem);

}  // namespace ulna
