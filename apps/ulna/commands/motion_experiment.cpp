#include "commands/motion_experiment.hpp"

#include <fmt/format.h>

#include "commands/experiment_run.hpp"
#include "output/json_output.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/motion/internal/sample.hpp"
#include "ulna/simulation/internal/reference.hpp"

namespace ulna::cli::motion_experiment_detail {
namespace {

/// Columns t, q, v and a as in a run.
RecordTable sampled_reference(const Experiment& experiment, int samples) {
  const Model& model = *experiment.model;
  const std::vector<double> times = equal_times(0, experiment.end, samples);
  RecordTable table;
  table.titles = {"t[s]"};
  const std::vector<std::string> coordinates = coordinate_units(model), speeds = speed_units(model);
  for (int k = 0; k < model.coordinates(); ++k)
    table.titles.push_back(fmt::format("q.{}[{}]", model.coordinate_names()[k], coordinates[k]));
  for (const char* kind : {"v", "a"})
    for (int k = 0; k < model.speeds(); ++k)
      table.titles.push_back(fmt::format("{}.{}[{}/s{}]", kind, model.speed_names()[k], speeds[k],
                                         *kind == 'a' ? "^2" : ""));
  table.values.resize(samples, static_cast<long>(table.titles.size()));
  Reference reference(experiment);
  for (int k = 0; k < samples; ++k) {
    reference.update(times[static_cast<std::size_t>(k)]);
    table.values.row(k) << times[static_cast<std::size_t>(k)], reference.q.transpose(),
        reference.v.transpose(), reference.a.transpose();
  }
  return table;
}

/// Speeds of joints with a motion: the others follow from the loops, or from the efforts.
std::vector<int> moved_speeds(const Experiment& experiment) {
  std::vector<int> moved;
  for (std::size_t j = 0; j < experiment.drives.size(); ++j) {
    const Joint& joint = experiment.model->joints()[j];
    for (int k = 0; k < joint.speeds && !experiment.drives[j].motion.empty(); ++k)
      moved.push_back(joint.v + k);
  }
  return moved;
}

Json peaks_to_json(const Model& model, const std::vector<int>& moved, const RecordTable& table) {
  Json out = Json::object();
  for (const int k : moved)
    out[model.speed_names()[static_cast<std::size_t>(k)]] = {
        {"rate", table.values.col(1 + model.coordinates() + k).cwiseAbs().maxCoeff()},
        {"acceleration",
         table.values.col(1 + model.coordinates() + model.speeds() + k).cwiseAbs().maxCoeff()}};
  return out;
}

}  // namespace
}  // namespace ulna::cli::motion_experiment_detail

namespace ulna::cli {

int run_motion_experiment(const MotionExperimentOptions& options) {
  ExperimentOptions file;
  file.file = options.file;
  const ReadExperiment read = load(file);
  check(read.experiment);
  const Experiment& e = read.experiment;
  const Model& model = *e.model;
  if (Reference(e).empty())
    throw InputError(
        Problem{{options.file}, "motions", "no joint has a motion", "motions, or a path", {}});
  if (e.timing && !e.timing->warning.empty()) warn(e.timing->warning);
  const RecordTable table = motion_experiment_detail::sampled_reference(e, options.samples);
  require_finite(table.values, "a sample");
  if (options.output) write_table(*options.output, table, e.name);
  const std::vector<int> moved = motion_experiment_detail::moved_speeds(e);
  if (options.json) {
    Json out = json_object();
    out["experiment"] = e.name;
    out["duration"] = e.end;
    if (e.timing)
      out["timing"] = {
          {"scale", e.timing->scale}, {"limit", e.timing->limit}, {"switches", e.timing->switches}};
    out["peaks"] = motion_experiment_detail::peaks_to_json(model, moved, table);
    if (options.output) {
      out["file"] = *options.output;
    } else {
      out["columns"] = table.titles;
      out["rows"] = matrix_to_json(table.values);
    }
    print_json(out);
    return 0;
  }
  if (options.table && !options.output) {
    print(csv_text({table.titles, table.values}));
    return 0;
  }
  const long n = model.speeds();
  const auto peaks = [&](long first) -> Eigen::VectorXd {
    return table.values.middleCols(first, n)(Eigen::all, moved)
        .cwiseAbs()
        .colwise()
        .maxCoeff()
        .transpose();
  };
  std::vector<std::string> names;
  for (const int k : moved) names.push_back(model.speed_names()[static_cast<std::size_t>(k)]);
  print(heading(fmt::format("{}: motions of {} for {:.6g} s", e.name, model.name(), e.end)));
  print(Table()
            .words("joint", names)
            .numbers("peak rate", peaks(1 + model.coordinates()))
            .numbers("peak acceleration", peaks(1 + model.coordinates() + n))
            .text());
  if (e.timing && !e.timing->limit.empty()) print("\ntiming " + e.timing->limit + "\n");
  if (options.output) print(fmt::format("wrote {}\n", printable(*options.output)));
  return 0;
}

}  // namespace ulna::cli
