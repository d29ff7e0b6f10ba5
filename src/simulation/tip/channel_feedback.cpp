#include "tip/channel_feedback.hpp"

#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

std::vector<Channel> feedback_channels(const Experiment& e, const Controller& controller) {
  std::vector<Channel> list;
  for (const OuterFeedback& one : controller.feedback)
    if (!one.channel.empty()) list.push_back(channels_named(e, one.channel).front());
  return list;
}

}  // namespace

ChannelFeedback::ChannelFeedback(const Experiment& e, const Controller& controller,
                                 const SensorBank& sensors)
    : model_(*e.model),
      sensors_(sensors),
      now_(*e.model, feedback_channels(e, controller)),
      wanted_(*e.model, feedback_channels(e, controller)),
      no_readings_(sensors.readings().size() + 1, 0.0),
      work_(*e.model) {
  int channels = 0;
  for (const OuterFeedback& one : controller.feedback) {
    Item item{one, one.channel.empty() ? -1 : channels++, -1};
    if (one.ki.size() > 0) {
      item.state = states_;
      states_ += item.value >= 0 ? 1 : model_.joint_speeds();
    }
    if (item.value < 0 && !tip_) tip_ = std::make_unique<TipError>(model_, led_joints(e, model_));
    items_.push_back(item);
  }
}

void ChannelFeedback::add(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                          const Reference& reference, const std::vector<int>& speeds,
                          const double* z, Eigen::VectorXd& tau, double* dz) {
  now_.update(q, v, reference, sensors_.readings().data());
  wanted_.update(reference.q, reference.v, reference, no_readings_.data());
  Eigen::VectorXd target;
  if (tip_) {
    update_poses(model_, work_, q);
    target = reference.target(t);
  }
  for (const Item& item : items_) {
    const bool scalar = item.value >= 0;
    Eigen::VectorXd errors;
    if (scalar)
      errors.setConstant(1, wanted_.values()[item.value] - now_.values()[item.value]);
    else
      errors = tip_->missing_at_joints(work_, item.law.frame, q, target);
    for (const int k : speeds) {
      const long i = scalar ? 0 : k;
      tau(k) += item.law.kp(k) * errors(i);
      if (item.state >= 0) tau(k) += item.law.ki(k) * z[item.state + i];
    }
    for (long i = 0; item.state >= 0 && i < errors.size(); ++i) dz[item.state + i] = errors(i);
  }
}

}  // namespace ulna
