// What else is asked of the dynamics of a robot: terms, reactions, energy, linear terms, the mixed
// problem.

#include <numeric>

#include "common.hpp"
#include "flexible/vibration.hpp"
#include "formulation/dynamics_state.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/internal/loop_reactions.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

void Dynamics::State::tree_efforts(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                                   Eigen::VectorXd& tau) {
  if (truncated) {
    truncated->update(q, v);
    tau = truncated->M() * a + truncated->h();
  } else {
    route().efforts(work, q, v, a, {}, tau);
  }
  tau -= passive_efforts(model, work, q, v);
}

EquationsOfMotion Dynamics::equations(const VectorRef& q, const VectorRef& v,
                                      const std::vector<int>& independent) {
  State& s = *state_;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(s.model.speeds());
  s.check(q, v, zero, "v");
  EquationsOfMotion out;
  out.M = mass_matrix(q);
  CoordinateMap map;
  map.gamma = zero;
  if (s.loops) {
    LoopClosure closure(s.model);
    closure.update_rates(s.work, q, v);
    const SpeedSplit split =
        independent.empty() ? split_speeds(closure) : split_speeds(closure, independent);
    map = independent_map(closure, split);
    out.speeds = split.independent;
    const Eigen::MatrixXd MG = out.M * map.G;
    out.M = map.G.transpose() * MG;
  } else {
    out.speeds.resize(static_cast<std::size_t>(s.model.speeds()));
    std::iota(out.speeds.begin(), out.speeds.end(), 0);
  }
  s.tree_efforts(q, zero, zero, out.gravity);
  s.tree_efforts(q, v, map.gamma, out.coriolis);
  out.coriolis -= out.gravity;
  out.passive = passive_efforts(s.model, s.work, q, v);
  if (s.loops) {
    s.loops->add_closing_passive(s.work, q, v, out.passive);
    out.gravity = map.efforts(out.gravity);
    out.coriolis = map.efforts(out.coriolis);
    out.passive = map.efforts(out.passive);
  }
  return out;
}

const Reactions& Dynamics::reactions(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                                     ExternalWrenches wrenches, const ReactionQuery& query) {
  State& s = *state_;
  if (s.chosen)
    s.require(Question::reactions);
  else
    formulation_for(formulations().front().name, s.model, Question::reactions);
  s.check(q, v, a, "a");
  Reactions& out = s.reactions;
  if (!s.loops) {
    out.joints = s.route().reactions(s.work, q, v, a, wrenches, query);
    return out;
  }
  s.loops->inverse(s.work, q, v, a, s.motors, wrenches, s.efforts);
  std::vector<ExternalWrench> all(wrenches.begin(), wrenches.end());
  out.closing.clear();
  for (int k = 0; k < static_cast<int>(s.model.loops().size()); ++k)
    out.closing.push_back(
        closing_reaction(*s.loops, s.model, s.work, k, s.efforts.lambda, query, all));
  out.unique = !s.efforts.redundant_rows;
  out.joints = s.route().reactions(s.work, q, v, a, all, query);
  return out;
}

Energy Dynamics::energy(const VectorRef& q, const VectorRef& v) {
  State& s = *state_;
  Energy sum = ulna::energy(s.model, s.work, q, v);
  if (s.loops) sum.potential += s.loops->closing_power(s.work, q, v).stored;
  return sum;
}

const LinearTerms& Dynamics::linear(const VectorRef& q, const VectorRef& v, const VectorRef& a) {
  State& s = *state_;
  s.check(q, v, a, "a");
  LinearTerms& out = s.linear;
  if (s.tree() && !s.truncated) {
    const InverseDerivatives& d = inverse_derivatives(q, v, a);
    out.speeds.resize(static_cast<std::size_t>(s.model.speeds()));
    std::iota(out.speeds.begin(), out.speeds.end(), 0);
    out.M = d.mass_matrix;
    out.C = d.dtau_dv;
    out.K = d.dtau_dq;
    return out;
  }
  ElasticModes found =
      vibration_matrices(s.model, {.q = q, .v = v, .a = a, .level = s.options.level});
  out = {std::move(found.speeds), std::move(found.M), std::move(found.C), std::move(found.K),
         false};
  return out;
}

namespace {

void require_derivatives(const Model& model, bool tree, bool truncated) {
  if (tree && !truncated) return;
  throw InputError("derivatives of robot '" + model.name() + "', which has " +
                       (tree ? "a level below exact" : "loops"),
                   "a robot without loops, at level exact", "Dynamics::linear takes all of them");
}

}  // namespace

const InverseDerivatives& Dynamics::inverse_derivatives(const VectorRef& q, const VectorRef& v,
                                                        const VectorRef& a) {
  State& s = *state_;
  require_derivatives(s.model, s.tree(), s.truncated.has_value());
  if (!s.derivatives) s.derivatives = std::make_unique<DerivativeWorkspace>(s.model);
  return inverse_dynamics_derivatives(s.model, s.work, *s.derivatives, q, v, a);
}

const ForwardDerivatives& Dynamics::forward_derivatives(const VectorRef& q, const VectorRef& v,
                                                        const VectorRef& tau) {
  State& s = *state_;
  require_derivatives(s.model, s.tree(), s.truncated.has_value());
  if (!s.derivatives) s.derivatives = std::make_unique<DerivativeWorkspace>(s.model);
  return forward_dynamics_derivatives(s.model, s.work, *s.derivatives, q, v, tau);
}

MixedDynamics& Dynamics::State::mixed_tree() {
  if (!mixed) {
    mixed = std::make_unique<MixedDynamics>(model, options.level);
    if (!held.empty()) mixed->set_driven(held);
  }
  return *mixed;
}

void Dynamics::hold(const std::vector<char>& speeds) {
  State& s = *state_;
  if (std::ssize(speeds) != s.model.speeds())
    refuse_size(s.model, std::ssize(speeds), s.model.speeds(), "the list of held");
  s.held = speeds;
  if (s.loops) s.loops->hold(speeds);
  if (s.mixed) s.mixed->set_driven(speeds);
}

bool Dynamics::mixed(const VectorRef& q, const VectorRef& v, Eigen::VectorXd& a,
                     Eigen::VectorXd& tau, ExternalWrenches wrenches) {
  State& s = *state_;
  if (s.loops) return s.loops->mixed(s.work, q, v, a, tau, wrenches);
  try {
    s.mixed_tree().solve(s.work, q, v, a, tau, wrenches);
    return true;
  } catch (const ComputationError&) {
    return false;
  }
}

bool Dynamics::respond(const VectorRef& q, const Eigen::VectorXd& impulses,
                       Eigen::VectorXd& change) {
  State& s = *state_;
  check_size(s.model, q, s.model.coordinates(), "q");
  check_size(s.model, impulses, s.model.speeds(), "the list of impulses");
  if (s.loops) {
    s.loops->update_response(s.work, q);
    return s.loops->respond(impulses, change);
  }
  const Eigen::MatrixXd& M = mass_matrix(q);
  std::vector<int> free;
  for (int k = 0; k < s.model.speeds(); ++k)
    if (s.held.empty() || !s.held[k]) free.push_back(k);
  change.setZero(s.model.speeds());
  if (free.empty()) return true;
  const Eigen::MatrixXd part = M(free, free);
  const dense::Lu factor(part);  // levels below exact are not symmetric
  for (Eigen::Index k = 0; k < part.rows(); ++k)
    if (!(std::abs(factor.LU()(k, k)) > singular_tolerance * part.cwiseAbs().maxCoeff()))
      return false;
  change(free) = factor.solve(impulses(free));
  return true;
}

bool Dynamics::close_positions(Eigen::VectorXd& q, double tolerance) {
  return !state_->loops || state_->loops->close_positions(state_->work, q, tolerance);
}

bool Dynamics::close_speeds(const VectorRef& q, Eigen::VectorXd& v) {
  return !state_->loops || state_->loops->close_speeds(state_->work, q, v);
}

}  // namespace ulna
