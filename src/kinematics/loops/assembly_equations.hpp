#pragma once
// The equations that an assembly solves: every loop is closed, and closing joints have the
// coordinates that were given for them. Residuals are pure numbers: radians, and lengths over the
// robot's own.

#include <string>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

class AssemblyEquations {
 public:
  /// InputError for values of loops or coordinates that do not exist.
  AssemblyEquations(LoopClosure& closure, Workspace& work, const std::vector<ClosingValue>& given);

  void update(const Eigen::VectorXd& q);
  const Eigen::VectorXd& residual() const { return residual_; }
  Eigen::MatrixXd jacobian() const;         ///< rows scaled
  Eigen::MatrixXd scaled_jacobian() const;  ///< rows and columns scaled
  /// The largest miss in its own units, metres and radians alike.
  double largest_gap() const;

  /// The value that is missed most: its loop, and by how much (radians, or lengths over the
  /// robot's own); loop -1 when none was given.
  struct Miss {
    int loop = -1;
    double size = 0;
  };
  Miss largest_miss() const;
  /// ", joint4 = 0.5" for each value given.
  std::string given_text() const;

  LoopClosure& closure() const { return closure_; }
  Workspace& work() const { return work_; }
  const Model& model() const { return closure_.model(); }

 private:
  /// One coordinate, or the quaternion of a joint.
  struct Row {
    int loop, coordinate, first = 0, rows = 1;
    double value = 0;
    Quaternion<double> quaternion = {1, 0, 0, 0};
    bool whole_quaternion = false;
  };
  void add(const ClosingValue& given);
  void miss(const Row& row, Eigen::Ref<Eigen::VectorXd> r) const;
  Eigen::MatrixXd rates(const Row& row) const;

  LoopClosure& closure_;
  Workspace& work_;
  std::vector<ClosingValue> given_;
  std::vector<Row> rows_;
  int count_ = 0;  ///< of all rows together, those of the loops included
  Eigen::VectorXd residual_;
};

}  // namespace ulna
