#pragma once
// The dynamics of a robot of any kind: a tree, one with loops, flexible links, a platform. One
// object answers inverse and forward dynamics and the mass matrix, by the formulation that is asked
// for by name (formulation.hpp) or else by the fastest one.
//
//   ulna::Dynamics dynamics(model);                      // or {.method = "kane"}
//   const Eigen::VectorXd& tau = dynamics.inverse(q, v, a).tau;
//   const Eigen::VectorXd& acceleration = dynamics.forward(q, v, tau);
//
// With loops, positions must close them and speeds and accelerations keep them closed. Results are
// left in the object until the next call. It belongs to one thread, and the model must outlive it.

#include <memory>
#include <string>
#include <vector>

#include "ulna/dynamics/elastic_level.hpp"
#include "ulna/dynamics/formulation.hpp"
#include "ulna/dynamics/loops.hpp"

namespace ulna {

struct DynamicsOptions {
  std::string method;                            ///< name of a formulation; empty: the fastest
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

/// The equations of motion M a + coriolis + gravity = tau on the speeds named; passive efforts are
/// left out. With loops the speeds are independent ones.
struct EquationsOfMotion {
  std::vector<int> speeds;
  Eigen::MatrixXd M;
  Eigen::VectorXd coriolis, gravity;
};

class ULNA_API Dynamics {
 public:
  /// InputError where the formulation, level or actuators do not go with the robot.
  explicit Dynamics(const Model& model, DynamicsOptions options = {});
  ~Dynamics();
  Dynamics(Dynamics&&) noexcept;

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

  const Model& model() const;
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
