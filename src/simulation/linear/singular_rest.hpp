#pragma once
// Rests of robots with loops at singular postures, where branches of motion cross and the loops
// have more freedom than elsewhere (docs/theory/closed-loops.md, section 5).

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// Closed postures beside q, on each branch of motion that was found there, both ways; empty where
/// q is regular.
std::vector<Eigen::VectorXd> postures_on_branches(const Model& model, const Eigen::VectorXd& q);

/// At a posture q that is singular or next to it: what is missing for the motions that open there.
struct OpenMotions {
  int gained = 0;         ///< freedoms beyond the usual number
  Eigen::VectorXd fall;   ///< the speeds at which the missing efforts set the robot in motion
  bool balanced = false;  ///< nothing is missing for them, or none opens
};
OpenMotions open_motions(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& tau,
                         int usual);

/// Closed postures beside q to which the robot falls where efforts are missing for the motions that
/// open there: on branches other than that on which a search came to q, if there are any.
std::vector<Eigen::VectorXd> postures_after_fall(const Model& model, const Eigen::VectorXd& q,
                                                 const OpenMotions& open);

/// Why the robot does not rest at q. Empty where the motions that open are balanced.
std::string unheld_text(const Model& model, const OpenMotions& open);

}  // namespace ulna
