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
  std::vector<const Actuator*> all;
  for (const Item& item : items_) all.push_back(item.actuator.get());
  flanks_ = std::make_unique<GearFlanks>(all);
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
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    const int k = item.actuator->speed;
    item.input = {tau(k), item.coordinate < 0 ? 0 : q(item.coordinate), v(k)};
    item.effort = item.actuator->effort(item.input, x + item.first, dx + item.first);
    if (flanks_->any())
      item.effort = flanks_->correct(i, item.input, x + item.first, item.effort, dx + item.first);
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
