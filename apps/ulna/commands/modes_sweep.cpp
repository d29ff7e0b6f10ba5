#include <fmt/format.h>

#include <cmath>

#include "commands/modes_options.hpp"
#include "commands/modes_output.hpp"
#include "options/sweep_text.hpp"
#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/structure/sweep.hpp"

namespace ulna::cli::modes_sweep_detail {
namespace {

RecordTable sweep_table(const Sweep& sweep, const Eigen::MatrixXd& hz) {
  RecordTable table;
  table.titles.push_back(sweep.parameter + (sweep.unit.empty() ? "" : "[" + sweep.unit + "]"));
  for (int k = 1; k <= hz.cols(); ++k)
    table.titles.push_back(fmt::format("frequency.mode {}[Hz]", k));
  table.values.resize(hz.rows(), hz.cols() + 1);
  for (int k = 0; k < hz.rows(); ++k) table.values(k, 0) = sweep.variants[k].value;
  table.values.rightCols(hz.cols()) = hz;
  return table;
}

/// Each step solved again for its shapes: the sweep keeps only frequencies, and which is which.
void write_sweep_page(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options,
                      const Sweep& sweep, const SweepResult& result) {
  ModesReport page;
  page.parameter = sweep.parameter + (sweep.unit.empty() ? "" : " [" + sweep.unit + "]");
  elastic::EigenOptions eigen;
  eigen.count = static_cast<int>(result.omega.cols());
  for (std::size_t k = 0; k < sweep.variants.size(); ++k) {
    const StructureVariant& variant = sweep.variants[k];
    const RobotFrame structure(*variant.model, variant.q,
                               structure_options(*variant.model, options.structure));
    const ModesStep sorted = step_of(structure, structure_modes(structure, eigen).modes);
    ModesStep step = sorted;
    for (int i = 0; i < eigen.count; ++i)
      step.modes[i] = sorted.modes[result.order(static_cast<int>(k), i)];
    step.label = variant.label;
    step.value = variant.value;
    step.q = variant.q;
    if (page.members.empty()) page.members = members_of(structure);
    page.steps.push_back(std::move(step));
  }
  write_file(*options.output, modes_html(model, q, page));
}

}  // namespace
}  // namespace ulna::cli::modes_sweep_detail

namespace ulna::cli {

int modes_sweep(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options,
                int count) {
  const Sweep sweep = parse_sweep(*options.sweep, model, q);
  const auto points = static_cast<long>(sweep.variants.size());
  SweepOptions run;
  run.structure = structure_options(model, options.structure);
  run.count = count;
  if (options.threads) run.threads = parse_count("--threads", *options.threads, 1);
  const InterruptGuard guard;
  Progress progress("points", points, 1000);
  run.progress = [&](double share) { progress.update(std::lround(share * double(points))); };
  run.stop = [&] { return guard.interrupted(); };
  const SweepResult result = sweep_modes(sweep.variants, run);
  const Eigen::MatrixXd hz = result.omega * hertz;
  if (!result.warnings.empty()) warn(result.warnings[0]);
  if (options.is_page())
    modes_sweep_detail::write_sweep_page(model, q, options, sweep, result);
  else if (options.output)
    write_plot(*options.output, modes_sweep_detail::sweep_table(sweep, hz), "Natural frequencies");
  if (options.json) {
    Json out = json_object();
    out["parameter"] = sweep.parameter;
    out["values"] = Json::array();
    for (const StructureVariant& v : sweep.variants) {
      if (sweep.parameter.ends_with(".material"))
        out["values"].push_back(v.label);
      else
        out["values"].push_back(v.value);
    }
    out["frequencies_hz"] = matrix_to_json(hz);
    out["frequencies_rad"] = matrix_to_json(result.omega);
    out["assurance"] = matrix_to_json(result.assurance);
    if (options.output) out["file"] = *options.output;
    print_json(out);
    return 0;
  }
  std::vector<std::string> labels, titles;
  for (const StructureVariant& v : sweep.variants) labels.push_back(v.label);
  for (int k = 1; k <= hz.cols(); ++k) titles.push_back(fmt::format("mode {} Hz", k));
  print(Table().words(sweep.parameter, labels).matrix(titles, hz).text());
  if (options.output) print(fmt::format("\nwrote {}\n", printable(*options.output)));
  return 0;
}

}  // namespace ulna::cli
