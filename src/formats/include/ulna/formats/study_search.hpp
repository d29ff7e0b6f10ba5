#pragma once
// The searches of a study with a goal (`optimize:` of docs/study-file.md): the parameters that make
// a measure least or largest under the constraints of the study, from several starts, or the points
// of a Pareto front of two measures. A search is computed from its number alone, by any thread of
// any process, as a sample is.
//
//   StudySearches searches(study);
//   StudyRow end = searches.run(0);

#include <Eigen/Core>
#include <functional>
#include <mutex>

#include "ulna/formats/study.hpp"

namespace ulna {

class ULNA_API StudySearches {
 public:
  /// The row of a study at given values of its parameters, as Study::evaluate_at computes it.
  using Evaluate =
      std::function<StudyRow(const std::vector<double>&, const std::function<bool()>&)>;

  /// InputError where the study has no goal, a parameter has no bounds, or the goal is wrong.
  explicit StudySearches(const Study& study);
  /// The same for another goal than that of the file, and by another evaluation where one is given.
  StudySearches(const Study& study, const StudyGoal& goal, Evaluate evaluate = {});

  long count() const { return goal_.starts; }
  bool front() const { return !goal_.second.empty(); }
  const StudyGoal& goal() const { return goal_; }

  /// Where search k ends: from start k, or point k of the front. Missing where it was stopped.
  StudyRow run(long k, const std::function<bool()>& stop = {});

  /// The best of the ends; -1 where none is feasible.
  long best(const std::vector<StudyRow>& ends) const;

 private:
  void check_goal() const;
  void read_bounds();
  StudyRow search(const Eigen::VectorXd& start, bool second, double most, long k,
                  const std::function<bool()>& stop) const;

  Study study_;
  StudyGoal goal_;
  Evaluate evaluate_;
  SamplePlan starts_;
  Eigen::VectorXd lower_, upper_;
  std::size_t first_ = 0, second_ = 0;  ///< columns of the measures
  std::once_flag ends_known_;
  StudyRow ends_[2];
};

}  // namespace ulna
