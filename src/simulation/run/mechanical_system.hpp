#pragma once
// An experiment as a system of differential equations (docs/theory/simulation.md, eq. 7-12):
//
//   y = (q, v of the joints that are not driven by a motion or locked; states of the controllers;
//        work of the efforts, work of external wrenches, dissipated work)
//
// Quaternions are part of y and are integrated as they are; kernels see them made unit, and
// `project` makes them unit after each accepted step.
//
// With loops, y holds all coordinates of the tree, and `project` moves coordinates and speeds back
// onto the closed loops after each accepted step. What determines the accelerations is in
// Constraints and Contacts, what acts from outside in Controls, the places in y in StateLayout.

#include "contact/contacts.hpp"

namespace ulna {

/// The state at the last evaluation, and what integrators ask for.
class MechanicalSystem : public MotionState {
 public:
  /// `event`: when an event made this of the experiment; none: the run begins.
  explicit MechanicalSystem(const CheckedExperiment& experiment,
                            std::optional<double> event = std::nullopt);

  int size() const { return layout.size; }
  /// y at the start of the experiment.
  const Eigen::VectorXd& start() const { return start_; }

  // ---- what integrators call ------------------------------------------------------------------
  void rates(double t, const double* y, double* dy);
  bool project(double t, double* y, double* dy);
  /// States are moved back onto loops, contacts or rolling after each step.
  bool projects() const { return constraints_.closes() || contacts_.touching(); }
  /// y after a semi-implicit Euler step: the speeds first, then the coordinates with the new
  /// speeds.
  void semi_implicit_step(double t, double h, double* y);
  /// Everything of the state at (t, y), accelerations and efforts included.
  void evaluate(double t, const double* y);

  // ---- what happens at instants ---------------------------------------------------------------
  /// Samples the controllers that are due at t.
  void sample(double t, const double* y);
  /// Goes over to the segment from t to `next`. Where prescribed rates jump at t, the impulse of
  /// the drives changes the other speeds of y at once and its work is booked; true then (eq. 19a).
  bool pass_jump(double time, double next, double* y) { return contacts_.pass_jump(time, next, y); }

  // ---- joints that stick or rest against a stop, contacts --------------------------------------
  bool has_contact_states() const { return contacts_.any(); }
  /// The least guard at (t, y): negative where a contact state has ended.
  double guard(double t, const double* y);
  /// Chooses the contact states anew; y changes accordingly.
  void choose_contact_states(double t, double* y);
  Contacts& contacts() { return contacts_; }
  const Contacts& contacts() const { return contacts_; }

  // ---- loops -----------------------------------------------------------------------------------
  Constraints& constraints() { return constraints_; }
  const Constraints& constraints() const { return constraints_; }
  /// The stabilised index-2 form for IDA (eq. 43): rates dy of y, multipliers lambda and mu of the
  /// rows that Constraints has chosen; `residual` has size() + 2 rows entries.
  int choose_rows(double t, const double* y);
  void constraint_residual(double t, const double* y, const double* dy, const double* lambda,
                           const double* mu, double* residual);
  /// dy and lambda at (t, y) from the multipliers: where IDA begins. False: not determined.
  bool consistent_rates(double t, const double* y, double* dy, double* lambda);

  /// Power that dampers, friction and contacts take.
  double dissipation() const;
  /// Work of efforts, of external wrenches, and dissipated, from y.
  Eigen::Vector3d works(const double* y) const;

  /// What sampled controllers and contacts remember, for a run that goes on later.
  Eigen::VectorXd memory() const;
  void set_memory(const Eigen::VectorXd& memory);

 private:
  bool project_on_constraints(double t, double* y);
  Eigen::Vector3d powers();  ///< rates of the works

  Constraints constraints_;
  Contacts contacts_;
  Eigen::VectorXd start_, rates_, step_;
};

}  // namespace ulna
