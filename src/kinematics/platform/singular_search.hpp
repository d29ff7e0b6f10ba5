#pragma once
// Searches for singular poses that do not ask how the platform is solved: the nearest one, and the
// curves of them in a slice. docs/theory/platforms.md, eq. 36.

#include <functional>

#include "ulna/kinematics/platform_quality.hpp"

namespace ulna {

/// What vanishes at a singular pose, at coordinates x from a pose in metres (turns by the radius);
/// NaN out of reach.
using HoldingAt = std::function<double(const Eigen::VectorXd& x)>;
/// Its slope at the coordinates that were asked for last.
using HoldingSlope = std::function<Eigen::VectorXd()>;

/// Straight ways from the pose on which f is watched for a change of its sign: where the slope
/// leads to the edge of the workspace, singular poses are found so.
struct StraightSearch {
  double step = 0;    ///< zero: none
  double reach = 0;   ///< metres
  bool many = false;  ///< many ways, always; else few, and only where the other search finds none
};

/// The coordinates of singular poses that are nearer than those about them, by the search from each
/// start and along straight ways: the nearest first, each once. Without `slope` by differences.
std::vector<Eigen::VectorXd> nearest_zeros(const HoldingAt& f,
                                           const std::vector<Eigen::VectorXd>& starts,
                                           double radius, const HoldingSlope& slope = {},
                                           const StraightSearch& straight = {});
/// The pose itself and points around it.
std::vector<Eigen::VectorXd> starts_around(int freedoms, double radius);

/// The singular poses about the k-th pose of a path, the nearest first: by the search from these
/// poses and, where asked for, from points all around.
using SingularSearch = std::function<std::vector<NearestSingularity>(
    std::size_t k, bool all_around, const std::vector<NearestSingularity>& known)>;
/// The nearest singular pose at each pose of a path. The nearest ones found are followed from pose
/// to pose, forward and back, and points all around are searched whenever the platform has moved by
/// a tenth of its radius.
std::vector<NearestSingularity> nearest_along(const std::vector<Pose<double>>& path, double radius,
                                              const SingularSearch& search);

/// What vanishes at a singular pose, at values of the two axes of a slice between two neighbours of
/// the grid, of which the first is given by its two numbers; NaN out of reach.
using HoldingInCell = std::function<double(const std::array<double, 2>& at, int i, int j)>;
/// `f`: at the points of the grid, the first axis by rows.
std::vector<LocusPiece> loci_of_zero(const WorkspaceSlice& slice, const Eigen::MatrixXd& f,
                                     const HoldingInCell& between);

}  // namespace ulna
