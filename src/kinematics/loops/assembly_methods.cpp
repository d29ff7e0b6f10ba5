#include "loops/assembly_search.hpp"

namespace ulna {

const char* name_of(AssemblyMethod method) {
  constexpr const char* names[] = {"gauss-newton", "newton-raphson", "davidon-fletcher-powell",
                                   "hooke-jeeves", "complex"};
  return names[static_cast<int>(method)];
}

std::vector<AssemblyMethod> assembly_methods() {
  return {AssemblyMethod::gauss_newton, AssemblyMethod::newton_raphson,
          AssemblyMethod::davidon_fletcher_powell, AssemblyMethod::hooke_jeeves,
          AssemblyMethod::complex_method};
}

SearchOutcome search_closure(AssemblyEquations& equations, const AssemblyOptions& options,
                             const std::vector<int>& free, const Eigen::VectorXd& start) {
  const PostureSearchProblem problem{
      equations.model(),
      [&equations](const Eigen::VectorXd& q, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
        equations.update(q);
        r = equations.residual();
        if (J) *J = equations.jacobian();
      },
      equations.closure().column_scale(), free};
  return search_posture(problem, {options.method, options.tolerance, options.limits, options.seed},
                        start);
}

}  // namespace ulna
