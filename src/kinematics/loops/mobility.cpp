#include "ulna/kinematics/mobility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>

#include "loops/loop_components.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/internal/loop_elimination.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/rank.hpp"

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
  /// posture back.
  std::vector<int> dof_along(const Eigen::VectorXd& q, const PartVectors& directions) {
    constexpr double step = 0.02;  // radians, or lengths of the robot
    constexpr int steps = 10;
    PartVectors way(parts_.size());
    for (std::size_t p = 0; p < parts_.size(); ++p)
      if (directions[p].size() > 0) way[p] = directions[p].normalized();
    std::vector<int> dof(parts_.size(), -1);
    const auto bar = [&](std::size_t p) {
      way[p].resize(0);
      dof[p] = -1;
    };
    Eigen::VectorXd at = q;
    for (int k = 0; k < steps; ++k) {
      Eigen::VectorXd next;
      for (std::vector<std::size_t> barred{0}; !barred.empty();) {
        next = model_.integrate(at, step * in_full(way));
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
        const int rank =
            is_large(parts_[p])
                ? rank_of(parts_[p], all)
                : rank_by_svd(scaled_jacobian(closure_, parts_[p]), walk_tolerance).rank;
        const int here = static_cast<int>(parts_[p].columns.size()) - rank;
        dof[p] = dof[p] < 0 ? here : std::min(dof[p], here);
      }
      at = next;
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
  std::vector<std::size_t> close(Eigen::VectorXd& q, const PartVectors& moving) {
    std::vector<std::size_t> barred;
    dense::LeastNorm solver;
    solver.set_threshold(1e-9);
    for (int iteration = 0; iteration < 30; ++iteration) {
      closure_.update(work_, q);
      PartVectors dx(parts_.size());
      bool open = false;
      LoopElimination all;
      if (large_) all = eliminate_loops(closure_, 1e-9, false);
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (moving[p].size() == 0 || gap_of(parts_[p]) < 1e-11) continue;
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
      if (moving[p].size() > 0 && !(gap_of(parts_[p]) < 1e-9)) barred.push_back(p);
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
  std::vector<Eigen::VectorXd> good, bad;  ///< directions that can be continued or not

  int dof() const { return static_cast<int>(null_space.cols()); }
  bool done(int trials) const { return full_cycle_dof == dof() || trials >= dof() + 8; }

  /// An orthonormal basis, what can be continued first; `continued` of them can.
  Eigen::MatrixXd directions() const {
    std::vector<Eigen::VectorXd> ordered = good;
    ordered.insert(ordered.end(), bad.begin(), bad.end());
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

/// Tried along each direction that the rank leaves free, and along random mixtures of them, since
/// branches cross at singular postures.
void find_full_cycle(const Model& model, const VectorRef& q, const Parts& parts,
                     std::vector<PartMotion>& motions) {
  Walk walk(model, parts);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  for (int trial = 0;; ++trial) {
    PartVectors forward(parts.size()), backward(parts.size());
    bool any = false;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const PartMotion& motion = motions[p];
      if (motion.done(trial)) continue;
      any = true;
      Eigen::VectorXd mixture = Eigen::VectorXd::Zero(motion.dof());
      if (trial < motion.dof())
        mixture(trial) = 1;
      else
        for (double& x : mixture) x = normal(generator);
      forward[p] = motion.null_space * mixture;
      backward[p] = -forward[p];
    }
    if (!any) return;
    const std::vector<int> there = walk.dof_along(q, forward), back = walk.dof_along(q, backward);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (forward[p].size() == 0) continue;
      const int dof = std::max(there[p], back[p]);
      motions[p].full_cycle_dof = std::max(motions[p].full_cycle_dof, dof);
      (dof > 0 ? motions[p].good : motions[p].bad).push_back(forward[p]);
    }
  }
}

/// Sets `adds` of the loops of one part: rows that do not follow from those of the loops before.
void find_what_loops_add(const Eigen::MatrixXd& A, const LoopComponent& part, Mobility& report) {
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
    one.adds = static_cast<int>((pivots.array() > loop_rank_tolerance * largest).count());
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
    one.rank = rank_by_svd(scaled_jacobian(closure, rows), loop_rank_tolerance).rank;
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
  LoopElimination all;
  if (any_large(parts)) all = eliminate_loops(closure, loop_rank_tolerance, true);
  std::vector<PartMotion> motions;
  for (const LoopComponent& part : parts) {
    if (is_large(part)) {
      motions.push_back({null_space_of(part, all), 0, {}, {}});
      report.rank += rank_of(part, all);
      if (all.dropped > 0) report.margin = std::min(report.margin, all.split.quality / all.dropped);
      for (const int k : part.loops) report.loops[k].adds = all.adds[k];
      continue;
    }
    const Eigen::MatrixXd A = scaled_jacobian(closure, part);
    const RankDecision decision = rank_by_svd(A, loop_rank_tolerance);
    report.rank += decision.rank;
    report.margin = std::min(report.margin, decision.margin());
    find_what_loops_add(A, part, report);
    motions.push_back({decision.null_space, 0, {}, {}});
  }
  report.dof = report.speeds - report.rank;
  report.independent = any_large(parts) ? all.split.independent : split_speeds(closure).independent;
  find_full_cycle(model, q, parts, motions);
  const std::vector<int> loose = loose_speeds(report.speeds, parts);
  report.full_cycle_dof = static_cast<int>(loose.size());
  for (const PartMotion& motion : motions) report.full_cycle_dof += motion.full_cycle_dof;
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
