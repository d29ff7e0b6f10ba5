#include "ulna/numerics/internal/minimize.hpp"

#include <fmt/format.h>

#include "ulna/numerics/error.hpp"

namespace ulna {

void check_minimize_problem(const MinimizeProblem& problem, const Eigen::VectorXd& start) {
  if (!problem.value) throw InputError("a minimisation without function");
  if (!start.allFinite()) throw InputError("a start that is not finite");
  for (const Eigen::VectorXd* bound : {&problem.lower, &problem.upper})
    if (bound->size() != 0 && bound->size() != start.size())
      throw InputError(fmt::format("{} bounds", bound->size()),
                       fmt::format("{}, one per variable, or none", start.size()));
  if (problem.lower.size() > 0 && problem.upper.size() > 0 &&
      !(problem.lower.array() <= problem.upper.array()).all())
    throw InputError("a lower bound above its upper bound", "lower <= upper");
}

}  // namespace ulna
