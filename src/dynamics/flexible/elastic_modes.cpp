#include "ulna/dynamics/internal/elastic_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flexible/vibration.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {
namespace {

/// Slopes of M a + h in some coordinates and speeds, by central differences: exact to rounding for
/// the truncated levels, whose efforts are linear in the modes.
struct Slopes {
  Slopes(const Model& model, ElasticLevel level) : model_(model), equations(model, level) {}

  Eigen::VectorXd efforts(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                          const Eigen::VectorXd& a) {
    equations.update(q, v);
    return equations.M() * a + equations.h();
  }
  Eigen::VectorXd in_q(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                       int k) {
    constexpr double step = 1e-5;
    const Eigen::VectorXd d = Eigen::VectorXd::Unit(model_.speeds(), k) * step;
    return (efforts(model_.integrate(q, d), v, a) - efforts(model_.integrate(q, -d), v, a)) /
           (2 * step);
  }
  Eigen::VectorXd in_v(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                       int k) {
    constexpr double step = 1e-3;  // quadratic in the speeds: no error but rounding
    const Eigen::VectorXd d = Eigen::VectorXd::Unit(model_.speeds(), k) * step;
    return (efforts(q, v + d, a) - efforts(q, v - d, a)) / (2 * step);
  }

  const Model& model_;
  ElasticEquations equations;
};

}  // namespace

Eigen::VectorXd or_zero(const Eigen::VectorXd& x, const Model& model, const char* what) {
  if (x.size() == 0) return Eigen::VectorXd::Zero(model.speeds());
  check_size(model, x, model.speeds(), what);
  return x;
}

namespace {

std::vector<int> vibrating(const Model& model, const ModesQuery& query) {
  const std::vector<char> held = still_speeds(model, query, query.all_locked);
  std::vector<int> speeds;
  for (int k = 0; k < model.speeds(); ++k)
    if (!held[k]) speeds.push_back(k);
  return speeds;
}

}  // namespace

std::vector<char> still_speeds(const Model& model, const ModesQuery& query, bool all_joints) {
  std::vector<char> held(static_cast<std::size_t>(model.speeds()), 0);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const bool locked = all_joints || std::find(query.locked.begin(), query.locked.end(),
                                                static_cast<int>(j)) != query.locked.end();
    for (int k = 0; k < model.joints()[j].speeds && locked; ++k) held[model.joints()[j].v + k] = 1;
  }
  for (const int link : query.rigid) {
    const FlexibleLink& f = model.flexible_links().at(static_cast<std::size_t>(link));
    for (int k = 0; k < f.modal->modes; ++k) held[f.v + k] = 1;
  }
  return held;
}

namespace {

/// M and K of a tree and, where asked for, C.
ElasticModes matrices(const Model& model, const ModesQuery& query, bool with_C) {
  const Eigen::VectorXd q = query.q.size() > 0 ? query.q : model.neutral();
  check_size(model, q, model.coordinates(), "q");
  const Eigen::VectorXd v = or_zero(query.v, model, "v"), a = or_zero(query.a, model, "a");
  ElasticModes out;
  out.speeds = vibrating(model, query);
  const auto n = static_cast<long>(out.speeds.size());
  if (n == 0) return out;
  Slopes slopes(model, query.level);
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(model.speeds(), n), K(model.speeds(), n);
  for (long k = 0; k < n; ++k) {
    K.col(k) = slopes.in_q(q, v, a, out.speeds[k]);
    if (with_C) C.col(k) = slopes.in_v(q, v, a, out.speeds[k]);
  }
  slopes.equations.update(q, v);
  out.M = slopes.equations.M()(out.speeds, out.speeds);
  out.K = K(out.speeds, Eigen::all);
  out.C = C(out.speeds, Eigen::all);
  out.motion = Eigen::MatrixXd::Zero(model.speeds(), n);
  for (long k = 0; k < n; ++k) out.motion(out.speeds[k], k) = 1;
  return out;
}

}  // namespace

ElasticModes vibration_matrices(const Model& model, const ModesQuery& query) {
  return model.loops().empty() ? matrices(model, query, true)
                               : loop_vibration_matrices(model, query);
}

namespace {

/// Motions x with M x = 0, in units in which each freedom has a mass of 1.
Eigen::MatrixXd massless(const Eigen::MatrixXd& M) {
  const double least = 1e-14 * M.diagonal().cwiseAbs().maxCoeff();
  const Eigen::VectorXd unit = M.diagonal().cwiseAbs().cwiseMax(least).cwiseSqrt().cwiseInverse();
  if (!unit.allFinite()) return Eigen::MatrixXd::Identity(M.rows(), M.rows());
  const Eigen::MatrixXd scaled = unit.asDiagonal() * M * unit.asDiagonal();
  if (dense::Ldlt(scaled).pivots().minCoeff() > 1e-8) return Eigen::MatrixXd(M.rows(), 0);
  return unit.asDiagonal() * rank_by_svd(scaled, 1e-12).null_space;
}

/// Leaves out freedoms without mass that nothing acts on, such as the spin of a massless rod
/// between two balls. ComputationError naming one that something acts on.
void leave_out_massless(const Model& model, ElasticModes& modes) {
  if (!modes.M.allFinite() || !modes.K.allFinite() || !modes.C.allFinite()) return;
  const Eigen::MatrixXd N = massless(modes.M);
  if (N.cols() == 0) return;
  std::vector<char> left_out(modes.speeds.size(), 0);
  for (const int k : rank_by_qr(N, 1e-9).independent_rows)
    left_out[static_cast<std::size_t>(k)] = 1;
  const double effort = 1e-9 * (modes.K.norm() + modes.C.norm());
  for (const auto motion : N.colwise()) {
    const Eigen::VectorXd x = motion.normalized();
    if ((modes.K * x).norm() <= effort && (modes.C * x).norm() <= effort) continue;
    Eigen::Index most = 0;
    x.cwiseAbs().maxCoeff(&most);
    throw ComputationError(fmt::format(
        "'{}' of robot '{}' can move without moving mass, and springs, dampers or loads act on it: "
        "its vibration has no frequency. Give its body an inertia, or lock the joint",
        model.speed_names()[static_cast<std::size_t>(modes.speeds[static_cast<std::size_t>(most)])],
        model.name()));
  }
  std::vector<int> kept;
  for (std::size_t k = 0; k < left_out.size(); ++k)
    if (!left_out[k]) kept.push_back(static_cast<int>(k));
  const auto part = [&](Eigen::MatrixXd& A) { A = A(kept, kept).eval(); };
  part(modes.M), part(modes.C), part(modes.K);
  modes.motion = modes.motion(Eigen::all, kept).eval();
  std::vector<int> speeds;
  for (const int k : kept) speeds.push_back(modes.speeds[static_cast<std::size_t>(k)]);
  modes.speeds = std::move(speeds);
}

}  // namespace

ElasticModes elastic_modes(const Model& model, const ModesQuery& query) {
  ElasticModes out = vibration_matrices(model, query);
  if (!out.speeds.empty()) leave_out_massless(model, out);
  if (!out.speeds.empty()) solve_vibration(out, query.damped);
  return out;
}

double lowest_dynamic_stiffness(const Model& model, const VectorRef& q, const VectorRef& v,
                                const VectorRef& a, ElasticLevel level) {
  ModesQuery query{q, v, a, {}, true, {}, level};
  const bool tree = model.loops().empty();
  ElasticModes modes = tree ? matrices(model, query, false) : elastic_modes(model, query);
  if (tree && !modes.speeds.empty()) leave_out_massless(model, modes);
  if (!modes.speeds.empty()) solve_frequencies(modes);
  const double lowest = modes.frequencies.size() > 0 ? modes.frequencies(0) : 0;
  return lowest * std::abs(lowest);
}

}  // namespace ulna
