#pragma once
// Controllers: efforts of some joints from the state and a reference. Continuous, or sampled at a
// rate with the efforts held in between. docs/theory/simulation.md, eq. 20-24.
//
// One's own controller is a class derived from Controller; it must not change when it is used (the
// simulation keeps its states for it), so that one object can serve several runs.

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "ulna/model/parts/workspace.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

class Dynamics;
class LoopDynamics;

/// What a controller sees. All vectors cover the whole robot.
struct ControlState {
  const Model& model;
  Workspace& work;  ///< scratch for dynamics
  double t;
  const Eigen::VectorXd &q, &v;
  const Eigen::VectorXd &q_ref, &v_ref, &a_ref;
  const Eigen::VectorXd& error;           ///< from q to q_ref in the tangent, one per speed
  Eigen::VectorXd& scratch;               ///< one entry per speed, for anything
  LoopDynamics* loops = nullptr;          ///< of robots with loops, for the controller's own use
  const Eigen::VectorXd* held = nullptr;  ///< of sampled ones: the efforts they gave last
  Dynamics* dynamics = nullptr;           ///< of the model, for the controller's own use
  /// Speeds that a motion, a lock or a controller leads, one entry each; the others are passive.
  /// Null: all of a tree, and with loops those of the controller.
  const std::vector<char>* led = nullptr;
  bool determined = false;  ///< speeds that are led determine all others
};

/// Efforts that a controller adds for what its robot shows besides the joints: a channel of the
/// state, such as the strain of a link, or the place of a frame (docs/theory/tip-tracking.md,
/// eq. 17-19). Errors are those from the reference; an error of a frame is carried to the joints
/// by its Jacobian.
struct OuterFeedback {
  std::string channel;  ///< a single one that follows from coordinates and speeds; empty: a frame
  int frame = 0;
  Eigen::VectorXd kp,
      ki;  ///< on the error and on its integral, one for each speed; ki may be empty
};

class ULNA_API Controller {
 public:
  virtual ~Controller();

  /// Adds the efforts of the speeds it drives to `tau` (of the whole robot), given its states z,
  /// and fills the rates of those. Sampled controllers advance z by rate times period.
  virtual void control(const ControlState& state, const double* z, Eigen::VectorXd& tau,
                       double* dz) const = 0;
  virtual int states(const Model&) const { return 0; }
  virtual std::string name() const = 0;
  /// Why it cannot control this robot; empty: it can.
  virtual std::string refusal(const Model&) const { return {}; }

  std::vector<int> joints;  ///< indices into Model::joints()
  double period = 0;        ///< of sampling; 0: continuous
  double delay = 0;         ///< from a sample until its efforts act; sampled ones only
  /// What it takes for the robot; null: the robot itself. Its joints have the same coordinates;
  /// it may do without the flexible bodies.
  std::shared_ptr<const Model> own_model;
  /// Encoders and tachometers by name: their readings take the place of q and v. What no sensor
  /// measures is seen as it is.
  std::vector<std::string> sensors;
  std::vector<OuterFeedback> feedback;  ///< beside the law, and not within its limit
  std::string title;                    ///< by which events name it; may be empty
  SourceMark mark;
};

enum class FeedbackLaw {
  pd,               ///< tau = kp e + kd de/dt + ki int e
  computed_torque,  ///< tau = inverse dynamics at (q, v, a_ref + kp e + kd de/dt + ki int e)
  feed_forward      ///< tau = inverse dynamics along the reference + kp e + kd de/dt + ki int e
};
ULNA_API const char* name_of(FeedbackLaw law);

/// The classical laws. Gains have one entry per speed of the robot; those of computed torque are
/// in 1/s^2 and 1/s (1/s^3), the others in effort per error.
class ULNA_API Feedback final : public Controller {
 public:
  FeedbackLaw law = FeedbackLaw::pd;
  Eigen::VectorXd kp, kd, ki;  ///< ki empty: no integral
  bool gravity = false;        ///< pd only: adds the efforts that hold the robot against gravity
  Eigen::VectorXd limit;       ///< of the efforts' size, infinite for none; empty: none
  /// Bound of ki int e; empty: none. Besides, the integral does not grow while the effort is at its
  /// limit and growing would push it further.
  Eigen::VectorXd integral_limit;

  void control(const ControlState& state, const double* z, Eigen::VectorXd& tau,
               double* dz) const override;
  int states(const Model& model) const override;
  std::string name() const override { return name_of(law); }
};

}  // namespace ulna
