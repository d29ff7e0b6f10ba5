#include <fmt/format.h>

#include <cmath>

#include "commands/experiment_run.hpp"
#include "commands/modes_options.hpp"
#include "commands/modes_output.hpp"
#include "commands/sweep_output.hpp"
#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/terminal.hpp"
#include "ulna/structure/sweep.hpp"

namespace ulna::cli::modes_sweep_detail {
namespace {

/// Each step solved again for its shapes: the sweep keeps only frequencies, and which is which.
void write_sweep_page(const Model& model, const ModesOptions& options, const SweepGrid& grid,
                      const SweepResult& result) {
  ModesReport page;
  const SweepAxis& first = grid.axes[0];
  const bool single = grid.axes.size() == 1;
  page.parameter = single ? first.parameter + (first.unit.empty() ? "" : " [" + first.unit + "]")
                          : "combination";
  elastic::EigenOptions eigen;
  eigen.count = static_cast<int>(result.omega.cols());
  for (int k = 0; k < result.omega.rows(); ++k) {
    const SweepPoint& point = grid.points[k];
    const RobotStructure structure(*point.model, point.q,
                                   structure_options(*point.model, options.structure));
    const ModesStep sorted = step_of(structure, structure_modes(structure, eigen).modes);
    ModesStep step = sorted;
    for (int i = 0; i < eigen.count; ++i) step.modes[i] = sorted.modes[result.order(k, i)];
    step.label = grid.label(k);
    step.value = single ? first.values[k] : k + 1;
    step.q = point.q;
    if (page.members.empty()) page.members = members_of(structure);
    page.steps.push_back(std::move(step));
  }
  write_file(*options.output, modes_html(model, grid.points[0].q, page));
}

}  // namespace
}  // namespace ulna::cli::modes_sweep_detail

namespace ulna::cli {

int modes_sweep(const Model& model, const SweepGrid& grid, const ModesOptions& options, int count) {
  if (sweeps_speed(options.sweeps))
    throw InputError(Problem{{},
                             "--sweep",
                             "speeds are swept",
                             "flexible bodies in their modal coordinates, without --elements",
                             {}});
  std::vector<StructureVariant> variants;
  for (int k = 0; k < static_cast<int>(grid.points.size()); ++k)
    variants.push_back({grid.label(k), double(k), grid.points[k].model, grid.points[k].q});
  const auto points = static_cast<long>(variants.size());
  SweepOptions run;
  run.structure = structure_options(*variants[0].model, options.structure);
  run.count = count;
  run.previous = grid.previous;
  if (options.threads) run.threads = parse_count("--threads", *options.threads, 1);
  const InterruptGuard guard;
  Progress progress("points", points, 1000);
  run.progress = [&](double share) { progress.update(std::lround(share * double(points))); };
  run.stop = [&] { return guard.interrupted(); };
  const SweepResult result = sweep_modes(variants, run);
  if (!result.warnings.empty()) warn(result.warnings[0]);
  if (options.is_page()) modes_sweep_detail::write_sweep_page(model, options, grid, result);
  return report_sweep(grid, {result.omega, result.assurance, {}}, options, "Natural frequencies");
}

SweepGrid points_along(const std::string& file, const ModesOptions& options) {
  ExperimentOptions experiment;
  experiment.file = file;
  experiment.packages = options.packages;
  experiment.strict = options.strict;
  experiment.json = true;  // nothing of the run itself is printed
  ReadExperiment read = load(experiment);
  aim_at_goal(read);
  const auto model = read.experiment.model;
  const int nq = model->coordinates(), nv = model->speeds();
  read.experiment.record.channels = {"q", "v"};
  std::vector<double> times;
  std::vector<SweepPoint> all;
  run_experiment(read, experiment, [&](double t, std::span<const double> row) {
    const Eigen::Map<const Eigen::VectorXd> values(row.data(), std::ssize(row));
    times.push_back(t);
    all.push_back({model, model->normalized(values.head(nq)), values.segment(nq, nv)});
  });
  const int wanted = options.points ? parse_count("--points", *options.points, 2) : 101;
  const auto recorded = static_cast<int>(all.size());
  const int n = std::min(wanted, recorded);
  SweepGrid grid;
  SweepAxis time;
  time.parameter = "t", time.unit = "s";
  for (int k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(
        n > 1 ? std::lround(double(k) * (recorded - 1) / double(n - 1)) : 0);
    time.values.push_back(times[at]);
    time.labels.push_back(fmt::format("{:.7g}", times[at]));
    grid.points.push_back(all[at]);
    grid.previous.push_back(k - 1);
  }
  grid.axes.push_back(time);
  return grid;
}

}  // namespace ulna::cli
