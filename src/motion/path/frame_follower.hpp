#pragma once
// Follows one branch of inverse kinematics along the motion of a frame: the work behind
// CartesianMotion. docs/theory/motions.md, eq. 26-28.
//
// With loops the unknowns are all coordinates of the tree, the loops' equations join those of the
// frame, and the motion is carried by the driven joints alone: between the solved times the others
// are where these and the loops put them.

#include <string>
#include <vector>

#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"
#include "ulna/motion/cartesian_motion.hpp"

namespace ulna {

/// The joints at one time.
struct FollowedNode {
  double t;
  Eigen::VectorXd q, v, a;
};

class FrameFollower {
 public:
  FrameFollower(const Model& model, int frame, const PoseMotion& motion,
                const CartesianMotionOptions& options);

  /// Nodes from `begin` to `end`, between two breakpoints of the motion. `start` is where the piece
  /// before ended, empty at the very beginning. Derivatives at both ends are those of this piece.
  std::vector<FollowedNode> follow(double begin, double end, const Eigen::VectorXd& start);
  double pose_error() const { return pose_error_; }
  /// The speeds that carry the motion, and their coordinates; chosen by the first `follow`.
  const std::vector<int>& driven() const { return driven_; }
  const std::vector<int>& driven_coordinates() const { return coordinates_; }

 private:
  using Node = FollowedNode;
  struct FrameError {
    double pose, acceleration;
  };
  InverseKinematicsResult reach(double t, const Eigen::VectorXd& near, int restarts) const;
  Eigen::VectorXd solved(double t, const Eigen::VectorXd& near, bool anywhere);
  [[noreturn]] void give_up(const Node& last, const std::string& trouble);
  Node node(double t, const Eigen::VectorXd& q);
  /// In how many independent directions (of those held) the joints move the frame.
  int directions(const Eigen::VectorXd& q);
  /// Why a wanted velocity or acceleration is missed: a singular posture, or no such freedom.
  std::string missed(const char* what, double by, const Eigen::VectorXd& q);
  Eigen::VectorXd rates(double t, const Eigen::VectorXd& q);
  Eigen::VectorXd null_part(const Eigen::VectorXd& q, const Eigen::VectorXd& change);
  Eigen::VectorXd predicted(const Node& from, double h);
  FrameError error_between(const Node& a, const Node& b);
  bool complete(const Node& a, const Node& b, double part, Node& between);
  void choose_driven(const Eigen::VectorXd& q);
  enum class Undetermined { no, joints, frame };
  Undetermined undetermined(const Eigen::VectorXd& q);
  void require_determined(const Eigen::VectorXd& q);
  bool can_carry(const Eigen::VectorXd& q);
  std::vector<int> platform_drives() const;
  /// A, and a row for each driven speed.
  Eigen::MatrixXd driving_rows();
  std::string driven_names() const;
  /// Time limited to the piece: derivatives at its ends are taken from inside.
  PoseMotionValue wanted(double t) const;
  Vector3<double> held(Vector3<double> x) const;
  [[noreturn]] void fail(double t, const std::string& reason) const;

  const Model& model_;
  Workspace work_;
  LoopClosure closure_;
  int frame_;
  const PoseMotion& motion_;
  const CartesianMotionOptions& options_;
  std::vector<int> rows_;  ///< of twists that are held
  std::vector<int> driven_, coordinates_;
  double begin_ = 0, end_ = 0, pose_error_ = 0;
  double acceleration_scale_ = 0;
};

}  // namespace ulna
