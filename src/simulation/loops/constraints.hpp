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

  /// Speeds whose accelerations are given, one entry each.
  void hold(const std::vector<char>& speeds);
  /// Completes a and tau of the state. False where masses and loops do not determine them.
  bool solve(ExternalWrenches wrenches, const JointContacts& joints);
  /// Eq. 40, 41: the nearest coordinates and speeds that close the loops. False: see `trouble`.
  bool close();
  /// How speeds answer impulses with what is held staying so.
  SpeedResponse& response() { return *response_; }
  double dissipation() const;  ///< of dampers and friction, closing joints included

  bool has_loops() const { return loops_ != nullptr; }
  LoopDynamics& loops() { return *loops_; }
  const LoopDynamics& loops() const { return *loops_; }
  /// Of the mass matrix at the last evaluation (MixedDynamics::definiteness).
  double definiteness() const { return tree_.definiteness(); }

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
  void require_all_drives(const Experiment& experiment, const Eigen::VectorXd& q);
  void spread(const double* chosen);

  MotionState& s_;
  MixedDynamics tree_;
  std::unique_ptr<Dynamics> formulation_;    ///< with loops, where the experiment asks for one
  std::unique_ptr<LoopDynamics> own_loops_;  ///< otherwise
  LoopDynamics* loops_ = nullptr;            ///< of one of the two; null for trees
  std::unique_ptr<SpeedResponse> response_;
  LoopMethod closing_;
  bool whole_ = false;  ///< the formulation has the loops in its own equations
  std::vector<int> chosen_rows_;
  Eigen::VectorXd row_efforts_, multipliers_, moving_, rates_;
};

}  // namespace ulna
