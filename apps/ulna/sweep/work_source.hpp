#pragma once
// Where the threads of a process get samples from, and where the rows go. Of one process, or of
// rank 0, that is the list of what is left and the store; of other ranks it is what rank 0 sent.
// docs/study-file.md, "Processes and threads".

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "ulna/formats/study_store.hpp"
#include "ulna/study/internal/hand_out.hpp"

namespace ulna::cli {

/// Computes a sample; the study's own, or a search of `optimize`.
using Evaluate = std::function<StudyRow(long sample, const std::function<bool()>& stop)>;

class WorkSource {
 public:
  virtual ~WorkSource() = default;
  /// Waits for work; false when there will be none.
  virtual bool next(Batch& batch) = 0;
  virtual void done(StudyRows rows, double seconds) = 0;
  virtual bool stopped() const = 0;
  /// Something went wrong in a thread: nothing more is handed out.
  virtual void fail(std::exception_ptr failure) = 0;
};

/// What handing out work cost rank 0.
struct HandOutCosts {
  long messages = 0, rows = 0;
  double message_seconds = 0;  ///< receiving and answering
  double row_seconds = 0;      ///< unpacking and writing the rows
};

class StoreSource final : public WorkSource {
 public:
  StoreSource(StudyStore& store, int workers, int ranks = 0);

  bool next(Batch& batch) override;
  void done(StudyRows rows, double seconds) override;
  bool stopped() const override { return stop_; }
  void fail(std::exception_ptr failure) override;

  /// Work for another rank.
  Batch hand_out(int share);
  void answered(double seconds);
  void stop() { stop_ = true; }
  long finished() const { return finished_; }
  std::exception_ptr failure() const { return failure_; }

 private:
  StudyStore& store_;
  HandOut hand_out_;
  std::mutex mutex_;
  std::atomic<bool> stop_ = false;
  std::atomic<long> finished_ = 0;
  std::exception_ptr failure_;
};

/// Runs threads until the source has no more; `meanwhile` is called by the calling thread some
/// times a second, and its return value says how long to wait, in seconds.
void run_threads(int threads, WorkSource& source, const Evaluate& evaluate,
                 const std::function<double(bool finished)>& meanwhile);

}  // namespace ulna::cli
