#include "ulna/kinematics/mobility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

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
  int dof_along(const Eigen::VectorXd& q, const Eigen::VectorXd& direction) {
    constexpr double step = 0.02;  // radians, or lengths of the robot
    constexpr int steps = 10;
    Eigen::VectorXd at = q, way = direction.normalized();
    int dof = -1;
    for (int k = 0; k < steps; ++k) {
      const Eigen::VectorXd advance = step * closure_.column_scale().cwiseProduct(way);
      Eigen::VectorXd next = model_.integrate(at, advance);
      if (!close(next)) return -1;
      const Eigen::VectorXd moved =
          model_.difference(at, next).cwiseQuotient(closure_.column_scale());
      if (moved.dot(way) < 0.5 * step) return -1;
      at = next;
      way = moved.normalized();
      const RankDecision decision = rank_by_svd(closure_.scaled_jacobian(), walk_tolerance);
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
    solver.set_threshold(1e-9);
    for (int iteration = 0; iteration < 30; ++iteration) {
      closure_.update(work_, q);
      if (closure_.largest_gap(work_) < 1e-11) return true;
      solver.compute(closure_.scaled_jacobian());
      const Eigen::VectorXd dx =
          -solver.solve(closure_.row_scale().cwiseProduct(closure_.residual()));
      if (!(dx.norm() < 0.5)) return false;
      q = model_.integrate(q, closure_.column_scale().cwiseProduct(dx));
    }
    closure_.update(work_, q);
    return closure_.largest_gap(work_) < 1e-9;
  }

  const Model& model_;
  LoopClosure closure_;
  Workspace work_;
};

/// Finite motions through q: tried along each direction that the rank leaves free, and along random
/// mixtures of them, since branches cross at singular postures.
void find_full_cycle(const Model& model, const VectorRef& q, const Eigen::MatrixXd& null_space,
                     const LoopClosure& closure, Mobility& report) {
  if (report.dof == 0) return;
  Walk walk(model);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  std::vector<Eigen::VectorXd> good, bad;
  for (int trial = 0; trial < report.dof + 8; ++trial) {
    Eigen::VectorXd mixture = Eigen::VectorXd::Zero(report.dof);
    if (trial < report.dof)
      mixture(trial) = 1;
    else
      for (double& x : mixture) x = normal(generator);
    const Eigen::VectorXd direction = null_space * mixture;
    const int dof = std::max(walk.dof_along(q, direction), walk.dof_along(q, -direction));
    report.full_cycle_dof = std::max(report.full_cycle_dof, dof);
    (dof > 0 ? good : bad).push_back(direction);
    if (report.full_cycle_dof == report.dof) break;
  }
  // What can be continued first; the rest completes the space.
  std::vector<Eigen::VectorXd> ordered = std::move(good);
  ordered.insert(ordered.end(), bad.begin(), bad.end());
  for (Eigen::Index k = 0; k < null_space.cols(); ++k) ordered.push_back(null_space.col(k));
  report.directions.resize(model.speeds(), report.dof);
  int filled = 0;
  for (Eigen::VectorXd direction : ordered) {
    for (int k = 0; k < filled; ++k)
      direction -= report.directions.col(k).dot(direction) * report.directions.col(k);
    if (filled == report.dof || direction.norm() < 1e-6) continue;
    report.directions.col(filled++) = direction.normalized();
  }
  report.directions = closure.column_scale().asDiagonal() * report.directions;
}

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
  const RankDecision whole = rank_by_svd(A, loop_rank_tolerance);
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
    one.rank = rank_by_svd(scaled_block(closure, k), loop_rank_tolerance).rank;
    one.loop_rank = one.rank + (loop.kind == LoopKind::joint ? size_of(loop.type).speeds : 0);
    const int up_to_here =
        rank_by_qr(A.topRows(block.first_row + block.rows), loop_rank_tolerance).rank;
    one.adds = up_to_here - before;
    before = up_to_here;
    report.loops.push_back(one);
  }
  report.independent = split_speeds(closure).independent;
  report.directions.resize(model.speeds(), report.dof);
  find_full_cycle(model, q, whole.null_space, closure, report);
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
