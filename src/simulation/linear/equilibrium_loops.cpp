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

/// Falls along the energy from q until the efforts that are missing are `wanted`: where the least
/// squares end beside an equilibrium, this ends in one, unless limits or the loops hold it up.
bool fall_to_rest(const Model& model, const Eigen::VectorXd& tau, double wanted,
                  Equilibrium& found) {
  for (int round = 0; round < 300; ++round) {
    LoopChart chart(model, found.q, independent_or_default(model, found.q, {}));
    const auto missing = [&](const Eigen::VectorXd& q) { return chart.missing_efforts(q, tau); };
    const Eigen::VectorXd r = missing(chart.base());
    found.residual = r.norm();
    if (found.residual <= wanted) return true;
    Eigen::VectorXd x = falling_step(chart.derivative(missing), r, 0.2);
    bool fell = false;
    for (int halving = 0; halving < 30 && !fell; ++halving, x /= 2) {
      try {
        const Eigen::VectorXd next = chart.posture(x);
        fell = within_limits(model, next) && (r + missing(next)).dot(x) < 0;
        if (fell) found.q = next;
      } catch (const ComputationError&) {
        // The loops cannot go that far: a shorter step.
      }
    }
    if (!fell) return false;
  }
  return false;
}

/// Searches from found.q and leaves it where the search ended. ComputationError where the loops
/// cannot be followed further.
void search_rest(const Model& model, const Eigen::VectorXd& tau, double tolerance,
                 Equilibrium& found) {
  const Eigen::VectorXd start = found.q;
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
    if (rounds == 0) scale = effort_scale(model, found.residual, tau.norm(), J.norm());
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
  const double wanted = std::max(10 * tolerance, 1e-10) * scale;
  found.found = found.residual <= wanted;
  if (!found.found && !limited) {
    Equilibrium fallen;
    fallen.q = start;
    if (fall_to_rest(model, tau, wanted, fallen)) {
      found.q = fallen.q, found.residual = fallen.residual;
      found.found = true;
    }
  }
  if (!found.found) {
    LoopChart chart(model, found.q, independent_or_default(model, found.q, {}));
    found.reason = unbalanced_text(
        model, chart.independent(), chart.base(), chart.missing_efforts(chart.base(), tau),
        chart.derivative([&](const Eigen::VectorXd& q) { return chart.missing_efforts(q, tau); }));
    if (!found.reason.empty()) return;
    found.reason = limited ? "the search ended at a joint limit"
                           : fmt::format("the efforts come no nearer after {} steps", rounds);
    return;
  }
  found.stable = is_stable(model, found.q, tau, 1e-6, [&] {
    LoopChart chart(model, found.q, independent_or_default(model, found.q, {}));
    return chart.derivative(
        [&](const Eigen::VectorXd& q) { return chart.missing_efforts(q, tau); });
  });
}

}  // namespace

Equilibrium find_equilibrium_loops(const Model& model, const Eigen::VectorXd& start,
                                   const Eigen::VectorXd& tau, double tolerance) {
  Equilibrium found;
  found.q = model.normalized(start);
  const Eigen::VectorXd first = found.q;
  try {
    search_rest(model, tau, tolerance, found);
  } catch (const ComputationError& error) {
    // Nothing was searched yet: the posture given is at fault.
    if (found.q == first) throw;
    found.found = false;
    found.reason = fmt::format(
        "the search reached a singular posture of the loops (stretched or folded) and cannot pass "
        "it: "
        "{}. Try another starting posture",
        error.what());
  }
  return found;
}

}  // namespace ulna
