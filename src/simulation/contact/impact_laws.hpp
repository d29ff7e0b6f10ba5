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

/// Eq. 98: impulses along the normal and two tangents of one contact that slides with u, from the
/// instant at which its friction jams until it parts or rests. D is its own block. False where more
/// impulse does not part it even when it has stopped to slide.
bool solve_jam(const Eigen::Matrix3d& D, const Eigen::Vector3d& u, double friction,
               double restitution, Eigen::Vector3d& impulse);

/// The same where several contacts touch: those that are jammed stop to slide and stay, all others
/// push and rub as in an impact. Then the impulses of restitution of the jammed contacts follow,
/// with their slips kept at zero. False where that asks more friction of a jammed contact than it
/// has.
bool solve_jams(const ImpactProblem& problem, const std::vector<char>& jammed,
                Eigen::VectorXd& impulses);

}  // namespace ulna
