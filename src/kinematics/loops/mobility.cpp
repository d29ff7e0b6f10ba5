#include "ulna/kinematics/mobility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "loops/tangent_cone.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/rank.hpp"

namespace ulna {
namespace {

Eigen::MatrixXd scaled_block(const LoopClosure& closure, int k) {
  const LoopClosure::Block& block = closure.blocks()[k];
  const Eigen::VectorXd columns = closure.column_scale()(block.columns);
  return closure.row_scale().segment(block.first_row, block.rows).asDiagonal() * block.A *
         columns.asDiagonal();
}

/// Goes from a closed posture along a direction, step by step, closing the loops after each.
class Walk {
 public:
  explicit Walk(const Model& model) : model_(model), closure_(model), work_(model) {}

  /// The freedom met on the way, or -1 when the way is barred: the closure pulls the posture back.
  /// `curvature` bends the first step, from a singular posture.
  int dof_along(const Eigen::VectorXd& q, const Eigen::VectorXd& direction,
                const Eigen::VectorXd& curvature) {
    constexpr double step = 0.02;  // radians, or lengths of the robot
    constexpr int steps = 10;
    const double size = direction.norm();
    Eigen::VectorXd at = q, way = direction / size;
    Eigen::VectorXd bend = 0.5 * step * step / (size * size) * curvature;
    int dof = -1;
    for (int k = 0; k < steps; ++k) {
      const Eigen::VectorXd advance = closure_.column_scale().cwiseProduct(step * way + bend);
      Eigen::VectorXd next = model_.integrate(at, advance);
      if (!close(next)) return -1;
      const Eigen::VectorXd moved =
          model_.difference(at, next).cwiseQuotient(closure_.column_scale());
      if (moved.dot(way) < 0.5 * step) return -1;
      at = next;
      way = moved.normalized();
      bend.setZero();
      const RankDecision decision = rank_by_svd(
          closure_.scaled_jacobian(), std::max(walk_tolerance, loop_rank_tolerance_of(model_)));
      const int here = model_.speeds() - decision.rank;
      dof = dof < 0 ? here : std::min(dof, here);
    }
    return dof;
  }

 private:
  /// A singular direction left behind has singular values of the order of the step.
  static constexpr double walk_tolerance = 1e-6;

  bool close(Eigen::VectorXd& q) {
    dense::LeastNorm solver;
    const double allowed = 2 * model_.robot().loop_tolerance;  // what the posture has, and a little
    solver.set_threshold(std::max(1e-9, 10 * allowed));
    double gap = 0, before = INFINITY;
    for (int iteration = 0; iteration < 30; ++iteration) {
      closure_.update(work_, q);
      gap = closure_.largest_gap(work_);
      if (gap < 1e-11 || (gap < allowed && gap > 0.9 * before)) return true;
      before = gap;
      solver.compute(closure_.scaled_jacobian());
      const Eigen::VectorXd dx =
          -solver.solve(closure_.row_scale().cwiseProduct(closure_.residual()));
      if (!(dx.norm() < 0.5)) return false;
      q = model_.integrate(q, closure_.column_scale().cwiseProduct(dx));
    }
    closure_.update(work_, q);
    return closure_.largest_gap(work_) < std::max(1e-9, allowed);
  }

  const Model& model_;
  LoopClosure closure_;
  Workspace work_;
};

/// Finite motions through q. Where a direction taken at random among those that the rank leaves
/// free can be continued with all of this freedom, the posture is regular.
class FullCycle {
 public:
  FullCycle(const Model& model, const VectorRef& q, const Eigen::MatrixXd& null_space,
            Mobility& report)
      : model_(model), q_(q), N_(null_space), walk_(model), report_(report) {}

  void find(LoopClosure& closure, Workspace& work) {
    if (report_.dof == 0) return;
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(model_.speeds());
    if (try_way(mixture(), none) == report_.dof) {
      report_.branches.clear();
      report_.directions = closure.column_scale().asDiagonal() * N_;
      return;
    }
    const TangentCone cone = tangent_cone(closure, work, q_, N_);
    if (!cone.empty) {
      for (const TangentCone::Ray& ray : cone.rays) try_way(ray.v, ray.a);
      if (cone.conditions == 0)
        for (int trial = 0; trial < 8; ++trial) try_way(mixture(), none);
      report_.determined = report_.full_cycle_dof > 0;
    }
    order_directions();
    for (MotionBranch& branch : report_.branches)
      branch.direction = closure.column_scale().cwiseProduct(branch.direction);
    report_.directions = closure.column_scale().asDiagonal() * report_.directions;
  }

 private:
  Eigen::VectorXd mixture() {
    Eigen::VectorXd y(report_.dof);
    for (double& x : y) x = normal_(generator_);
    return N_ * y;
  }

  int try_way(const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
    const int there = walk_.dof_along(q_, v, a), back = walk_.dof_along(q_, -v, a);
    const int dof = std::max(there, back);
    report_.full_cycle_dof = std::max(report_.full_cycle_dof, dof);
    if (dof > 0)
      report_.branches.push_back(
          {(there > 0 ? v : Eigen::VectorXd(-v)).normalized(), dof, there > 0 && back > 0});
    return dof;
  }

  /// What can be continued first; the rest completes the space.
  void order_directions() {
    std::vector<Eigen::VectorXd> ordered;
    for (const MotionBranch& branch : report_.branches) ordered.push_back(branch.direction);
    for (Eigen::Index k = 0; k < N_.cols(); ++k) ordered.push_back(N_.col(k));
    int filled = 0;
    for (Eigen::VectorXd direction : ordered) {
      for (int k = 0; k < filled; ++k)
        direction -= report_.directions.col(k).dot(direction) * report_.directions.col(k);
      if (filled == report_.dof || direction.norm() < 1e-6) continue;
      report_.directions.col(filled++) = direction.normalized();
    }
  }

  const Model& model_;
  const Eigen::VectorXd q_;
  const Eigen::MatrixXd& N_;
  Walk walk_;
  Mobility& report_;
  std::mt19937_64 generator_{1};
  std::normal_distribution<double> normal_;
};

}  // namespace

Mobility mobility(const Model& model, const VectorRef& q) {
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  Mobility report;
  report.speeds = model.speeds();
  report.rows = closure.rows();
  report.gruebler = report.speeds - report.rows;
  const Eigen::MatrixXd A = closure.scaled_jacobian();
  const RankDecision whole = rank_by_svd(A, loop_rank_tolerance_of(model));
  report.rank = whole.rank;
  report.dof = report.speeds - whole.rank;
  report.margin = whole.margin();
  int before = 0;
  for (int k = 0; k < static_cast<int>(model.loops().size()); ++k) {
    const Loop& loop = model.loops()[k];
    const LoopClosure::Block& block = closure.blocks()[k];
    LoopMobility one;
    one.name = loop.joint;
    one.rows = loop.rows;
    one.speeds = static_cast<int>(block.columns.size());
    one.rank = rank_by_svd(scaled_block(closure, k), loop_rank_tolerance_of(model)).rank;
    one.loop_rank = one.rank + (loop.kind == LoopKind::joint ? size_of(loop.type).speeds : 0);
    const int up_to_here =
        rank_by_qr(A.topRows(block.first_row + block.rows), loop_rank_tolerance_of(model)).rank;
    one.adds = up_to_here - before;
    before = up_to_here;
    report.loops.push_back(one);
  }
  report.independent = split_speeds(closure).independent;
  report.directions.resize(model.speeds(), report.dof);
  FullCycle(model, q, whole.null_space, report).find(closure, work);
  return report;
}

std::string rigid_structure_text(const Model& model) {
  return fmt::format("robot '{}' is a rigid structure: {} takes the last freedom", model.name(),
                     loop_name(model.loops().back()));
}

std::vector<std::string> mobility_notes(const Model& model, const Mobility& mobility) {
  std::vector<std::string> notes;
  if (mobility.dof == 0 && model.speeds() > 0 && !model.loops().empty()) {
    notes.push_back(rigid_structure_text(model));
  } else if (!mobility.determined) {
    notes.push_back(fmt::format(
        "how robot '{}' can move is not determined: at this posture {} is singular, and second "
        "order does not decide; another posture (--q) tells more",
        model.name(), loop_name(model.loops().back())));
  } else if (mobility.full_cycle_dof == 0 && mobility.dof > 0 && !model.loops().empty()) {
    notes.push_back(fmt::format(
        "robot '{}' moves only infinitesimally: at this posture {} is singular, and no motion can "
        "be continued",
        model.name(), loop_name(model.loops().back())));
  } else if (mobility.singular()) {
    notes.push_back(fmt::format(
        "this posture is singular: {} degrees of freedom here, {} of them for motions of finite "
        "length",
        mobility.dof, mobility.full_cycle_dof));
    // Motions of more freedom are sampled, not counted.
    const auto curves = std::count_if(mobility.branches.begin(), mobility.branches.end(),
                                      [](const MotionBranch& branch) { return branch.dof == 1; });
    if (curves > 1)
      notes.push_back(
          fmt::format("it is a bifurcation: {} branches of motion were found here", curves));
  }
  for (std::size_t k = 0; k < mobility.loops.size(); ++k)
    if (mobility.loops[k].dependent())
      notes.push_back(fmt::format(
          "{} depends on the loops before it: {} of its {} independent rows add nothing",
          loop_name(model.loops()[k]), mobility.loops[k].rank - mobility.loops[k].adds,
          mobility.loops[k].rank));
  return notes;
}

}  // namespace ulna
