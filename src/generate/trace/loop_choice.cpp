#include "trace/loop_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna::generate {
namespace {

/// The candidate with the best of the worst.
template <class Quality>
std::vector<int> best_of(const std::vector<std::vector<int>>& candidates, std::size_t postures,
                         const Quality& quality, double& worst_of_best) {
  std::vector<int> best;
  worst_of_best = -1;
  for (const std::vector<int>& candidate : candidates) {
    double worst = 1;
    for (std::size_t k = 0; k < postures; ++k) worst = std::min(worst, quality(candidate, k));
    if (worst > worst_of_best) best = candidate, worst_of_best = worst;
  }
  return best;
}

std::vector<int> others(int n, const std::vector<int>& some) {
  std::vector<int> rest;
  for (int k = 0; k < n; ++k)
    if (std::find(some.begin(), some.end(), k) == some.end()) rest.push_back(k);
  return rest;
}

/// A, in pure numbers, at several closed postures.
std::vector<Eigen::MatrixXd> jacobians(const Model& model, const TraceOptions& options) {
  constexpr int count = 12;
  std::vector<Eigen::MatrixXd> all;
  Workspace work(model);
  LoopClosure closure(model);
  std::mt19937_64 generator(1);
  for (int k = 0; k < count; ++k) {
    Eigen::VectorXd q;
    if (options.posture.size() > 0) {
      AssemblyOptions near;
      near.start = options.posture;
      q = assembled(model, near);
    } else {
      q = closed_posture(model, generator);
    }
    if (q.size() == 0) continue;
    closure.update(work, q);
    all.push_back(closure.scaled_jacobian());
    if (options.posture.size() > 0) break;
  }
  if (all.empty()) assembled(model, {});  // says which loop stays open
  return all;
}

}  // namespace

Eigen::VectorXd closed_posture(const Model& model, std::mt19937_64& generator) {
  AssemblyOptions options;
  options.start = model.random(generator);
  options.restarts = 20;
  // Rows left out by the generated code see what is left open.
  options.tolerance = 1e-13 * std::max(1.0, model.length_scale());
  options.seed = static_cast<unsigned>(generator());
  const AssemblyResult found = assemble(model, options);
  return found.solutions.empty() ? Eigen::VectorXd() : found.solutions[0].q;
}

double row_quality_at(const Model& model, const Eigen::VectorXd& q, const std::vector<int>& rows) {
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  return dense::reciprocal_condition(closure.scaled_jacobian()(rows, Eigen::all));
}

void close_state(const Model& model, std::mt19937_64& generator, Eigen::VectorXd& q,
                 Eigen::VectorXd* v, Eigen::VectorXd* a) {
  q = closed_posture(model, generator);
  if (q.size() == 0) q = assembled(model, {});
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  if (v) *v = compatible_speeds(closure, *v);
  if (!a) return;
  closure.update_rates(work, q, v ? *v : Eigen::VectorXd(Eigen::VectorXd::Zero(model.speeds())));
  *a = compatible_accelerations(closure, *a);
}

LoopChoice choose_for_loops(const Model& model, const TraceOptions& options) {
  std::vector<Eigen::MatrixXd> A = jacobians(model, options);
  // Singular postures have fewer independent rows: they have no say.
  std::vector<int> ranks;
  for (const Eigen::MatrixXd& at : A) ranks.push_back(rank_by_qr(at, loop_rank_tolerance).rank);
  const int rank = *std::max_element(ranks.begin(), ranks.end());
  std::vector<Eigen::MatrixXd> regular;
  for (std::size_t k = 0; k < A.size(); ++k)
    if (ranks[k] == rank) regular.push_back(std::move(A[k]));

  std::vector<std::vector<int>> row_sets, speed_sets;
  for (const Eigen::MatrixXd& at : regular) {
    row_sets.push_back(rank_by_qr(at, loop_rank_tolerance).independent_rows);
    std::sort(row_sets.back().begin(), row_sets.back().end());
    speed_sets.push_back(
        others(model.speeds(), rank_by_qr(at.transpose(), loop_rank_tolerance).independent_rows));
  }
  LoopChoice choice;
  choice.rows = best_of(
      row_sets, regular.size(),
      [&](const std::vector<int>& rows, std::size_t k) {
        return dense::reciprocal_condition(regular[k](rows, Eigen::all));
      },
      choice.row_quality);
  const int dof = model.speeds() - rank;
  if (!options.actuated.empty()) {
    choice.actuated = options.actuated;
    if (static_cast<int>(choice.actuated.size()) != dof)
      throw InputError(fmt::format("{} actuated joints for the {} degrees of freedom of robot '{}'",
                                   choice.actuated.size(), dof, model.name()),
                       "as many as degrees of freedom");
    return choice;
  }
  double quality = 0;
  choice.actuated = best_of(
      speed_sets, regular.size(),
      [&](const std::vector<int>& speeds, std::size_t k) {
        return dense::reciprocal_condition(regular[k](choice.rows, others(model.speeds(), speeds)));
      },
      quality);
  return choice;
}

}  // namespace ulna::generate
