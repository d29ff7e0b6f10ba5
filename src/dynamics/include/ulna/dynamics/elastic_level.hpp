#pragma once
// Levels of fidelity of flexible robots: the equations of motion with less and less of the coupling
// between deformation and motion. docs/theory/flexible.md, eq. 22-26.
//
// They all come from the one kernel of inverse dynamics. Run on dual numbers whose dual part holds
// the elastic quantities (coordinates, rates and accelerations of the modes), products of two of
// them vanish, and what is left is the expansion to first order: `consistent`. The same with the
// foreshortening struck from the kinematics is `inconsistent`. Coarser levels run it with the
// elastic quantities at zero.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {

enum class ElasticLevel {
  exact,         ///< nothing is dropped
  consistent,    ///< first order in the elastic quantities, linearised after the projection
  inconsistent,  ///< linear kinematics of deformation; rigid arms still turn with the section
  inconsistent_strict,  ///< linear kinematics throughout
  ruthless,             ///< no products of elastic quantities with the rigid motion
  rate_linear,          ///< and none of rigid rates
  mixed,                ///< mass matrix of ruthless, forces of consistent
  geometrically_exact   ///< links cut into elements (elastic/geometrically_exact.hpp), nothing
                        ///< dropped
};
ULNA_API const char* name_of(ElasticLevel level);
ULNA_API std::optional<ElasticLevel> elastic_level_from_name(const std::string& name);
ULNA_API std::vector<std::string> elastic_level_names();

/// M(q) a + h(q, v) = tau of a flexible robot at a level. M is symmetric for exact, ruthless and
/// rate-linear only. Allocates nothing after it is made.
class ULNA_API ElasticEquations {
 public:
  ElasticEquations(const Model& model, ElasticLevel level);
  ~ElasticEquations();
  ElasticEquations(ElasticEquations&&) noexcept;

  ElasticLevel level() const { return level_; }
  void update(const VectorRef& q, const VectorRef& v, ExternalWrenches wrenches = {});
  const Eigen::MatrixXd& M() const { return M_; }
  /// Gravity, rates, stiffness, damping and passive efforts of the joints.
  const Eigen::VectorXd& h() const { return h_; }

 private:
  struct Graded;
  void first_order(const VectorRef& q, const VectorRef& v, bool mass, bool forces);
  void at_rest(const VectorRef& q, const VectorRef& v, bool with_rates);

  const Model& model_;
  ElasticLevel level_;
  Workspace work_;
  std::unique_ptr<Graded> graded_;
  Eigen::MatrixXd M_;
  Eigen::VectorXd h_, q_, v_;
};

}  // namespace ulna
