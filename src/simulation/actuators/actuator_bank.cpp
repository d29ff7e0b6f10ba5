#include "actuators/actuator_bank.hpp"

namespace ulna {

ActuatorBank::ActuatorBank(const Experiment& experiment) {
  for (const auto& actuator : experiment.actuators) {
    Item item{actuator,
              experiment.model->coordinate_of_speed()[static_cast<std::size_t>(actuator->speed)],
              states_, 0};
    states_ += actuator->states();
    item.integral = states_++;
    items_.push_back(std::move(item));
  }
  x_ = Eigen::VectorXd::Zero(states_);
}

void ActuatorBank::start(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double* x) const {
  for (const Item& item : items_) {
    item.actuator->start(item.coordinate < 0 ? 0 : q(item.coordinate), v(item.actuator->speed),
                         x + item.first);
    x[item.integral] = 0;
  }
}

void ActuatorBank::act(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const double* x,
                       Eigen::VectorXd& tau, double* dx) {
  if (items_.empty()) return;
  x_ = Eigen::Map<const Eigen::VectorXd>(x, states_);
  for (Item& item : items_) {
    const int k = item.actuator->speed;
    item.input = {tau(k), item.coordinate < 0 ? 0 : q(item.coordinate), v(k)};
    item.effort = item.actuator->effort(item.input, x + item.first, dx + item.first);
    tau(k) = item.effort;
    dx[item.integral] = item.effort * item.effort;
  }
}

double ActuatorBank::reading(std::size_t k, int index) const {
  const Item& item = items_[k];
  values_.resize(item.actuator->readings().size());
  item.actuator->read(item.input, x_.data() + item.first, values_.data());
  return values_[static_cast<std::size_t>(index)];
}

}  // namespace ulna
