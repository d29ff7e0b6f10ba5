// Where a robot with loops rests: damped least squares on independent coordinates, chosen anew at
// every step. docs/theory/simulation.md, eq. 66.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linear/damped_step.hpp"
#include "linear/stiffness_stability.hpp"
#include "loops/loop_chart.hpp"
#include "ulna/simulation/equilibrium.hpp"

namespace ulna {
namespace {

bool within_limits(const Model& model, const Eigen::VectorXd& q) {
  return (q.array() >= model.lower().array() - 1e-9).all() &&
         (q.array() <= model.upper().array() + 1e-9).all();
}

}  // namespace

Equilibrium find_equilibrium_loops(const Model& model, const Eigen::VectorXd& start,
                                   const Eigen::VectorXd& tau, double tolerance) {
  Equilibrium found;
  found.q = model.normalized(start);
  double scale = 0, damping = 1e-3;
  bool limited = false;
  int rounds = 0;
  for (; rounds < 200; ++rounds) {
    LoopChart chart(model, found.q, independent_or_default(model, found.q, {}));
    const Eigen::VectorXd r = chart.missing_efforts(chart.base(), tau);
    found.residual = r.norm();
    if (chart.size() == 0) break;
    const Eigen::MatrixXd J =
        chart.derivative([&](const Eigen::VectorXd& q) { return chart.missing_efforts(q, tau); });
    // As for trees: effort for a radian or metre is what efforts are compared with at rest.
    if (rounds == 0) scale = std::max({found.residual, tau.norm(), J.norm(), 1e-12});
    if (found.residual <= tolerance * scale) break;
    bool better = false;
    for (; damping < 1e12 && !better; damping *= better ? 1 : 4) {
      const Eigen::VectorXd x = damped_step(J, r, damping * J.norm(), 0.5);
      try {
        const Eigen::VectorXd next = chart.posture(x);
        limited = !within_limits(model, next);
        better = !limited && chart.missing_efforts(next, tau).norm() < found.residual;
        if (better) found.q = next;
      } catch (const ComputationError&) {
        // The loops cannot go that far: a shorter step.
      }
    }
    if (!better) break;
    damping = std::max(damping / 10, 1e-12);
  }
  // Differences know the derivative to 1e-10 of it, and rounding of efforts ends the search.
  found.found = found.residual <= std::max(10 * tolerance, 1e-10) * scale;
  if (!found.found) {
    found.reason = limited ? "the search ended at a joint limit"
                           : fmt::format("the efforts come no nearer after {} steps", rounds);
    return found;
  }
  found.stable = is_stable(model, found.q, tau, 1e-6, [&] {
    LoopChart chart(model, found.q, independent_or_default(model, found.q, {}));
    return chart.derivative(
        [&](const Eigen::VectorXd& q) { return chart.missing_efforts(q, tau); });
  });
  return found;
}

}  // namespace ulna
