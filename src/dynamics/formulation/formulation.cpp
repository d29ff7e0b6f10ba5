#include "ulna/dynamics/formulation.hpp"

#include <fmt/format.h>

#include "classic/kane_flexible.hpp"
#include "classic/kane_reactions.hpp"
#include "classic/lagrange_equations.hpp"
#include "common.hpp"
#include "formulation/tree_route.hpp"
#include "platform/platform_route.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/internal/coordinate_transfer.hpp"
#include "ulna/dynamics/kernels/compact_newton_euler.hpp"
#include "ulna/dynamics/kernels/compact_tree.hpp"
#include "ulna/dynamics/kernels/kane.hpp"
#include "ulna/dynamics/parts/newton_euler_4x4.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {
namespace {

/// The recursion of Newton and Euler; the mass matrix by composite bodies.
class NewtonEulerRoute : public TreeRoute {
 public:
  using TreeRoute::TreeRoute;
  void mass(Workspace& work, const VectorRef& q, Eigen::MatrixXd& M) override {
    compute_mass_matrix(model_, work, q.data());
    M = work.mass_matrix;
  }
};

class CompactRoute : public TreeRoute {
 public:
  explicit CompactRoute(const Model& model)
      : TreeRoute(model), tree_(compact_tree(model)), motions_(tree_.nodes.size()) {}
  void efforts(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
               ExternalWrenches wrenches, Eigen::VectorXd& tau) override {
    tau.resize(model_.speeds());
    compact_newton_euler<double>(tree_, motions_.data(), q.data(), v.data(), a.data(), tau.data());
    add_passive_efforts(model_, q.data(), v.data(), 1, tau.data());
    // The form has no place for wrenches: each takes J' w off the efforts.
    for (const ExternalWrench& w : wrenches) {
      check_wrench(model_, w);
      const Jacobian J =
          jacobian(model_, work, q, {w.body, w.point, 0, w.expressed_in});  // at the point
      tau -= J.topRows<3>().transpose() * w.moment + J.bottomRows<3>().transpose() * w.force;
    }
  }

 private:
  CompactTree<double> tree_;
  std::vector<CompactMotion<double>> motions_;
};

class NewtonEuler4x4Route : public TreeRoute {
 public:
  explicit NewtonEuler4x4Route(const Model& model)
      : TreeRoute(model), nodes_(model.topology().nodes.size()) {}
  void efforts(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
               ExternalWrenches wrenches, Eigen::VectorXd& tau) override {
    const NodeWrenches external = gather_wrenches(model_, work, q, wrenches);
    tau.resize(model_.speeds());
    newton_euler_4x4<double>(view<double>(model_.topology(), model_.parameters()), q.data(),
                             v.data(), a.data(), external, nodes_.data(), tau.data());
    add_passive_efforts(model_, q.data(), v.data(), 1, tau.data());
  }
  const std::vector<Wrench<double>>& reactions(Workspace&, const VectorRef& q, const VectorRef& v,
                                               const VectorRef& a, ExternalWrenches wrenches,
                                               const ReactionQuery& query) override {
    return actions_ = joint_reactions_newton_euler_4x4(model_, q, v, a, wrenches, query);
  }

 private:
  std::vector<NodeMatrices<double>> nodes_;
  std::vector<Wrench<double>> actions_;
};

class Lagrange4x4Route : public TreeRoute {
 public:
  using TreeRoute::TreeRoute;
  void efforts(Workspace&, const VectorRef& q, const VectorRef& v, const VectorRef& a,
               ExternalWrenches wrenches, Eigen::VectorXd& tau) override {
    const LagrangeEquations e = lagrange_equations(model_, q, v, wrenches);
    tau = e.mass * a + e.bias;
  }
  void mass(Workspace& work, const VectorRef& q, Eigen::MatrixXd& M) override {
    M = lagrange_equations(model_, q, work.zero(), {}).mass;
  }
};

class KaneRoute : public TreeRoute {
 public:
  explicit KaneRoute(const Model& model) : TreeRoute(model), scratch_(model.topology()) {}
  void efforts(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
               ExternalWrenches wrenches, Eigen::VectorXd& tau) override {
    const NodeWrenches external = gather_wrenches(model_, work, q, wrenches);
    tau.resize(model_.speeds());
    dynamics_kernels().kane(view<double>(model_.topology(), model_.parameters()), work.view(),
                            scratch_.view(), q.data(), v.data(), a.data(), external, tau.data());
    add_passive_efforts(model_, q.data(), v.data(), 1, tau.data());
  }
  void mass(Workspace& work, const VectorRef& q, Eigen::MatrixXd& M) override {
    const Tree tree = view<double>(model_.topology(), model_.parameters());
    joint_angles(tree, work.view(), q.data());
    partial_velocities(tree, work.view(), scratch_.view(), q.data());
    M.resize(model_.speeds(), model_.speeds());
    kane_matrix(tree, scratch_.view(), M.data());
  }
  const std::vector<Wrench<double>>& reactions(Workspace& work, const VectorRef& q,
                                               const VectorRef& v, const VectorRef& a,
                                               ExternalWrenches wrenches,
                                               const ReactionQuery& query) override {
    if (!reactions_) reactions_ = std::make_unique<KaneReactions>(model_);
    return reactions_->compute(work, q, v, a, wrenches, query);
  }

 private:
  KaneScratch<double> scratch_;
  std::unique_ptr<KaneReactions> reactions_;  ///< made when first asked for
};

class InfluenceRoute : public TreeRoute {
 public:
  using TreeRoute::TreeRoute;
  void efforts(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
               ExternalWrenches wrenches, Eigen::VectorXd& tau) override {
    tau = dynamic_model(model_, work, q, wrenches).efforts(v, a);
    add_passive_efforts(model_, q.data(), v.data(), 1, tau.data());
  }
  void mass(Workspace& work, const VectorRef& q, Eigen::MatrixXd& M) override {
    M = dynamic_model(model_, work, q).I;
  }
};

template <ForwardMethod method>
class ForwardRoute : public NewtonEulerRoute {
 public:
  using NewtonEulerRoute::NewtonEulerRoute;
  void accelerations(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                     ExternalWrenches wrenches, Eigen::VectorXd& a) override {
    a = forward_dynamics(model_, work, q, v, tau, wrenches, method);
  }
};

std::string has_no_compact_form(const Model& model) {
  for (const Joint& joint : model.joints())
    for (int k = 0; k < joint.node_count; ++k)
      if (model.topology().nodes[joint.first_node + k].kind != NodeKind::screw)
        return fmt::format(
            "joint '{}' has no compact form, which is for joints made of turns and slides",
            joint.name);
  return {};
}

std::string has_shared_speeds(const Model& model) {
  if (!model.topology().shared_speeds) return {};
  return fmt::format("robot '{}' has mimic joints, which couple the branches of its tree",
                     model.name());
}

constexpr Formulation table[] = {
    // name, summary, theory; efforts, mass, accelerations; flexible
    {"newton-euler", "recursion of Newton and Euler", "theory/newton-euler.md", true, false, false,
     true, nullptr, make_route<NewtonEulerRoute>, true},
    {"newton-euler-compact", "the same with the fewest operations",
     "theory/compact-newton-euler.md", true, false, false, false, has_no_compact_form,
     make_route<CompactRoute>},
    {"newton-euler-4x4", "Newton and Euler with 4x4 matrices", "theory/homogeneous.md", true, false,
     false, false, nullptr, make_route<NewtonEuler4x4Route>, true},
    {"lagrange-4x4", "Lagrange with 4x4 matrices", "theory/homogeneous.md", true, true, false,
     false, nullptr, make_route<Lagrange4x4Route>},
    {"kane", "Kane's equations", "theory/kane.md", true, true, false, true, nullptr,
     make_kane_route, true},
    {"influence-coefficients", "effective inertia and inertia power array",
     "theory/influence-coefficients.md", true, true, false, false, nullptr,
     make_route<InfluenceRoute>},
    {"articulated-body", "articulated-body inertias", "theory/articulated-body.md", false, false,
     true, true, has_shared_speeds, make_route<ForwardRoute<ForwardMethod::articulated_body>>},
    {"composite-body", "composite rigid bodies", "theory/composite-body.md", false, true, false,
     true, nullptr, make_route<ForwardRoute<ForwardMethod::composite_body>>},
    {"platform", "closed form of platforms on legs, at the drives", "theory/platforms.md", true,
     false, true, false, is_not_a_platform, nullptr, false, make_platform_route},
};

/// What keeps a formulation from a question whatever the robot.
std::string cannot_answer(const Formulation& f, Question question) {
  if (question == Question::inverse && !f.efforts)
    return fmt::format("'{}' gives {} only, not efforts", f.name,
                       f.mass ? "the mass matrix" : "accelerations");
  if (question == Question::mass && !f.mass && (!f.efforts || f.whole))
    return fmt::format("'{}' forms no mass matrix on the speeds of the joints", f.name);
  if (question == Question::reactions && !f.reactions)
    return fmt::format("the equations of '{}' have no reactions", f.name);
  return {};
}

/// The 4x4 matrices of the links are those of trees.
std::string has_no_reactions(const Formulation& f, const Model& model) {
  if (!model.loops().empty() && f.route == make_route<NewtonEuler4x4Route>)
    return fmt::format("'{}' gives the reactions of trees, and robot '{}' has loops", f.name,
                       model.name());
  return {};
}

}  // namespace

const char* name_of(Question question) {
  constexpr const char* names[] = {"inverse dynamics", "forward dynamics", "the mass matrix",
                                   "joint reactions"};
  return names[static_cast<int>(question)];
}

std::unique_ptr<TreeRoute> make_kane_route(const Model& model) {
  if (model.modes() > 0) return std::make_unique<FlexibleKaneRoute>(model);
  return std::make_unique<KaneRoute>(model);
}

std::span<const Formulation> formulations() { return table; }

namespace {

const Formulation* formulation_or_null(const std::string& name) {
  for (const Formulation& f : table)
    if (name == f.name) return &f;
  return nullptr;
}

}  // namespace

const Formulation& formulation_named(const std::string& name) {
  if (const Formulation* f = formulation_or_null(name)) return *f;
  std::vector<std::string> names;
  for (const Formulation& f : table) names.emplace_back(f.name);
  throw InputError(Problem{{},
                           "method",
                           fmt::format("'{}' is not a formulation", name),
                           fmt::format("one of {}", fmt::join(names, ", ")),
                           nearest_name_hint(name, names)});
}

const Formulation& formulation_for(const std::string& name, const Model& model, Question question,
                                   const char* option) {
  const Formulation* f = formulation_or_null(name);
  const std::string reason =
      f ? why_not(*f, model, question) : fmt::format("'{}' is not available", name);
  if (reason.empty()) return *f;
  const std::vector<std::string> others = formulation_names(question, model);
  std::string expected =
      fmt::format("{}{}", others.size() > 1 ? "one of " : "", fmt::join(others, ", "));
  if (others.empty()) expected = "a robot of another kind";
  throw InputError(
      Problem{{},
              option,
              reason,
              expected,
              f ? std::string() : nearest_name_hint(name, formulation_names(question))});
}

std::string why_not(const Formulation& f, const Model& model, Question question) {
  if (const std::string reason = cannot_answer(f, question); !reason.empty()) return reason;
  if (question == Question::reactions)
    if (const std::string reason = has_no_reactions(f, model); !reason.empty()) return reason;
  if (model.flexible() && !f.flexible)
    return fmt::format("'{}' describes rigid bodies, and robot '{}' has flexible ones", f.name,
                       model.name());
  if (!model.loops().empty() && !f.efforts && !f.mass)
    return fmt::format("'{}' forms no mass matrix, which the loops of robot '{}' need", f.name,
                       model.name());
  return f.refuses ? f.refuses(model) : std::string();
}

std::vector<std::string> formulation_names(Question question) {
  std::vector<std::string> names;
  for (const Formulation& f : table)
    if (cannot_answer(f, question).empty()) names.emplace_back(f.name);
  return names;
}

std::vector<std::string> formulation_names(Question question, const Model& model) {
  std::vector<std::string> names;
  for (const Formulation& f : table)
    if (why_not(f, model, question).empty()) names.emplace_back(f.name);
  return names;
}

}  // namespace ulna
