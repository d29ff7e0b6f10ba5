#pragma once
// What is taken down of a run: records of the channels, the largest errors seen at them, the
// checkpoints, and the summary in the end. It knows nothing of steppers.

#include <chrono>

#include "run/adviser.hpp"
#include "run/channel_reader.hpp"
#include "run/duty.hpp"
#include "run/sizing.hpp"
#include "ulna/kinematics/internal/loop_elimination.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {

class RunRecorder {
 public:
  RunRecorder(const Experiment& experiment, const RunOptions& options, MechanicalSystem& system);

  /// Goes on from a checkpoint.
  void restore(const Checkpoint& from);
  /// The choice of independent speeds at the start, for robots with loops.
  void look_at_loops(double t, const double* y);

  /// A record at (t, y).
  void take(double t, const double* y);
  /// A record between steps, from dense output; y is moved back onto loops and contacts.
  void take_between(double t, double* y);
  /// All that is needed to go on from (t, y); valid until the next call.
  const Checkpoint& checkpoint(double t, const double* y, const StepMemory& step,
                               const IntegratorStatistics& statistics);
  /// Calls the checkpoint, if there is one, after a record.
  void save(double t, const double* y, const StepMemory& step,
            const IntegratorStatistics& statistics);
  /// The state in the end.
  RunSummary finish(double t, const double* y, const IntegratorStatistics& statistics);

  Adviser adviser;
  RunSummary summary;
  long jumps = 0;  ///< of prescribed rates
  double first_jump = 0;
  std::vector<PhaseStart> phases;  ///< what events have changed

 private:
  void watch_loops(double t);
  void warn_of_start();
  void restore_split();
  bool many_speeds() const;
  double wall_seconds() const;

  const RunOptions& options_;
  MechanicalSystem& system_;
  ChannelReader reader_;
  Sizing sizing_;
  Duty duty_;
  SpeedSplit split_;
  Checkpoint checkpoint_;
  bool resumed_ = false;
  double wall_before_ = 0;  ///< seconds, of the parts before a resumption
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Eigen::VectorXd between_rates_;
};

}  // namespace ulna
