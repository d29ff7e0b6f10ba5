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

#include <memory>
#include <vector>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/spatial/wrench.hpp"

namespace ulna {

enum class LoopMethod {
  multipliers,  ///< sparse; cost grows with the sum of the loops, not with their number squared
  embedding     ///< independent coordinates, dense
};
ULNA_API const char* name_of(LoopMethod method);

/// Efforts of the actuated joints and what the loops carry.
struct LoopEfforts {
  Eigen::VectorXd tau;     ///< all speeds; zero where not actuated
  Eigen::VectorXd lambda;  ///< one per row of the closure: the multipliers
  int dof = 0;
  /// The actuated joints are more than the degrees of freedom: efforts of least norm (weighted).
  bool redundant_actuation = false;
  /// Some rows of the closure are redundant: lambda is the one of least norm. The efforts do not
  /// depend on it.
  bool redundant_rows = false;
};

struct LoopInverseOptions {
  std::vector<int> actuated;  ///< speeds that have an actuator; empty: those found by pivoting
  /// For more actuators than degrees of freedom: minimise sum of weight tau^2. Empty: all one.
  Eigen::VectorXd weights;
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

  /// Accelerations under efforts tau (all speeds).
  const Eigen::VectorXd& forward(Workspace& work, const VectorRef& q, const VectorRef& v,
                                 const VectorRef& tau, ExternalWrenches wrenches = {},
                                 LoopMethod method = LoopMethod::multipliers);
  /// The multipliers of the last `forward` by LoopMethod::multipliers.
  const Eigen::VectorXd& lambda() const;

  /// Mass matrix on independent speeds, G' M G, and the map it belongs to.
  Eigen::MatrixXd reduced_mass_matrix(Workspace& work, const VectorRef& q, const SpeedSplit& split);

  /// Moves q the least way, in the metric of the mass matrix, to where the loops are closed within
  /// `tolerance` (metres, radians). ComputationError naming the loop that stays open.
  Eigen::VectorXd project_positions(Workspace& work, const VectorRef& q, double tolerance = 1e-12);
  /// The nearest speeds that keep the loops closed: the kinetic energy of the change is least.
  Eigen::VectorXd project_speeds(Workspace& work, const VectorRef& q, const VectorRef& v);

  /// What the parent of a closing joint exerts on its child through the rows it holds (and its
  /// damper or spring, if any), at the origin of the joint's frame M in the axes of the child's
  /// frame. For a rod: the force on the child at its point. After `inverse` or `forward` at the
  /// same state.
  Wrench<double> loop_reaction(const Workspace& work, int loop,
                               const Eigen::VectorXd& lambda) const;

  const LoopClosure& closure() const { return closure_; }

 private:
  struct System;
  /// Efforts needed beyond tau at accelerations a: tree inverse dynamics and the passive efforts of
  /// closing joints.
  void bias(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
            ExternalWrenches wrenches, Eigen::VectorXd& c);
  void add_closing_passive(Workspace& work, const VectorRef& q, const VectorRef& v,
                           Eigen::VectorXd& c);

  const Model& model_;
  LoopClosure closure_;
  std::unique_ptr<System> system_;
  Eigen::VectorXd bias_, acceleration_, lambda_;
  std::vector<Eigen::VectorXd> closing_efforts_;  ///< by loop; empty where nothing acts
};

}  // namespace ulna
