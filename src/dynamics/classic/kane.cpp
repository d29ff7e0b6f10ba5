#include "ulna/dynamics/kernels/kane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "common.hpp"
#include "formulation/tree_route.hpp"
#include "loops/motors.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/parts/newton_euler_4x4.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {

struct Kane::Memory {
  explicit Memory(const Model& model)
      : tree(ulna::view<double>(model.topology(), model.parameters())),
        scratch(model.topology()),
        partials(scratch.view()),
        efforts(model.speeds()),
        loops(model.loops().empty() ? nullptr : std::make_unique<LoopDynamics>(model)) {}
  KaneView<double> view() { return partials; }
  const Eigen::VectorXd& run(const Model& model, Workspace& work, const VectorRef& q,
                             const VectorRef& v, const VectorRef& a, ExternalWrenches wrenches);

  TreeView<double> tree;  ///< of the model, which stays in place
  KaneScratch<double> scratch;
  KaneView<double> partials;
  Eigen::VectorXd efforts;
  std::unique_ptr<LoopDynamics> loops;
};

namespace {

/// The open tree through generalized forces along u: efforts Y' B' h do the same work as h along
/// every motion that the loops allow.
class InSpeeds : public TreeRoute {
 public:
  using TreeEfforts = std::function<Eigen::VectorXd(const VectorRef& q, const VectorRef& v,
                                                    const VectorRef& a, ExternalWrenches)>;
  InSpeeds(const Model& model, const SpeedMap& map, TreeEfforts tree)
      : TreeRoute(model), map_(map), solver_(map), tree_(std::move(tree)) {}
  void efforts(Workspace&, const VectorRef& q, const VectorRef& v, const VectorRef& a,
               ExternalWrenches wrenches, Eigen::VectorXd& tau) override {
    tau = map_.Y.transpose() * solver_.forces(tree_(q, v, a, wrenches));
  }

 private:
  const SpeedMap& map_;
  SpeedSolver solver_;
  TreeEfforts tree_;
};

/// Accelerations that leave du/dt zero: gamma - B (Y gamma + dY/dt v + dy/dt).
Eigen::VectorXd without_change(const SpeedMap& map, const SpeedSolver& Y, const VectorRef& v) {
  const Eigen::VectorXd drift = map.drift(v);
  if (!map.loops()) return -Y.rates(drift);
  return map.gamma - Y.rates(map.Y * map.gamma + drift);
}

/// The mass centre of a body in its own frame; its origin where it has no mass.
Vector3<double> centre_of(const Model& model, int body) {
  const Matrix4<double> J = body_inertia(model, body).matrix;
  return J(3, 3) > 0 ? Vector3<double>(J.topRightCorner<3, 1>() / J(3, 3))
                     : Vector3<double>(Vector3<double>::Zero());
}

}  // namespace

Kane::Kane(const Model& model) : model_(model) {
  model.require_rigid("Kane's method");
  memory_ = std::make_unique<Memory>(model);
}
Kane::~Kane() = default;

/// Inlined: the sizes are checked and the arguments passed on once.
[[gnu::always_inline]] inline const Eigen::VectorXd& Kane::Memory::run(
    const Model& model, Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
    ExternalWrenches wrenches) {
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_size(model, a, model.speeds(), "a");
  const NodeWrenches external = gather_wrenches(model, work, q, wrenches);
  dynamics_kernels().kane(tree, work.view(), partials, q.data(), v.data(), a.data(), external,
                          efforts.data());
  return efforts;
}

const Eigen::VectorXd& Kane::tree_efforts(Workspace& work, const VectorRef& q, const VectorRef& v,
                                          const VectorRef& a, ExternalWrenches wrenches) {
  return memory_->run(model_, work, q, v, a, wrenches);
}

const Eigen::VectorXd& Kane::inverse(Workspace& work, const VectorRef& q, const VectorRef& v,
                                     const VectorRef& a, ExternalWrenches wrenches) {
  Memory& memory = *memory_;
  if (memory.loops) [[unlikely]]
    model_.require_tree("Kane's method in joint rates without a map");
  memory.run(model_, work, q, v, a, wrenches);
  if (model_.has_passive())
    add_passive_efforts(model_, q.data(), v.data(), 1, memory.efforts.data());
  return memory.efforts;
}

Eigen::VectorXd Kane::inverse(Workspace& work, const VectorRef& q, const VectorRef& v,
                              const VectorRef& a, const SpeedMap& map, ExternalWrenches wrenches,
                              const LoopInverseOptions& motors) {
  if (!map.loops()) {
    const Eigen::VectorXd K =
        -(inertia_forces(work, q, v, a, map) + active_forces(work, q, v, map, wrenches));
    // tau does work along v, its generalized force along u: v' tau = u' K, so tau = Y' K.
    return map.Y.transpose() * K;
  }
  InSpeeds route(model_, map,
                 [&](const VectorRef& q0, const VectorRef& v0, const VectorRef& a0,
                     ExternalWrenches on_bodies) {
                   Eigen::VectorXd h = tree_efforts(work, q0, v0, a0, on_bodies);
                   add_passive_efforts(model_, q0.data(), v0.data(), 1, h.data());
                   return h;
                 });
  memory_->loops->use(&route);
  LoopEfforts efforts;
  memory_->loops->inverse(work, q, v, a, with_motors(model_, motors), wrenches, efforts);
  memory_->loops->use(nullptr);
  return efforts.tau;
}

Eigen::VectorXd Kane::forward(Workspace& work, const VectorRef& q, const VectorRef& v,
                              const VectorRef& tau, const SpeedMap& map,
                              ExternalWrenches wrenches) {
  check_size(model_, tau, model_.speeds(), "tau");
  const SpeedSolver Y(map);
  const Eigen::VectorXd at_rest = map.loops() ? map.gamma : Eigen::VectorXd(work.zero());
  // At independent accelerations of zero rather than at du/dt = 0: near a singularity of Y the
  // latter needs huge accelerations, which cancel again. F (du/dt - drift) = K + K*.
  const Eigen::VectorXd due = Y.forces(tau) + active_forces(work, q, v, map, wrenches) +
                              inertia_forces(work, q, v, at_rest, map);
  // The matrix in these speeds is Y^-T F Y^-1. Formed, it would carry the condition of Y twice; its
  // inverse Y F^-1 Y' needs only that of F.
  if (!map.loops())
    return Y.rates(map.Y * solve_mass_matrix(model_, matrix(work, q), map.Y.transpose() * due));
  const Eigen::MatrixXd Y_i = map.Y * map.G;
  const dense::Ldlt F(map.G.transpose() * matrix(work, q) * map.G);
  const double least = F.unknowns() == 0 ? 1 : F.pivots().minCoeff();
  if (!(least > 0))
    throw ComputationError(
        fmt::format("robot '{}': a motion that its loops allow moves no inertia", model_.name()),
        least);
  return at_rest + map.G * F.solve(Y_i.transpose() * due);
}

BodyPartials Kane::partials(const VectorRef& q, const VectorRef& v, int body, const SpeedMap& map) {
  check_frame(model_, body);
  Workspace work(model_);
  // In the body's own axes a partial velocity is a column of the Jacobian: omega = J v = J B u.
  const JacobianQuery query{body, Vector3<double>::Zero(), 0, body};
  const Jacobian J = jacobian(model_, work, q, query);
  const Eigen::MatrixXd B = inverse_of(map);
  const Jacobian columns = J * B;
  const Vector3<double> centre = centre_of(model_, body);
  const auto at_centre = [&](const Jacobian& at_origin) -> Eigen::Matrix3Xd {
    return at_origin.bottomRows<3>() - skew(centre) * at_origin.topRows<3>();
  };
  BodyPartials out{columns.topRows<3>(),
                   columns.bottomRows<3>(),
                   at_centre(columns),
                   Vector3<double>::Zero(),
                   Vector3<double>::Zero(),
                   Vector3<double>::Zero(),
                   {},
                   {},
                   {}};
  if (map.y.size() > 0) {
    out.angular_rest = -out.angular * map.y;
    out.linear_rest = -out.linear * map.y;
    out.centre_rest = -out.centre * map.y;
  }
  if (map.loops()) return out;
  const Jacobian J_dot = jacobian_derivative(model_, q, v, query);
  const Jacobian rates = (J_dot - columns * map.Y_dot) * B;  // d(Y^-1)/dt = -Y^-1 Ydot Y^-1
  out.angular_rate = rates.topRows<3>();
  out.linear_rate = rates.bottomRows<3>();
  out.centre_rate = at_centre(rates);
  return out;
}

Eigen::MatrixXd Kane::matrix(Workspace& work, const VectorRef& q) {
  check_fits(model_, work);
  check_size(model_, q, model_.coordinates(), "q");
  const Tree tree = view<double>(model_.topology(), model_.parameters());
  joint_angles(tree, work.view(), q.data());
  partial_velocities(tree, work.view(), memory_->view(), q.data());
  Eigen::MatrixXd F(model_.speeds(), model_.speeds());
  kane_matrix(tree, memory_->view(), F.data());
  return F;
}

Eigen::MatrixXd Kane::matrix(Workspace& work, const VectorRef& q, const SpeedMap& map) {
  const SpeedSolver Y(map);
  return Y.forces(Y.forces(matrix(work, q)).transpose());  // F is symmetric
}

Eigen::VectorXd Kane::passive(Workspace& work, const VectorRef& q, const VectorRef& v) {
  Eigen::VectorXd efforts = Eigen::VectorXd::Zero(model_.speeds());
  add_passive_efforts(model_, q.data(), v.data(), 1, efforts.data());
  const bool closing = std::any_of(model_.loops().begin(), model_.loops().end(),
                                   [](const Loop& loop) { return !loop.degrees.empty(); });
  if (!closing) return efforts;
  // Of closing joints: what the mechanism requires beyond its open tree.
  efforts = memory_->loops->required_efforts(work, q, v, work.zero()) -
            tree_efforts(work, q, v, work.zero(), {});
  return efforts;
}

Eigen::VectorXd Kane::active_forces(Workspace& work, const VectorRef& q, const VectorRef& v,
                                    const SpeedMap& map, ExternalWrenches wrenches) {
  const Eigen::VectorXd against = passive(work, q, v);
  return -SpeedSolver(map).forces(against +
                                  tree_efforts(work, q, work.zero(), work.zero(), wrenches));
}

Eigen::VectorXd Kane::inertia_forces(Workspace& work, const VectorRef& q, const VectorRef& v,
                                     const VectorRef& a, const SpeedMap& map) {
  const Eigen::VectorXd all = tree_efforts(work, q, v, a, {});
  const Eigen::VectorXd& gravity = tree_efforts(work, q, work.zero(), work.zero(), {});
  return -SpeedSolver(map).forces(all - gravity);
}

Eigen::VectorXd Kane::remainder(Workspace& work, const VectorRef& q, const VectorRef& v,
                                const SpeedMap& map) {
  // Z is what is left of the inertia forces where du/dt is zero.
  return -inertia_forces(work, q, v, without_change(map, SpeedSolver(map), v), map);
}

KaneQuantities Kane::quantities(Workspace& work, const VectorRef& q, const VectorRef& v,
                                const VectorRef& a, const GeneralizedSpeeds& speeds, double t,
                                ExternalWrenches wrenches, const LoopInverseOptions& motors) {
  check_size(model_, a, model_.speeds(), "a");
  const SpeedMap map = speed_map(model_, speeds, q, v, t);
  KaneQuantities out;
  out.names = map.names;
  out.u = map.speeds(v);
  out.u_dot = map.accelerations(v, a);
  out.Y = map.Y;
  out.y = map.y.size() > 0 ? map.y : Eigen::VectorXd(Eigen::VectorXd::Zero(map.size()));
  out.B = inverse_of(map);
  out.F = matrix(work, q, map);
  out.Z = remainder(work, q, v, map);
  out.K_star = inertia_forces(work, q, v, a, map);
  out.K_applied = active_forces(work, q, v, map, wrenches);
  out.tau = inverse(work, q, v, a, map, wrenches, motors);
  out.K = out.K_applied + out.B.transpose() * out.tau;
  for (int body = 1; body < std::ssize(model_.bodies()); ++body)
    out.bodies.push_back(partials(q, v, body, map));
  return out;
}

}  // namespace ulna
