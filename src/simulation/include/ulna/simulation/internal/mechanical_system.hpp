#pragma once
// An experiment as a system of differential equations (docs/theory/simulation.md, eq. 7-12):
//
//   y = (q, v of the joints that are not driven by a motion or locked; states of the controllers;
//        work of the efforts, work of external wrenches, dissipated work)
//
// Quaternions are part of y and are integrated as they are; kernels see them made unit, and
// `project` makes them unit after each accepted step.
//
// With loops, y holds all coordinates of the tree, the accelerations keep the loops closed, and
// `project` moves coordinates and speeds back onto the closed loops after each accepted step, with
// the least change in the metric of the masses; what is driven stays (docs/theory/simulation.md,
// eq. 38-42). Contacts and nonholonomic rows add forces to that and are projected likewise (eq.
// 44-60).

#include <span>

#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/internal/mixed_dynamics.hpp"
#include "ulna/simulation/experiment.hpp"
#include "ulna/simulation/internal/controls.hpp"
#include "ulna/simulation/internal/state_layout.hpp"
#include "ulna/simulation/joint_modes.hpp"

namespace ulna {

class ContactSystem;
class SpeedResponse;

class ULNA_API MechanicalSystem {
 public:
  explicit MechanicalSystem(const CheckedExperiment& experiment);
  ~MechanicalSystem();

  int size() const { return layout_.size; }
  const Model& model() const { return *model_; }

  /// y at the start of the experiment.
  Eigen::VectorXd start();

  // ---- what integrators call ------------------------------------------------------------------
  void rates(double t, const double* y, double* dy);
  bool project(double t, double* y, double* dy);
  /// y after a semi-implicit Euler step: the speeds first, then the coordinates with the new
  /// speeds.
  void semi_implicit_step(double t, double h, double* y);
  /// False when every state may be integrated as a plain number.
  bool curved() const { return layout_.curved(); }

  // ---- what happens at instants ---------------------------------------------------------------
  /// The next time after t at which the rates may jump; infinite when there is none.
  double next_breakpoint(double at) const { return controls_.next_breakpoint(at); }
  /// The last one up to t, 0 when there is none.
  double last_breakpoint(double at) const { return controls_.last_breakpoint(at); }
  /// Samples the controllers that are due at t.
  void sample(double t, const double* y);
  /// Functions of time are evaluated inside this segment from now on: at its end they have the
  /// value from before a jump there, at its beginning that from after it.
  void set_segment(double begin, double end) { controls_.set_segment(begin, end); }

  /// Goes over to the segment from t to `next`. Where prescribed rates jump at t, the impulse of
  /// the drives changes the other speeds of y at once and its work is booked; true then (eq. 19a).
  bool pass_jump(double t, double next, double* y);

  // ---- joints that stick or rest against a stop, contacts --------------------------------------
  bool has_modes() const;
  /// The least guard at (t, y): negative where the mode of a joint has ended.
  double guard(double t, const double* y);
  /// Chooses the modes anew after a guard was passed, at the start and at jumps: joints come to
  /// rest, break loose, or bounce; y changes accordingly.
  void choose_modes(double t, double* y);
  /// The last step, which ended at the last evaluation, stands: no guard was passed.
  void accept_step();
  /// Within the last step, of length h, a contact that is open at its end may have been closed:
  /// when, from its beginning; 0: none was.
  double dip(double h) const;
  /// Null without contacts and nonholonomic rows; at the last evaluation.
  const ContactSystem* contacts() const { return contacts_.get(); }

  // ---- loops -----------------------------------------------------------------------------------
  bool has_loops() const { return loops_ != nullptr; }
  /// States are moved back onto loops, contacts or rolling after each step.
  bool projects() const { return loops_ != nullptr || contacts_ != nullptr; }
  const LoopDynamics& loops() const { return *loops_; }  ///< closure at the last evaluation
  /// Why the last projection failed; empty when it did not.
  const std::string& trouble() const { return trouble_; }
  /// The stabilised index-2 form for IDA (eq. 43): rates dy of y, multipliers lambda and mu of the
  /// rows chosen by choose_rows; `residual` has size() + 2 rows entries.
  int choose_rows(double t, const double* y);
  /// Smallest over largest singular value of the chosen rows, at the last evaluation.
  double row_quality() const;
  void constraint_residual(double t, const double* y, const double* dy, const double* lambda,
                           const double* mu, double* residual);
  /// dy and lambda at (t, y) from the multipliers: where IDA begins. False: not determined.
  bool consistent_rates(double t, const double* y, double* dy, double* lambda);

  // ---- the state at (t, y), after `evaluate` --------------------------------------------------
  /// Everything below at (t, y), accelerations and efforts included.
  void evaluate(double t, const double* y);
  double t = 0;
  Eigen::VectorXd q, v, a, tau;
  const Reference& reference() const { return controls_.reference; }
  Workspace work;
  /// Power that dampers and friction take, closing joints included.
  double dissipation() const;
  const Eigen::VectorXd& raw_q() const { return raw_q_; }  ///< quaternions as they are integrated
  /// Those of the experiment, then the forces of contacts and nonholonomic rows.
  std::span<const ExternalWrench> wrenches() const { return wrenches_; }
  std::span<const ExternalWrench> applied_wrenches() const {
    return {wrenches_.data(), controls_.wrench_count()};
  }
  ElasticLevel elastic() const { return elastic_; }
  /// Of the mass matrix at the last evaluation (MixedDynamics::definiteness).
  double definiteness() const { return dynamics_.definiteness(); }
  /// Work of efforts, of external wrenches, and dissipated, from y.
  Eigen::Vector3d works(const double* y) const;

  /// What sampled controllers remember: efforts held and states, for a run that goes on later.
  Eigen::VectorXd memory() const;
  void set_memory(const Eigen::VectorXd& memory);

 private:
  void expand(double t, const double* y);
  void update_efforts(const double* y, double* dz);
  void update_wrenches();
  void hold_as_modes_say();
  bool solve(ExternalWrenches wrenches);
  bool solve_embedded(ExternalWrenches wrenches);
  bool solve_whole(ExternalWrenches wrenches);
  void require_all_drives(const Experiment& experiment);
  bool project_on_constraints(double t, double* y);
  bool close_loops();
  void assemble_start(const Experiment& experiment);
  void assemble_start_speeds(const Experiment& experiment);
  void prepare_mode_efforts();
  void solve_with_modes();
  void add_mode_friction();
  void break_loose(const JointModes::Speed& speed, double sense, double* y) const;
  void share_rest(double t, double* y);
  void settle(double t, double* y);
  void answer_impulse(double t, const Eigen::VectorXd& given);
  void release_joints(const double* y);
  struct Impact;
  void meet(double* y);
  bool collect_impact(Impact& impact);
  bool solve_impact(Impact& impact, double share) const;
  void stay_together(Impact& impact) const;
  [[noreturn]] void refuse_impact(const Impact& impact) const;
  void start_contacts(const Experiment& experiment);
  void start_rolling(const Experiment& experiment);
  bool solve_with_contacts();
  bool project_on_contacts();
  void choose_contact_modes(double t, const double* y);

  std::shared_ptr<const Model> model_;
  Controls controls_;
  StateLayout layout_;
  ElasticLevel elastic_;
  MixedDynamics dynamics_;
  std::unique_ptr<Dynamics> formulation_;    ///< with loops, where the experiment asks for one
  std::unique_ptr<LoopDynamics> own_loops_;  ///< otherwise
  LoopDynamics* loops_ = nullptr;            ///< of one of the two; null for trees
  LoopMethod closing_;
  bool whole_ = false;  ///< the formulation has the loops in its own equations
  std::unique_ptr<SpeedResponse> response_;
  std::unique_ptr<ContactSystem> contacts_;  ///< null where there is nothing to touch
  bool determined_ = true;  ///< of the last evaluation: masses and loops determine a
  std::string trouble_;
  std::vector<int> chosen_rows_;
  Eigen::VectorXd row_efforts_, all_multipliers_, moving_;
  JointModes modes_;
  std::vector<char> held_;  ///< driven, or held by friction or a stop
  Eigen::VectorXd applied_efforts_;
  Eigen::VectorXd start_q_, start_v_, raw_q_, scratch_, rates_, scratch_step_;
  std::vector<ExternalWrench> wrenches_;
};

}  // namespace ulna
