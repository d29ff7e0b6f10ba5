#pragma once
// The values of channels at a state. Each quantity is computed once per record, and only if asked
// for.

#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "run/mechanical_system.hpp"
#include "ulna/dynamics/internal/bearing_loads.hpp"
#include "ulna/simulation/channels.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

class TipError;

class ChannelReader {
 public:
  ChannelReader(MechanicalSystem& system, std::vector<Channel> channels);
  ~ChannelReader();

  /// The values at (t, y), in the order of the channels; valid until the next call.
  std::span<const double> read(double t, const double* y);

  double start_energy = 0;        ///< at the first read
  bool always_energy = false;     ///< also when no channel asks for it
  bool always_reactions = false;  ///< likewise
  /// At the last read; null where nothing asked for them.
  const KnownReactions* reactions() const { return reactions_; }
  void set_start_energy(double e) { start_energy = e, started_ = true; }
  double kinetic() const { return energy_(0); }
  double balance() const { return energy_(6); }
  /// Kinetic and |potential| together: what the balance is rounded against.
  double energy_size() const { return energy_(0) + std::abs(energy_(1)); }
  /// Quaternions of frames as last read: each record takes the sign nearest to the one before.
  Eigen::VectorXd frame_memory() const;
  void set_frame_memory(const Eigen::VectorXd& memory);
  /// How far the quaternions are from unit length.
  double constraint_error() const;
  /// How far the loops are open: the largest of all.
  LoopGap closure_gap() const;
  /// The largest speed along nonholonomic rows.
  double slip() const;

 private:
  void read_energy(const double* y);
  void read_reactions();
  void read_externals();
  void read_frames();
  double value(const Channel& channel) const;
  double contact_value(const Channel& channel) const;

  MechanicalSystem& system_;
  std::unique_ptr<TipError> tip_;  ///< null where no channel asks for it
  std::vector<Channel> channels_;
  std::vector<double> row_;
  Eigen::Matrix<double, 7, 1> energy_ = Eigen::Matrix<double, 7, 1>::Zero();
  Eigen::Matrix<double, 6, 1> momentum_;
  Eigen::Vector4d power_;
  Eigen::Vector2d balance_of_momentum_;
  bool needs_balance_ = false;
  std::optional<BearingLoads> joints_;  ///< made when reactions are first asked for
  const KnownReactions* reactions_ = nullptr;
  Eigen::VectorXd kept_tau_, kept_a_;  ///< of the state, while reactions are computed
  bool needs_reactions_ = false;
  std::vector<Wrench<double>> body_wrenches_;
  bool needs_external_ = false;
  bool needs_energy_ = false, needs_momentum_ = false, needs_power_ = false, needs_poses_ = false;
  bool needs_motions_ = false;
  bool started_ = false, needs_stability_ = false;
  double stability_ = 0;
  std::map<int, Quaternion<double>> frames_;  ///< by frame; zero before the first record
};

}  // namespace ulna
