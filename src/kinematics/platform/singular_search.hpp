#pragma once
// Searches for singular poses that do not ask how the platform is solved: the nearest one, and the
// curves of them in a slice. docs/theory/platforms.md, eq. 36.

#include <functional>

#include "ulna/kinematics/platform_quality.hpp"

namespace ulna {

/// What vanishes at a singular pose, at coordinates x from a pose in metres (turns by the radius);
/// NaN out of reach.
using HoldingAt = std::function<double(const Eigen::VectorXd& x)>;

/// The coordinates of the nearest singular pose, from each start. Empty where none was found.
Eigen::VectorXd nearest_zero(const HoldingAt& f, const std::vector<Eigen::VectorXd>& starts,
                             double radius);
/// The pose itself and points around it.
std::vector<Eigen::VectorXd> starts_around(int freedoms, double radius);

/// What vanishes at a singular pose, at values of the two axes of a slice between two neighbours of
/// the grid, of which the first is given by its two numbers; NaN out of reach.
using HoldingInCell = std::function<double(const std::array<double, 2>& at, int i, int j)>;
/// `f`: at the points of the grid, the first axis by rows.
std::vector<LocusPiece> loci_of_zero(const WorkspaceSlice& slice, const Eigen::MatrixXd& f,
                                     const HoldingInCell& between);

}  // namespace ulna
