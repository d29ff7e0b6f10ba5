#pragma once
// Experiments with other numbers, for those who need thousands: the model is given, and what does
// not depend on the changed places is shared with the experiment without changes.

#include <memory>
#include <mutex>
#include <vector>

#include "ulna/formats/parameters.hpp"
#include "ulna/simulation/experiment.hpp"
#include "yaml/yaml_motion_memory.hpp"

namespace ulna {

class ExperimentEditor {
 public:
  ExperimentEditor(const ExperimentParameters& parameters, const Experiment& unchanged);
  ~ExperimentEditor();

  /// The value at the path in the experiment file may be another, or is left out there, and the
  /// model does not depend on it.
  bool can_change(const std::string& path) const;
  /// Nothing that was planned for the robot would be planned otherwise for one with other masses.
  bool can_take_other_models() const;

  /// The experiment of `model` with values at places that can be changed, checked. Threads may call
  /// it at the same time.
  Experiment with(const std::vector<ParameterValue>& values,
                  std::shared_ptr<const Model> model) const;

 private:
  struct Draft;
  bool is_planned() const;
  bool is_control_alone(const std::vector<ParameterValue>& values) const;
  std::unique_ptr<Draft> draft_for(const std::vector<ParameterValue>& values) const;
  Experiment read(const Draft& draft, std::shared_ptr<const Model> model) const;

  ExperimentParameters parameters_;
  Experiment unchanged_;
  MotionMemory known_;  ///< of the experiment without changes
  MotionRanges ranges_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Draft>> unused_;
};

}  // namespace ulna
