#include "loops/constraints.hpp"

#include <fmt/format.h>

#include "contact/joint_contacts.hpp"
#include "loops/closed.hpp"
#include "ulna/dynamics/internal/energy_rate.hpp"

namespace ulna {

Constraints::Constraints(MotionState& state, const Experiment& experiment)
    : s_(state),
      tree_(state.model(), experiment.elastic,
            state.model().loops().empty() ? experiment.method : ""),
      closing_(experiment.closing) {
  const Model& model = state.model();
  if (!model.loops().empty() && experiment.method.empty()) {
    own_loops_ = std::make_unique<LoopDynamics>(model);
    loops_ = own_loops_.get();
  } else if (!model.loops().empty()) {
    DynamicsOptions options;
    options.method = experiment.method;
    formulation_ = std::make_unique<Dynamics>(model, std::move(options));
    loops_ = formulation_->loops();
    whole_ = formulation_named(experiment.method).whole != nullptr;
  }
  response_ = std::make_unique<SpeedResponse>(model, loops_);
}

void Constraints::hold(const std::vector<char>& speeds) {
  response_->hold(speeds);
  if (!loops_) tree_.set_driven(speeds);
}

bool Constraints::solve(ExternalWrenches wrenches, const JointContacts& joints) {
  if (!loops_) {
    tree_.solve(s_.work, s_.q, s_.v, s_.a, s_.tau, wrenches);
    return true;
  }
  if (closing_ == LoopMethod::embedding) return solve_embedded(wrenches);
  if (whole_) return solve_whole(wrenches);
  // Trial states of a step are a little off the loops. Near a singular posture that little decides
  // on the accelerations: they are asked for at the nearest closed state instead (eq. 41).
  constexpr double near_singular = 0.1;
  moving_ = s_.tau;
  const bool solved = loops_->mixed(s_.work, s_.q, s_.v, s_.a, s_.tau, wrenches);
  if (solved && loops_->margin() > near_singular) return true;
  if (!loops_->close_positions(s_.work, s_.q, closed_loop_gap) ||
      !loops_->close_speeds(s_.work, s_.q, s_.v))
    return false;
  s_.tau = moving_;
  if (joints.any()) joints.rub(s_.v, s_.tau);  // the signs of speeds may be others now
  return loops_->mixed(s_.work, s_.q, s_.v, s_.a, s_.tau, wrenches);
}

/// Nothing is held: `check` has seen to that.
bool Constraints::solve_embedded(ExternalWrenches wrenches) {
  try {
    s_.a = loops_->forward(s_.work, s_.q, s_.v, s_.tau, wrenches, LoopMethod::embedding);
  } catch (const ComputationError&) {  // the step is refused and made smaller
    return false;
  }
  return true;
}

/// All drives follow motions, whose accelerations give those of the platform, or none does.
bool Constraints::solve_whole(ExternalWrenches wrenches) {
  try {
    if (s_.layout.driven_v.empty()) {
      s_.a = formulation_->forward(s_.q, s_.v, s_.tau, wrenches);
      return true;
    }
    if (!loops_->mixed(s_.work, s_.q, s_.v, s_.a, s_.tau, wrenches)) return false;
    const LoopEfforts& efforts = formulation_->inverse(s_.q, s_.v, s_.a, wrenches);
    for (const int k : s_.layout.driven_v) s_.tau(k) = efforts.tau(k);
  } catch (const ComputationError&) {  // the step is refused and made smaller
    return false;
  }
  return true;
}

/// The quaternions are unit already.
bool Constraints::close() {
  if (!loops_) return true;
  s_.trouble.clear();
  if (!loops_->close_positions(s_.work, s_.q, closed_loop_gap))
    s_.trouble = loops_->why_open(s_.work);
  else if (!loops_->close_speeds(s_.work, s_.q, s_.v))
    s_.trouble =
        fmt::format("the loops of robot '{}' do not determine its speeds", s_.model().name());
  return s_.trouble.empty();
}

double Constraints::dissipation() const {
  const double closing = loops_ ? loops_->closing_power(s_.work).dissipated : 0;
  return dissipated_power(s_.model(), s_.q, s_.v) + closing;
}

}  // namespace ulna
