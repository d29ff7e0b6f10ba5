#pragma once
// The contacts and nonholonomic rows of an experiment: their state, the forces under the contact
// states they have, and when these end. docs/theory/simulation.md, eq. 44-58.
//
// Within a step every contact is open, sticks or slips, and with that its forces follow from linear
// equations. `choose_states` finds which at an event.

#include "contact/cone_problem.hpp"
#include "contact/speed_response.hpp"
#include "contact/touch_point.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// No forces satisfy Coulomb's law at a contact that slides (Painleve).
class FrictionJam : public ComputationError {
 public:
  using ComputationError::ComputationError;
};

class ContactSystem {
 public:
  /// Slip, m/s, below which friction keeps the direction of its state.
  static constexpr double slow_slip = 1e-7;

  struct Place {  ///< what contacts and nonholonomic rows have in common
    TouchingShape shape;
    ContactPlane plane;
    Sides sides;
    Vector3<double> grip;  ///< the point of the shape's body where the wrench is applied
    Matrix3<double> axes;  ///< of the plane
    int row = 0, count = 3;
    TouchPoint at;
    Eigen::Vector3d speed = Eigen::Vector3d::Zero();  ///< along its rows
    Eigen::Vector3d force = Eigen::Vector3d::Zero();  ///< along its rows, on the body of the shape
    double reference = 0;  ///< gap that is kept when closed; that must not be passed when open
    Vector3<double> world_force() const { return at.directions * force; }
  };
  struct Touch : Place {
    Contact data;
    ContactState state = ContactState::open;
    Eigen::Vector2d direction = Eigen::Vector2d::Zero();  ///< of slipping, among the tangents
    Eigen::Vector2d now = Eigen::Vector2d::Zero();        ///< the same at the last evaluation
    bool turned = false;                                  ///< `now` is that of eq. 63
    double braking = 0;      ///< of a slow slip by its friction, m/s^2, at the last evaluation
    bool from_rest = false;  ///< its state begins without slip
    bool enabled = true;     ///< a disc touches by its rim, or by its support points
    bool flat = false;       ///< a disc that lies on its support points
    int disc = -1;           ///< of a support point: the place of its disc among the contacts
    Eigen::Vector3d roll = Eigen::Vector3d::Zero();  ///< along which it rolls, up to unit length
    Eigen::VectorXd roll_row;            ///< its angular row; empty without rolling resistance
    double weight = 1;                   ///< share of friction that it takes where several could
    double last_gap = 0, last_rate = 0;  ///< at the end of the last accepted step
    long impacts = 0;
    long changes = 0;  ///< of its state, and impacts
    bool closed() const { return state != ContactState::open; }
    bool touches() const;
    double slip_speed() const { return speed.tail<2>().norm(); }
    Eigen::Vector2d slip() const;
    /// The coefficient at the present slip (eq. 69).
    double sliding_friction() const;
    double rolling_moment() const { return data.rolling_resistance * force(0); }
  };
  struct Kept : Place {
    NonholonomicConstraint data;
    bool rolls() const { return data.kind == NonholonomicConstraint::Kind::rolling; }
  };

  ContactSystem(const Experiment& experiment, const Model& model);

  /// Those of the experiment in its order, then the support points of discs.
  std::vector<Touch>& touches() { return touches_; }
  const std::vector<Touch>& touches() const { return touches_; }
  std::vector<Kept>& kept() { return kept_; }
  const std::vector<Kept>& kept() const { return kept_; }

  /// What contact k of the experiment is as a whole: a disc that lies flat is the sum of its
  /// support points.
  Touch contact(std::size_t k) const;
  std::size_t contact_count() const { return contact_count_; }
  /// At an event: discs that have become flat go over to their support points, and others back to
  /// their rims. After `update` of all.
  void arrange_discs(const VectorRef& q, const VectorRef& v);

  /// Forces can act now.
  bool active() const;
  /// Places, rows and their speeds at (q, v). `all`: of open contacts, too.
  void update(const VectorRef& q, const VectorRef& v, bool all);

  // ---- forces under the present states, after update --------------------------------------------
  /// Eq. 49: forces that keep closed what is closed, from the accelerations without them; adds what
  /// they change to a. False where there are none.
  bool add_forces(SpeedResponse& response, Eigen::VectorXd& a);
  /// The contact whose friction jammed in the last add_forces; else null.
  const Touch* jams() const { return jams_; }
  /// The forces as wrenches on bodies, `wrench_count()` of them.
  void put_wrenches(std::span<ExternalWrench> wrenches) const;
  int wrench_count() const { return wrench_count_; }
  /// Power that contacts take.
  double dissipation() const;

  // ---- drift ------------------------------------------------------------------------------------
  /// How far gaps that are to be kept have moved.
  double gap_error() const;
  /// Speed along rows that are to be kept, the largest.
  double speed_error() const;
  /// Changes of coordinates or speeds that mend this, with the least change in the metric of the
  /// masses (eq. 58). False where there is none.
  bool mend_gaps(SpeedResponse& response, Eigen::VectorXd& change);
  bool mend_speeds(SpeedResponse& response, Eigen::VectorXd& change);

  // ---- events -----------------------------------------------------------------------------------
  /// Negative where the state of a contact has ended; after add_forces and update.
  double guard() const;
  /// A step was accepted with the present states.
  void accept();
  /// Within the last step, of length h, a gap that is open at both ends may have been closed: when,
  /// from its beginning; 0 when not.
  double dip(double h) const;
  /// Eq. 50-52: states of the contacts that touch and do not move along their normals, from the
  /// accelerations without their forces. FrictionJam where friction jams.
  void choose_states(SpeedResponse& response, const Eigen::VectorXd& a, double t);

  const Eigen::MatrixXd& rows() const { return rows_; }

 private:
  double gap_slack() const;  ///< a contact closes when it is past its reference by this
  double opened_at(double gap) const;
  struct Unknown {  ///< a force, and the row that it keeps
    int row;
    Touch* slips;  ///< drags its friction along; else null
    Touch* rolls;  ///< its rolling resistance goes along; else null
    double weight;
  };
  enum class Which { forces, speeds, gaps };
  void list_unknowns(Which which);
  bool assemble(SpeedResponse& response);
  bool solve_equations();
  bool parts(Eigen::Index i);
  void factor(Eigen::MatrixXd& A, Eigen::Index n);
  void substitute(const Eigen::MatrixXd& A, Eigen::Index n, Eigen::VectorXd& x);
  struct SlowSlip {
    Eigen::Index unknown;  ///< its normal force
    Touch* touch;
    Eigen::Vector2d slip, acceleration;
    double lag;
  };
  bool turn_slow_slips(SpeedResponse& response, const Eigen::VectorXd& a);
  bool list_slow_slips(SpeedResponse& response);
  void find_sensitivity(const Eigen::VectorXd& a);
  void choose_lags();
  bool turn_once(double& left);
  bool take_direction(std::size_t k, const Eigen::Vector2d& direction);
  void add_answers(Eigen::VectorXd& to) const;
  bool feasible() const;
  void take_forces();
  void share_friction();
  void classify(const std::vector<Touch*>& candidates, const std::vector<ConeContact>& cones,
                const Eigen::VectorXd& x, const Eigen::VectorXd& u);
  bool try_all_closed(SpeedResponse& response, const Eigen::VectorXd& a);
  bool solve_chosen(SpeedResponse& response, const Eigen::VectorXd& a);

  /// Of a disc that lies flat. They are turned towards where it presses most, so that it tips over
  /// its rim and not over the polygon.
  static constexpr int support_points = 18;
  /// Tilt below which a disc touches by its support points; from twice as much it stands on its rim
  /// again.
  static constexpr double nearly_flat = 1e-3;
  void find_roll(const VectorRef& q, Touch& touch);
  Vector3<double> spin(const Touch& touch) const;  ///< angular velocity against the plane
  Touch* supports_of(const Touch& disc);
  const Touch* supports_of(const Touch& disc) const;
  void put_support_points(Touch& disc, const Vector3<double>& toward);
  void lay_flat(Touch& disc);
  void raise(Touch& disc);

  const Model& model_;
  Workspace work_;
  std::size_t contact_count_ = 0;
  std::vector<Touch> touches_;
  std::vector<Kept> kept_;
  const Touch* jams_ = nullptr;
  Eigen::MatrixXd rows_;  ///< all, one column per speed
  Eigen::VectorXd bias_;  ///< of all rows
  double force_size_ = 1, least_force_ = 1e-9;
  int wrench_count_ = 0;
  std::vector<Unknown> unknowns_;
  Eigen::MatrixXd W_, K_, regular_;
  Eigen::VectorXd effort_, answer_, right_, x_, left_;
  std::vector<Eigen::Index> pivots_;
  double lag_;
  std::vector<SlowSlip> slow_;
  Eigen::MatrixXd tangents_, sensitivity_, turn_system_;
  Eigen::VectorXd turns_;
};

}  // namespace ulna
