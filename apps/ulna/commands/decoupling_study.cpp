#include "commands/decoupling_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands/study_output.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/study/internal/decoupling.hpp"

namespace ulna::cli::decoupling_study_detail {
namespace {

using Options = DecouplingOptions;

/// The experiment's motions, gravity and payloads on the robot of the command line; --gravity
/// stands above the file.
Experiment experiment_for(const Model& model, const Options& options) {
  Experiment experiment = read_experiment(options.experiment, read_options(options)).experiment;
  const std::vector<Joint>&theirs = experiment.model->joints(), &ours = model.joints();
  bool same = theirs.size() == ours.size();
  for (std::size_t k = 0; same && k < ours.size(); ++k)
    same = theirs[k].name == ours[k].name && theirs[k].type == ours[k].type;
  if (!same)
    throw InputError(Problem{{options.experiment, 0, 0},
                             "experiment",
                             fmt::format("its robot '{}' does not have the joints of '{}'",
                                         experiment.model->name(), model.name()),
                             "an experiment with the same joints",
                             {}});
  Robot robot = model.robot();
  if (!options.gravity) robot.gravity = experiment.model->robot().gravity;
  for (const PayloadData& payload : experiment.model->robot().payloads) {
    const bool known = std::ranges::any_of(
        robot.payloads, [&](const PayloadData& p) { return p.name == payload.name; });
    if (!known) robot.payloads.push_back(payload);
  }
  experiment.model = std::make_shared<const Model>(std::move(robot));
  return experiment;
}

std::vector<int> inputs_of(const Experiment& experiment, const Eigen::VectorXd& q,
                           const Options& options) {
  if (options.inputs) return speeds_named_in(*experiment.model, "--inputs", *options.inputs);
  return decoupling_inputs(experiment, q);
}

struct Variant {
  std::string name;
  Decoupling result;
};

std::vector<Variant> variants(const Model& loaded, const Options& options) {
  const Experiment experiment = experiment_for(loaded, options);
  const Model& model = *experiment.model;
  const int samples = options.samples ? parse_count("--samples", *options.samples, 1) : 100;
  const PlatformData* data = model.platform();
  const std::optional<Platform> platform =
      data ? std::optional<Platform>(std::in_place, *data) : std::nullopt;
  const std::vector<MotionState> states = motion_states(experiment, samples);
  const std::vector<int> inputs = inputs_of(experiment, states.front().q, options);
  std::vector<Variant> list = {{"all masses", decoupling(model, inputs, states)}};
  if (!platform) return list;
  std::vector<std::string> legs;
  for (const BodyData& body : model.robot().bodies)
    if (body.name != platform->data().platform_body) legs.push_back(body.name);
  list.push_back({"platform only",
                  decoupling(Model(with_mass_only(model.robot(), {platform->data().platform_body})),
                             inputs, states)});
  list.push_back(
      {"legs only", decoupling(Model(with_mass_only(model.robot(), legs)), inputs, states)});
  return list;
}

Json spread_json(const Spread& s) {
  return {{"least", s.least}, {"mean", s.mean}, {"greatest", s.greatest}};
}

Json variant_json(const Decoupling& d) {
  Json out = Json::object();
  out["rms_ratio"] = d.rms_ratio;
  out["peak_ratio"] = to_json(d.peak_ratio);
  out["correlation"] = to_json(d.correlation);
  out["inertia_coupling"] = spread_json(d.inertia_spread);
  out["power_coupling"] = spread_json(d.power_spread);
  out["mean_inertia"] = d.mean_inertia;
  out["mean_power"] = d.mean_power;
  out["peak"] = d.peak;
  out["error_without"] = {{"power", d.without_power},
                          {"off_diagonal", d.without_off_diagonal},
                          {"both", d.without_both}};
  return out;
}

RecordTable table_of(const Decoupling& d) {
  RecordTable table;
  table.titles = {"t[s]"};
  const auto n = d.acceleration.cols();
  table.values.resize(d.t.size(), 1 + 3 * n + 2);
  table.values.col(0) = d.t;
  const auto group = [&](const char* name, const Eigen::MatrixXd& values, Eigen::Index first) {
    for (const std::string& input : d.inputs)
      table.titles.push_back(fmt::format("{}.{}", name, input));
    table.values.middleCols(first, n) = values;
  };
  group("acceleration", d.acceleration, 1);
  group("velocity", d.velocity, 1 + n);
  group("total", d.total, 1 + 2 * n);
  table.titles.emplace_back("coupling.inertia");
  table.titles.emplace_back("coupling.power");
  table.values.col(1 + 3 * n) = d.inertia_coupling;
  table.values.col(2 + 3 * n) = d.power_coupling;
  return table;
}

StudyTable study_of(const Decoupling& d, const std::string& robot) {
  StudyTable study{"decoupling", table_of(d), "acceleration,velocity,total,coupling", {}};
  study.plot.title =
      fmt::format("{}: efforts of accelerations, of velocities, and together", robot);
  return study;
}

void print_variants(const std::vector<Variant>& list) {
  std::vector<std::string> names;
  Eigen::MatrixXd rows(list.size(), 10);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Decoupling& d = list[k].result;
    names.push_back(list[k].name);
    rows.row(static_cast<Eigen::Index>(k)) << d.rms_ratio, d.without_power, d.without_off_diagonal,
        d.without_both, d.inertia_spread.least, d.inertia_spread.mean, d.inertia_spread.greatest,
        d.power_spread.mean, d.mean_inertia, d.mean_power;
  }
  Table table;
  table.words("masses", names);
  const std::vector<std::string> titles = {
      "rms v/a", "error: no P*", "no off-diag.", "neither",   "I* off/on least",
      "mean",    "greatest",     "P* off/on",    "mean |I*|", "mean |P*|"};
  for (Eigen::Index c = 0; c < rows.cols(); ++c)
    table.numbers(titles[static_cast<std::size_t>(c)], rows.col(c));
  print(table.text());
  const Decoupling& d = list[0].result;
  print(heading("\nby input, all masses"));
  print(Table()
            .words("input", d.inputs)
            .numbers("peak acceleration effort", d.acceleration.cwiseAbs().colwise().maxCoeff())
            .numbers("velocity effort", d.velocity.cwiseAbs().colwise().maxCoeff())
            .numbers("ratio", d.peak_ratio)
            .numbers("correlation with own acceleration", d.correlation)
            .text());
}

}  // namespace
}  // namespace ulna::cli::decoupling_study_detail

namespace ulna::cli {

int run_decoupling_study(const DecouplingOptions& options) {
  const Model model = load(options);
  const std::vector<decoupling_study_detail::Variant> list =
      decoupling_study_detail::variants(model, options);
  std::vector<std::string> outputs;
  if (options.output)
    outputs = write_study(*options.output,
                          decoupling_study_detail::study_of(list[0].result, model.name()));
  if (options.json) {
    const Decoupling& d = list[0].result;
    Json out = json_object();
    out["robot"] = model.name();
    out["inputs"] = d.inputs;
    out["variants"] = Json::object();
    for (const decoupling_study_detail::Variant& variant : list)
      out["variants"][variant.name] = decoupling_study_detail::variant_json(variant.result);
    out["t"] = to_json(d.t);
    out["acceleration"] = matrix_to_json(d.acceleration);
    out["velocity"] = matrix_to_json(d.velocity);
    out["gravity"] = matrix_to_json(d.gravity);
    out["total"] = matrix_to_json(d.total);
    out["outputs"] = outputs;
    print_json(out);
    return 0;
  }
  decoupling_study_detail::print_variants(list);
  for (const std::string& file : outputs) print("wrote " + file + "\n");
  return 0;
}

}  // namespace ulna::cli
