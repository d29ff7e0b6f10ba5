#pragma once
// What determines the accelerations of a run where nothing touches: the masses, the loops, and what
// is driven or held. With loops the accelerations keep them closed and `close` moves coordinates
// and speeds back onto them, with the least change in the metric of the masses; what is held stays
// (docs/theory/simulation.md, eq. 38-43).

#include "contact/speed_response.hpp"
#include "run/motion_state.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/internal/mixed_dynamics.hpp"

namespace ulna {

class JointContacts;

class Constraints {
 public:
  Constraints(MotionState& state, const Experiment& experiment);

  /// Coordinates and speeds at the start, moved until the loops are closed; motions and what the
  /// experiment keeps are held.
  void close_start(const Experiment& experiment, Eigen::VectorXd& q, Eigen::VectorXd& v);

  /// The same where an event lets another phase begin: what is led now and was not answers by
  /// impulses (eq. 19a).
  void go_on(const Experiment& experiment, Eigen::VectorXd& q, Eigen::VectorXd& v);

  /// Speeds whose accelerations are given, one entry each.
  void hold(const std::vector<char>& speeds);
  /// Completes a and tau of the state. False where masses and loops do not determine them.
  bool solve(ExternalWrenches wrenches, const JointContacts& joints);
  /// Eq. 40, 41: the nearest coordinates and speeds that close the loops. False: see `trouble`.
  bool close();
  /// How speeds answer impulses with what is held staying so.
  SpeedResponse& response() { return *response_; }
  double dissipation() const;  ///< of dampers and friction, closing joints included

  /// There are rows to keep closed.
  bool closes() const { return loops_ != nullptr; }
  /// Some speeds are held or bound by loops: forces on others reach them through the constraints.
  bool binds() const { return holds_ || closes(); }
  /// No loop binds this speed to others.
  bool moves_alone(int speed) const { return !bound_[static_cast<std::size_t>(speed)]; }
  /// The joints that close loops, at the last evaluation; a tree has none of them.
  const LoopDynamics& closing() const { return loops_ ? *loops_ : *no_loops_; }
  const LoopClosure& closure() const { return closing().closure(); }
  /// Of the mass matrix at the last evaluation (MixedDynamics::definiteness).
  double definiteness() const { return tree_ ? tree_->definiteness() : 1; }

  // ---- the stabilised index-2 form for IDA (eq. 43) ---------------------------------------------
  /// Independent rows of the closure at the state; how many.
  int choose_rows();
  /// Smallest over largest singular value of the chosen rows, at the last evaluation.
  double row_quality() const;
  /// The multipliers of the chosen rows that do the same as those of all, after `solve`.
  void chosen_multipliers(double* lambda) const;
  /// Of the state with its rates dy, but the rows of the controllers and of the works.
  void residual(const double* dy, const double* lambda, const double* mu, double* residual);

 private:
  bool solve_embedded(ExternalWrenches wrenches);
  bool solve_whole(ExternalWrenches wrenches);
  void close_start_speeds(const Experiment& experiment, Eigen::VectorXd& q, Eigen::VectorXd& v);
  void refer_to(const Eigen::VectorXd& q, const std::vector<Drive>& drives);
  void require_all_drives(const Experiment& experiment, const Eigen::VectorXd& q);
  void spread(const double* chosen);

  MotionState& s_;
  Dynamics formulation_;                    ///< that the experiment asks for, or the fastest
  LoopDynamics* loops_;                     ///< of the formulation; null where nothing closes
  std::unique_ptr<MixedDynamics> tree_;     ///< in its place then
  std::unique_ptr<LoopDynamics> no_loops_;  ///< likewise
  std::vector<char> bound_;                 ///< by loops, one entry per speed
  bool holds_ = false;
  std::vector<int> given_;  ///< speeds whose accelerations are given: driven, or at rest
  std::unique_ptr<SpeedResponse> response_;
  LoopMethod closing_;
  bool whole_;  ///< the formulation has the loops in its own equations
  std::vector<int> chosen_rows_;
  Eigen::VectorXd row_efforts_, multipliers_, moving_, rates_;
};

}  // namespace ulna
