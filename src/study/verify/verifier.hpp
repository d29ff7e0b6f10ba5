#pragma once
// The comparisons of verify, at one random state after the other, for a robot of any kind
// (docs/theory/verify.md). Formulations come from the table; what holds for some kinds of robots
// only stands in Closed (loops) and RigidTree.

#include <optional>

#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/torque_regressor.hpp"
#include "verify/ledger.hpp"

namespace ulna {

class Verifier {
 public:
  /// ComputationError where the loops of the robot cannot be closed.
  Verifier(const Model& model, unsigned seed);

  /// False where the random start led to no closed, regular posture: nothing to compare at.
  bool examine_a_state();

  Ledger ledger;
  std::string massless;        ///< which speeds move no inertia, if any
  bool structure = false;      ///< the loops leave no freedom
  int open = 0, singular = 0;  ///< starts that could not be closed, and singular postures

 private:
  // verifier.cpp
  bool draw_posture();
  /// m L^2 of the whole robot: what the entries of M are differences of where masses stand still.
  double standing_inertia() const;
  /// Whether the loops have a clear rank at q.
  bool regular();
  /// q some way along the motion from the reference posture; false where it comes to a stop.
  bool walk_from_reference();
  void draw_motion();
  void compute_terms();
  Eigen::VectorXd entries();
  /// M a + c of the open tree.
  Eigen::VectorXd needed(const Eigen::VectorXd& at, const Eigen::VectorXd& speeds,
                         const Eigen::VectorXd& accelerations);
  /// Efforts of all speeds as efforts of the independent ones; all of them for trees.
  Eigen::VectorXd on_independent(const Eigen::VectorXd& x) const {
    return closed ? closed->map.efforts(x) : x;
  }
  /// How many roundings of the solution for accelerations are allowed for.
  double forward_bound() const;
  double flexible_forward_bound() const;

  // verify_methods.cpp: any two formulations
  /// One for each formulation that answers the question for this robot.
  std::vector<Dynamics*> formulations_for(Question question);
  void inverse_methods();
  void forward_methods();
  void inverse_after_forward(const std::vector<Answer>& answers);
  void mass_matrices();

  // verify_identities.cpp: what holds for any mechanism
  void energies();
  void power_balance();
  void virtual_work();
  void tip_motion();
  void coriolis();

  // verify_closure.cpp: loops
  void closure_equations();
  void closing_methods();

  // verify_quantities.cpp: what is derived from them
  void joint_reactions();
  void centroidal();
  void regressors();

  // verify_derivatives.cpp: closed forms, dual numbers, differences
  void inverse_derivatives();
  void forward_derivatives();

  /// What a robot with loops has besides.
  struct Closed {
    explicit Closed(const Model& model) : closure(model) {}
    LoopClosure closure;
    Eigen::VectorXd reference;  ///< the assembly nearest to neutral
    CoordinateMap map;          ///< from the independent speeds
    double quality = 1;         ///< of these: small near singular postures
    double drawn = 1;           ///< size of the speeds before they were made compatible
  };
  /// What is known of rigid trees only.
  struct RigidTree {
    explicit RigidTree(const Model& model) : kane(model), regressor(model, RegressorTerms::all()) {}
    void choose_speeds(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v);
    Kane kane;
    TorqueRegressor regressor;
    int speeds_body = -1;  ///< whose angular velocity serves Kane's method; -1: none can
    std::optional<SpeedMap> body_map;
    double body_map_allowance = 0;
  };

  const Model& model;
  Dynamics dynamics;  ///< by the default formulations
  Workspace work;
  std::vector<std::unique_ptr<Dynamics>> by_formulation;
  std::optional<Closed> closed;
  std::unique_ptr<RigidTree> rigid;
  std::mt19937_64 generator;

  Eigen::VectorXd q, v, a;
  Eigen::VectorXd tau;           ///< of the actuators, that give a
  std::vector<int> actuated;     ///< their speeds
  Eigen::VectorXd efforts;       ///< of the same size, to be balanced by other accelerations
  Eigen::VectorXd bias;          ///< c of the open tree
  Eigen::MatrixXd M;             ///< of the open tree
  Eigen::MatrixXd reduced_M;     ///< on independent speeds; M itself without loops
  double condition = 1;          ///< of M on the independent speeds
  Eigen::VectorXd terms_of_tau;  ///< |M| |a| + |bias|: what M a + c is the sum of
};

}  // namespace ulna
