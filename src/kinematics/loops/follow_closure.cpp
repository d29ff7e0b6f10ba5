#include "loops/follow_closure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

constexpr double longest_step = 0.25;  ///< radians, or lengths of the robot
constexpr int most_steps = 20000;

/// One way through closed postures.
class Follower {
 public:
  Follower(AssemblyEquations& equations, const AssemblyOptions& options,
           const std::vector<int>& free)
      : equations_(equations),
        closure_(equations.closure()),
        model_(equations.model()),
        options_(options),
        free_(free) {}

  std::optional<Eigen::VectorXd> run(const Eigen::VectorXd& reference,
                                     const Eigen::VectorXd& target) {
    std::vector<int> all(static_cast<std::size_t>(model_.joint_speeds()));
    std::iota(all.begin(), all.end(), 0);
    std::copy_if(free_.begin(), free_.end(), std::back_inserter(all),
                 [&](int k) { return k >= model_.joint_speeds(); });
    std::optional<Eigen::VectorXd> at = closed(all, reference);
    for (int step = 0; at && step < most_steps; ++step) {
      const Eigen::VectorXd way = led_part(model_.difference(*at, target));
      if (!(way.norm() > 1e-13 * (1 + target.norm()))) return at;
      at = advanced(*at, way);
    }
    return {};
  }

 private:
  Eigen::VectorXd led_part(Eigen::VectorXd way) const {
    for (const int k : free_) way(k) = 0;
    return way;
  }

  std::optional<Eigen::VectorXd> closed(const std::vector<int>& free, const Eigen::VectorXd& from) {
    const SearchOutcome found = search_closure(equations_, options_, free, from);
    equations_.update(found.q);
    const double allowed = std::max(options_.tolerance, model_.robot().loop_tolerance);
    if (!(equations_.largest_gap() <= allowed)) return {};
    return found.q;
  }

  /// How all speeds follow the led ones, in pure numbers.
  Eigen::VectorXd tangent(const Eigen::VectorXd& q, const Eigen::VectorXd& way) {
    equations_.update(q);
    const Eigen::MatrixXd A = closure_.scaled_jacobian();
    Eigen::VectorXd all = way.cwiseQuotient(closure_.column_scale());
    const dense::LeastNorm solver(A(Eigen::all, free_), loop_rank_tolerance_of(model_));
    all(free_) = -solver.solve(A * all);
    return all;
  }

  /// One step along the way, as long as the posture that closes stays near the predicted one.
  std::optional<Eigen::VectorXd> advanced(const Eigen::VectorXd& q, const Eigen::VectorXd& way) {
    const Eigen::VectorXd all = tangent(q, way);
    double part = std::min(1.0, longest_step / all.cwiseAbs().maxCoeff());
    for (int halving = 0; halving < 12; ++halving, part /= 2) {
      const Eigen::VectorXd predicted =
          model_.integrate(q, part * closure_.column_scale().cwiseProduct(all));
      const std::optional<Eigen::VectorXd> next = closed(free_, predicted);
      if (!next) continue;
      const Eigen::VectorXd off =
          model_.difference(predicted, *next).cwiseQuotient(closure_.column_scale());
      if (off.cwiseAbs().maxCoeff() < longest_step) return next;
    }
    return {};
  }

  AssemblyEquations& equations_;
  const LoopClosure& closure_;
  const Model& model_;
  const AssemblyOptions& options_;
  const std::vector<int>& free_;
};

/// How far a speed goes until all that it turns stands as before, though shifted; 0: it shifts
/// nothing by turning, or never stands as before.
double period_of(const Model& model, int speed) {
  double period = 0;
  bool shifts = false;
  for (const TreeNode& node : model.topology().nodes) {
    if (node.v != speed || node.kind != NodeKind::screw || node.sigma == 0) continue;
    const double own = 2 * M_PI / std::abs(node.sigma);
    if (period != 0 && own != period) return 0;
    period = own;
    shifts = shifts || node.h != 0;
  }
  return shifts ? period : 0;
}

}  // namespace

bool loops_count_turns(const LoopClosure& closure) {
  const Model& model = closure.model();
  std::vector<bool> counted(static_cast<std::size_t>(model.speeds()), false);
  for (const TreeNode& node : model.topology().nodes)
    if (node.v >= 0 && node.kind == NodeKind::screw && node.sigma != 0 &&
        (node.h != 0 || node.sigma != std::round(node.sigma)))
      counted[node.v] = true;
  for (const Loop& loop : model.loops()) {
    if (loop.kind != LoopKind::joint) continue;
    if (loop.type == JointType::screw && loop.pitch != 0) return true;
    const std::vector<int>& columns = closure.blocks()[&loop - model.loops().data()].columns;
    if (std::any_of(columns.begin(), columns.end(), [&](int c) { return counted[c]; })) return true;
  }
  return false;
}

std::optional<Eigen::VectorXd> follow_closure(AssemblyEquations& equations,
                                              const AssemblyOptions& options,
                                              const std::vector<int>& free,
                                              const Eigen::VectorXd& reference,
                                              const Eigen::VectorXd& target) {
  return Follower(equations, options, free).run(reference, target);
}

std::optional<Eigen::VectorXd> turned_to_other_threads(AssemblyEquations& equations,
                                                       const std::vector<int>& free,
                                                       const Eigen::VectorXd& q) {
  const Model& model = equations.model();
  std::vector<int> places;
  std::vector<double> periods;
  for (const int speed : free) {
    const int place = model.coordinate_of_speed()[static_cast<std::size_t>(speed)];
    const double period = place < 0 ? 0 : period_of(model, speed);
    if (period != 0) places.push_back(place), periods.push_back(period);
  }
  if (places.empty()) return {};
  // Turns that leave all directions as they are shift: the gap is linear in their numbers.
  equations.update(q);
  const Eigen::VectorXd gap = equations.residual();
  Eigen::MatrixXd leads(gap.size(), std::ssize(places));
  for (std::size_t k = 0; k < places.size(); ++k) {
    Eigen::VectorXd turned = q;
    turned(places[k]) += periods[k];
    equations.update(turned);
    leads.col(static_cast<Eigen::Index>(k)) = equations.residual() - gap;
  }
  const Eigen::VectorXd turns =
      dense::LeastNorm(leads, loop_rank_tolerance_of(model)).solve(Eigen::VectorXd(-gap));
  Eigen::VectorXd at = q;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const int i = places[k];
    const double fewest = std::ceil((model.lower()(i) - q(i)) / periods[k]),
                 most = std::floor((model.upper()(i) - q(i)) / periods[k]);
    const double whole = std::round(turns(static_cast<Eigen::Index>(k)));
    if (fewest <= most) at(i) += periods[k] * std::clamp(whole, fewest, most);
  }
  if (at == q || !at.allFinite()) return {};
  return at;
}

}  // namespace ulna
