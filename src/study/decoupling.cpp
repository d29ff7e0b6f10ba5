#include "ulna/study/internal/decoupling.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/internal/drive_choice.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

std::vector<int> decoupling_inputs(const Experiment& experiment, const VectorRef& q) {
  const Model& model = *experiment.model;
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  const std::vector<int> inputs = usual_inputs(closure);
  if (model.platform()) return inputs;
  std::vector<int> moved;
  for (std::size_t k = 0; k < experiment.drives.size(); ++k)
    for (int i = 0; i < model.joints()[k].speeds && !experiment.drives[k].motion.empty(); ++i)
      moved.push_back(model.joints()[k].v + i);
  return moved.size() == inputs.size() ? moved : inputs;
}

namespace {

/// Mean size off the diagonal over mean size on it.
double coupling(const Eigen::MatrixXd& M) {
  const auto n = static_cast<double>(M.rows());
  const double on = M.diagonal().cwiseAbs().sum() / n;
  if (n < 2 || on == 0) return 0;
  return (M.cwiseAbs().sum() - n * on) / (n * (n - 1)) / on;
}

Eigen::MatrixXd symmetric_part(const Eigen::MatrixXd& M) { return 0.5 * (M + M.transpose()); }

/// Mean over the planes of off-diagonal size over mean over all planes of diagonal size.
double power_coupling(const DynamicModel& d) {
  double sum = 0;
  int planes = 0;
  for (const Eigen::MatrixXd& plane : d.P) {
    const Eigen::MatrixXd M = symmetric_part(plane);
    if (M.diagonal().cwiseAbs().sum() == 0) continue;
    sum += coupling(M);
    ++planes;
  }
  return planes > 0 ? sum / planes : 0;
}

Spread spread(const Eigen::VectorXd& x) { return {x.minCoeff(), x.mean(), x.maxCoeff()}; }

double correlation(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  const Eigen::VectorXd a = x.array() - x.mean(), b = y.array() - y.mean();
  const double size = a.norm() * b.norm();
  return size > 0 ? a.dot(b) / size : 0;
}

}  // namespace

Decoupling decoupling(const Model& model, const std::vector<int>& inputs,
                      const std::vector<MotionState>& states) {
  const auto rows = static_cast<Eigen::Index>(states.size());
  const auto n = static_cast<Eigen::Index>(inputs.size());
  Decoupling out;
  const std::vector<std::string> names = all_speed_names(model);
  for (int k : inputs) out.inputs.push_back(names[k]);
  out.t.resize(rows);
  for (Eigen::MatrixXd* m : {&out.acceleration, &out.velocity, &out.gravity, &out.total})
    m->resize(rows, n);
  out.inertia_coupling.resize(rows);
  out.power_coupling.resize(rows);
  Eigen::MatrixXd own(rows, n), diagonal(rows, n);
  Workspace work(model);
  LoopClosure closure(model);
  for (Eigen::Index r = 0; r < rows; ++r) {
    const MotionState& s = states[static_cast<std::size_t>(r)];
    const CoordinateMap map = map_from_inputs(closure, work, s.q, inputs);
    const DynamicModel d = transfer(dynamic_model(model, work, s.q), map);
    // Rates of the inputs: the state lies on the map.
    const dense::PivotedQr solver(map.G);
    const Eigen::VectorXd u = solver.solve(s.v), du = solver.solve(s.a - map.gamma_at(u));
    out.t(r) = s.t;
    out.acceleration.row(r) = d.from_accelerations(du);
    out.velocity.row(r) = d.from_velocities(u);
    out.gravity.row(r) = d.gravity;
    out.total.row(r) = d.efforts(u, du);
    own.row(r) = du;
    diagonal.row(r) = d.I.diagonal().cwiseProduct(du);
    out.inertia_coupling(r) = coupling(d.I);
    out.power_coupling(r) = power_coupling(d);
    out.mean_inertia += d.I.cwiseAbs().mean() / static_cast<double>(rows);
    for (const Eigen::MatrixXd& plane : d.P)
      out.mean_power += symmetric_part(plane).cwiseAbs().mean() / static_cast<double>(rows * n);
  }
  out.inertia_spread = spread(out.inertia_coupling);
  out.power_spread = spread(out.power_coupling);
  const double size = out.acceleration.norm();
  out.rms_ratio = size > 0 ? out.velocity.norm() / size : 0;
  out.peak_ratio.setZero(n);
  out.correlation.setZero(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double peak = out.acceleration.col(k).cwiseAbs().maxCoeff();
    if (peak > 0) out.peak_ratio(k) = out.velocity.col(k).cwiseAbs().maxCoeff() / peak;
    out.correlation(k) = correlation(out.acceleration.col(k), own.col(k));
  }
  const Eigen::MatrixXd moving = out.acceleration + out.velocity;
  out.peak = moving.cwiseAbs().maxCoeff();
  if (out.peak > 0) {
    const Eigen::MatrixXd off = out.acceleration - diagonal;
    out.without_power = out.velocity.cwiseAbs().maxCoeff() / out.peak;
    out.without_off_diagonal = off.cwiseAbs().maxCoeff() / out.peak;
    out.without_both = (off + out.velocity).cwiseAbs().maxCoeff() / out.peak;
  }
  return out;
}

Robot with_mass_only(Robot robot, const std::vector<std::string>& bodies) {
  for (BodyData& body : robot.bodies)
    if (std::find(bodies.begin(), bodies.end(), body.name) == bodies.end()) body.inertial = {};
  return robot;
}

}  // namespace ulna
