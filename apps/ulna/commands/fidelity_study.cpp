#include "commands/fidelity_study.hpp"

#include <fmt/format.h>

#include <sstream>

#include "commands/experiment_run.hpp"
#include "commands/study_output.hpp"
#include "output/interrupt.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/motion/internal/sample.hpp"
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

/// Records of one level: y and z of the end of each flexible body.
RecordTable records_of(const FidelityStudy& study, const FidelityRow& row) {
  RecordTable table;
  table.titles = {"t[s]"};
  for (const std::string& body : study.bodies)
    for (const char* axis : {"y", "z"})
      table.titles.push_back(fmt::format("deflection.{}.{}[m]", body, axis));
  table.values.resize(row.times.size(), 1 + row.deflection.cols());
  table.values << row.times, row.deflection;
  return table;
}

/// All levels over the times of exact: a panel for each body and direction that bends, a line for
/// each level. A level that ended earlier has no numbers beyond.
StudyTable study_of(const FidelityStudy& study, const std::string& name) {
  const Eigen::VectorXd& t = study.rows.front().times;
  const double end = t(t.size() - 1), tiny = 1e-12 * end;
  StudyTable out{"fidelity", {{"t[s]"}, t}, {}, {}};
  out.plot.title = name + ": deflections of the ends of flexible bodies";
  const double largest = study.rows.front().deflection.cwiseAbs().maxCoeff();
  for (long c = 0; c < study.rows.front().deflection.cols(); ++c) {
    double own = 0;
    for (const FidelityRow& row : study.rows)
      own = std::max(own, row.deflection.col(c).cwiseAbs().maxCoeff());
    if (own <= 1e-9 * largest && largest > 0) continue;  // it does not bend this way
    for (const FidelityRow& row : study.rows) {
      Eigen::VectorXd y = resampled(row.times, row.deflection.col(c), t);
      const double last = row.times(row.times.size() - 1) + tiny;
      for (long r = 0; r < t.size(); ++r)
        if (t(r) > last) y(r) = std::numeric_limits<double>::quiet_NaN();
      out.table.titles.push_back(
          fmt::format("{} {}.{}[m]", study.bodies[c / 2], c % 2 ? "z" : "y", name_of(row.level)));
      out.table.values.conservativeResize(Eigen::NoChange, out.table.values.cols() + 1);
      out.table.values.rightCols(1) = y;
    }
  }
  return out;
}

/// A folder gets the picture and the records of each level, which may end at different times; a
/// single file is the picture.
std::vector<std::string> write_outputs(const std::string& output, const FidelityStudy& study,
                                       const std::string& name) {
  if (is_picture(output)) return write_study(output, study_of(study, name));
  if (is_single_file(output))
    throw InputError(Problem{{},
                             "--output",
                             "levels may end at different times, and one table cannot hold them",
                             "a folder, which gets one .csv for each level, or a picture",
                             {}});
  make_folder(output);
  std::vector<std::string> files = {output + "/fidelity.svg"};
  write_file(files[0], study_svg(study_of(study, name)));
  for (const FidelityRow& row : study.rows) {
    const RecordTable table = records_of(study, row);
    files.push_back(fmt::format("{}/{}.csv", output, name_of(row.level)));
    write_file(files.back(), csv_text({table.titles, table.values}));
  }
  return files;
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
      .words("final joint error", off)
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
                       const std::optional<std::string>& output, bool json) {
  ExperimentOptions options;
  options.file = experiment;
  const ReadExperiment read = load(options);
  check(read.experiment);
  const InterruptGuard guard;
  const FidelityStudy study =
      fidelity_study(read.experiment, fidelity_study_detail::levels_in(levels),
                     [&](ElasticLevel) { return !guard.interrupted(); });
  std::vector<std::string> outputs;
  if (output) outputs = fidelity_study_detail::write_outputs(*output, study, read.experiment.name);
  if (json) {
    Json out = fidelity_study_detail::json_of(study);
    out["outputs"] = outputs;
    print_json(out);
    return 0;
  }
  fidelity_study_detail::print_study(study, *read.experiment.model);
  for (const std::string& file : outputs) print(fmt::format("wrote {}\n", printable(file)));
  return 0;
}

}  // namespace ulna::cli
