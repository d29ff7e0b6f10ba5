#include "ulna/study/fidelity.hpp"
#include "ulna/dynamics/internal/exact_level.hpp"
#include "ulna/model/internal/requirements.hpp"
#include "ulna/simulation/internal/exact_links.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

constexpr ElasticLevel all_levels[] = {
    ElasticLevel::exact,        ElasticLevel::consistent,
    ElasticLevel::inconsistent, ElasticLevel::inconsistent_strict,
    ElasticLevel::ruthless,     ElasticLevel::rate_linear,
    ElasticLevel::mixed};

/// Deflections y and z of the end of every flexible body at the records.
struct Histories {
  std::vector<Eigen::MatrixXd> bodies;
};

Histories histories_of(const Run& run, const std::vector<std::string>& bodies) {
  Histories out;
  for (const std::string& body : bodies) {
    Eigen::MatrixXd both(static_cast<long>(run.t.size()), 2);
    both << run.column("deflection." + body + ".y"), run.column("deflection." + body + ".z");
    out.bodies.push_back(both);
  }
  return out;
}

/// Of the joints: the links may have other coordinates.
Eigen::VectorXd joint_difference(const Model& model, const Eigen::VectorXd& from,
                                 const Eigen::VectorXd& to) {
  Eigen::VectorXd a = model.neutral(), b = a;
  a.head(model.joint_coordinates()) = from.head(model.joint_coordinates());
  b.head(model.joint_coordinates()) = to.head(model.joint_coordinates());
  return model.difference(a, b).head(model.joint_speeds());
}

FidelityRow row_of(const Run& run, const Histories& own, const Histories& exact,
                   const FidelityRow* reference, const Model& model) {
  FidelityRow row;
  const RunSummary& s = run.summary;
  row.complete = s.complete;
  row.reason = s.reason;
  row.t = s.t;
  row.peak.resize(static_cast<long>(own.bodies.size()));
  row.times = Eigen::Map<const Eigen::VectorXd>(run.t.data(), static_cast<long>(run.t.size()));
  row.deflection.resize(row.times.size(), 2 * row.peak.size());
  for (std::size_t b = 0; b < own.bodies.size(); ++b) {
    row.deflection.middleCols(2 * static_cast<long>(b), 2) = own.bodies[b];
    row.peak(static_cast<long>(b)) = own.bodies[b].rowwise().norm().maxCoeff();
    const long common = std::min(own.bodies[b].rows(), exact.bodies[b].rows());
    row.deflection_error = std::max(
        row.deflection_error, (own.bodies[b].topRows(common) - exact.bodies[b].topRows(common))
                                  .rowwise()
                                  .norm()
                                  .maxCoeff());
  }
  row.end = s.q;
  if (!reference)
    row.end_error = Eigen::VectorXd::Zero(model.joint_speeds());
  else if (std::abs(s.t - reference->t) <= 1e-9 * std::abs(reference->t))  // else: other times
    row.end_error = joint_difference(model, reference->end, s.q);
  row.energy_balance = s.energy_balance;
  row.largest_kinetic = s.largest_kinetic;
  row.wall_seconds = s.wall_seconds;
  row.evaluations = s.statistics.evaluations;
  row.notes = s.notes;
  return row;
}

}  // namespace

FidelityStudy fidelity_study(const Experiment& experiment, std::vector<ElasticLevel> levels,
                             const std::function<bool(ElasticLevel)>& progress,
                             std::stop_token stop) {
  if (!experiment.model) throw InputError("the experiment has no robot");
  const Model& model = *experiment.model;
  require_flexible(model);
  if (levels.empty()) levels.assign(std::begin(all_levels), std::end(all_levels));
  levels.erase(std::remove(levels.begin(), levels.end(), ElasticLevel::exact), levels.end());
  levels.insert(levels.begin(), ElasticLevel::exact);

  FidelityStudy study;
  Experiment e = experiment;
  e.record.channels = {"q"};
  for (const FlexibleLink& link : model.flexible_links()) {
    study.bodies.push_back(model.bodies()[link.body].name);
    e.record.channels.push_back("deflection." + study.bodies.back());
  }
  Histories exact;
  for (const ElasticLevel level : levels) {
    if (progress && !progress(level)) break;
    const bool elements = level == ElasticLevel::geometrically_exact;
    e.elastic = elements ? ElasticLevel::exact : level;
    const Run run = simulate(elements ? with_exact_links(e) : e, stop);
    const Histories own = histories_of(run, study.bodies);
    if (level == ElasticLevel::exact) exact = own;
    const FidelityRow* reference = study.rows.empty() ? nullptr : &study.rows.front();
    study.rows.push_back(row_of(run, own, exact, reference, model));
    study.rows.back().level = level;
  }
  // Only joints are of interest at the end.
  for (FidelityRow& row : study.rows)
    row.end = Eigen::VectorXd(row.end.head(model.joint_coordinates()));
  return study;
}

}  // namespace ulna
