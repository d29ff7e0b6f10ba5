#pragma once
// Experiments with other numbers, for those who need thousands: the model is given, and what does
// not depend on the changed places is shared with the experiment without changes.

#include "ulna/formats/parameters.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

class ExperimentEditor {
 public:
  ExperimentEditor(const ExperimentParameters& parameters, const Experiment& unchanged)
      : parameters_(parameters), unchanged_(unchanged) {}

  /// There is a value at the path in the experiment file, and the model does not depend on it.
  bool can_change(const std::string& path) const;
  /// Nothing that was planned for the robot would be planned otherwise for one with other masses.
  bool can_take_other_models() const;

  /// The experiment of `model` with values at places that can be changed, checked.
  Experiment with(const std::vector<ParameterValue>& values,
                  std::shared_ptr<const Model> model) const;

 private:
  bool is_control_alone(const std::vector<ParameterValue>& values) const;

  ExperimentParameters parameters_;
  Experiment unchanged_;
};

}  // namespace ulna
