#pragma once
// The equations of a frame that is to be on its target and of the modes that nothing drives, at one
// instant. docs/theory/tip-tracking.md, eq. 6-9.

#include "ulna/dynamics/derivatives.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/simulation/tip_tracking.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

/// Where the frame of the robot with rigid links is, and what its joints move it by.
struct TipTarget {
  Eigen::VectorXd q, v, a;  ///< of the joints
  Pose<double> X;
  Eigen::MatrixXd G;  ///< rows of the frame's Jacobian that count, one column for each joint
};

class TipEquations {
 public:
  TipEquations(const Model& model, const std::vector<ScalarMotionPtr>& joints, double end,
               const TipOptions& options);

  long joints() const { return n_; }
  long size() const { return n_ + m_; }
  /// The motion from its first posture on, by this factor: 1 is the motion itself.
  void set_amplitude(double amplitude) { amplitude_ = amplitude; }
  /// Held at its ends before 0 and after `end`. ComputationError at singular postures.
  TipTarget target(double t);

  /// Residuals: first what the joints would have to move by to bring the frame to its target, then
  /// the efforts of the modes by their stiffness. With derivatives where asked for.
  void evaluate(const TipTarget& target, const Eigen::VectorXd& x, const Eigen::VectorXd& v,
                const Eigen::VectorXd& a, bool derivatives);
  Eigen::VectorXd residual;
  Eigen::MatrixXd dx, dv, da;
  double gap = 0;       ///< distance of the frame from its target
  Eigen::VectorXd tau;  ///< efforts of all speeds

  /// x on the target with these velocities and accelerations of the joints and modes at rest, from
  /// a first guess.
  Eigen::VectorXd quasi_static(const TipTarget& target, Eigen::VectorXd x);

 private:
  const Model& model_;
  Model rigid_;
  std::vector<ScalarMotionPtr> motions_;
  double end_, amplitude_ = 1;
  TipOptions options_;
  long n_, m_;
  Workspace work_, rigid_work_;
  DerivativeWorkspace derivatives_;
  Eigen::VectorXd weight_;  ///< of the rows of the modes: 1 / stiffness
};

}  // namespace ulna
