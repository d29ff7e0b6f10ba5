#pragma once
// The processes of a study under mpirun or srun. MPI is used in ranks_mpi.cpp only; a build without
// it has ranks_missing.cpp, which says so.
//
// Rank 0 owns the store and hands out batches; it also computes. The other ranks ask for work
// before they run out of it, with the rows that are finished in the same message, so that the
// answer is there when it is needed. Within a rank threads share what it was given.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "sweep/work_source.hpp"

namespace ulna::cli {

class Ranks {
 public:
  /// Joins the others where a launcher has started several; InputError where it has and this build,
  /// or the launcher, has no MPI.
  Ranks();
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int count() const { return count_; }
  /// Threads of this process that leave no processor for two: those it may run on, shared with the
  /// ranks that have the same; at most those that Slurm allots to a task.
  int fair_threads() const;
  /// All threads of all ranks; all ranks ask at once.
  int total_threads(int own) const;
  /// The lowest rank that failed, -1 where none did; all ranks ask at once.
  int first_failed(bool failed) const;

  /// Rank 0: seconds until it looks for messages again.
  double patience() const;
  /// Rank 0: answers what the others ask, without waiting. Returns whether there was anything.
  bool serve(StoreSource& source);
  /// Rank 0: until all ranks have been told to end.
  void serve_to_the_end(StoreSource& source);
  /// Another rank: computes what it is given until it is told to end.
  void compute(int threads, const Evaluate& evaluate, const std::function<bool()>& interrupted);
  /// Rank 0: whether all others have been told to end.
  bool told_to_end() const;
  /// Rank 0 could not begin: the others end, too, and the job with this status.
  void dismiss(int status);

  static bool built_in();
  const HandOutCosts& costs() const { return costs_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Messages;
  void answer(StoreSource& source, int rank, const std::vector<char>& bytes,
              Clock::time_point begin);

  int rank_ = 0, count_ = 1;
  std::unique_ptr<Messages> messages_;  ///< those on their way to rank 0
  HandOutCosts costs_;
  std::vector<char> ended_;
};

/// How many tasks a launcher started, by its environment; 1 without one.
int launched_tasks();
/// Of so many processors those that Slurm gives to each task, where it says so.
int allotted(int processors);

}  // namespace ulna::cli
