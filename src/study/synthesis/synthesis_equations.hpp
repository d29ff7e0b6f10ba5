#pragma once
// The equations of dimension synthesis (docs/theory/synthesis.md, eq. 1-3) in the unknowns
//
//   x = (variables, phase, coordinates at each target)
//
// as a least-squares problem, with derivatives that are exact in the coordinates and by central
// differences in the variables.

#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/numerics/internal/least_squares.hpp"
#include "ulna/study/synthesis.hpp"

namespace ulna {

/// One design, ready to be asked.
struct DesignModel {
  explicit DesignModel(Robot robot) : model(std::move(robot)), work(model), closure(model) {}
  Model model;
  Workspace work;
  LoopClosure closure;
};

class SynthesisEquations {
 public:
  SynthesisEquations(const Robot& robot, const SynthesisTask& task);

  int unknowns() const { return first_q_ + targets() * coordinates_; }
  int targets() const { return static_cast<int>(task_.targets.size()); }
  int coordinates() const { return coordinates_; }
  int variables() const { return static_cast<int>(task_.variables.size()); }
  double length() const { return length_; }
  bool curved() const { return coordinates_ != speeds_; }

  Eigen::VectorXd values_of(const Eigen::VectorXd& x) const { return x.head(variables()); }
  double phase_of(const Eigen::VectorXd& x) const {
    return task_.free_phase ? x(variables()) : 0.0;
  }
  Eigen::VectorXd posture_of(const Eigen::VectorXd& x, int target) const {
    return x.segment(first_q_ + target * coordinates_, coordinates_);
  }
  void set_posture(Eigen::VectorXd& x, int target, const Eigen::VectorXd& q) const {
    x.segment(first_q_ + target * coordinates_, coordinates_) = q;
  }
  /// Coordinates given at a target, and their values with the phase.
  const std::vector<std::pair<int, double>>& inputs(int target) const { return inputs_[target]; }

  std::unique_ptr<DesignModel> design(const Eigen::VectorXd& values) const;
  LeastSquaresProblem problem() const;
  /// The posture at one target alone, for a design and x given; trees of one-degree joints.
  LeastSquaresProblem posture_problem(DesignModel& design, const Eigen::VectorXd& x,
                                      int target) const;
  int shared() const { return first_v_; }  ///< unknowns before the postures
  /// The residual at x; null model where the design cannot be built.
  bool residual(const Eigen::VectorXd& x, Eigen::VectorXd& r) const;

  /// Distance of the frame from a target, turns by the robot's length; after poses.
  double miss(const DesignModel& design, int target) const;
  /// The angle of TransmissionAngle, from the nearer of 0 and pi.
  double transmission(const DesignModel& design) const;
  /// What is missing from Grashof's condition and the size, over the robot's length; after poses.
  Eigen::VectorXd shape_faults(const DesignModel& design) const;

  mutable long evaluations = 0;

 private:
  int rows() const;
  int rows_at(int target) const;
  void rows_of_target(DesignModel& design, const Eigen::VectorXd& x, int target,
                      Eigen::Ref<Eigen::VectorXd> r, Eigen::MatrixXd* J, int first) const;
  Vector3<double> joint_position(const DesignModel& design, const std::string& name) const;
  int frame_of(const DesignModel& design) const;

  const Robot& robot_;
  const SynthesisTask& task_;
  int coordinates_ = 0, speeds_ = 0, loop_rows_ = 0, first_q_ = 0, first_v_ = 0;
  double length_ = 1;
  std::vector<std::vector<std::pair<int, double>>> inputs_;
};

}  // namespace ulna
