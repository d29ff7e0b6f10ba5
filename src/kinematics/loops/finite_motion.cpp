#include "loops/finite_motion.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "loops/tangent_cone.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {

bool is_large(const LoopComponent& part) { return part.columns.size() > 60; }
bool any_large(const LoopParts& parts) { return std::any_of(parts.begin(), parts.end(), is_large); }

int rank_of(const LoopComponent& part, const LoopElimination& all) {
  return static_cast<int>(std::count_if(part.columns.begin(), part.columns.end(), [&](int speed) {
    return std::binary_search(all.split.dependent.begin(), all.split.dependent.end(), speed);
  }));
}

Eigen::MatrixXd PartMotion::directions() const {
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

namespace {

/// One vector for each part, in its own columns; empty for parts that rest.
using PartVectors = std::vector<Eigen::VectorXd>;

/// Goes from a closed posture along a direction, step by step, closing the loops after each. All
/// parts go at once, for none feels the others.
class Walk {
 public:
  Walk(const Model& model, const LoopParts& parts)
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
  const LoopParts& parts_;
  LoopClosure closure_;
  Workspace work_;
  bool large_ = any_large(parts_);
};

/// Finite motions through q. Where a direction taken at random among those that the rank leaves
/// free can be continued with all of this freedom, the posture is regular for that part. Elsewhere
/// second order gives the directions to try.
class FullCycle {
 public:
  FullCycle(const Model& model, const VectorRef& q, const LoopParts& parts,
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
  const LoopParts& parts_;
  std::vector<PartMotion>& motions_;
  Walk walk_;
  const PartVectors none_;
  std::mt19937_64 generator_{1};
  std::normal_distribution<double> normal_;
};

}  // namespace

void find_finite_motions(const VectorRef& q, const LoopParts& parts, LoopClosure& closure,
                         Workspace& work, std::vector<PartMotion>& motions) {
  FullCycle(closure.model(), q, parts, motions).find(closure, work);
}

}  // namespace ulna
