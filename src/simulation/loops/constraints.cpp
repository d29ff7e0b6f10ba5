#include "loops/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/joint_contacts.hpp"
#include "loops/closed.hpp"
#include "ulna/dynamics/internal/energy_rate.hpp"

namespace ulna {
namespace {

/// The margin of the loops below which little decides on the accelerations.
constexpr double near_singular = 0.1;

/// Loops that stay open by e leave accelerations open by e over the square of the margin, and of
/// many loops in a row by more: beside a singular posture they are closed as well as rounding
/// allows.
double gap_at(double margin) {
  constexpr double rounding = 1e-16;
  const double share = std::min(1.0, margin / near_singular);
  return std::max(rounding, std::pow(share, 4) * closed_loop_gap);
}

}  // namespace

Constraints::Constraints(MotionState& state, const Experiment& experiment)
    : s_(state),
      formulation_(state.model(), {.method = experiment.method, .level = experiment.elastic}),
      loops_(formulation_.loops()),
      bound_(static_cast<std::size_t>(state.model().speeds()), 0),
      closing_(experiment.closing),
      whole_(!experiment.method.empty() && formulation_named(experiment.method).whole) {
  const Model& model = state.model();
  if (!loops_) {
    tree_ = std::make_unique<MixedDynamics>(model, experiment.elastic, experiment.method);
    no_loops_ = std::make_unique<LoopDynamics>(model);
  }
  for (const LoopClosure::Block& block : closure().blocks())
    for (const int v : block.columns) bound_[static_cast<std::size_t>(v)] = 1;
  response_ = std::make_unique<SpeedResponse>(model, loops_);
  given_ = state.layout.driven_v;
}

void Constraints::hold(const std::vector<char>& speeds) {
  response_->hold(speeds);
  if (tree_) tree_->set_driven(speeds);
  given_.clear();
  for (std::size_t k = 0; k < speeds.size(); ++k)
    if (speeds[k]) given_.push_back(static_cast<int>(k));
  holds_ = !given_.empty();
}

bool Constraints::solve(ExternalWrenches wrenches, const JointContacts& joints) {
  if (tree_) {
    tree_->solve(s_.work, s_.q, s_.v, s_.a, s_.tau, wrenches);
    return true;
  }
  if (closing_ == LoopMethod::embedding) return solve_embedded(wrenches);
  if (whole_) return solve_whole(wrenches);
  // Trial states of a step are a little off the loops. Near a singular posture that little decides
  // on the accelerations: they are asked for at the nearest closed state instead (eq. 41).
  moving_ = s_.tau;
  const bool solved = loops_->mixed(s_.work, s_.q, s_.v, s_.a, s_.tau, wrenches);
  if (solved && loops_->margin() > near_singular) return true;
  if (!loops_->close_positions(s_.work, s_.q, gap_at(loops_->margin())) ||
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
      s_.a = formulation_.forward(s_.q, s_.v, s_.tau, wrenches);
      return true;
    }
    if (!loops_->mixed(s_.work, s_.q, s_.v, s_.a, s_.tau, wrenches)) return false;
    const LoopEfforts& efforts = formulation_.inverse(s_.q, s_.v, s_.a, wrenches);
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
  if (!loops_->close_positions(s_.work, s_.q, gap_at(loops_->margin())))
    s_.trouble = loops_->why_open(s_.work);
  else if (!loops_->close_speeds(s_.work, s_.q, s_.v))
    s_.trouble =
        fmt::format("the loops of robot '{}' do not determine its speeds", s_.model().name());
  return s_.trouble.empty();
}

double Constraints::dissipation() const {
  return dissipated_power(s_.model(), s_.q, s_.v) + closing().closing_power(s_.work).dissipated;
}

}  // namespace ulna
