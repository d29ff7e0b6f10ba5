#include "run/state_channels.hpp"

#include <algorithm>

#include "ulna/dynamics/elements.hpp"
#include "ulna/dynamics/internal/deflection.hpp"
#include "ulna/dynamics/internal/energy_rate.hpp"
#include "ulna/kinematics/frame_motion.hpp"
#include "ulna/model/parts/beam.hpp"

namespace ulna {
namespace {

using Kind = Channel::Kind;

/// Where along the body: its root unless the name says.
double share_of(const Model& model, const Channel& channel, const char* group) {
  const FlexibleLink& link = model.flexible_links()[channel.frame];
  return std::max(0.0, section_share(channel.name, group, model.bodies()[link.body].name));
}
double beam_length(const Model& model, const Channel& channel) {
  return model.flexible_links()[channel.frame].modal->length;
}

/// Of the fibre one metre from the axis along y or z: the curvature of the section.
double bending_strain(const Model& model, const Channel& channel, const Eigen::VectorXd& q) {
  const double share = share_of(model, channel, "strain");
  const Vector3<double> moment =
      section_moment(model, channel.frame, q, share * beam_length(model, channel));
  const std::string& name = model.bodies()[model.flexible_links()[channel.frame].body].name;
  for (const BodyData& body : model.robot().bodies) {
    if (body.name != name || body.beams.empty()) continue;
    const BeamData& beam = body.beams.front();
    const int element = std::min(static_cast<int>(share * beam.elements), beam.elements - 1);
    const BeamProperties section = properties_of(beam, element);
    const double EI = channel.index == 0 ? section.EIz : section.EIy;
    const double bending = channel.index == 0 ? -moment(2) : moment(1);
    return EI > 0 ? bending / EI : 0;
  }
  return 0;
}

}  // namespace

double state_value(const StateView& s, const Channel& channel) {
  switch (channel.kind) {
    case Kind::q:
      return s.q(channel.index);
    case Kind::v:
      return s.v(channel.index);
    case Kind::reference:
      return s.reference.q(channel.index);
    case Kind::frame:
      return frame_pose(s.model, s.work, channel.frame).position(channel.index);
    case Kind::twist:
      return frame_velocity(s.model, s.work,
                            FrameQuery{channel.frame, channel.relative_to, channel.expressed_in})
          .vector()(channel.index);
    case Kind::closing:
    case Kind::closing_rate: {
      SmallVector at, rate;
      s.closure->closing_rates(s.work, channel.frame, at, rate);
      return (channel.kind == Kind::closing ? at : rate)(channel.index);
    }
    case Kind::deflection:
      return end_deflection(s.model, channel.frame, s.q)(channel.index);
    case Kind::moment:
      return section_moment(
          s.model, channel.frame, s.q,
          share_of(s.model, channel, "moment") * beam_length(s.model, channel))(channel.index);
    case Kind::strain:
      return bending_strain(s.model, channel, s.q);
    case Kind::element: {
      const ElementReading r = element_reading(s.model, channel.frame, s.q, s.v);
      return channel.index == 0 ? r.length : r.rate;
    }
    case Kind::elastic:
      return channel.index == 0 ? elastic_energy(s.model, s.q) : largest_deflection(s.model, s.q);
    default:
      throw ComputationError("channel '" + channel.name + "' does not follow from the state alone");
  }
}

std::string why_no_state_channel(const Channel& channel) {
  const int k = channel.index;
  switch (channel.kind) {
    case Kind::q:
    case Kind::v:
    case Kind::reference:
    case Kind::twist:
    case Kind::closing:
    case Kind::closing_rate:
    case Kind::closing_effort:
    case Kind::deflection:
    case Kind::moment:
    case Kind::strain:
    case Kind::sensor:
      return {};
    case Kind::element:
      return k < 2 ? "" : "may depend on the efforts: an algebraic loop";
    case Kind::tip_error:
      return "is compared with a target in time: it is for the feedback of controllers";
    case Kind::energy:
      return k < 3 ? "" : "is summed up along the run";
    case Kind::momentum:
      return k < 6 ? "" : "follows from the efforts: an algebraic loop";
    case Kind::elastic:
      return k < 2 ? "" : "follows from the efforts: an algebraic loop";
    case Kind::frame:
      return k < 3 ? "" : "is a quaternion, whose sign is chosen from record to record";
    case Kind::constraint:
    case Kind::closure:
      return "is an error of the run";
    case Kind::contact:
    case Kind::nonholonomic:
      return "is settled together with the efforts: an algebraic loop";
    default:
      return "follows from the efforts: an algebraic loop";
  }
}

StateChannels::StateChannels(const Model& model, std::vector<Channel> channels)
    : model_(model),
      channels_(std::move(channels)),
      values_(channels_.size(), 0.0),
      work_(model),
      energy_needed_(uses(Kind::energy)),
      momentum_needed_(uses(Kind::momentum)),
      motions_needed_(uses(Kind::frame) || uses(Kind::twist) || uses(Kind::closing) ||
                      uses(Kind::closing_rate)) {
  const bool closing =
      uses(Kind::closing) || uses(Kind::closing_rate) || uses(Kind::closing_effort);
  if (closing || energy_needed_) loops_ = std::make_unique<LoopDynamics>(model);
}

bool StateChannels::uses(Kind kind) const {
  return std::any_of(channels_.begin(), channels_.end(),
                     [&](const Channel& channel) { return channel.kind == kind; });
}

void StateChannels::update(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                           const Reference& reference, const double* readings) {
  if (momentum_needed_) momentum_ = momentum(model_, work_, q, v);
  if (energy_needed_) {
    const Energy e = energy(model_, work_, q, v);
    energy_ << e.kinetic, e.potential, 0;
  }
  if (loops_) {
    loops_->required_efforts(work_, q, v, work_.zero());  // moves the closing joints as well
    if (energy_needed_) energy_(1) += loops_->closing_power(work_).stored;
  }
  energy_(2) = energy_(0) + energy_(1);
  if (motions_needed_) update_motions(model_, work_, q, v, work_.zero());
  const StateView state{model_, work_, q, v, reference, loops_ ? &loops_->closure() : nullptr};
  for (std::size_t k = 0; k < channels_.size(); ++k)
    values_[k] = value(state, readings, channels_[k]);
}

double StateChannels::value(const StateView& state, const double* readings,
                            const Channel& channel) const {
  if (channel.kind == Kind::sensor) return readings[channel.index];
  if (channel.kind == Kind::energy) return energy_(channel.index);
  if (channel.kind == Kind::momentum) return momentum_(channel.index);
  if (channel.kind == Kind::closing_effort)
    return loops_->closing_effort(channel.frame, channel.index);
  return state_value(state, channel);
}

}  // namespace ulna
