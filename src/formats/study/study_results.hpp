#pragma once
// What the runs of one sample found, by name.

#include <chrono>
#include <functional>
#include <map>

#include "study/study_parts.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

struct StudyResults {
  std::map<std::string, double, std::less<>> numbers;  ///< "frequency.1", "robot.mass", ...
  struct ChannelValues {
    std::shared_ptr<const std::vector<double>> t;
    std::vector<double> values;
  };
  std::map<std::string, ChannelValues, std::less<>> channels;
};

/// Thrown where the study itself is stopped, so that the sample counts as not computed.
struct SampleStopped {};

/// One sample on its way.
struct SampleTask {
  const Study::Parts& parts;
  const std::vector<double>& values;
  long sample;
  const std::function<bool()>& stop;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::shared_ptr<const Model> model = nullptr;
  std::optional<Experiment> experiment = std::nullopt;  ///< none: the runs' own, with the model

  bool late() const;  ///< beyond the time limit
  /// ComputationError beyond the time limit; SampleStopped when stopped.
  void check_time() const;
};

/// An experiment as a run runs it, and the channels it then records, one by one.
Experiment prepared_for(const StudyRunKind& run, const Experiment& experiment);
std::vector<std::string> recorded_names(const StudyRunKind& run, const Experiment& prepared);

/// The posture of a run; with a time also the accelerations of the motions.
State state_of(const SampleTask& task, const StudyRunKind& run);
/// The frame that a run names, or the tip.
int frame_of(const Model& model, const StudyRunKind& run);

void run_experiment_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results);
void run_modes_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results);
void run_deflection_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results);
void run_kinematics_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results);
void run_linearize_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results);
void run_equilibrium_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results);
void run_platform_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results);
void run_identify_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results);

}  // namespace ulna
