#pragma once
// The motion of the joints that carries a frame along a PoseMotion: inverse kinematics that follows
// one branch of solutions from the start on. docs/theory/motions.md, eq. 26-28.
//
// Made once: coordinates, rates and accelerations are solved at times as dense as needed and joined
// by quintic Hermite pieces, until the frame of the joined motion is where it should be between
// those times as well. Asking for a value is then cheap, and q, v and a are exact derivatives of
// each other. Redundant robots move with the minimum-norm rates.
//
// In a robot with loops (a platform, a coupler) some joints carry the motion, and the loops move
// the others: only the driven ones are given then.

#include <optional>
#include <vector>

#include "ulna/kinematics/inverse_kinematics.hpp"
#include "ulna/model/model.hpp"
#include "ulna/motion/parts/piecewise_polynomial.hpp"
#include "ulna/motion/parts/pose_motion.hpp"

namespace ulna {

struct CartesianMotionOptions {
  bool position_only = false;  ///< the rotation of the frame is left free
  HeldAxes held = all_axes;    ///< coordinates of its origin; the others are left free
  /// Coordinates near which the start is looked for: this chooses the branch. Empty: neutral.
  Eigen::VectorXd start;
  /// With loops: the speeds that carry the motion. Empty: the drives of a platform, otherwise those
  /// that pivoting finds independent. Without loops all do.
  std::vector<int> driven;
  double tolerance = 1e-10;  ///< of the frame between the solved times, metres and radians
  /// Of the frame's acceleration there, relative to its peak (and that of speed^2 per metre); not
  /// kept within 0.001 of the time around kinks of the wanted acceleration.
  double acceleration_tolerance = 1e-6;
  double first_step = 0.01;             ///< part of the time between breakpoints
  double smallest_step = 1e-7;          ///< the same; below it the branch counts as lost
  double rate_limit = 1e4;              ///< rad/s or m/s: what counts as a singular posture
  bool within_velocity_limits = false;  ///< refuse rates above those of the model, too
};

class ULNA_API CartesianMotion final : public Motion {
 public:
  /// ComputationError with the time and the reason (out of reach, joint limit, singular posture,
  /// rates above a limit) where the motion cannot be followed. InputError for trees with
  /// quaternions among their coordinates, and for driven joints that do not determine the frame.
  CartesianMotion(const Model& model, int frame, const PoseMotion& motion,
                  const CartesianMotionOptions& options = {});

  int size() const override { return static_cast<int>(coordinates_.size()); }
  void at(double t, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v,
          Eigen::Ref<Eigen::VectorXd> a) const override;
  std::vector<double> breakpoints() const override { return breakpoints_; }
  double duration() const override { return duration_; }

  /// The speeds that move, as many as size(), in this order: of a tree all.
  const std::vector<int>& driven() const { return driven_; }
  /// All coordinates at the beginning.
  const Eigen::VectorXd& start() const { return start_; }
  /// One coordinate by itself, counted as in driven().
  const PiecewisePolynomial& coordinate(int k) const {
    return coordinates_[static_cast<std::size_t>(k)];
  }
  /// The largest error of the frame's pose that was found between the solved times.
  double pose_error() const { return pose_error_; }

 private:
  std::vector<PiecewisePolynomial> coordinates_;
  std::vector<int> driven_;
  Eigen::VectorXd start_;
  std::vector<double> breakpoints_;
  double duration_ = 0, pose_error_ = 0;
};

}  // namespace ulna
