#include "commands/fidelity_study.hpp"

#include <fmt/format.h>

#include <sstream>

#include "commands/experiment_run.hpp"
#include "output/interrupt.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/study/fidelity.hpp"

namespace ulna::cli::fidelity_study_detail {
namespace {

std::vector<ElasticLevel> levels_in(const std::optional<std::string>& text) {
  std::vector<ElasticLevel> levels;
  std::stringstream parts(text.value_or(""));
  for (std::string name; std::getline(parts, name, ',');)
    levels.push_back(elastic_level_named(name, "--levels"));
  return levels;
}

Json json_of(const FidelityStudy& study) {
  Json out = json_object();
  out["bodies"] = study.bodies;
  out["levels"] = Json::array();
  for (const FidelityRow& row : study.rows) {
    Json item;
    item["level"] = name_of(row.level);
    item["complete"] = row.complete;
    item["reason"] = row.reason;
    item["t"] = row.t;
    item["peak_deflection"] = to_json(row.peak);
    item["deflection_error"] = row.deflection_error;
    item["end"] = to_json(row.end);
    if (row.end_error.size() > 0)
      item["end_error"] = to_json(row.end_error);
    else
      item["end_error"] = nullptr;
    item["energy_balance"] = row.energy_balance;
    item["largest_kinetic"] = row.largest_kinetic;
    item["wall_seconds"] = row.wall_seconds;
    item["evaluations"] = row.evaluations;
    item["notes"] = row.notes;
    out["levels"].push_back(item);
  }
  return out;
}

void print_study(const FidelityStudy& study, const Model& model) {
  std::vector<std::string> names, ends, off;
  const auto n = static_cast<Eigen::Index>(study.rows.size());
  Eigen::MatrixXd peaks(n, static_cast<Eigen::Index>(study.bodies.size()));
  Eigen::VectorXd error(n), balance(n), time(n), until(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const FidelityRow& row = study.rows[static_cast<std::size_t>(k)];
    names.emplace_back(name_of(row.level));
    peaks.row(k) = row.peak.transpose();
    error(k) = row.deflection_error;
    off.push_back(row.end_error.size() > 0
                      ? fmt::format("{:.6g}", row.end_error.cwiseAbs().maxCoeff())
                      : "-");
    balance(k) = row.energy_balance;
    time(k) = row.wall_seconds;
    until(k) = row.t;
    ends.push_back(row.complete ? "complete" : "failed");
  }
  Table table;
  table.words("level", names);
  for (std::size_t b = 0; b < study.bodies.size(); ++b)
    table.numbers(study.bodies[b] + " (m)", peaks.col(static_cast<Eigen::Index>(b)));
  table.numbers("from exact (m)", error)
      .words("joints end off by", off)
      .numbers("energy balance (J)", balance)
      .numbers("seconds", time)
      .numbers("until (s)", until)
      .words("end", ends);
  print(heading(fmt::format("{}: largest end deflections", model.name())));
  print(table.text());
  for (const FidelityRow& row : study.rows) {
    if (!row.complete) print(fmt::format("\n{}: {}\n", name_of(row.level), printable(row.reason)));
    for (const std::string& note : row.notes)
      print(fmt::format("{}: {}\n", name_of(row.level), printable(note)));
  }
}

}  // namespace
}  // namespace ulna::cli::fidelity_study_detail

namespace ulna::cli {

int run_fidelity_study(const std::string& experiment, const std::optional<std::string>& levels,
                       bool json) {
  ExperimentOptions options;
  options.file = experiment;
  const ReadExperiment read = load(options);
  check(read.experiment);
  const InterruptGuard guard;
  const FidelityStudy study =
      fidelity_study(read.experiment, fidelity_study_detail::levels_in(levels),
                     [&](ElasticLevel) { return !guard.interrupted(); });
  if (json)
    print_json(fidelity_study_detail::json_of(study));
  else
    fidelity_study_detail::print_study(study, *read.experiment.model);
  return 0;
}

}  // namespace ulna::cli
