#pragma once
// Actuators among the force elements: their thrust jumps at the ends of the stroke and has kinks
// where the rate begins to take from it. Within a step each keeps the law of its side; passing an
// end or a kink is an event. An actuator that comes to rest where it pushes against the end of its
// stroke stays there, with the share of its thrust that holds it, until that share leaves 0 to 1.
// docs/theory/simulation.md, eq. 80, 81; docs/theory/elements.md, eq. 13.

#include <optional>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

class ActuatorKinks {
 public:
  explicit ActuatorKinks(const Model& model);

  bool any() const { return !list_.empty(); }
  void add_correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& to);
  double guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  void choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  // ---- at the ends of the stroke ---------------------------------------------------------------
  int held() const;  ///< how many are held there
  /// Those that are held get these shares of their thrust.
  void set_shares(const Eigen::VectorXd& shares);
  /// Second derivatives of the lengths of those that are held.
  Eigen::VectorXd accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                const Eigen::VectorXd& a) const;
  /// One that is held: its rate, and the efforts that 1 N of its thrust gives.
  double rate_of_held(int number, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      Eigen::VectorXd& unit);
  /// Whether it would leave the end by so little that it counts as at rest there, with `answer` the
  /// acceleration of its length under 1 N.
  bool rests(int number, double rate, double answer);
  void let_go(int number, double rate);
  /// What holds an element (by its number in Model::elements()) at the end of its stroke; none
  /// where it is not held.
  std::optional<double> holding_thrust(int element, const Eigen::VectorXd& q,
                                       const Eigen::VectorXd& v) const;
  /// Lets go of those whose shares are not within 0 to 1.
  void release();
  /// Power that actuators and dampers would take by their sides, less what they take by their laws;
  /// at the last `add_correction`.
  double excess_dissipation() const { return excess_; }

 private:
  enum class Side : signed char { below, inside, above };
  struct Actuator {
    const Element* element;  ///< with the force of the moment
    Element carrier;
    Side side = Side::inside;  ///< of the stroke
    bool held = false;         ///< at the end on this side of the stroke
    int pace = 0;              ///< 0: at full thrust, 1: the rate takes from it, 2: takes it all
    double share = 0;          ///< of the thrust, when held
    double slack = 0;          ///< to which ends are known
    double length = 0;         ///< where the side was chosen
    double asked = 0;          ///< the force asked of it there
  };
  struct Place {
    double length, rate;
    double asked;  ///< of its formula, where it has one
  };
  Place place(const Actuator& a, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  static double thrust(const Actuator& a, const Place& at);
  static double beyond(const Actuator& a, double length);
  static void choose_pace(Actuator& a, const Place& at);
  Actuator& held_one(int number);

  const Model& model_;
  std::vector<Actuator> list_;
  double excess_ = 0;
};

}  // namespace ulna
