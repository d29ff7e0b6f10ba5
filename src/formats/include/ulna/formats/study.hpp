#pragma once
// A study: many runs over parameters of a robot or an experiment (docs/study-file.md). The files
// are parsed once; a sample is computed from its number alone, by any thread of any process.
//
//   Study study("study.yaml");
//   StudyRow row = study.evaluate(4711);

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ulna/formats/parameters.hpp"
#include "ulna/study/sampling.hpp"

namespace ulna {

enum class SampleStatus : std::uint8_t { missing, ok, infeasible, failed };
ULNA_API const char* name_of(SampleStatus status);

struct StudyRow {
  SampleStatus status = SampleStatus::missing;
  std::vector<double> parameters, measures;  ///< measures are not a number where it failed
  std::string reason;                        ///< of a failure, or the constraints it breaks
  std::uint32_t broken = 0;                  ///< the first 32 constraints, by bits
  /// How far each constraint is broken: above zero where it is. Empty where the sample failed.
  std::vector<double> excess = {};
  std::vector<double> series = {};  ///< times, then each of `stored_channels`
};

/// What `ulna optimize` is to do.
struct StudyGoal {
  std::string measure;   ///< made least
  bool largest = false;  ///< or largest
  std::string second;    ///< of a Pareto front; empty: none
  std::string algorithm = "cobyla";
  long starts = 1;          ///< of a multi-start; points of a Pareto front
  long evaluations = 500;   ///< of each search
  double tolerance = 1e-6;  ///< relative, of the parameters
};

class ULNA_API Study {
 public:
  /// InputError with every problem of the file. `own`: the caller computes the measures (`judged`),
  /// these among them; then the file may have no robot, no run and no measures.
  explicit Study(const std::string& path, const ReadOptions& options = {},
                 const std::vector<std::string>* own = nullptr);
  static Study from_text(const std::string& text, const std::string& file_name,
                         const ReadOptions& options = {},
                         const std::vector<std::string>* own = nullptr);

  const SamplePlan& plan() const;
  long total() const { return plan().total(); }
  const std::string& text() const;
  /// The study file and all others it reads but those of the robot, one after the other.
  const std::string& sources() const;
  const std::string& description() const;
  std::vector<std::string> parameter_titles() const;  ///< "payload[kg]"
  std::vector<std::string> measure_names() const;
  std::vector<std::string> constraint_texts() const;
  /// Measures and results that constraints name.
  std::vector<std::string> constrained_names() const;
  /// Channels that are kept of every sample (`store`).
  const std::vector<std::string>& stored_channels() const;
  const StudyGoal* goal() const;  ///< null where the file has no `optimize`

  /// Never throws for what goes wrong with a sample: that is its reason. `stop` is asked now and
  /// then; a sample that was stopped has the status missing.
  StudyRow evaluate(long sample, const std::function<bool()>& stop = {}) const;
  /// The same at any values of the parameters.
  StudyRow evaluate_at(const std::vector<double>& values,
                       const std::function<bool()>& stop = {}) const;
  /// The row of measures that were computed elsewhere, judged by the constraints of the study.
  /// InputError where a constraint is one of results of the runs.
  StudyRow judged(const std::vector<double>& values, const std::vector<double>& measures) const;

  /// The experiment of a sample, to be run alone; InputError for a study of a robot.
  ReadExperiment experiment(long sample) const;
  bool has_experiment() const;
  /// The robot of a sample.
  Robot robot(long sample) const;
  /// The robot without changes.
  const Robot& nominal_robot() const;

  struct Parts;

 private:
  Study() = default;
  StudyRow evaluated(const std::vector<double>& values, long sample,
                     const std::function<bool()>& stop) const;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace ulna
