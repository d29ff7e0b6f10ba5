#pragma once
// Who holds and who gives way among joints at rest. docs/theory/simulation.md, eq. 17.
//
// Efforts r of friction and stops within their bounds give the accelerations a = a0 + D r: where a
// joint moves, its effort is at the bound that stands against it, elsewhere it holds. These are the
// conditions for the least of r'Dr/2 + a0'r within the bounds, so that a is unique, though in a
// loop not r: several joints may hold the same freedom. Then as few as determine it hold, the
// others rub at their bounds without moving.

#include <Eigen/Core>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct ULNA_API RestProblem {
  Eigen::MatrixXd D;             ///< accelerations by unit efforts, symmetric, semidefinite
  Eigen::VectorXd a0;            ///< accelerations without r
  Eigen::VectorXd lower, upper;  ///< bounds of r; infinite for stops
  Eigen::VectorXd inertia;  ///< of each alone: 1 / D(i, i) if nothing else gave way or stood fast

  struct Answer {
    Eigen::VectorXd r, a;
    std::vector<char> holds;  ///< else r is at a bound, or nothing answers to it
  };
  Answer solve() const;

 private:
  void leave_few(Answer& answer) const;
};

}  // namespace ulna
