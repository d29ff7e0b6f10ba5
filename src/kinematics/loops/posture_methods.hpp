#pragma once
// One search from one start for coordinates at which equations hold, by each method: closing loops
// and bringing a frame to its target are the same question.

#include <vector>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/numerics/internal/least_squares.hpp"

namespace ulna {

struct SearchOutcome {
  Eigen::VectorXd q;
  int iterations = 0, evaluations = 0;
};

struct PostureSearchProblem {
  const Model& model;
  /// Residuals as pure numbers or metres and radians alike, and their Jacobian by speeds.
  std::function<void(const Eigen::VectorXd& q, Eigen::VectorXd& r, Eigen::MatrixXd* J)> evaluate;
  Eigen::VectorXd scale;  ///< by speed: what one unit of displacement is
  std::vector<int> free;  ///< speeds; the others keep their value of the start
};

struct PostureSearchOptions {
  AssemblyMethod method = AssemblyMethod::gauss_newton;
  double tolerance = 1e-10;
  bool limits = true;  ///< stay within them (Gauss-Newton and the complex method)
  unsigned seed = 1;
};

SearchOutcome search_posture(const PostureSearchProblem& problem,
                             const PostureSearchOptions& options, const Eigen::VectorXd& start);

}  // namespace ulna
