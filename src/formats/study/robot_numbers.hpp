#pragma once
// Numbers of a robot where they stand in memory, by the paths of its file: masses, centres,
// friction, springs, rotors, sections, gravity. A study whose parameters are all of this kind
// changes a copy of the robot instead of reading its file anew for every sample.

#include <functional>

#include "study/study_parts.hpp"

namespace ulna {

class RobotNumbers {
 public:
  /// None where a target of the study has no such place, where the robot has loops in an experiment
  /// or is flexible, or where the experiment depends on the robot by more than its model. The
  /// places are tried at three samples: they must give the robot that reading the file gives.
  static std::shared_ptr<const RobotNumbers> of(const Study::Parts& parts);

  /// The robot of a sample. InputError where it cannot be: reading the file then says why.
  std::shared_ptr<const Model> model(const Study::Parts& parts,
                                     const std::vector<double>& values) const;

 private:
  struct Place {
    std::size_t target;
    double scale;  ///< of its unit
    std::function<void(Robot&, double)> set;
  };
  void change(const Study::Parts& parts, const std::vector<double>& values, Robot& robot) const;
  Robot robot(const Study::Parts& parts, const std::vector<double>& values) const;
  bool agrees(const Study::Parts& parts) const;

  std::vector<Place> places_;
};

}  // namespace ulna
