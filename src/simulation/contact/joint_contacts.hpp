#pragma once
// Joints that stick by Coulomb friction or rest against a stop. docs/theory/simulation.md, eq.
// 14-19.
//
// Within a step every joint has a contact state, and with it the equations are smooth: a slipping
// joint has friction of one sense even if a trial goes past rest, a sticking or resting one is held
// at acceleration zero (the mixed problem). Each state has a guard that is negative where it no
// longer holds; the run ends its step there, and the states are chosen anew.

#include <vector>

#include "ulna/model/model.hpp"
#include "ulna/simulation/parts/joint_friction.hpp"
#include "ulna/simulation/parts/stops.hpp"

namespace ulna {

enum class JointContactState : signed char {
  free,
  slips_up,
  slips_down,
  sticks,
  at_lower,
  at_upper
};

class JointContacts {
 public:
  /// Guards are passed when they are below zero by more than rounding in what they compare.
  static constexpr double slack = 1e-11;

  /// `driven`: one entry per speed, true where the motion is prescribed: those have no contacts.
  JointContacts(const Model& model, const std::vector<char>& driven, const StopOptions& stops,
                const std::vector<JointFriction>& friction = {});

  bool any() const { return !speeds_.empty(); }
  /// One entry per guarded speed.
  struct Speed {
    int v = 0, q = -1;    ///< indices; q is -1 without a stop
    double friction = 0;  ///< Coulomb effort along the speed when it moves fast
    double at_rest = 0;   ///< the most that friction holds
    double stribeck = 0;  ///< speed over which it falls from the one to the other; 0: at once
    double lower = 0, upper = 0;
    bool stopped = false;  ///< it has stops
    /// How far past its stop, beyond the slack, an impact was noticed; until the joint has come
    /// back from there, it has not met the stop again.
    double past = 0;
    JointContactState state = JointContactState::free;
    double reaction = 0;  ///< of friction or stop, when held: effort it adds
    long changes = 0;     ///< of its state, and impacts
    bool held() const { return state == JointContactState::sticks || rests_against_stop(); }
    bool rests_against_stop() const {
      return state == JointContactState::at_lower || state == JointContactState::at_upper;
    }
    /// Sense of the friction when it slips, else 0.
    double sense() const {
      return state == JointContactState::slips_up     ? 1
             : state == JointContactState::slips_down ? -1
                                                      : 0;
    }
    bool rubs() const { return at_rest > 0; }
    /// Friction of a joint that moves at this speed (eq. 69).
    double sliding(double speed) const;
    /// Slips towards `sense`, or is free where nothing rubs.
    void slip(double sense) {
      state = !rubs()      ? JointContactState::free
              : sense >= 0 ? JointContactState::slips_up
                           : JointContactState::slips_down;
    }
    /// How far it is past its stops; below zero: inside.
    double beyond_stop(const Eigen::VectorXd& q) const;
    /// The least of its guards at (q, v) after the dynamics filled the reaction; negative: its
    /// state has ended.
    double guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  };
  std::vector<Speed>& speeds() { return speeds_; }
  const std::vector<Speed>& speeds() const { return speeds_; }
  std::vector<Speed*> held();

  // ---- efforts (eq. 14, 15) ---------------------------------------------------------------------
  /// Remembers the efforts applied, holds the accelerations of what rests and adds the friction of
  /// the states to tau.
  void prepare(const Eigen::VectorXd& v, Eigen::VectorXd& a, Eigen::VectorXd& tau);
  /// The dynamics knows friction by the sign of the speed: tau becomes what is applied and the
  /// difference to the friction of the states.
  void rub(const Eigen::VectorXd& v, Eigen::VectorXd& tau) const;
  /// What holds the joints at rest, from the solution of the mixed problem; tau becomes what is
  /// applied again.
  void take_reactions(Eigen::VectorXd& tau);
  /// What is applied, the friction of what slips and the reactions of what rests, after
  /// `take_reactions`: the efforts that give the accelerations found.
  void act(const Eigen::VectorXd& v, Eigen::VectorXd& tau) const;
  /// Power that friction takes beyond that of the dynamics: in a trial that slips past rest, and
  /// where it is more than in fast motion.
  double excess_dissipation(const Eigen::VectorXd& v) const;
  double applied_effort(const Speed& speed) const { return applied_(speed.v); }

  /// Notes how far joints are past their stops: at an impact, and, only ever less, after a step.
  void note_past(const Eigen::VectorXd& q);
  void accept(const Eigen::VectorXd& q);

  StopOptions stops;

 private:
  std::vector<Speed> speeds_;
  Eigen::VectorXd applied_;  ///< efforts without friction of the states
};

}  // namespace ulna
