#include "loops/closed_by_parts.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "loops/loop_components.hpp"
#include "ulna/kinematics/internal/loop_elimination.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

constexpr std::size_t few_speeds = 60;  // of one part: more are eliminated loop by loop

/// Newton's step of all parts, in scaled speeds; each is at most half a radian long in every speed.
Eigen::VectorXd newton_step(const LoopClosure& closure, const std::vector<LoopComponent>& parts) {
  constexpr double threshold = 1e-9, longest = 0.5;
  const bool large = std::any_of(parts.begin(), parts.end(), [](const LoopComponent& part) {
    return part.columns.size() > few_speeds;
  });
  LoopElimination all;
  if (large) all = eliminate_loops(closure, threshold, false);
  const Eigen::VectorXd r = closure.row_scale().cwiseProduct(closure.residual());
  Eigen::VectorXd step = Eigen::VectorXd::Zero(closure.model().speeds());
  for (const LoopComponent& part : parts) {
    if (part.columns.empty()) continue;
    Eigen::VectorXd mine;
    if (part.columns.size() > few_speeds) {
      mine = all.correction(part.columns);
    } else {
      const dense::LeastNorm solver(scaled_jacobian(closure, part), threshold);
      mine = -solver.solve(r(part.rows));
    }
    const double size = mine.cwiseAbs().maxCoeff();
    if (size > longest) mine *= longest / size;
    step(part.columns) = mine;
  }
  return closure.column_scale().cwiseProduct(step);
}

bool is_open(const LoopClosure& closure, const Workspace& work, const LoopComponent& part,
             double tolerance) {
  return std::any_of(part.loops.begin(), part.loops.end(), [&](int loop) {
    const LoopGap gap = closure.gap(work, loop);
    return !(gap.length <= tolerance && gap.angle <= tolerance);
  });
}

}  // namespace

std::optional<Eigen::VectorXd> closed_by_parts(LoopClosure& closure, Workspace& work,
                                               Eigen::VectorXd q, double tolerance) {
  const Model& model = closure.model();
  const std::vector<LoopComponent> parts = loop_components(closure);
  constexpr int starts = 30, most = 40;
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> turn(-M_PI, M_PI);
  for (int start = 0; start < starts; ++start) {
    for (int iteration = 0; iteration < most; ++iteration) {
      interruption_point();
      closure.update(work, q);
      if (closure.largest_gap(work) <= tolerance) {
        const bool inside = (q.array() >= model.lower().array()).all() &&
                            (q.array() <= model.upper().array()).all();
        return inside ? std::optional<Eigen::VectorXd>(q) : std::nullopt;
      }
      q = model.integrate(q, newton_step(closure, parts));
      if (!q.allFinite()) return std::nullopt;
    }
    // Parts that began at a singular posture, or went astray: from another place.
    Eigen::VectorXd elsewhere = Eigen::VectorXd::Zero(model.speeds());
    for (const LoopComponent& part : parts)
      if (is_open(closure, work, part, tolerance))
        for (const int k : part.columns) elsewhere(k) = closure.column_scale()(k) * turn(generator);
    q = model.integrate(q, elsewhere);
  }
  return std::nullopt;
}

}  // namespace ulna
