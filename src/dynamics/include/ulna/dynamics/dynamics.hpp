#pragma once
// The dynamics of a robot of any kind: a tree, one with loops, flexible links, a platform. One
// object answers every question about it, by the formulation that is asked for by name
// (formulation.hpp) or else by the fastest one.
//
//   ulna::Dynamics dynamics(model);                      // or {.method = "kane"}
//   const Eigen::VectorXd& tau = dynamics.inverse(q, v, a).tau;
//   const Eigen::VectorXd& acceleration = dynamics.forward(q, v, tau);
//
// With loops, positions must close them and speeds and accelerations keep them closed. Results are
// left in the object until the next call. It belongs to one thread, a copy serves another one, and
// the model must outlive it. For a plain rigid tree `inverse`, `forward` and `mass_matrix` cost no
// more than the free functions: what kind of robot it is has been asked at construction.

#include <memory>
#include <string>
#include <vector>

#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/elastic_level.hpp"
#include "ulna/dynamics/formulation.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/dynamics/reactions.hpp"

namespace ulna {

struct DynamicsOptions {
  std::string method = {};                       ///< name of a formulation; empty: the fastest
  LoopMethod closing = LoopMethod::multipliers;  ///< how forward dynamics closes loops
  ElasticLevel level = ElasticLevel::exact;      ///< of flexible links
  std::vector<int> actuated = {};                ///< with loops: as LoopInverseOptions
  Eigen::VectorXd weights = {};                  ///< of actuators, where they are redundant

  bool operator==(const DynamicsOptions& other) const {
    return method == other.method && closing == other.closing && level == other.level &&
           actuated == other.actuated && weights.size() == other.weights.size() &&
           weights == other.weights;
  }
};

/// The equations of motion M a + coriolis + gravity + passive = tau on the speeds named. With loops
/// the speeds are independent ones and tau stands for G' tau. Elastic forces count as gravity.
struct EquationsOfMotion {
  std::vector<int> speeds;
  Eigen::MatrixXd M;
  Eigen::VectorXd coriolis, gravity;
  Eigen::VectorXd passive;  ///< damping, friction and springs, those of closing joints included
};

/// What passes through the joints: the wrench that the parent exerts on the child.
struct Reactions {
  std::vector<Wrench<double>> joints;   ///< as Model::joints()
  std::vector<Wrench<double>> closing;  ///< as Model::loops(); zero for couplings
  bool unique = true;  ///< false where closures are redundant: the minimum-norm reactions
};

/// The equations of motion linearised: M da + C dv + K dx = dtau for changes of accelerations,
/// speeds and coordinates (in the tangent). With loops on independent speeds, the others following.
struct LinearTerms {
  std::vector<int> speeds;
  Eigen::MatrixXd M, C, K;
  bool exact = true;  ///< closed form or dual numbers; false: central differences
};

class ULNA_API Dynamics {
 public:
  /// InputError where the formulation, level or actuators do not go with the robot.
  explicit Dynamics(const Model& model, DynamicsOptions options = {});
  ~Dynamics();
  Dynamics(Dynamics&&) noexcept;
  /// The same choices and held speeds with memory of its own, for another thread.
  Dynamics(const Dynamics& other);
  Dynamics& operator=(const Dynamics&) = delete;

  /// Efforts for accelerations. For trees every speed has its effort. ComputationError where the
  /// actuators of a mechanism with loops do not drive it.
  const LoopEfforts& inverse(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                             ExternalWrenches wrenches = {});
  /// Accelerations under efforts. ComputationError where masses do not determine them.
  const Eigen::VectorXd& forward(const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                                 ExternalWrenches wrenches = {});
  /// Of the open tree, on all speeds.
  const Eigen::MatrixXd& mass_matrix(const VectorRef& q);
  /// On independent speeds: all of a tree; with loops those given, or chosen by pivoting.
  EquationsOfMotion equations(const VectorRef& q, const VectorRef& v,
                              const std::vector<int>& independent = {});
  /// The wrench through every joint when the actuators give accelerations a. InputError for
  /// formulations whose equations have no reactions.
  const Reactions& reactions(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                             ExternalWrenches wrenches = {}, const ReactionQuery& query = {});
  /// Rotors and the springs of closing joints included.
  Energy energy(const VectorRef& q, const VectorRef& v);
  /// About a state of motion: trees in closed form, flexible ones by dual numbers, loops and levels
  /// below exact by differences.
  const LinearTerms& linear(const VectorRef& q, const VectorRef& v, const VectorRef& a);
  /// Of trees at level exact; InputError for others, which have `linear`.
  const InverseDerivatives& inverse_derivatives(const VectorRef& q, const VectorRef& v,
                                                const VectorRef& a);
  const ForwardDerivatives& forward_derivatives(const VectorRef& q, const VectorRef& v,
                                                const VectorRef& tau);

  /// Speeds whose accelerations are given, one entry each; none at first.
  void hold(const std::vector<char>& speeds);
  /// Reads a where held and tau elsewhere, and writes the others. False where masses and loops do
  /// not determine them. By newton-euler and composite bodies for trees.
  bool mixed(const VectorRef& q, const VectorRef& v, Eigen::VectorXd& a, Eigen::VectorXd& tau,
             ExternalWrenches wrenches = {});
  /// Change of the speeds by impulses along them at a posture; held ones keep theirs. False where
  /// there is none.
  bool respond(const VectorRef& q, const Eigen::VectorXd& impulses, Eigen::VectorXd& change);
  /// The nearest positions that close the loops, and the nearest speeds that keep them closed;
  /// held ones stay. False where there are none. Trees: nothing changes.
  bool close_positions(Eigen::VectorXd& q, double tolerance = 1e-12);
  bool close_speeds(const VectorRef& q, Eigen::VectorXd& v);

  const Model& model() const;
  const DynamicsOptions& options() const;
  Workspace& work();
  /// The formulation in force for a question: the one asked for, or the fastest.
  const Formulation& formulation(Question question) const;
  /// Null for trees.
  LoopDynamics* loops();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ulna
