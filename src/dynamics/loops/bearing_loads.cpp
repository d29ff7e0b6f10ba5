#include "ulna/dynamics/internal/bearing_loads.hpp"

#include "loops/loop_embedding.hpp"
#include "ulna/dynamics/internal/loop_reactions.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

/// Directions, made orthonormal as they are added, along which a part of a wrench does not reach
/// the bearings.
class FreeDirections {
 public:
  void add(Vector3<double> axis) {
    axis = without(axis);
    const double length = axis.norm();
    constexpr double parallel = 1e-9;
    if (length > parallel) axes_.col(count_++) = axis / length;
  }
  Vector3<double> without(Vector3<double> x) const {
    for (int k = 0; k < count_; ++k) x -= axes_.col(k).dot(x) * axes_.col(k);
    return x;
  }

 private:
  Matrix3<double> axes_ = Matrix3<double>::Zero();
  int count_ = 0;
};

/// Of a joint of the tree, from its reaction in world axes. A screw bears its thrust by its thread;
/// its drive turns it.
BearingLoad load_of_joint(const Model& model, const Workspace& work, const Joint& joint,
                          const Wrench<double>& F_W) {
  FreeDirections turns, slides;
  for (int k = 0; k < joint.node_count; ++k) {
    const int node = joint.first_node + k;
    const TreeNode& moves = model.topology().nodes[static_cast<std::size_t>(node)];
    const Mat3<double>& R = work.view().pose[node].R;
    const Vector3<double> axes[] = {{R.xx, R.yx, R.zx}, {R.xy, R.yy, R.zy}, {R.xz, R.yz, R.zz}};
    if (moves.kind == NodeKind::screw) {
      (moves.sigma != 0 ? turns : slides).add(axes[2]);
    } else if (moves.kind == NodeKind::spherical || moves.kind == NodeKind::free) {
      for (const Vector3<double>& axis : axes) {
        turns.add(axis);
        if (moves.kind == NodeKind::free) slides.add(axis);
      }
    }
  }
  return {slides.without(F_W.force).norm(), turns.without(F_W.moment).norm()};
}

/// Of a closing joint: what its rows carry, without springs and dampers along its degrees.
BearingLoad load_of_loop(const LoopClosure& closure, const Loop& loop, const Workspace& work, int k,
                         const Eigen::VectorXd& lambda) {
  if (loop.kind == LoopKind::coupling) return {};
  const LoopClosure::Block& block = closure.blocks()[static_cast<std::size_t>(k)];
  const Vector6<double> F =
      closure.rows_of_twist(work, k).transpose() * lambda.segment(block.first_row, block.rows);
  return {F.tail<3>().norm(), F.head<3>().norm()};
}

}  // namespace

struct BearingLoads::Parts {
  explicit Parts(const Model& the_model)
      : model(the_model), work(the_model), tree(the_model, OpenTree{}) {
    if (model.loops().empty()) return;
    loops = std::make_unique<LoopDynamics>(model);
    embedding = std::make_unique<LoopEmbedding>(loops->closure());
  }

  /// What the rows carry (docs/theory/closed-loops.md, eq. 19); adds it to what acts on the tree.
  void close(const VectorRef& q, const VectorRef& v, const VectorRef& a, const VectorRef& tau,
             ExternalWrenches wrenches) {
    rest = loops->required_efforts(work, q, v, a, wrenches) - tau;
    embedding->update();
    embedding->multipliers(rest, lambda);
    out.unique = embedding->rank() == loops->closure().rows();
    const std::size_t joints = model.joints().size();
    for (int k = 0; k < static_cast<int>(model.loops().size()); ++k) {
      out.closing.push_back(closing_reaction(*loops, model, work, k, lambda, query, acting));
      out.bearings[joints + static_cast<std::size_t>(k)] = load_of_loop(
          loops->closure(), model.loops()[static_cast<std::size_t>(k)], work, k, lambda);
    }
  }

  const Model& model;
  Workspace work;
  JointReactions tree;
  const ReactionQuery query{.at = {}, .expressed_in = 0};
  std::unique_ptr<LoopDynamics> loops;  ///< null where nothing closes
  std::unique_ptr<LoopEmbedding> embedding;
  Eigen::VectorXd rest, lambda;
  std::vector<ExternalWrench> acting;
  KnownReactions out;
};

BearingLoads::BearingLoads(const Model& model) : parts_(std::make_unique<Parts>(model)) {}
BearingLoads::~BearingLoads() = default;
BearingLoads::BearingLoads(BearingLoads&&) noexcept = default;

const KnownReactions& BearingLoads::compute(const VectorRef& q, const VectorRef& v,
                                            const VectorRef& a, const VectorRef& tau,
                                            ExternalWrenches wrenches) {
  Parts& p = *parts_;
  const std::size_t joints = p.model.joints().size();
  p.out.bearings.assign(joints + p.model.loops().size(), {});
  p.out.closing.clear();
  p.acting.assign(wrenches.begin(), wrenches.end());
  if (p.loops) p.close(q, v, a, tau, wrenches);
  p.out.joints = p.tree.compute(p.work, q, v, a, p.acting, p.query);
  for (std::size_t j = 0; j < joints; ++j)
    p.out.bearings[j] = load_of_joint(p.model, p.work, p.model.joints()[j], p.out.joints[j]);
  return p.out;
}

}  // namespace ulna
