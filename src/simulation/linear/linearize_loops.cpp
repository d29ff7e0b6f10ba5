// The linear system of a robot with loops, on independent coordinates. docs/theory/simulation.md,
// eq. 64, 65.

#include <fmt/format.h>

#include "linear/linear_output.hpp"
#include "loops/loop_chart.hpp"
#include "ulna/dynamics/elements.hpp"
#include "ulna/kinematics/internal/named_efforts.hpp"
#include "ulna/kinematics/internal/speeds_around.hpp"
#include "ulna/kinematics/mobility.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/simulation/linearize.hpp"

namespace ulna {
namespace {

/// The axes of a quaternion's tangent turn with it, which x would have to count.
void require_plain(const Model& model, const std::vector<int>& independent, const VectorRef& v) {
  if (v.isZero(0)) return;
  for (const Joint& joint : model.joints())
    for (const int k : independent)
      if (model.coordinate_of_speed()[k] < 0 && k >= joint.v && k < joint.v + joint.speeds)
        throw InputError(
            fmt::format("'{}' of {} joint '{}' is an independent speed of a robot that moves",
                        model.speed_names()[static_cast<std::size_t>(k)], name_of(joint.type),
                        joint.name),
            "independent speeds of joints whose coordinates are angles and lengths");
}

/// Speeds enter up to their squares, efforts linearly: these differences are exact. Elements may
/// depend on speeds in any way: what they do along the differences is taken back, and their own
/// slopes stand in its place.
Eigen::MatrixXd by_speeds(const Model& model, LoopChart& chart, const Eigen::VectorXd& rate,
                          const Eigen::VectorXd& tau, const Eigen::VectorXd& rubbing) {
  const int m = chart.size();
  Eigen::MatrixXd slopes(m, m);
  const Eigen::MatrixXd G = chart.speeds_by_independent(chart.base());
  const Eigen::VectorXd v = G * rate, held = element_efforts(model, chart.base(), v);
  ElementTangent tangent(model);
  tangent.update(chart.base(), v);
  const auto a = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& efforts) {
    return chart.accelerations(chart.base(), x, efforts, rubbing);
  };
  for (int k = 0; k < m; ++k) {
    interruption_point();
    Eigen::VectorXd change = Eigen::VectorXd::Zero(m);
    for (const double side : {1.0, -1.0}) {
      const Eigen::VectorXd x = rate + side * Eigen::VectorXd::Unit(m, k);
      const Eigen::VectorXd elements =
          element_efforts(model, chart.base(), G * x) - held - side * tangent.damping() * G.col(k);
      change += side / 2 * a(x, tau + elements);
    }
    slopes.col(k) = change;
  }
  return slopes;
}

/// Where branches of motion cross, none of them has a linear system.
void refuse_singular(const Model& model, const Eigen::VectorXd& q) {
  const Mobility here = mobility(model, q);
  if (!here.singular()) return;
  if (here.determined && here.full_cycle_dof == 0)
    throw ComputationError(mobility_notes(model, here).front() + ": it has no linear system");
  throw ComputationError(fmt::format(
      "robot '{}' has no linear system at this posture: it is singular, with {} degree{} of "
      "freedom "
      "here and {} for motions of finite length. A posture beside it (--q) has one",
      model.name(), here.dof, here.dof == 1 ? "" : "s",
      here.determined ? std::to_string(here.full_cycle_dof) : "not determined how many"));
}

}  // namespace

std::vector<int> independent_for_linearization(const Model& model, const VectorRef& q,
                                               const std::vector<int>& wanted) {
  return independent_or_default(model, q, wanted);
}

std::vector<int> independent_around(const Model& model, const VectorRef& q,
                                    const std::vector<int>& chosen) {
  if (model.is_tree()) return {};
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  return split_speeds_around(closure, chosen).independent;
}

LinearSystem linearize_loops(const Model& model, const VectorRef& q, const VectorRef& v,
                             const VectorRef& tau, const LinearOutput& output) {
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_efforts(model, tau);
  LoopChart chart(model, q, independent_or_default(model, q, output.independent));
  LinearSystem linear;
  linear.speeds = chart.independent();
  require_plain(model, linear.speeds, v);
  const int m = chart.size();
  const Eigen::VectorXd rate = v(linear.speeds), efforts = tau, rubbing = v;
  const double open = (chart.speeds_by_independent(chart.base()) * rate - v).norm();
  if (open > 1e-6 * (1 + v.norm()))
    throw InputError(fmt::format("v does not keep the loops of robot '{}' closed: it is off by "
                                 "{:.3g}",
                                 model.name(), open),
                     "speeds that fit the loops");
  const auto a = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& x) {
    return chart.accelerations(at, x, efforts, rubbing);
  };
  linear.acceleration = a(chart.base(), rate);
  linear.A = Eigen::MatrixXd::Zero(2 * m, 2 * m);
  linear.A.topRightCorner(m, m).setIdentity();
  try {
    linear.A.bottomLeftCorner(m, m) =
        chart.derivative([&](const Eigen::VectorXd& at) { return a(at, rate); });
  } catch (const ComputationError&) {
    refuse_singular(model, chart.base());
    throw;
  }
  const Eigen::MatrixXd by_input = choose_inputs(model, chart.base(), v, output, linear);
  const long inputs = by_input.cols();
  linear.B = Eigen::MatrixXd::Zero(2 * m, inputs);
  linear.A.bottomRightCorner(m, m) = by_speeds(model, chart, rate, efforts, rubbing);
  for (long k = 0; k < inputs; ++k) {
    const Eigen::VectorXd more = efforts + by_input.col(k);
    linear.B.bottomRows(m).col(k) =
        chart.accelerations(chart.base(), rate, more, rubbing) - linear.acceleration;
  }
  // All speeds follow from the independent ones, v = G(q) v_i: so do their changes (eq. 65).
  const OutputRows y = output_rows(model, chart.base(), output, linear.speeds);
  linear.outputs = y.names;
  const Eigen::MatrixXd G = chart.speeds_by_independent(chart.base());
  linear.C = Eigen::MatrixXd::Zero(y.by_q.rows(), 2 * m);
  linear.C.leftCols(m) = y.by_q * G;
  linear.C.rightCols(m) = y.by_v * G;
  if (!rate.isZero(0) && !y.by_v.isZero(0))
    linear.C.leftCols(m) += y.by_v * chart.derivative([&](const Eigen::VectorXd& at) {
      return Eigen::VectorXd(chart.speeds_by_independent(at) * rate);
    });
  linear.D = Eigen::MatrixXd::Zero(linear.C.rows(), inputs);
  return linear;
}

}  // namespace ulna
