#pragma once
// What the parameters of a study change, where it stands in memory. Numbers of the robot by the
// paths of its file: masses, centres, moments of inertia, friction, springs, rotors, limits, places
// of joints, frames and payloads, sections, gravity. Values of the experiment: only what depends on
// them is read again, from the parsed file. A study whose parameters are all of these kinds changes
// copies instead of reading its files anew for every sample.

#include <functional>

#include "study/study_parts.hpp"
#include "yaml/yaml_experiment_editor.hpp"

namespace ulna {

class RobotNumbers {
 public:
  /// None where a target of the study has no such place, where the robot itself is changed and is
  /// flexible, or where the experiment was planned for it. The places are tried at three samples:
  /// they must give what reading the files gives.
  static std::shared_ptr<const RobotNumbers> of(const Study::Parts& parts);

  /// The robot of a sample. InputError where it cannot be: reading the file then says why.
  std::shared_ptr<const Model> model(const Study::Parts& parts,
                                     const std::vector<double>& values) const;
  /// The experiment of a sample with its model; none where that differs by the model alone.
  std::optional<Experiment> experiment(const Study::Parts& parts, const std::vector<double>& values,
                                       std::shared_ptr<const Model> model) const;

 private:
  struct Place {
    std::size_t target;
    double scale;  ///< of its unit
    std::function<void(Robot&, double)> set;
  };
  bool add(const Study::Parts& parts, std::size_t target);
  bool add_place(const Study::Parts& parts, std::size_t target);
  void change(const Study::Parts& parts, const std::vector<double>& values, Robot& robot) const;
  Robot robot(const Study::Parts& parts, const std::vector<double>& values) const;
  bool agrees(const Study::Parts& parts) const;

  std::vector<Place> places_;
  bool shapes_ = false;  ///< one of them changes more than masses and efforts of joints
  std::vector<std::size_t> of_experiment_;  ///< targets
  std::optional<ExperimentEditor> editor_;  ///< none: the experiment differs by the model alone
};

}  // namespace ulna
