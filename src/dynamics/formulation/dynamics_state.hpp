#pragma once
// What Dynamics keeps behind its header: the choices made at construction and the memory of the
// answers.

#include <array>
#include <optional>

#include "formulation/tree_route.hpp"
#include "kernels/kernels.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/internal/mixed_dynamics.hpp"

namespace ulna {

/// The kernels of a robot without loops when no formulation was named; null otherwise.
struct TreePlan {
  Tree tree{};
  decltype(DynamicsKernels::newton_euler) newton_euler = nullptr;
  decltype(DynamicsKernels::articulated_body) articulated_body = nullptr;
  bool passive = false;  ///< damping, friction or springs
};

struct Dynamics::State {
  State(const Model& the_model, DynamicsOptions options);

  /// InputError unless the formulation asked for answers this question.
  void require(Question question) const;
  void check(const VectorRef& q, const VectorRef& v, const VectorRef& third,
             const char* name) const;
  /// The route of the formulation asked for; Newton and Euler otherwise.
  TreeRoute& route();
  /// M a + c of the open tree at the level asked for, without passive efforts.
  void tree_efforts(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                    Eigen::VectorXd& tau);
  bool tree() const { return !loops && !whole; }

  const LoopEfforts& general_inverse(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                                     ExternalWrenches wrenches);
  const Eigen::VectorXd& general_forward(const VectorRef& q, const VectorRef& v,
                                         const VectorRef& tau, ExternalWrenches wrenches);
  MixedDynamics& mixed_tree();

  const Model& model;
  DynamicsOptions options;
  Workspace work;
  TreePlan plan;
  const Formulation* chosen = nullptr;
  std::array<bool, question_count> refused{};  ///< by question
  std::unique_ptr<TreeRoute> own_route;
  std::unique_ptr<WholeRoute> whole;
  std::unique_ptr<LoopDynamics> loops;
  std::optional<ElasticEquations> truncated;
  LoopInverseOptions motors;
  std::vector<char> held;  ///< one entry per speed; empty: none

  LoopEfforts efforts;
  Eigen::VectorXd accelerations;
  Eigen::MatrixXd M;
  Reactions reactions;
  LinearTerms linear;
  // Made when first asked for.
  std::unique_ptr<MixedDynamics> mixed;
  std::unique_ptr<DerivativeWorkspace> derivatives;
};

}  // namespace ulna
