#pragma once
// What touches, sticks or rests in a run: joints held by friction or by their stops, contacts of
// bodies with planes, nonholonomic rows. Contacts add forces to the accelerations that Constraints
// find and are projected as loops are; each has a contact state, which impacts, jumps of prescribed
// rates and guards that are passed change. docs/theory/simulation.md, eq. 14-19a and 44-60.

#include "contact/joint_contacts.hpp"
#include "contact/kinks.hpp"
#include "loops/constraints.hpp"
#include "ulna/simulation/parts/contact.hpp"

namespace ulna {

class ContactSystem;

class Contacts {
 public:
  Contacts(MotionState& state, Constraints& constraints, const Experiment& experiment);
  ~Contacts();

  /// Looks whether the start fits, and finds speeds there that roll without slip. After an event
  /// what touches is where it was.
  void start(const Experiment& experiment, bool after_event, const Eigen::VectorXd& q,
             Eigen::VectorXd& v);

  /// Completes a and tau of the state, and its wrenches by the forces of contacts; a is not a
  /// number where nothing determines it.
  void solve();
  /// The same, and leaves in tau all that acts along the joints: what holds and rubs is a function
  /// of the state then, as the forces of contacts are. For IDA.
  void act();
  /// What open contacts are at the state, too.
  void look();
  /// After a step: moves q and v of the state to what closed contacts and rolling keep (eq. 58).
  /// True where that changed something.
  bool project();
  /// Sets the speeds of joints that are held to zero, where an integrator left them to its
  /// tolerance.
  void rest(double* y) const;
  /// The thrust with which an actuator among the elements rests at the end of its stroke, after
  /// `solve`; none where it does not.
  std::optional<double> thrust_at_stroke_end(int element) const {
    return kinks_.actuators.holding_thrust(element, s_.q, s_.v);
  }
  double dissipation() const;  ///< of contacts, and of trials that slip past rest

  // ---- contact states ---------------------------------------------------------------------------
  /// Something can change its contact state.
  bool any() const;
  /// The least guard at the state, after `solve` and `look`: negative where a contact state ended.
  double guard();
  /// Chooses the contact states at (t, y), which the state stands at, after a guard was passed, at
  /// the start and at jumps: joints come to rest, break loose or bounce; y changes accordingly.
  void choose_states(double t, double* y);
  /// A spring or damper has passed its kink at the last `choose_states`.
  bool passed_kink() const { return passed_kink_; }
  /// The step from (t, y) failed because friction jams: y changes by the impact that ends the slip.
  /// False where that is not the reason, or theory gives no impact.
  bool leave_jam(double t, double* y);
  /// The last step, which ended at the state, stands: no guard was passed.
  void accept();
  /// Within the last step, of length h, a contact that is open at its end may have been closed:
  /// when, from its beginning; 0: none was.
  double dip(double h) const;
  /// Goes over to the segment from t to `next`; see MechanicalSystem::pass_jump.
  bool pass_jump(double t, double next, double* y);

  /// The joint or contact whose state changed most often: "joint 'x'".
  std::string busiest() const;

  /// Null without contacts and nonholonomic rows.
  const ContactSystem* touching() const { return touching_.get(); }
  void remember(std::vector<double>& memory) const;
  /// From place `at` of `memory` on; returns the place after it.
  long recall(const Eigen::VectorXd& memory, long at);

 private:
  struct Impact;
  void solve_forces();
  void hold_strokes();
  void rest_strokes(double t, double* y);
  bool solve_touching();
  void evaluate(double t, const double* y);
  void hold_resting();
  void rest_in_loops(double time, double* y);
  void break_loose(const JointContacts::Speed& speed, double sense, double* y) const;
  void share_rest(double t, double* y);
  void settle(double t, double* y);
  void choose_touching_states(double t, const double* y);
  void start_rolling(const Experiment& experiment, bool after_event, const Eigen::VectorXd& q,
                     Eigen::VectorXd& v);
  void meet(double* y);
  void choose_states_once(double t, double* y);
  void count_changes(const std::vector<JointContactState>& joints,
                     const std::vector<ContactState>& touches);
  void return_to_stops(double* y);
  bool collect_impact(Impact& impact, std::vector<Eigen::VectorXd>& rows);
  void assemble_impact(Impact& impact, const std::vector<Eigen::VectorXd>& rows);
  static void complete_impact(Impact& impact, const Eigen::VectorXd& x);
  bool solve_impact(Impact& impact, double share) const;
  void book_impact(double* y, double gained, double lost);
  std::vector<char> collect_jam(Impact& impact);
  /// Eq. 98: the impact without collision of contacts whose friction jams while they slide. False
  /// where theory gives none.
  bool jolt(double* y);
  void stay_together(Impact& impact) const;
  [[noreturn]] void refuse_impact(const Impact& impact) const;
  void answer_jump(double t, const Eigen::VectorXd& given);
  void release_joints(const double* y);

  MotionState& s_;
  Constraints& constraints_;
  ImpactLaw law_;
  JointContacts joints_;
  Kinks kinks_;
  bool passed_kink_ = false;
  std::unique_ptr<ContactSystem> touching_;
  std::vector<char> held_;  ///< driven, or held by friction or a stop
  Eigen::VectorXd moving_, dz_;
  Eigen::VectorXd kept_q_, kept_v_;  ///< while `act` solves
};

}  // namespace ulna
