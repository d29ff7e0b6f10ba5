#pragma once
// The outer feedback of a controller at work: errors of channels and frames, their integrals, and
// the efforts added for them. docs/theory/tip-tracking.md, eq. 17-19.

#include <memory>

#include "run/state_channels.hpp"
#include "sensors/sensor_bank.hpp"
#include "tip/tip_error.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

class ChannelFeedback {
 public:
  ChannelFeedback(const Experiment& experiment, const Controller& controller,
                  const SensorBank& sensors);

  int states() const { return states_; }
  /// tau += the efforts of these speeds, dz = rates of the integrals z.
  void add(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Reference& reference,
           const std::vector<int>& speeds, const double* z, Eigen::VectorXd& tau, double* dz);

 private:
  struct Item {
    OuterFeedback law;
    int value = -1;  ///< index among the channels; -1: a frame
    int state = -1;  ///< of the first integral; -1: none
  };
  const Model& model_;
  const SensorBank& sensors_;
  std::vector<Item> items_;
  int states_ = 0;
  StateChannels now_, wanted_;
  std::vector<double> no_readings_;
  std::unique_ptr<TipError> tip_;
  Workspace work_;
};

}  // namespace ulna
