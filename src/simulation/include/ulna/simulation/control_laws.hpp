#pragma once
// Control laws besides those of Feedback (controller.hpp). docs/theory/control.md.
//
//   StateFeedback     u = u0 + K (x_ref - x), gains of `linearize`, with a Kalman filter if wanted
//   Impedance         a frame behaves like a spring and a damper about its reference
//   OperationalSpace  a frame follows its reference with given dynamics (Khatib)
//   Adaptive          Slotine and Li on the torque regressor: inertial parameters are learnt
//
// The reference of a frame is its pose and motion at the reference of the joints.

#include <memory>
#include <mutex>
#include <optional>

#include "ulna/simulation/controller.hpp"
#include "ulna/simulation/kalman.hpp"

namespace ulna {

struct CoordinateMap;
class TorqueRegressor;

/// Gains of a linear system about one state (linearize.hpp); x is made of `speeds`. With a filter
/// the positions of `speeds` are measured and the rest of x is estimated.
class ULNA_API StateFeedback final : public Controller {
 public:
  std::vector<int> speeds;    ///< that x is made of: LinearSystem::speeds
  std::vector<int> actuated;  ///< speeds that the rows of K are for
  std::vector<int> measured;  ///< speeds whose coordinates the filter gets to see
  Eigen::MatrixXd K;          ///< actuated x 2 speeds
  Eigen::VectorXd efforts;    ///< u0, of all speeds of the robot
  Eigen::VectorXd q0;         ///< the state of the linear system
  Eigen::VectorXd limit;      ///< of the efforts' size, by speed; empty: none
  std::optional<SteadyKalmanFilter> filter;

  void control(const ControlState& state, const double* z, Eigen::VectorXd& tau,
               double* dz) const override;
  int states(const Model& robot) const override;
  std::string name() const override { return "state-feedback"; }
};

/// tau = J' (stiffness e + damping de/dt), and what holds the robot against gravity. Turns first,
/// then displacements, world axes.
class ULNA_API Impedance final : public Controller {
 public:
  int frame = 0;
  Eigen::Matrix<double, 6, 1> stiffness = Eigen::Matrix<double, 6, 1>::Zero(),
                              damping = Eigen::Matrix<double, 6, 1>::Zero();
  bool gravity = true;
  double joint_damping = 0;  ///< of what the frame does not feel
  Eigen::VectorXd limit;

  void control(const ControlState& state, const double* z, Eigen::VectorXd& tau,
               double* dz) const override;
  std::string name() const override { return "impedance"; }
};

/// Accelerations of the frame a_ref + kp e + kd de/dt through the inverse of the operational
/// inertia; what is left of the freedoms follows the joint reference with joint_kp and joint_kd.
/// Passive joints, those of loops and a floating base among them, move as they must. Its model is
/// rigid.
class ULNA_API OperationalSpace final : public Controller {
 public:
  int frame = 0;
  bool position_only = false;
  double kp = 0, kd = 0;  ///< 1/s^2, 1/s
  double joint_kp = 0, joint_kd = 0;
  Eigen::VectorXd limit;

  void control(const ControlState& state, const double* z, Eigen::VectorXd& tau,
               double* dz) const override;
  std::string name() const override { return "operational-space"; }
  std::string refusal(const Model& robot) const override;
};

/// s = de/dt + lambda e, tau = Y(q, v, v_r, a_r) p + kd s, dp/dt = rate Y' s; states: change of the
/// parameters p since the start, which are those of its model. Rotors, springs, damping and
/// friction of the joints count as known. With loops on the controlled joints, which determine all
/// others.
class ULNA_API Adaptive final : public Controller {
 public:
  double lambda = 10;  ///< 1/s
  Eigen::VectorXd kd;  ///< one per speed
  double rate = 1;     ///< of learning, relative to the size of each parameter squared
  Eigen::VectorXd limit;

  Adaptive();
  ~Adaptive() override;
  void control(const ControlState& state, const double* z, Eigen::VectorXd& tau,
               double* dz) const override;
  int states(const Model& robot) const override;
  std::string name() const override { return "adaptive"; }
  std::string refusal(const Model& robot) const override;
  /// The rates of learning of the parameters: `rate` times the square of the largest parameter of
  /// its kind (masses, first moments, inertias).
  Eigen::VectorXd learning_rates(const Model& robot) const;
  /// Y(q, v, v_r, a_r): bilinear in v and v_r as Christoffel's symbols are.
  Eigen::MatrixXd regressor(const Model& robot, Workspace& work, const Eigen::VectorXd& q,
                            const Eigen::VectorXd& v, const Eigen::VectorXd& v_r,
                            const Eigen::VectorXd& a_r) const;

 private:
  TorqueRegressor& regressor_of(const Model& robot) const;
  Eigen::MatrixXd regressor_of_loops(const ControlState& s, const CoordinateMap& map,
                                     const Eigen::VectorXd& v_r, const Eigen::VectorXd& a_r) const;
  mutable std::mutex lock_;                    ///< one object may serve several runs at once
  mutable const Model* robot_ = nullptr;       ///< that the regressor is of
  mutable std::shared_ptr<const Model> open_;  ///< its open tree, where it has loops
  mutable std::unique_ptr<TorqueRegressor> regressor_;
};

}  // namespace ulna
