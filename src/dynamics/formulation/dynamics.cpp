#include "ulna/dynamics/dynamics.hpp"

#include <array>
#include <optional>

#include "formulation/tree_route.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

struct Dynamics::State {
  State(const Model& the_model, DynamicsOptions options);

  /// InputError unless the formulation asked for answers this question.
  void require(Question question) const;
  void check(const VectorRef& q, const VectorRef& v, const VectorRef& third,
             const char* name) const;
  /// The route of the formulation asked for; Newton and Euler otherwise.
  TreeRoute& route();
  void tree_efforts(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                    Eigen::VectorXd& tau);

  const Model& model;
  Workspace work;
  LoopMethod closing;
  const Formulation* chosen = nullptr;
  std::array<std::string, 3> refusals;  ///< by question; empty: answers it
  std::unique_ptr<TreeRoute> own_route;
  std::unique_ptr<LoopDynamics> loops;
  std::optional<ElasticEquations> truncated;
  LoopInverseOptions motors;
  LoopEfforts efforts;
  Eigen::VectorXd accelerations;
  Eigen::MatrixXd M;
};

namespace {

void refuse_options(const Model& model, const DynamicsOptions& options) {
  const auto refuse = [](const char* option, const std::string& found, const char* expected) {
    throw InputError(Problem{{}, option, found, expected, {}});
  };
  const bool tree = model.loops().empty();
  if (tree && !options.actuated.empty())
    refuse("actuated", "robot '" + model.name() + "' has no loops: every joint has its effort",
           "a robot with loops");
  if (options.level == ElasticLevel::exact) return;
  if (!model.flexible())
    refuse("level", "robot '" + model.name() + "' has no flexible bodies", "a flexible robot");
  if (!tree)
    refuse("level", "levels below exact leave out terms that the loops need", "the level exact");
  if (!options.method.empty() && options.method != "newton-euler")
    refuse("level", "levels below exact are expansions of newton-euler", "no other method");
}

}  // namespace

Dynamics::State::State(const Model& the_model, DynamicsOptions options)
    : model(the_model), work(the_model), closing(options.closing) {
  refuse_options(model, options);
  if (!options.method.empty()) {
    chosen = &formulation_named(options.method);
    bool any = false;
    for (const Question question : {Question::inverse, Question::forward, Question::mass}) {
      std::string& reason = refusals[static_cast<std::size_t>(question)];
      reason = why_not(*chosen, model, question);
      any = any || reason.empty();
    }
    if (!any) require(Question::forward);
    own_route = chosen->route(model);
  }
  if (options.level != ElasticLevel::exact) truncated.emplace(model, options.level);
  if (model.loops().empty()) {
    efforts.tau.resize(model.speeds());
    efforts.dof = model.speeds();
    return;
  }
  loops = std::make_unique<LoopDynamics>(model);
  loops->use(own_route.get());
  motors = {std::move(options.actuated), std::move(options.weights)};
  constexpr std::size_t least_legs = 3;  // a leg alone is a chain like any other
  if (motors.actuated.empty())
    if (const PlatformData* platform = model.platform();
        platform && platform->legs.size() >= least_legs)
      motors.actuated = drive_speeds(model, Platform(*platform));
}

void Dynamics::State::require(Question question) const {
  const std::string& reason = refusals[static_cast<std::size_t>(question)];
  if (reason.empty()) return;
  std::vector<std::string> others;
  for (const Formulation& f : formulations())
    if (why_not(f, model, question).empty()) others.emplace_back(f.name);
  std::string list;
  for (const std::string& name : others) list += (list.empty() ? "" : ", ") + name;
  throw InputError(Problem{{}, "method", reason, "one of " + list, {}});
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

void Dynamics::State::tree_efforts(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                                   Eigen::VectorXd& tau) {
  route().efforts(work, q, v, a, {}, tau);
  tau -= passive_efforts(model, work, q, v);
}

Dynamics::Dynamics(const Model& model, DynamicsOptions options)
    : state_(std::make_unique<State>(model, std::move(options))) {}
Dynamics::~Dynamics() = default;
Dynamics::Dynamics(Dynamics&&) noexcept = default;

const LoopEfforts& Dynamics::inverse(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                                     ExternalWrenches wrenches) {
  State& s = *state_;
  if (s.chosen || s.truncated || s.loops) [[unlikely]] {
    s.require(Question::inverse);
    s.check(q, v, a, "a");
    if (s.truncated) {
      s.truncated->update(q, v, wrenches);
      s.efforts.tau = s.truncated->M() * a + s.truncated->h();
    } else if (s.loops) {
      s.loops->inverse(s.work, q, v, a, s.motors, wrenches, s.efforts);
    } else {
      s.own_route->efforts(s.work, q, v, a, wrenches, s.efforts.tau);
    }
    return s.efforts;
  }
  inverse_dynamics(s.model, s.work, q, v, a, wrenches);
  s.efforts.tau.swap(s.work.tau);  // nothing is copied
  return s.efforts;
}

const Eigen::VectorXd& Dynamics::forward(const VectorRef& q, const VectorRef& v,
                                         const VectorRef& tau, ExternalWrenches wrenches) {
  State& s = *state_;
  s.require(Question::forward);
  if (s.loops) return s.loops->forward(s.work, q, v, tau, wrenches, s.closing);
  if (s.truncated) {
    s.check(q, v, tau, "tau");
    s.truncated->update(q, v, wrenches);
    // Not symmetric at every level.
    s.accelerations = dense::Lu(s.truncated->M()).solve(tau - s.truncated->h());
    return s.accelerations;
  }
  if (!s.chosen) return forward_dynamics(s.model, s.work, q, v, tau, wrenches);
  s.check(q, v, tau, "tau");
  s.own_route->accelerations(s.work, q, v, tau, wrenches, s.accelerations);
  return s.accelerations;
}

const Eigen::MatrixXd& Dynamics::mass_matrix(const VectorRef& q) {
  State& s = *state_;
  s.require(Question::mass);
  check_size(s.model, q, s.model.coordinates(), "q");
  if (s.truncated) {
    s.truncated->update(q, s.work.zero());
    s.M = s.truncated->M();
  } else {
    s.route().mass(s.work, q, s.M);
  }
  return s.M;
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
    for (int k = 0; k < s.model.speeds(); ++k) out.speeds.push_back(k);
  }
  s.tree_efforts(q, zero, zero, out.gravity);
  s.tree_efforts(q, v, map.gamma, out.coriolis);
  out.coriolis -= out.gravity;
  if (s.loops) {
    out.gravity = map.efforts(out.gravity);
    out.coriolis = map.efforts(out.coriolis);
  }
  return out;
}

const Model& Dynamics::model() const { return state_->model; }
Workspace& Dynamics::work() { return state_->work; }
LoopDynamics* Dynamics::loops() { return state_->loops.get(); }

const Formulation& Dynamics::formulation(Question question) const {
  if (state_->chosen) return *state_->chosen;
  if (question == Question::inverse) return formulations().front();
  const bool articulated = question == Question::forward && !state_->loops && !state_->truncated &&
                           automatic_method(state_->model) == ForwardMethod::articulated_body;
  return formulation_named(articulated ? "articulated-body" : "composite-body");
}

}  // namespace ulna
