#pragma once
// Dynamics of mechanisms with loops, with hard constraints. docs/theory/closed-loops.md, section 7:
//
//   M a + c = tau + A' lambda,   A a = b (15)
//
// Inverse dynamics gives the efforts of chosen (actuated) joints and the reactions of the loops.
// Forward dynamics goes two independent ways: embedding (eq. 16), on independent speeds, dense; and
// Lagrange multipliers (eq. 17), a sparse LDL' of the whole system with the pattern of the tree,
// where redundant rows are harmless. Both agree to rounding; `ulna verify` compares them.
//
//   ulna::LoopDynamics loops(model);
//   const Eigen::VectorXd& a = loops.forward(work, q, v, tau);
//
// Positions must close the loops and speeds satisfy A v = 0: project_positions and project_speeds
// see to that, with the least change in the metric of the mass matrix.
//
// Some speeds may be held: then their accelerations are given and their efforts found (`mixed`, eq.
// 20), and projections leave them as they are. `forward`, `inverse` into a result that was used
// before, `mixed` and the projections in place allocate nothing after construction.

#include <memory>
#include <vector>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/state.hpp"
#include "ulna/spatial/wrench.hpp"

namespace ulna {

class TreeRoute;

enum class LoopMethod {
  multipliers,  ///< sparse; cost grows with the sum of the loops, not with their number squared
  embedding     ///< independent coordinates, dense
};
ULNA_API const char* name_of(LoopMethod method);

/// Efforts of the actuated joints and what the loops carry.
struct LoopEfforts {
  Eigen::VectorXd tau;      ///< all speeds; zero where not actuated
  Eigen::VectorXd closing;  ///< along the closing joints (closing_degrees()); zero likewise
  Eigen::VectorXd lambda;   ///< one per row of the closure: the multipliers
  int dof = 0;
  std::vector<int> actuated;  ///< speeds and closing degrees that have the efforts
  /// The actuated joints are more than the degrees of freedom: minimum-norm efforts (weighted).
  bool redundant_actuation = false;
  /// Some rows of the closure are redundant: lambda is the minimum-norm one. The efforts do not
  /// depend on it.
  bool redundant_rows = false;
};

struct LoopInverseOptions {
  /// Speeds that have an actuator, or degrees of closing joints, which follow the speeds in
  /// all_speed_names(); empty: speeds found by pivoting.
  std::vector<int> actuated;
  /// For more actuators than degrees of freedom: minimise sum of weight tau^2. Empty: all one.
  Eigen::VectorXd weights;
};

/// What springs, dampers and friction of the closing joints hold and take.
struct ClosingPower {
  double stored = 0;       ///< energy of the springs, J
  double stored_rate = 0;  ///< its rate, W
  double dissipated = 0;   ///< by dampers and friction, W
};

class ULNA_API LoopDynamics {
 public:
  explicit LoopDynamics(const Model& model);
  ~LoopDynamics();
  LoopDynamics(const LoopDynamics&) = delete;
  LoopDynamics& operator=(const LoopDynamics&) = delete;

  /// Efforts that give accelerations a (A a = b) at a closed posture. InputError when there are
  /// fewer actuators than degrees of freedom, ComputationError when these do not drive the robot
  /// here.
  LoopEfforts inverse(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
                      const LoopInverseOptions& options = {}, ExternalWrenches wrenches = {});

  /// The same into `result`, whose storage is used again.
  void inverse(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
               const LoopInverseOptions& options, ExternalWrenches wrenches, LoopEfforts& result);

  /// Accelerations under efforts tau (all speeds).
  const Eigen::VectorXd& forward(Workspace& work, const VectorRef& q, const VectorRef& v,
                                 const VectorRef& tau, ExternalWrenches wrenches = {},
                                 LoopMethod method = LoopMethod::multipliers);
  /// The multipliers of the last `forward` by LoopMethod::multipliers.
  const Eigen::VectorXd& lambda() const;

  /// The formulation of the open tree, which belongs to the caller; null: Newton and Euler with
  /// composite bodies. Projections do not ask it.
  void use(TreeRoute* route) { route_ = route; }

  /// Speeds whose accelerations are given, one entry each; none at first. Not for `inverse` and the
  /// embedding.
  void hold(const std::vector<char>& held);
  /// The mixed problem (eq. 20): reads a where held and tau elsewhere, writes the others. False
  /// where masses and loops do not determine the accelerations. Whether the held accelerations
  /// suit the loops is not asked here: their positions must (project_positions).
  bool mixed(Workspace& work, const VectorRef& q, const VectorRef& v, Eigen::VectorXd& a,
             Eigen::VectorXd& tau, ExternalWrenches wrenches = {});
  /// How far the last `forward` or `mixed` was from a singular posture of one loop: its smallest
  /// singular value over its largest.
  double margin() const;
  /// M a + c: what efforts and loops together must give; nothing is solved.
  const Eigen::VectorXd& required_efforts(Workspace& work, const VectorRef& q, const VectorRef& v,
                                          const VectorRef& a, ExternalWrenches wrenches = {});
  /// What spring, damper and friction of a closing joint exert along its degree; after these.
  double closing_effort(int loop, int degree) const;
  /// closure() at q.
  void update_closure(Workspace& work, const VectorRef& q) { closure_.update(work, q); }
  /// Springs and dampers of the closing joints, after `forward`, `mixed` or
  /// closure().update_rates at the same state.
  ClosingPower closing_power(const Workspace& work) const;
  /// The same at any state.
  ClosingPower closing_power(Workspace& work, const VectorRef& q, const VectorRef& v);
  /// c += what springs, dampers and friction of the closing joints take, as efforts of the tree.
  void add_closing_passive(Workspace& work, const VectorRef& q, const VectorRef& v,
                           Eigen::VectorXd& c);
  /// Factors the equations at q for `respond`; `mixed` at the same state has done so already.
  void update_response(Workspace& work, const VectorRef& q);
  /// Change of speeds by impulses along all of them, or of accelerations by efforts: M x - A'
  /// lambda = f, A x = 0; held ones stay. False where there is none. Leaves lambda() as it is.
  bool respond(const Eigen::VectorXd& efforts, Eigen::VectorXd& change);

  /// y = M x with the mass matrix (of the tree) of the last call that needed one.
  void mass_times(const Eigen::VectorXd& x, Eigen::VectorXd& y) const;

  /// Mass matrix on independent speeds, G' M G, and the map it belongs to.
  Eigen::MatrixXd reduced_mass_matrix(Workspace& work, const VectorRef& q, const SpeedSplit& split);

  /// Moves q the least way, in the metric of the mass matrix, to where the loops are closed within
  /// `tolerance` (metres, radians). ComputationError naming the loop that stays open.
  Eigen::VectorXd project_positions(Workspace& work, const VectorRef& q, double tolerance = 1e-12);
  /// The nearest speeds that keep the loops closed: the kinetic energy of the change is least.
  Eigen::VectorXd project_speeds(Workspace& work, const VectorRef& q, const VectorRef& v);
  /// The same in place; false where the first two throw.
  bool close_positions(Workspace& work, Eigen::VectorXd& q, double tolerance = 1e-12);
  bool close_speeds(Workspace& work, const VectorRef& q, Eigen::VectorXd& v);
  /// "robot 'r': the loop closed by joint 'j' cannot be closed from here: it stays open by ..."
  /// after close_positions failed.
  std::string why_open(const Workspace& work) const;

  /// What the parent of a closing joint exerts on its child through the rows it holds (and its
  /// damper, spring or motor, if any), at the origin of the joint's frame M in the axes of the
  /// child's frame. For a rod: the force on the child at its point. After `inverse` or `forward` at
  /// the same state.
  Wrench<double> loop_reaction(const Workspace& work, int loop,
                               const Eigen::VectorXd& lambda) const;

  const LoopClosure& closure() const { return closure_; }

 private:
  struct System;
  /// Efforts needed beyond tau at accelerations a: tree inverse dynamics and the passive efforts of
  /// closing joints.
  void bias(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
            ExternalWrenches wrenches, Eigen::VectorXd& c);
  const Eigen::VectorXd& embedded_forward(Workspace& work, const VectorRef& q,
                                          const VectorRef& tau);
  void add_closing_passive(Workspace& work, Eigen::VectorXd& c);
  void closing_row(const Workspace& work, const ClosingDegree& at, Eigen::VectorXd& y) const;
  void take_motors(const Workspace& work, const Eigen::VectorXd& efforts);
  /// M of the open tree into work.mass_matrix, and into the sparse equations.
  void tree_mass(Workspace& work, const VectorRef& q);
  void update_equations_mass(Workspace& work, const VectorRef& q);
  /// Everything at (q, v) but the efforts: closure with rates, bias_, mass matrix, factors.
  void prepare(Workspace& work, const VectorRef& q, const VectorRef& v, ExternalWrenches wrenches);

  const Model& model_;
  LoopClosure closure_;
  TreeRoute* route_ = nullptr;
  std::unique_ptr<System> system_;
  Eigen::VectorXd bias_, acceleration_, lambda_;
  Eigen::VectorXd right_, rows_, step_, at_, next_;  ///< scratch: speeds, rows, speeds, coordinates
  Eigen::VectorXd response_lambda_;
  std::vector<SmallVector> closing_efforts_;  ///< by loop; empty where nothing acts
  std::vector<SmallVector> motor_efforts_;    ///< by loop, of the last inverse; empty likewise
  std::vector<int> acting_;                   ///< loops whose joint has springs or dampers
};

}  // namespace ulna
