#include "ulna/kinematics/mobility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "loops/finite_motion.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {
namespace {

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
  for (int k = 0; k < std::ssize(model.loops()); ++k) {
    const Loop& loop = model.loops()[k];
    const LoopComponent alone{{k}, {}, closure.blocks()[k].columns};
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
std::vector<int> loose_speeds(int speeds, const LoopParts& parts) {
  std::vector<bool> in_loop(speeds, false);
  for (const LoopComponent& part : parts)
    for (const int k : part.columns) in_loop[k] = true;
  std::vector<int> loose;
  for (int k = 0; k < speeds; ++k)
    if (!in_loop[k]) loose.push_back(k);
  return loose;
}

/// What can be continued first: loose speeds, then of every part, then what is singular.
void gather_directions(const LoopParts& parts, const std::vector<PartMotion>& motions,
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
  const LoopParts parts = loop_components(closure);
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
  find_finite_motions(q, parts, closure, work, motions);
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
  // A tree has all its freedom, and all of it can be continued.
  if (mobility.dof == 0 && model.speeds() > 0) {
    notes.push_back(rigid_structure_text(model));
  } else if (!mobility.determined) {
    notes.push_back(
        fmt::format("the mobility of robot '{}' is not determined: {} is singular at this posture, "
                    "and the second order does not decide; try another posture (--q)",
                    model.name(), loop_name(model.loops().back())));
  } else if (mobility.full_cycle_dof == 0 && mobility.dof > 0) {
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
