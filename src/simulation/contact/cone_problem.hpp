#pragma once
// Forces (or impulses) of several contacts at once, each of which pushes only and rubs by Coulomb's
// law. With u = u0 + D x the accelerations (or speeds) along the rows of the contacts,
//
//   0 <= u_n - floor,  x_n >= 0,  x_n (u_n - floor) = 0 docs/theory/simulation.md, |x_t| <= mu x_n,
//   u_t = 0 where less, else x_t against u_t              eq. 50, 51
//
// Each contact is solved exactly with the others as they are (it opens, or sticks by least squares,
// or slips in the direction that a search finds with the normal force eliminated), contact after
// contact, until nothing changes: that needs no rank, and of several solutions (a table on four
// legs) it finds one that pushes only. For events, not for steps.

#include <Eigen/Core>
#include <vector>

namespace ulna {

struct ConeContact {
  int row = 0;          ///< of its normal; two tangents follow if it rubs
  double friction = 0;  ///< coefficient; 0: there are no rows of tangents
  double floor = 0;     ///< least u_n
  bool slides = false;  ///< friction acts against `direction` whatever u_t is
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();
};

enum class ConeAnswer {
  solved,
  immovable,  ///< a contact that must give way cannot: D is zero there
  unsettled   ///< no forces were found: friction jams
};

/// Of vectors in the plane of contact.
inline double cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return a.x() * b.y() - a.y() * b.x();
}

/// Starts from x.
ConeAnswer solve_cone_problem(const Eigen::MatrixXd& D, const Eigen::VectorXd& u0,
                              const std::vector<ConeContact>& contacts, Eigen::VectorXd& x);

/// Minimum-norm solution of D x = r for a symmetric D without negative eigenvalues that may be
/// singular.
Eigen::MatrixXd solve_semidefinite(const Eigen::MatrixXd& D, const Eigen::MatrixXd& r);

}  // namespace ulna
