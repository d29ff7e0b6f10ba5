// The values of all channels at a state of a run.

#include "run/channel_reader.hpp"

#include "actuators/actuator_bank.hpp"
#include "run/state_channels.hpp"
#include "sensors/sensor_bank.hpp"
#include "tip/tip_error.hpp"
#include "ulna/dynamics/elements.hpp"
#include "ulna/dynamics/internal/deflection.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/dynamics/internal/energy_rate.hpp"
#include "ulna/dynamics/internal/momentum_balance.hpp"
#include "ulna/kinematics/frame_motion.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using Kind = Channel::Kind;

/// Force first, as channels name them.
double component(const Wrench<double>& w, int k) { return k < 3 ? w.force(k) : w.moment(k - 3); }

}  // namespace

ChannelReader::ChannelReader(MechanicalSystem& system, std::vector<Channel> channels)
    : system_(system), channels_(std::move(channels)), row_(channels_.size()) {
  for (const Channel& channel : channels_) {
    needs_momentum_ |= channel.kind == Kind::momentum && channel.index < 6;
    needs_balance_ |= channel.kind == Kind::momentum && channel.index >= 6;
    needs_power_ |= channel.kind == Kind::power;
    needs_poses_ |= channel.kind == Kind::frame || channel.kind == Kind::tip_error;
    if (channel.kind == Kind::tip_error && !tip_)
      tip_ = std::make_unique<TipError>(system.model(), system.led);
    needs_motions_ |= channel.kind == Kind::twist || channel.kind == Kind::acceleration;
    if (channel.kind == Kind::frame && channel.index >= 3)
      frames_.emplace(channel.frame, Quaternion<double>::Zero());
    needs_energy_ |= channel.kind == Kind::energy;
    needs_external_ |= channel.kind == Kind::external;
    needs_reactions_ |= channel.kind == Kind::reaction;
    needs_stability_ |= channel.kind == Kind::elastic && channel.index == 2;
  }
}

ChannelReader::~ChannelReader() = default;

void ChannelReader::read_energy(const double* y) {
  const Energy e = energy(system_.model(), system_.work, system_.q, system_.v);
  const Eigen::Vector3d works = system_.works(y);
  const double springs = system_.constraints().closing().closing_power(system_.work).stored;
  const double potential = e.potential + springs;
  energy_ << e.kinetic, potential, e.kinetic + potential, works(0), works(1), works(2), 0;
  if (!started_) {
    // A stop that is hit at the start has taken its share already.
    start_energy = energy_(2) - (works(0) + works(1) - works(2));
    started_ = true;
  }
  energy_(6) = energy_(2) - start_energy - (works(0) + works(1) - works(2));
}

double ChannelReader::constraint_error() const {
  double worst = 0;
  for (const TangentBlock& block : system_.model().blocks())
    if (block.kind != TangentBlock::Kind::line)
      worst = std::max(worst, std::abs(system_.raw_q.segment<4>(block.q).norm() - 1));
  return worst;
}

/// With the friction, stops and play that hold or rub among the efforts: they decide what the loops
/// carry.
void ChannelReader::read_reactions() {
  if (!joints_) joints_.emplace(system_.model());
  kept_tau_ = system_.tau;
  if (system_.contacts().any()) {
    kept_a_ = system_.a;
    system_.contacts().act();
    for (const int k : system_.layout.driven_v) system_.tau(k) = kept_tau_(k);
    system_.a = kept_a_;
  }
  reactions_ = &joints_->compute(system_.q, system_.v, system_.a, system_.tau, system_.wrenches);
  system_.tau = kept_tau_;
}

/// Sums of what acts on each body, about its origin in world axes.
void ChannelReader::read_externals() {
  const Model& model = system_.model();
  update_poses(model, system_.work, system_.q);
  body_wrenches_.assign(model.bodies().size(), Wrench<double>());
  for (const ExternalWrench& w : system_.wrenches) {
    const Matrix3<double> R = frame_pose(model, system_.work, w.expressed_in).rotation;
    const Vector3<double> force = R * w.force;
    const Vector3<double> arm = frame_pose(model, system_.work, w.body).rotation * w.point;
    body_wrenches_[static_cast<std::size_t>(w.body)].force += force;
    body_wrenches_[static_cast<std::size_t>(w.body)].moment += R * w.moment + arm.cross(force);
  }
}

LoopGap ChannelReader::closure_gap() const {
  LoopGap largest;
  const LoopClosure& closure = system_.constraints().closure();
  for (int k = 0; k < std::ssize(closure.blocks()); ++k) {
    const LoopGap gap = closure.gap(system_.work, k);
    largest.length = std::max(largest.length, gap.length);
    largest.angle = std::max(largest.angle, gap.angle);
  }
  return largest;
}

std::span<const double> ChannelReader::read(double t, const double* y) {
  system_.evaluate(t, y);
  const Model& model = system_.model();
  if (needs_energy_ || always_energy) read_energy(y);
  if (needs_momentum_) momentum_ = momentum(model, system_.work, system_.q, system_.v);
  if (needs_balance_)
    balance_of_momentum_ =
        momentum_balance(model, system_.work, system_.q, system_.v, system_.a, system_.wrenches);
  if (needs_power_) {
    const EnergyRate rate = energy_rate(model, system_.work, system_.q, system_.v, system_.a);
    const double efforts = system_.tau.dot(system_.v),
                 external = external_power(model, system_.work, system_.q, system_.v,
                                           system_.applied_wrenches()),
                 lost = system_.dissipation();
    const double springs = system_.constraints().closing().closing_power(system_.work).stored_rate;
    power_ << efforts, external, lost,
        rate.kinetic + rate.potential + springs - (efforts + external - lost);
  }
  if (needs_reactions_ || always_reactions) read_reactions();
  if (needs_external_) read_externals();
  if (needs_motions_)
    update_motions(model, system_.work, system_.q, system_.v, system_.a);
  else if (needs_poses_)
    update_poses(model, system_.work, system_.q);
  read_frames();
  if (needs_stability_)
    stability_ = lowest_dynamic_stiffness(model, system_.q, system_.v, system_.a);
  for (std::size_t i = 0; i < channels_.size(); ++i) row_[i] = value(channels_[i]);
  return row_;
}

double ChannelReader::value(const Channel& channel) const {
  switch (channel.kind) {
    case Kind::q:
      return system_.raw_q(channel.index);
    case Kind::v:
      return system_.v(channel.index);
    case Kind::a:
      return system_.a(channel.index);
    case Kind::tau:
      return system_.tau(channel.index);
    case Kind::reference:
      return system_.controls.reference.q(channel.index);
    case Kind::energy:
      return energy_(channel.index);
    case Kind::momentum:
      return channel.index < 6 ? momentum_(channel.index) : balance_of_momentum_(channel.index - 6);
    case Kind::power:
      return power_(channel.index);
    case Kind::constraint:
      return constraint_error();
    case Kind::reaction: {
      const auto place = static_cast<std::size_t>(channel.frame),
                 joints = reactions_->joints.size();
      return component(
          place < joints ? reactions_->joints[place] : reactions_->closing[place - joints],
          channel.index);
    }
    case Kind::external:
      return component(body_wrenches_[static_cast<std::size_t>(channel.frame)], channel.index);
    case Kind::closure:
      return channel.index == 0 ? closure_gap().length : closure_gap().angle;
    case Kind::closing:
    case Kind::closing_rate:
    case Kind::twist:
    case Kind::deflection:
    case Kind::moment:
    case Kind::strain:
      return state_value({system_.model(), system_.work, system_.q, system_.v,
                          system_.controls.reference, &system_.constraints().closure()},
                         channel);
    case Kind::closing_acceleration:
      return system_.constraints()
          .closure()
          .closing_state(system_.work, channel.frame, system_.q, system_.v, system_.a)
          .a(channel.index);
    case Kind::closing_effort:
      return system_.constraints().closing().closing_effort(channel.frame, channel.index);
    case Kind::acceleration:
      return frame_acceleration(
                 system_.model(), system_.work,
                 FrameQuery{channel.frame, channel.relative_to, channel.expressed_in})
          .vector()(channel.index);
    case Kind::tip_error:
      return tip_->component(system_.work, channel.frame, system_.q,
                             system_.controls.reference.target(system_.t), channel.index);
    case Kind::elastic:
      return channel.index == 0   ? elastic_energy(system_.model(), system_.q)
             : channel.index == 1 ? largest_deflection(system_.model(), system_.q)
                                  : stability_;
    case Kind::element: {
      const ElementReading r =
          element_reading(system_.model(), channel.frame, system_.q, system_.v);
      const double force = system_.contacts().thrust_at_stroke_end(channel.frame).value_or(r.force);
      const double values[] = {r.length, r.rate, force, r.energy};
      return values[channel.index];
    }
    case Kind::contact:
    case Kind::nonholonomic:
      return contact_value(channel);
    case Kind::sensor:
      return system_.controls.sensors().readings()[static_cast<std::size_t>(channel.index)];
    case Kind::actuator: {
      const ActuatorBank& actuators = system_.controls.actuators();
      const auto k = static_cast<std::size_t>(channel.frame);
      return channel.index == 0   ? actuators.command(k)
             : channel.index == 1 ? actuators.effort(k)
                                  : actuators.reading(k, channel.index - 2);
    }
    case Kind::frame:
      break;
  }
  const Pose<double> X = frame_pose(system_.model(), system_.work, channel.frame);
  if (channel.index < 3) return X.position(channel.index);
  return frames_.at(channel.frame)(channel.index - 3);
}

/// Of the two quaternions of a rotation, that nearest to the last one.
void ChannelReader::read_frames() {
  for (auto& [frame, last] : frames_) {
    const Quaternion<double> now =
        quaternion_from_rotation(frame_pose(system_.model(), system_.work, frame).rotation);
    last = now.dot(last) < 0 ? Quaternion<double>(-now) : now;
  }
}

Eigen::VectorXd ChannelReader::frame_memory() const {
  Eigen::VectorXd memory(4 * static_cast<long>(frames_.size()));
  long at = 0;
  for (const auto& [frame, last] : frames_) {
    memory.segment<4>(at) = last;
    at += 4;
  }
  return memory;
}

void ChannelReader::set_frame_memory(const Eigen::VectorXd& memory) {
  if (memory.size() != 4 * static_cast<long>(frames_.size())) return;  // of other channels
  long at = 0;
  for (auto& [frame, last] : frames_) {
    last = memory.segment<4>(at);
    at += 4;
  }
}

}  // namespace ulna
