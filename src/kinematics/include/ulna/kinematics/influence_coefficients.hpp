#pragma once
// First and second order influence coefficients of a point: how its motion follows from the speeds,
//
//   (angular velocity; velocity)         = G v                      6 x n, world axes
//   (angular acceleration; acceleration) = G a + v' H v             one n x n plane for each row
//
// in closed form from the joint axes, for chains and trees of any joints
// (docs/theory/influence-coefficients.md, eq. 1-5). G is the Jacobian; the sum over v of H is its
// derivative along the motion. Rotation rows come first.
//
// Only H[i,j] + H[j,i] acts. The angular planes are kept as they arise, one-sided: row = the joint
// that turns, column = the axis that it turns (eq. 4); `symmetric` takes the symmetric parts.
// With loops, or in other coordinates, compose: closed_loop_map gives the speeds of the tree from
// any that determine them. Cost: linear in the pairs of speeds on the way to the root.

#include "ulna/kinematics/coordinate_map.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

/// Of a point fixed to a frame, given in its axes, with respect to all speeds of the tree. Uses the
/// poses in `work`: after update_poses. gamma is zero: ask gamma_at(v).
ULNA_API CoordinateMap influence_coefficients(const Model& model, const Workspace& work, int frame,
                                              const Vector3<double>& point = {0, 0, 0});

/// The same for a point fixed to a node, given in the world.
ULNA_API CoordinateMap node_influence(const Model& model, const Workspace& work, int node,
                                      const Vector3<double>& p_W);

/// H replaced by its symmetric part, which acts the same.
ULNA_API CoordinateMap symmetric(CoordinateMap map);

/// Which outputs to keep, in this order: rows of G and planes of H.
ULNA_API CoordinateMap rows_of(const CoordinateMap& map, const std::vector<int>& rows);

/// sum_n C(k, n) B_n for each k: the generalized scalar product (eq. 6).
ULNA_API std::vector<Eigen::MatrixXd> generalized_product(const Eigen::MatrixXd& C,
                                                          const std::vector<Eigen::MatrixXd>& B);

/// All speeds of a robot with loops from independent ones, with second order, which independent_map
/// lacks: H from the quadratic b of A a = b by polarisation (eq. 7). At a closed posture.
ULNA_API CoordinateMap closed_loop_map(LoopClosure& closure, Workspace& work, const VectorRef& q,
                                       const SpeedSplit& split);

/// What a robot's speeds and the rates of its closing joints are called: those of Model, then
/// "ball.wx" and the like for each degree of freedom of each closing joint (alone: "hinge").
ULNA_API std::vector<std::string> all_speed_names(const Model& model);

/// All of those from the speeds of the tree that are independent; out: all_speed_names().
ULNA_API CoordinateMap all_speeds_map(LoopClosure& closure, Workspace& work, const VectorRef& q,
                                      const SpeedSplit& split);

/// All speeds of the tree from chosen inputs, indices into all_speed_names(). InputError when they
/// are too few or too many, ComputationError when they do not determine the robot at q; both name
/// them.
ULNA_API CoordinateMap map_from_inputs(LoopClosure& closure, Workspace& work, const VectorRef& q,
                                       const std::vector<int>& inputs);

}  // namespace ulna
