#pragma once
// The efforts of an experiment that are formulas of its state: -2*q.joint1 - 0.3*v.joint1 + sin(t).

#include <memory>

#include "run/state_channels.hpp"

namespace ulna {

/// Why a formula of an effort may not refer to this channel; empty: it may. InputError when there
/// is none of this name, or several.
std::string why_no_effort_of(const Experiment& experiment, const std::string& channel);

class EffortFormulas {
 public:
  /// Null where no effort of the experiment depends on its state.
  static std::unique_ptr<EffortFormulas> of(const Experiment& experiment);

  bool use_reference() const { return channels_.uses(Channel::Kind::reference); }
  /// `readings` are those of the sensors.
  void add(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Reference& reference,
           const double* readings, Eigen::VectorXd& tau);

 private:
  struct Item {
    int speed;
    std::shared_ptr<const VariableFormula> formula;
    std::size_t first;  ///< of its variables among the channels
  };
  EffortFormulas(const Model& model, std::vector<Item> items, std::vector<Channel> channels)
      : items_(std::move(items)), channels_(model, std::move(channels)) {}

  std::vector<Item> items_;
  StateChannels channels_;
};

}  // namespace ulna
