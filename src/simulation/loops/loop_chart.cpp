#include "loops/loop_chart.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/kinematics/internal/named_efforts.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

LoopChart::LoopChart(const Model& model, const Eigen::VectorXd& q,
                     const std::vector<int>& independent)
    : model_(model),
      work_(model),
      holding_(model),
      moving_(model),
      base_(model.normalized(q)),
      zero_(Eigen::VectorXd::Zero(model.speeds())) {
  moving_.update_closure(work_, base_);
  const double gap = moving_.closure().largest_gap(work_);
  if (!(gap <= 1e-6 * (1 + model.length_scale())))
    throw InputError(
        fmt::format("the loops of robot '{}' are open by {:.3g} (m, rad)", model.name(), gap),
        "coordinates that close them", "ulna assemble, or Python robot.assemble, gives some");
  split_ = split_speeds(moving_.closure(), independent);
  std::vector<char> held(static_cast<std::size_t>(model.speeds()), 0);
  for (const int k : split_.independent) held[static_cast<std::size_t>(k)] = 1;
  holding_.hold(held);
  if (!holding_.close_positions(work_, base_, 1e-13))
    throw ComputationError(holding_.why_open(work_), gap);
  G_ = speeds_by_independent(base_);
}

double LoopChart::step(int k) const {
  return 1e-3 * moving_.closure().column_scale()(split_.independent[static_cast<std::size_t>(k)]);
}

Eigen::VectorXd LoopChart::posture(const Eigen::VectorXd& x) {
  Eigen::VectorXd q = model_.integrate(base_, G_ * x);
  if (!holding_.close_positions(work_, q, 1e-13))
    throw ComputationError(holding_.why_open(work_), x.norm());
  return q;
}

Eigen::MatrixXd LoopChart::speeds_by_independent(const Eigen::VectorXd& q) {
  moving_.update_closure(work_, q);
  return independent_map(moving_.closure(), split_).G;
}

Eigen::VectorXd LoopChart::accelerations(const Eigen::VectorXd& q,
                                         const Eigen::VectorXd& v_independent,
                                         const Eigen::VectorXd& tau,
                                         const Eigen::VectorXd& rubbing) {
  const Eigen::VectorXd v = speeds_by_independent(q) * v_independent;
  // speeds_by_independent has moved the closure to q.
  Eigen::VectorXd efforts = efforts_on_tree(moving_.closure(), work_, tau);
  for (const DegreeTerms& term : model_.degree_terms())
    efforts(term.v) +=
        term.friction * std::abs(term.multiplier) * (sign(v(term.v)) - sign(rubbing(term.v)));
  const Eigen::VectorXd& a = moving_.forward(work_, q, v, efforts);
  return a(split_.independent);
}

Eigen::VectorXd LoopChart::missing_efforts(const Eigen::VectorXd& q, const Eigen::VectorXd& tau) {
  const Eigen::MatrixXd G = speeds_by_independent(q);
  const Eigen::VectorXd given = efforts_on_tree(moving_.closure(), work_, tau);
  return G.transpose() * (moving_.required_efforts(work_, q, zero_, zero_) - given);
}

std::vector<int> independent_or_default(const Model& model, const Eigen::VectorXd& q,
                                        const std::vector<int>& wanted) {
  if (!wanted.empty()) return wanted;
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  const std::vector<int> found = split_speeds(closure).independent;
  const PlatformData* platform = model.platform();
  if (!platform) return found;
  std::vector<int> drives = drive_speeds(model, Platform(*platform));
  if (drives.size() != found.size()) return found;  // rods that spin idly count, too
  try {
    split_speeds(closure, drives);
  } catch (const ComputationError&) {
    return found;
  }
  return drives;
}

}  // namespace ulna
