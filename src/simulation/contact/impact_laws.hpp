#pragma once
// Impulses of one impact by the laws of Newton, Poisson and pair after pair.
// docs/theory/simulation.md, eq. 53-55, 67, 68. And the impact without collision of a contact whose
// friction jams while it slides (eq. 98).
//
// Speeds along the rows of the contacts are u + D x with impulses x; what is always kept has been
// eliminated from both.

#include "contact/cone_problem.hpp"
#include "ulna/simulation/parts/contact.hpp"

namespace ulna {

struct ImpactProblem {
  Eigen::MatrixXd D;
  Eigen::VectorXd u;
  std::vector<ConeContact> cones;   ///< their floors become the speeds of departure
  std::vector<double> restitution;  ///< of each contact
  std::vector<double> rest_speed;   ///< slower departures end at rest
};

/// Fills the impulses x by a law with all restitutions times `share`.
ConeAnswer solve_impact(ImpactLaw law, ImpactProblem& problem, double share, Eigen::VectorXd& x);

/// Eq. 98: impulses from the instant at which the friction of sliding contacts jams until they part
/// or rest, with all restitutions times `share`. One contact alone follows its path in the normal
/// impulse. Of several, those that are jammed stop to slide and stay, and all others push and rub
/// as in an impact; then the impulses of restitution of the jammed contacts follow, with their
/// slips kept at zero. Where that asks more friction of a jammed contact than it has, it slides on
/// another way. False where no impulses are found.
bool solve_jams(const ImpactProblem& problem, const std::vector<char>& jammed, double share,
                Eigen::VectorXd& impulses);

}  // namespace ulna
