// Where a robot with loops rests: damped least squares on independent coordinates, chosen anew at
// every step. docs/theory/simulation.md, eq. 66.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linear/damped_step.hpp"
#include "linear/singular_rest.hpp"
#include "linear/stiffness_stability.hpp"
#include "loops/loop_chart.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/internal/motor_choice.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "ulna/kinematics/mobility.hpp"
#include "ulna/simulation/equilibrium.hpp"

namespace ulna {
namespace {

bool within_limits(const Model& model, const Eigen::VectorXd& q) {
  return (q.array() >= model.lower().array() - 1e-9).all() &&
         (q.array() <= model.upper().array() + 1e-9).all();
}

/// Independent speeds that suit a posture best: the drives of a platform fail where its legs are
/// stretched, and there a platform hangs.
std::vector<int> by_pivoting(const Model& model, const Eigen::VectorXd& q) {
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  return split_speeds(closure).independent;
}

/// Singular postures that a search goes across before it gives up.
constexpr int most_passages = 10;

/// The regular posture before the present one, and the way from there.
struct LastStep {
  std::unique_ptr<LoopChart> chart;
  Eigen::VectorXd x;
};

/// Goes on across a singular posture, the way the search came from the regular posture before it.
bool passes(const Model& model, LastStep& last, Eigen::VectorXd& q) {
  if (!last.chart || !(last.x.norm() > 0)) return false;
  for (const double further : {0.02, 0.05, 0.1, 0.2}) {
    try {
      const Eigen::VectorXd next = last.chart->posture((1 + further / last.x.norm()) * last.x);
      if (!within_limits(model, next)) continue;
      LoopChart chart(model, next, independent_or_default(model, next, {}));
      for (int k = 0; k < chart.size(); ++k)
        for (const double side : {-2.0, 2.0})
          chart.posture(side * chart.step(k) * Eigen::VectorXd::Unit(chart.size(), k));
      q = next;
      return true;
    } catch (const ComputationError&) {
      // Still too near, or nothing lies that way.
    }
  }
  return false;
}

/// Falls along the energy from q until the efforts that are missing are `wanted`: where the least
/// squares end beside an equilibrium, this ends in one, unless limits or the loops hold it up.
bool fall_to_rest(const Model& model, const Eigen::VectorXd& tau, double wanted,
                  Equilibrium& found) {
  LastStep last;
  int passed = 0;
  for (int round = 0; round < 300; ++round) {
    auto chart = std::make_unique<LoopChart>(model, found.q, by_pivoting(model, found.q));
    const auto missing = [&](const Eigen::VectorXd& q) { return chart->missing_efforts(q, tau); };
    const Eigen::VectorXd r = missing(chart->base());
    found.residual = r.norm();
    if (found.residual <= wanted) return true;
    Eigen::MatrixXd J;
    try {
      J = chart->derivative(missing);
    } catch (const ComputationError&) {
      if (++passed > most_passages || !passes(model, last, found.q)) return false;
      continue;
    }
    Eigen::VectorXd x = falling_step(J, r, 0.2);
    bool fell = false;
    for (int halving = 0; halving < 30 && !fell; ++halving, x /= 2) {
      try {
        const Eigen::VectorXd next = chart->posture(x);
        fell = within_limits(model, next) && (r + missing(next)).dot(x) < 0;
        if (fell) found.q = next, last.x = x;
      } catch (const ComputationError&) {
        // The loops cannot go that far: a shorter step.
      }
    }
    if (!fell) return false;
    last.chart = std::move(chart);
  }
  return false;
}

/// Of an equilibrium in a singular posture, where the motion has no linear system: whether none of
/// the postures around it that the loops allow has less energy.
bool is_lowest(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& tau,
               const LastStep& last) {
  Workspace work(model);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.speeds());
  const auto energy = [&](const Eigen::VectorXd& at) {
    return ulna::energy(model, work, at, rest).potential -
           tau.head(model.speeds()).dot(model.difference(q, at));
  };
  const double here = energy(q) - 1e-9 * (1 + std::abs(energy(q)));
  const auto less_around = [&](LoopChart& chart) {
    for (int k = 0; k < chart.size(); ++k)
      for (const double side : {-0.1, 0.1}) {
        try {
          if (energy(chart.posture(side * Eigen::VectorXd::Unit(chart.size(), k))) < here)
            return true;
        } catch (const ComputationError&) {
          // The loops do not allow it.
        }
      }
    return false;
  };
  // The posture before is regular: from there the loops are followed away from here as well.
  if (last.chart && less_around(*last.chart)) return false;
  LoopChart chart(model, q, by_pivoting(model, q));
  return !less_around(chart);
}

/// Searches from found.q and leaves it where the search ended. ComputationError where the loops
/// cannot be followed further.
void search_rest(const Model& model, const Eigen::VectorXd& tau, double tolerance,
                 Equilibrium& found) {
  const Eigen::VectorXd start = found.q;
  double scale = 0, damping = 1e-3;
  bool limited = false;
  int rounds = 0, passed = 0;
  LastStep last;
  for (; rounds < 200; ++rounds) {
    auto chart =
        std::make_unique<LoopChart>(model, found.q, independent_or_default(model, found.q, {}));
    const Eigen::VectorXd r = chart->missing_efforts(chart->base(), tau);
    found.residual = r.norm();
    if (chart->size() == 0 || found.residual <= tolerance * scale) break;
    Eigen::MatrixXd J;
    try {
      J = chart->derivative(
          [&](const Eigen::VectorXd& q) { return chart->missing_efforts(q, tau); });
    } catch (const ComputationError&) {
      if (++passed > most_passages || !passes(model, last, found.q)) throw;
      continue;
    }
    // As for trees: effort for a radian or metre is what efforts are compared with at rest.
    if (rounds == 0) scale = effort_scale(model, found.residual, tau.norm(), J.norm());
    if (found.residual <= tolerance * scale) break;
    bool better = false;
    for (; damping < 1e12 && !better; damping *= better ? 1 : 4) {
      const Eigen::VectorXd x = damped_step(J, r, damping * J.norm(), 0.5);
      try {
        const Eigen::VectorXd next = chart->posture(x);
        limited = !within_limits(model, next);
        better = !limited && chart->missing_efforts(next, tau).norm() < found.residual;
        if (better) found.q = next, last.x = x;
      } catch (const ComputationError&) {
        // The loops cannot go that far: a shorter step.
      }
    }
    if (!better) break;
    last.chart = std::move(chart);
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
  try {
    found.stable = is_stable(model, found.q, tau, 1e-6, [&] {
      LoopChart chart(model, found.q, by_pivoting(model, found.q));
      return chart.derivative(
          [&](const Eigen::VectorXd& q) { return chart.missing_efforts(q, tau); });
    });
  } catch (const ComputationError&) {
    found.stable = is_lowest(model, found.q, tau, last);
  }
}

/// Searches from each posture; of the rests found the one nearest to found.q counts. False where
/// there is none.
bool search_from(const std::vector<Eigen::VectorXd>& postures, const Model& model,
                 const Eigen::VectorXd& tau, double tolerance, Equilibrium& found) {
  const Eigen::VectorXd start = found.q;
  double nearest = INFINITY;
  for (const Eigen::VectorXd& posture : postures) {
    Equilibrium here;
    here.q = posture;
    try {
      search_rest(model, tau, tolerance, here);
    } catch (const ComputationError&) {
      continue;  // this branch leads nowhere
    }
    const double distance = model.difference(start, here.q).norm();
    if (here.found && distance < nearest) found = here, nearest = distance;
  }
  return nearest < INFINITY;
}

/// Goes on from a singular posture where efforts are missing for the motions that open there: the
/// robot falls through it, and its loops go on in another assembly.
void fall_through(const Model& model, const Eigen::VectorXd& start, const Eigen::VectorXd& tau,
                  double tolerance, const std::string& trouble, Equilibrium& found) {
  const int usual = static_cast<int>(std::ssize(independent_or_default(model, start, {})));
  const OpenMotions open = open_motions(model, found.q, tau, usual);
  if (search_from(postures_after_fall(model, found.q, open), model, tau, tolerance, found)) {
    found.note =
        "the search passed a singular posture of the loops (stretched or folded), where the robot "
        "does not rest: its loops are assembled in another way here than at the start";
    return;
  }
  found.reason = unheld_text(model, open);
  if (found.reason.empty())
    found.reason = fmt::format(
        "the search reached a singular posture of the loops (stretched or folded) and cannot pass "
        "it: {}. Try another starting posture",
        trouble);
}

/// The efforts of its motors that hold a robot with loops at a posture, as --tau takes them. Empty
/// where they do not, as at a singular posture, or where they are those given.
std::string holding_text(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& tau) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  try {
    Dynamics all(model);
    const std::vector<int> motors = motors_for_motion(all, q, zero, zero, {}).motors;
    DynamicsOptions options;
    options.actuated = motors;
    Dynamics dynamics(model, options);
    const LoopEfforts& needed = dynamics.inverse(q, zero, zero);
    const std::vector<std::string> names = all_speed_names(model);
    std::string text;
    double given = 0, most = 0;
    for (const int k : needed.actuated) {
      if (k < model.speeds() && model.coordinate_of_speed()[k] < 0)
        return {};  // no joint of a motor
      const double effort = k < model.speeds() ? needed.tau(k) : needed.closing(k - model.speeds());
      if (!std::isfinite(effort)) return {};
      most = std::max(most, std::abs(effort));
      given = std::max(given, std::abs(effort - (k < tau.size() ? tau(k) : 0)));
      text += fmt::format("{}{}={:.9g}", text.empty() ? "" : ",",
                          names[static_cast<std::size_t>(k)], effort);
    }
    return given > 1e-8 * most ? text : std::string{};
  } catch (const std::runtime_error&) {
    return {};
  }
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
    found.found = false;
    if (found.q != first) {
      fall_through(model, first, tau, tolerance, error.what(), found);
      // From a singular posture the search has no direction: it begins on every branch of motion.
    } else if (!search_from(postures_on_branches(model, first), model, tau, tolerance, found)) {
      // Nothing was searched: the posture given is at fault.
      if (!mobility(model, first).singular()) throw;
      found.reason =
          "the starting posture is singular (stretched or folded), and no rest was found along the "
          "branches of motion that cross there. Try another starting posture";
    }
  }
  if (!found.found)
    if (const std::string text = holding_text(model, first, tau); !text.empty())
      found.reason += fmt::format("; at the start its motors hold it with --tau {}", text);
  return found;
}

}  // namespace ulna
