#pragma once
// A recorded run as a directory (docs/experiment-file.md, "The run directory"):
//
//   run.csv          one header line with units in the names, then one line per record
//   summary.json     how it ended, statistics, options, versions, the hash of the model
//   robot.yaml       the robot as it was simulated, gravity and payloads included
//   experiment.yaml  the experiment file
//
// It is written to DIR.partial and renamed when it is complete. An interrupted run stays in
// DIR.partial, valid and marked, with checkpoint.json to go on from.

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "ulna/model/robot.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {

/// A number for a robot: equal for robots that are the same in every value.
ULNA_API std::string model_hash(const Robot& robot);

/// The text of summary.json: one JSON object, also what `ulna simulate --json` prints.
ULNA_API std::string run_summary_json(const Experiment& experiment, const RunSummary& summary);

class ULNA_API RunWriter {
 public:
  /// Makes DIR.partial, or goes on with the one that is there. InputError when DIR or DIR.partial
  /// exists and is no run, when another process is writing it, or when a run to resume belongs to
  /// another experiment.
  RunWriter(std::string directory, const Experiment& experiment, std::string experiment_text,
            bool resume = false);
  ~RunWriter();
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  /// Where a resumed run goes on; none for a new one.
  const std::optional<Checkpoint>& resumed() const { return resumed_; }

  /// ComputationError naming the file when the disk is full.
  void record(double t, std::span<const double> row);
  void checkpoint(const Checkpoint& checkpoint);
  /// Writes the summary; a complete run is renamed to DIR, replacing an earlier run there. Returns
  /// the directory it is in.
  std::string finish(const RunSummary& summary);
  /// The integration failed: what was recorded until then stays in DIR.partial with the reason.
  std::string abandon(const std::string& reason);
  bool has_records() const { return last_.has_value(); }

 private:
  std::string path(const char* name) const { return partial_ + "/" + name; }
  void begin();
  void resume();
  void write_checkpoint();
  void flush();
  void release_lock();

  std::string directory_, partial_, text_, hash_;
  Experiment experiment_;
  std::FILE* csv_ = nullptr;
  int lock_ = -1;  ///< of DIR.partial, while it is written
  std::string line_;
  std::optional<Checkpoint> resumed_, last_;
  double saved_at_ = 0;  ///< wall clock of the last checkpoint on disk
};

/// A run read back.
struct StoredRun {
  std::string directory;
  bool complete = false;
  std::string summary;  ///< the text of summary.json
  Robot robot;
  std::vector<std::string> columns;  ///< titles, such as "q.joint1[rad]"; the first is "t[s]"
  Eigen::MatrixXd values;            ///< one row per record
  ULNA_API Eigen::VectorXd column(const std::string& title_or_name) const;
};

/// Reads DIR, or DIR.partial when only that is there. InputError naming file and line.
ULNA_API StoredRun read_run(const std::string& directory);

}  // namespace ulna
