#pragma once
// Channels that follow from time, coordinates and speeds alone. Only on these may an effort depend:
// what follows from accelerations or efforts would be an algebraic loop.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ulna/dynamics/loops.hpp"
#include "ulna/simulation/channels.hpp"
#include "ulna/simulation/internal/reference.hpp"

namespace ulna {

/// A state with its motions in `work`: update_motions, and closure->update_rates with loops.
struct StateView {
  const Model& model;
  const Workspace& work;
  const Eigen::VectorXd &q, &v;
  const Reference& reference;
  const LoopClosure* closure;  ///< null for trees
};

/// For all kinds of channels but those that need more than poses and motions.
double state_value(const StateView& state, const Channel& channel);

/// Why an effort may not depend on a channel; empty: it may.
std::string why_no_state_channel(const Channel& channel);

/// The share of the length in GROUP.BODY@SHARE..., -1 where there is none from 0 to 1.
double section_share(const std::string& channel, const char* group, const std::string& body);

class StateChannels {
 public:
  StateChannels(const Model& model, std::vector<Channel> channels);

  /// `readings` are those of the sensors.
  void update(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Reference& reference,
              const double* readings);
  const double* values() const { return values_.data(); }
  bool uses(Channel::Kind kind) const;

 private:
  double value(const StateView& state, const double* readings, const Channel& channel) const;

  const Model& model_;
  std::vector<Channel> channels_;
  std::vector<double> values_;
  Workspace work_;
  std::unique_ptr<LoopDynamics> loops_;
  bool energy_needed_, momentum_needed_, motions_needed_;
  Eigen::Vector3d energy_;  ///< kinetic, potential, total
  Eigen::Matrix<double, 6, 1> momentum_;
};

}  // namespace ulna
