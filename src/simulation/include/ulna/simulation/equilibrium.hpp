#pragma once
// Where the robot rests under given efforts: gravity(q) + springs(q) = tau, by damped least
// squares within the joint limits from a start. docs/theory/simulation.md, eq. 33; with loops on
// independent coordinates, eq. 66, from a start that closes them.

#include <string>

#include "ulna/model/parts/workspace.hpp"

namespace ulna {

struct Equilibrium {
  Eigen::VectorXd q;
  double residual = 0;    ///< norm of the efforts that are missing
  bool found = false;     ///< the residual is within the tolerance
  std::string reason;     ///< why not
  std::vector<int> held;  ///< speeds whose joint rests at a limit
  bool stable = false;    ///< no pole there grows, up to 1e-7 of the fastest
  std::string note;       ///< what is to be known of one that was found
};

/// `tolerance` is relative to the largest gravity effort at the start.
ULNA_API Equilibrium find_equilibrium(const Model& model, const VectorRef& start,
                                      const VectorRef& tau, double tolerance = 1e-11);

}  // namespace ulna
