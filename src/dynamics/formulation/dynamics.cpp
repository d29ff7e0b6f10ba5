#include "ulna/dynamics/dynamics.hpp"

#include <algorithm>

#include "common.hpp"
#include "formulation/dynamics_state.hpp"
#include "formulation/truncated_route.hpp"
#include "loops/motors.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/internal/check_options.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

void check_options(const Model& model, const DynamicsOptions& options) {
  const auto refuse = [](const char* option, const std::string& found, const char* expected) {
    throw InputError(Problem{{}, option, found, expected, {}});
  };
  const bool tree = model.loops().empty();
  if (tree && (!options.actuated.empty() || options.weights.size() > 0))
    refuse(options.actuated.empty() ? "weights" : "actuated",
           "robot '" + model.name() + "' has no loops: every joint has its effort",
           "a robot with loops");
  if (tree && options.closing != LoopMethod::multipliers)
    refuse("closing", "robot '" + model.name() + "' has no loops", "a robot with loops");
  if (options.level == ElasticLevel::exact) return;
  if (!model.flexible())
    refuse("level", "robot '" + model.name() + "' has no flexible bodies", "a flexible robot");
  if (options.closing == LoopMethod::embedding)
    refuse("closing", "the embedding needs a symmetric mass matrix, which levels below exact lack",
           "multipliers, or the level exact");
  const bool below = options.level != ElasticLevel::geometrically_exact;
  if (below && !options.method.empty() && options.method != formulations().front().name)
    refuse("level", "levels below exact are expansions of newton-euler", "no other method");
}

namespace {

/// The closed form has the efforts of its own drives.
void refuse_other_motors(const WholeRoute& route, const LoopInverseOptions& motors) {
  std::vector<int> asked = motors.actuated, own = route.actuated();
  std::ranges::sort(asked);
  std::ranges::sort(own);
  if ((!asked.empty() && asked != own) || motors.weights.size() > 0)
    throw InputError(Problem{{},
                             motors.weights.size() > 0 ? "weights" : "actuated",
                             "'platform' gives the minimum-norm efforts of its drives",
                             "the drives, or another method",
                             {}});
}

}  // namespace

Dynamics::State::State(const Model& the_model, DynamicsOptions asked)
    : model(the_model), options(std::move(asked)), work(the_model) {
  check_options(model, options);
  if (!options.method.empty()) {
    // A formulation for accelerations alone may answer forward dynamics.
    const std::vector<std::string> inverse = formulation_names(Question::inverse, model);
    const bool gives_efforts = std::ranges::count(inverse, options.method) > 0;
    chosen = &formulation_for(options.method, model,
                              gives_efforts ? Question::inverse : Question::forward);
    for (int k = 0; k < question_count; ++k)
      refused[k] = !why_not(*chosen, model, static_cast<Question>(k)).empty();
    if (chosen->whole)
      whole = chosen->whole(model);
    else
      own_route = chosen->route(model);
  }
  if (options.level != ElasticLevel::exact) {
    if (model.loops().empty())
      truncated.emplace(model, options.level);
    else
      own_route = std::make_unique<TruncatedRoute>(model, options.level);
  }
  efforts.tau.setZero(model.speeds());
  accelerations.setZero(model.speeds());
  M.setZero(model.speeds(), model.speeds());
  if (!model.loops().empty()) {
    loops = std::make_unique<LoopDynamics>(model);
    loops->use(own_route.get());
    motors = with_motors(model, {options.actuated, options.weights});
    if (whole) refuse_other_motors(*whole, {options.actuated, options.weights});
    return;
  }
  efforts.dof = model.speeds();
  if (chosen || truncated) return;
  plan.tree = view<double>(model.topology(), model.parameters());
  plan.passive = !model.degree_terms().empty() || !model.elements().empty();
  plan.newton_euler =
      model.flexible() ? flexible_kernels().newton_euler : dynamics_kernels().newton_euler;
  if (automatic_method(model) == ForwardMethod::articulated_body)
    plan.articulated_body = model.flexible() ? flexible_kernels().articulated_body
                                             : dynamics_kernels().articulated_body;
}

void Dynamics::State::require(Question question) const {
  if (refused[static_cast<int>(question)]) formulation_for(chosen->name, model, question);
}

void Dynamics::State::check(const VectorRef& q, const VectorRef& v, const VectorRef& third,
                            const char* name) const {
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_size(model, third, model.speeds(), name);
}

TreeRoute& Dynamics::State::route() {
  if (!own_route) own_route = formulation_named("composite-body").route(model);
  return *own_route;
}

Dynamics::Dynamics(const Model& model, DynamicsOptions options)
    : state_(std::make_unique<State>(model, std::move(options))) {}
Dynamics::~Dynamics() = default;
Dynamics::Dynamics(Dynamics&&) noexcept = default;
Dynamics::Dynamics(const Dynamics& other) : Dynamics(other.model(), other.options()) {
  if (!other.state_->held.empty()) hold(other.state_->held);
}

const LoopEfforts& Dynamics::inverse(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                                     ExternalWrenches wrenches) {
  State& s = *state_;
  if (!s.plan.newton_euler || !wrenches.empty()) [[unlikely]]
    return s.general_inverse(q, v, a, wrenches);
  s.check(q, v, a, "a");
  s.plan.newton_euler(s.plan.tree, s.work.view(), q.data(), v.data(), a.data(), nullptr,
                      s.efforts.tau.data());
  if (s.plan.passive) add_passive_efforts(s.model, q.data(), v.data(), 1, s.efforts.tau.data());
  return s.efforts;
}

const LoopEfforts& Dynamics::State::general_inverse(const VectorRef& q, const VectorRef& v,
                                                    const VectorRef& a, ExternalWrenches wrenches) {
  require(Question::inverse);
  check(q, v, a, "a");
  if (truncated) {
    truncated->update(q, v, wrenches);
    efforts.tau = truncated->M() * a + truncated->h();
  } else if (whole) {
    whole->inverse(work, q, v, a, wrenches, efforts);
  } else if (loops) {
    loops->inverse(work, q, v, a, motors, wrenches, efforts);
  } else {
    route().efforts(work, q, v, a, wrenches, efforts.tau);
  }
  return efforts;
}

const Eigen::VectorXd& Dynamics::forward(const VectorRef& q, const VectorRef& v,
                                         const VectorRef& tau, ExternalWrenches wrenches) {
  State& s = *state_;
  if (!s.plan.articulated_body || !wrenches.empty()) [[unlikely]]
    return s.general_forward(q, v, tau, wrenches);
  s.check(q, v, tau, "tau");
  const double* left = tau.data();
  if (s.plan.passive) {
    s.work.passive = tau;
    add_passive_efforts(s.model, q.data(), v.data(), -1, s.work.passive.data());
    left = s.work.passive.data();
  }
  s.plan.articulated_body(s.plan.tree, s.work.view(), q.data(), v.data(), left, nullptr,
                          s.accelerations.data());
  check_articulated_pivots(s.model, s.work);
  return s.accelerations;
}

const Eigen::VectorXd& Dynamics::State::general_forward(const VectorRef& q, const VectorRef& v,
                                                        const VectorRef& tau,
                                                        ExternalWrenches wrenches) {
  require(Question::forward);
  check(q, v, tau, "tau");
  if (truncated) {
    truncated->update(q, v, wrenches);
    const dense::Lu factor(truncated->M());  // not symmetric at every level
    if (!(factor.pivots().cwiseAbs().minCoeff() > 0))
      throw ComputationError(std::string("the mass matrix of level ") + name_of(options.level) +
                             " is singular: its truncation does not hold at this deflection");
    accelerations = factor.solve(tau - truncated->h());
    return accelerations;
  }
  if (whole) {
    whole->forward(work, q, v, tau, wrenches, accelerations);
    return accelerations;
  }
  if (loops) return loops->forward(work, q, v, tau, wrenches, options.closing);
  if (!chosen) return forward_dynamics(model, work, q, v, tau, wrenches);
  own_route->accelerations(work, q, v, tau, wrenches, accelerations);
  return accelerations;
}

const Eigen::MatrixXd& Dynamics::mass_matrix(const VectorRef& q) {
  State& s = *state_;
  check_size(s.model, q, s.model.coordinates(), "q");
  if (!s.chosen && s.options.level == ElasticLevel::exact) [[likely]] {
    compute_mass_matrix(s.model, s.work, q.data());
    s.M.swap(s.work.mass_matrix);  // nothing is copied
    return s.M;
  }
  s.require(Question::mass);
  if (s.truncated) {
    s.truncated->update(q, s.work.zero());
    s.M = s.truncated->M();
  } else {
    s.route().mass(s.work, q, s.M);
  }
  return s.M;
}

const Model& Dynamics::model() const { return state_->model; }
const DynamicsOptions& Dynamics::options() const { return state_->options; }
Workspace& Dynamics::work() { return state_->work; }
LoopDynamics* Dynamics::loops() { return state_->loops.get(); }

const Formulation& Dynamics::formulation(Question question) const {
  const State& s = *state_;
  if (s.chosen) return *s.chosen;
  if (question == Question::inverse || question == Question::reactions)
    return formulations().front();
  const bool articulated = question == Question::forward && s.plan.articulated_body;
  return formulation_named(articulated ? "articulated-body" : "composite-body");
}

}  // namespace ulna
