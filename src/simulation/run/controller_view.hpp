#pragma once
// One controller in a run, with what is its own: the model it takes for the robot, the state as its
// sensors show it, and the joints that are still its own after events.

#include <memory>
#include <vector>

#include "sensors/sensor_bank.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/simulation/experiment.hpp"
#include "ulna/simulation/internal/reference.hpp"

namespace ulna {

class ChannelFeedback;

class ControllerView {
 public:
  ControllerView(const Experiment& experiment, std::size_t index, const SensorBank& sensors);
  ~ControllerView();

  const Controller& controller() const { return *controller_; }
  int states() const;
  /// tau += efforts of its joints, dz = rates of its states z; `held` are the efforts it gave last.
  void control(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
               const Reference& reference, const Eigen::VectorXd* held, const double* z,
               Eigen::VectorXd& tau, double* dz);

 private:
  struct Measured {
    int index;            ///< of the coordinate or speed
    std::size_t reading;  ///< where among all readings
  };
  void connect(const Model& plant);
  void mark_led(const Experiment& experiment);
  void count_led(const Eigen::VectorXd& q);

  std::shared_ptr<const Controller> controller_;
  std::shared_ptr<const Model> model_;
  const SensorBank& sensors_;
  bool same_size_;  ///< its model has the coordinates of the robot
  std::vector<int> speeds_;
  std::vector<char> led_;                      ///< speeds that are not passive
  bool counted_ = false, determined_ = false;  ///< these determine all others
  std::vector<Measured> measured_q_, measured_v_;
  Workspace work_;
  Dynamics dynamics_;                              ///< of the model, for the controller's own use
  Eigen::VectorXd q_, v_, error_, scratch_, tau_;  ///< of the robot; tau, scratch: own
  Eigen::VectorXd own_q_, own_v_, q_ref_, v_ref_, a_ref_;  ///< for a model of other size
  Eigen::VectorXd own_error_;
  std::unique_ptr<ChannelFeedback> outer_;  ///< null where the controller has none
};

/// Why this model cannot stand for the robot; empty: it can.
std::string why_no_model_of(const Model& own, const Model& robot);

}  // namespace ulna
