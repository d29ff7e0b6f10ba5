#pragma once
// The actuators of a run between the efforts that are asked for and those that act. Besides the
// states of each, the integral of its effort squared is integrated: its thermal load.

#include <memory>
#include <vector>

#include "actuators/gear_flanks.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

class ActuatorBank {
 public:
  explicit ActuatorBank(const Experiment& experiment);

  bool empty() const { return items_.empty(); }
  std::size_t count() const { return items_.size(); }
  const Actuator& actuator(std::size_t k) const { return *items_[k].actuator; }
  int states() const { return states_; }
  void start(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double* x) const;
  /// tau: the efforts asked for become those that act; dx: the rates of the states x.
  void act(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const double* x,
           Eigen::VectorXd& tau, double* dx);

  // ---- at the last call of `act` ---------------------------------------------------------------
  GearFlanks& flanks() const { return *flanks_; }
  double command(std::size_t k) const { return items_[k].input.command; }
  double effort(std::size_t k) const { return items_[k].effort; }
  double speed(std::size_t k) const { return items_[k].input.speed; }
  double effort_squared(std::size_t k) const { return x_(items_[k].integral); }
  /// Entry `index` of its readings.
  double reading(std::size_t k, int index) const;

 private:
  struct Item {
    std::shared_ptr<const Actuator> actuator;
    int coordinate;  ///< -1 where the joint has a quaternion
    int first;       ///< of its states
    int integral;    ///< of its effort squared
    ActuatorInput input{0, 0, 0};
    double effort = 0;
  };
  std::vector<Item> items_;
  std::unique_ptr<GearFlanks> flanks_;
  int states_ = 0;
  Eigen::VectorXd x_;
  mutable std::vector<double> values_;
};

}  // namespace ulna
