#pragma once
// What the drives of a parallel robot measure: coordinates of joints of the tree, of joints that
// close loops, and for all three turns of a ball or a floating body its rotation vector.

#include "ulna/kinematics/state.hpp"

namespace ulna {

class DriveCoordinates {
 public:
  /// `drives`: as all_speed_names() has them.
  DriveCoordinates(const Model& model, const std::vector<std::string>& drives);

  Eigen::VectorXd values(LoopClosure& closure, Workspace& work, const Eigen::VectorXd& q) const;
  /// Coordinates by name for values of the drives. InputError for a drive without coordinate, and
  /// where only some turns of a ball are drives.
  NamedValues named(const Eigen::VectorXd& values) const;

 private:
  struct Place {
    std::string name;
    int coordinate = -1;  ///< into names_; of a turn the first of its quaternion; negative: none
    int turn = -1;        ///< which of the three, else negative
  };
  std::vector<std::string> names_;
  std::vector<int> loops_;  ///< those whose joint has coordinates
  std::vector<Place> places_;
};

}  // namespace ulna
