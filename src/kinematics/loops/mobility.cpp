#include "ulna/kinematics/mobility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "loops/loop_components.hpp"
#include "loops/tangent_cone.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/internal/loop_elimination.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {
namespace {

using Parts = std::vector<LoopComponent>;

/// Singular values and least norms grow with the third power of a part's speeds; larger parts are
/// eliminated loop by loop, at a cost that grows as they do.
bool is_large(const LoopComponent& part) { return part.columns.size() > 60; }
bool any_large(const Parts& parts) { return std::any_of(parts.begin(), parts.end(), is_large); }

int rank_of(const LoopComponent& part, const LoopElimination& all) {
  return static_cast<int>(std::count_if(part.columns.begin(), part.columns.end(), [&](int speed) {
    return std::binary_search(all.split.dependent.begin(), all.split.dependent.end(), speed);
  }));
}

/// One vector for each part, in its own columns; empty for parts that rest.
using PartVectors = std::vector<Eigen::VectorXd>;

/// Goes from a closed posture along a direction, step by step, closing the loops after each. All
/// parts go at once, for none feels the others.
class Walk {
 public:
  Walk(const Model& model, const Parts& parts)
      : model_(model), parts_(parts), closure_(model), work_(model) {}

  /// The freedom met on the way by each part, or -1 where the way is barred: the closure pulls the
  /// posture back. `curvatures`, empty for none, bend the first step from a singular posture.
  std::vector<int> dof_along(const Eigen::VectorXd& q, const PartVectors& directions,
                             const PartVectors& curvatures) {
    constexpr double step = 0.02;  // radians, or lengths of the robot
    constexpr int steps = 10;
    PartVectors way(parts_.size()), bend(parts_.size());
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (directions[p].size() == 0) continue;
      way[p] = directions[p].normalized();
      if (curvatures[p].size() > 0)
        bend[p] = 0.5 * step * step / directions[p].squaredNorm() * curvatures[p];
    }
    std::vector<int> dof(parts_.size(), -1);
    const auto bar = [&](std::size_t p) {
      way[p].resize(0);
      bend[p].resize(0);
      dof[p] = -1;
    };
    Eigen::VectorXd at = q;
    for (int k = 0; k < steps; ++k) {
      Eigen::VectorXd next;
      for (std::vector<std::size_t> barred{0}; !barred.empty();) {
        next = model_.integrate(at, step * in_full(way) + in_full(bend));
        barred = close(next, way);
        for (const std::size_t p : barred) bar(p);
      }
      const Eigen::VectorXd moved =
          model_.difference(at, next).cwiseQuotient(closure_.column_scale());
      LoopElimination all;
      if (large_) all = eliminate_loops(closure_, walk_tolerance, false);
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (way[p].size() == 0) continue;
        const Eigen::VectorXd mine = moved(parts_[p].columns);
        if (mine.dot(way[p]) < 0.5 * step) {
          bar(p);
          continue;
        }
        way[p] = mine.normalized();
        const int rank = is_large(parts_[p])
                             ? rank_of(parts_[p], all)
                             : rank_by_svd(scaled_jacobian(closure_, parts_[p]),
                                           std::max(walk_tolerance, loop_rank_tolerance_of(model_)))
                                   .rank;
        const int here = static_cast<int>(parts_[p].columns.size()) - rank;
        dof[p] = dof[p] < 0 ? here : std::min(dof[p], here);
      }
      at = next;
      bend.assign(parts_.size(), {});
    }
    return dof;
  }

 private:
  /// A singular direction left behind has singular values of the order of the step.
  static constexpr double walk_tolerance = 1e-6;

  /// Scaled back to speeds of the robot.
  Eigen::VectorXd in_full(const PartVectors& x) const {
    Eigen::VectorXd full = Eigen::VectorXd::Zero(model_.speeds());
    for (std::size_t p = 0; p < parts_.size(); ++p)
      if (x[p].size() > 0) full(parts_[p].columns) = x[p];
    return closure_.column_scale().cwiseProduct(full);
  }

  double gap_of(const LoopComponent& part) const {
    double largest = 0;
    for (const int k : part.loops) {
      const LoopGap open = closure_.gap(work_, k);
      if (!(open.length < INFINITY && open.angle < INFINITY)) return INFINITY;
      largest = std::max({largest, open.length, open.angle});
    }
    return largest;
  }

  /// Closes the loops of the parts that move; gives those that it cannot close.
  /// Rows that depend on others all along a motion are nearly so beside it: where Newton's method
  /// stumbles over them, they are left out.
  std::vector<std::size_t> close(Eigen::VectorXd& q, const PartVectors& moving) {
    const Eigen::VectorXd from = q;
    const std::vector<std::size_t> barred = close(q, moving, 1e-9);
    if (barred.empty()) return barred;
    Eigen::VectorXd other = from;
    const std::vector<std::size_t> still = close(other, moving, 1e-4);
    if (still.size() >= barred.size()) return barred;
    q = other;
    return still;
  }

  std::vector<std::size_t> close(Eigen::VectorXd& q, const PartVectors& moving, double threshold) {
    std::vector<std::size_t> barred;
    dense::LeastNorm solver;
    const double allowed = 2 * model_.robot().loop_tolerance;  // what the posture has, and a little
    solver.set_threshold(std::max(threshold, 10 * allowed));
    const double wanted = std::max(1e-11, allowed);
    for (int iteration = 0; iteration < 30; ++iteration) {
      closure_.update(work_, q);
      PartVectors dx(parts_.size());
      bool open = false;
      LoopElimination all;
      if (large_) all = eliminate_loops(closure_, 1e-9, false);
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (moving[p].size() == 0 || gap_of(parts_[p]) < wanted) continue;
        open = true;
        if (is_large(parts_[p])) {
          dx[p] = all.correction(parts_[p].columns);
        } else {
          solver.compute(scaled_jacobian(closure_, parts_[p]));
          const Eigen::VectorXd r =
              closure_.row_scale().cwiseProduct(closure_.residual())(parts_[p].rows);
          dx[p] = -solver.solve(r);
        }
        if (!(dx[p].norm() < 0.5)) barred.push_back(p);
      }
      if (!open || !barred.empty()) return barred;
      q = model_.integrate(q, in_full(dx));
    }
    closure_.update(work_, q);
    for (std::size_t p = 0; p < parts_.size(); ++p)
      if (moving[p].size() > 0 && !(gap_of(parts_[p]) < std::max(1e-9, allowed)))
        barred.push_back(p);
    return barred;
  }

  const Model& model_;
  const Parts& parts_;
  LoopClosure closure_;
  Workspace work_;
  bool large_ = any_large(parts_);
};

/// Finite motions of one part through a posture.
struct PartMotion {
  Eigen::MatrixXd null_space;  ///< columns of the part x dof
  int full_cycle_dof = 0;
  bool determined = true;
  std::vector<MotionBranch> branches;  ///< at a singular posture; directions of the part

  int dof() const { return static_cast<int>(null_space.cols()); }

  /// An orthonormal basis, what can be continued first; `continued` of them can.
  Eigen::MatrixXd directions() const {
    std::vector<Eigen::VectorXd> ordered;
    for (const MotionBranch& branch : branches) ordered.push_back(branch.direction);
    for (Eigen::Index k = 0; k < null_space.cols(); ++k) ordered.push_back(null_space.col(k));
    Eigen::MatrixXd basis(null_space.rows(), dof());
    int filled = 0;
    for (Eigen::VectorXd direction : ordered) {
      for (int k = 0; k < filled; ++k) direction -= basis.col(k).dot(direction) * basis.col(k);
      if (filled == dof() || direction.norm() < 1e-6) continue;
      basis.col(filled++) = direction.normalized();
    }
    return basis;
  }
};

/// Finite motions through q. Where a direction taken at random among those that the rank leaves
/// free can be continued with all of this freedom, the posture is regular for that part. Elsewhere
/// second order gives the directions to try.
class FullCycle {
 public:
  FullCycle(const Model& model, const VectorRef& q, const Parts& parts,
            std::vector<PartMotion>& motions)
      : q_(q), parts_(parts), motions_(motions), walk_(model, parts), none_(parts.size()) {}

  void find(LoopClosure& closure, Workspace& work) {
    PartVectors any(parts_.size());
    for (std::size_t p = 0; p < parts_.size(); ++p)
      if (motions_[p].dof() > 0) any[p] = mixture(p);
    try_ways(any, none_, report_all);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      PartMotion& motion = motions_[p];
      if (motion.full_cycle_dof == motion.dof())
        motion.branches.clear();
      else if (motion.dof() > 60)  // second order costs the fourth power of the freedom
        motion.determined = motion.full_cycle_dof > 0;
      else
        find_branches(closure, work, p);
    }
  }

 private:
  Eigen::VectorXd mixture(std::size_t p) {
    Eigen::VectorXd y(motions_[p].dof());
    for (double& x : y) x = normal_(generator_);
    return motions_[p].null_space * y;
  }

  static constexpr int report_all = std::numeric_limits<int>::max();

  /// Freedom beyond `most` along a way is that of postures beside it, which are singular as well.
  void try_ways(const PartVectors& v, const PartVectors& a, int most) {
    PartVectors back = v;
    for (Eigen::VectorXd& x : back) x = -x;
    const std::vector<int> there = walk_.dof_along(q_, v, a), here = walk_.dof_along(q_, back, a);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const int dof = std::min(most, std::max(there[p], here[p]));
      if (v[p].size() == 0 || dof <= 0) continue;
      motions_[p].full_cycle_dof = std::max(motions_[p].full_cycle_dof, dof);
      motions_[p].branches.push_back(
          {(there[p] > 0 ? v[p] : back[p]).normalized(), dof, there[p] > 0 && here[p] > 0});
    }
  }

  void find_branches(LoopClosure& closure, Workspace& work, std::size_t p) {
    PartMotion& motion = motions_[p];
    const TangentCone cone = tangent_cone(closure, work, q_, parts_[p], motion.null_space);
    // What closed along a random direction was pulled to some branch or other.
    const std::vector<MotionBranch> pulled = std::exchange(motion.branches, {});
    const int pulled_dof = std::exchange(motion.full_cycle_dof, 0);
    if (cone.empty) return;
    PartVectors v = none_, a = none_;
    for (const TangentCone::Ray& ray : cone.rays) {
      v[p] = ray.v;
      a[p] = ray.a;
      try_ways(v, a, ray.dimension);
    }
    for (int trial = 0; cone.conditions == 0 && trial < 8; ++trial) {
      v[p] = mixture(p);
      try_ways(v, none_, report_all);
    }
    if (motion.branches.empty()) {
      motion.branches = pulled;
      motion.full_cycle_dof = pulled_dof;
    }
    motion.determined = motion.full_cycle_dof > 0;
  }

  const Eigen::VectorXd q_;
  const Parts& parts_;
  std::vector<PartMotion>& motions_;
  Walk walk_;
  const PartVectors none_;
  std::mt19937_64 generator_{1};
  std::normal_distribution<double> normal_;
};

/// Sets `adds` of the loops of one part: rows that do not follow from those of the loops before.
void find_what_loops_add(const Eigen::MatrixXd& A, const LoopComponent& part, double tolerance,
                         Mobility& report) {
  Eigen::MatrixXd basis(A.cols(), 0);  // of the rows so far
  double largest = 0;                  // row
  Eigen::Index first = 0;
  for (const int k : part.loops) {
    LoopMobility& one = report.loops[k];
    Eigen::MatrixXd rest = A.middleRows(first, one.rows).transpose();
    first += one.rows;
    if (rest.size() == 0) continue;
    largest = std::max(largest, rest.colwise().norm().maxCoeff());
    for (int twice = 0; twice < 2; ++twice) rest -= basis * (basis.transpose() * rest).eval();
    const dense::PivotedQr qr(rest);
    const Eigen::VectorXd pivots = qr.pivots();
    one.adds = static_cast<int>((pivots.array() > tolerance * largest).count());
    if (one.adds == 0) continue;
    std::vector<int> chosen = qr.column_order();
    chosen.resize(static_cast<std::size_t>(one.adds));
    const Eigen::MatrixXd more = dense::Qr(rest(Eigen::all, chosen)).thin_Q();
    basis.conservativeResize(Eigen::NoChange, basis.cols() + more.cols());
    basis.rightCols(more.cols()) = more;
  }
}

void describe_loops(const Model& model, const LoopClosure& closure, Mobility& report) {
  for (std::size_t k = 0; k < model.loops().size(); ++k) {
    const Loop& loop = model.loops()[k];
    const LoopComponent alone{{static_cast<int>(k)}, {}, closure.blocks()[k].columns};
    LoopMobility one;
    one.name = loop.joint;
    one.rows = loop.rows;
    one.speeds = static_cast<int>(alone.columns.size());
    LoopComponent rows = alone;
    for (int r = 0; r < loop.rows; ++r) rows.rows.push_back(closure.blocks()[k].first_row + r);
    one.rank =
        rank_by_svd(scaled_jacobian(closure, rows), loop_rank_tolerance_of(closure.model())).rank;
    one.loop_rank = one.rank + (loop.kind == LoopKind::joint ? size_of(loop.type).speeds : 0);
    report.loops.push_back(one);
  }
}

/// Directions of motion of a large part, one for each of its independent speeds.
Eigen::MatrixXd null_space_of(const LoopComponent& part, const LoopElimination& all) {
  std::vector<int> mine;
  for (std::size_t k = 0; k < all.split.independent.size(); ++k)
    if (std::binary_search(part.columns.begin(), part.columns.end(), all.split.independent[k]))
      mine.push_back(static_cast<int>(k));
  return all.null_space(part.columns, mine);
}

/// Speeds that no loop touches move by themselves.
std::vector<int> loose_speeds(int speeds, const Parts& parts) {
  std::vector<bool> in_loop(speeds, false);
  for (const LoopComponent& part : parts)
    for (const int k : part.columns) in_loop[k] = true;
  std::vector<int> loose;
  for (int k = 0; k < speeds; ++k)
    if (!in_loop[k]) loose.push_back(k);
  return loose;
}

/// What can be continued first: loose speeds, then of every part, then what is singular.
void gather_directions(const Parts& parts, const std::vector<PartMotion>& motions,
                       const std::vector<int>& loose, Mobility& report) {
  report.directions.setZero(report.speeds, report.dof);
  Eigen::Index at = 0;
  for (const int k : loose) report.directions(k, at++) = 1;
  std::vector<Eigen::MatrixXd> bases;
  for (const PartMotion& motion : motions) bases.push_back(motion.directions());
  for (const bool continued : {true, false})
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const int split = std::clamp(motions[p].full_cycle_dof, 0, motions[p].dof());
      const int from = continued ? 0 : split, to = continued ? split : motions[p].dof();
      for (int k = from; k < to; ++k, ++at)
        for (std::size_t c = 0; c < parts[p].columns.size(); ++c)
          report.directions(parts[p].columns[c], at) = bases[p](static_cast<Eigen::Index>(c), k);
    }
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
  report.margin = std::numeric_limits<double>::infinity();
  describe_loops(model, closure, report);
  const Parts parts = loop_components(closure);
  const double tolerance = loop_rank_tolerance_of(model);
  LoopElimination all;
  if (any_large(parts)) all = eliminate_loops(closure, tolerance, true);
  std::vector<PartMotion> motions;
  for (const LoopComponent& part : parts) {
    if (is_large(part)) {
      motions.push_back({null_space_of(part, all), 0, true, {}});
      report.rank += rank_of(part, all);
      if (all.dropped > 0) report.margin = std::min(report.margin, all.split.quality / all.dropped);
      for (const int k : part.loops) report.loops[k].adds = all.adds[k];
      continue;
    }
    const Eigen::MatrixXd A = scaled_jacobian(closure, part);
    const RankDecision decision = rank_by_svd(A, tolerance);
    report.rank += decision.rank;
    report.margin = std::min(report.margin, decision.margin());
    find_what_loops_add(A, part, tolerance, report);
    motions.push_back({decision.null_space, 0, true, {}});
  }
  report.dof = report.speeds - report.rank;
  report.independent = any_large(parts) ? all.split.independent : split_speeds(closure).independent;
  FullCycle(model, q, parts, motions).find(closure, work);
  const std::vector<int> loose = loose_speeds(report.speeds, parts);
  report.full_cycle_dof = static_cast<int>(loose.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    report.full_cycle_dof += motions[p].full_cycle_dof;
    report.determined = report.determined && motions[p].determined;
    for (const MotionBranch& branch : motions[p].branches) {
      report.branches.push_back({Eigen::VectorXd::Zero(report.speeds), branch.dof, branch.both});
      report.branches.back().direction(parts[p].columns) =
          branch.direction.cwiseProduct(closure.column_scale()(parts[p].columns));
    }
  }
  gather_directions(parts, motions, loose, report);
  report.directions = closure.column_scale().asDiagonal() * report.directions;
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
