#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "commands/identify_excite.hpp"
#include "options/log_options.hpp"
#include "output/output_file.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/simulation/channels.hpp"
#include "ulna/study/identified_robot.hpp"

namespace ulna::cli::identify_detail {
namespace {

constexpr const char* examples = R"(  ulna identify arm.urdf --excite --friction -o motion.csv
  ulna identify arm.urdf log.csv --friction
  ulna identify arm.urdf log1.csv log2.csv --validate log3.csv --friction --rotors -o better.yaml
  ulna identify arm.urdf log.csv --column 'tau.elbow=current 2*0.11' --cutoff 12 --plot efforts.svg

Estimates the base parameters from measured motion and efforts by weighted least squares, with standard
deviations. -o writes the robot with physically possible bodies (positive definite pseudo-inertia),
closest to the robot file where the log gives no information. Terms that are not requested (--friction,
--rotors, --springs) are taken from the robot file. --excite computes a motion to record.)";

struct Options : RegressorOptions {
  std::vector<std::string> logs, validate;
  LogWords log;
  ExciteWords excite;
  std::optional<std::string> output, plot;
};

struct Found {
  const TorqueRegressor& regressor;
  const BaseParameters& base;
  Identification estimate;
  ConsistentParameters consistent;
  Eigen::VectorXd model_base;
  std::vector<std::string> impossible;
};

struct Checked {
  std::string file;
  EffortComparison by_estimate, by_possible;
};

Checked check_against(TorqueRegressor& regressor, const Found& found, const std::string& file,
                      const Measurement& measured) {
  return {file, compare_efforts(regressor, found.base, found.estimate.estimate, measured),
          compare_efforts(regressor, found.base, found.consistent.base, measured)};
}

void warn_of_doubts(const Found& found) {
  const Identification& estimate = found.estimate;
  if (estimate.condition > 100)
    warn(
        fmt::format("the condition number is {:.3g}: some parameters are hardly excited; record a "
                    "motion of --excite",
                    estimate.condition));
  const Model& model = found.regressor.model();
  for (Eigen::Index k = 0; k < estimate.correlation.size(); ++k)
    if (std::abs(estimate.correlation(k)) > 0.5)
      warn(fmt::format(
          "successive residuals of '{}' have the correlation {:.2f}: terms are missing in the "
          "model (--friction, --rotors?), and the standard deviations are too small",
          model.speed_names()[static_cast<std::size_t>(k)], estimate.correlation(k)));
  if (found.consistent.distance > 4)
    warn(
        fmt::format("bodies that can exist are {:.1f} standard deviations from the estimate: the "
                    "model does not fit the efforts",
                    std::sqrt(found.consistent.distance)));
}

Json checked_to_json(const Checked& checked) {
  return {{"file", checked.file},
          {"measured_rms", to_json(checked.by_estimate.rms)},
          {"error_rms", to_json(checked.by_estimate.error)},
          {"error_rms_possible", to_json(checked.by_possible.error)}};
}

void print_found(const Found& found) {
  const auto& names = found.regressor.names();
  std::vector<std::string> text;
  for (int k = 0; k < found.base.count(); ++k) text.push_back(describe(found.base, k, names));
  const Eigen::VectorXd deviations = found.estimate.deviations();
  print(heading(fmt::format("\n{} base parameters, condition number {:.4g}", found.base.count(),
                            found.estimate.condition)));
  print(Table()
            .numbers("model", found.model_base)
            .numbers("estimate", found.estimate.estimate)
            .numbers("deviation", deviations)
            .numbers("possible", found.consistent.base)
            .words("base parameter", text)
            .text());
  for (const std::string& why : found.impossible)
    print(printable(fmt::format("The plain estimate makes {}.\n", why)));
  print(fmt::format("Bodies that can exist are {:.2f} standard deviations from the estimate.\n",
                    std::sqrt(found.consistent.distance)));
}

void print_checked(const Model& model, const Checked& checked, bool second) {
  const EffortComparison& c = checked.by_estimate;
  print(heading(printable(fmt::format("\n{} {}, root mean squares",
                                      second ? "cross-validation on" : "fit of", checked.file))));
  print(Table()
            .words("effort", model.speed_names())
            .numbers("measured", c.rms)
            .numbers("error", c.error)
            .numbers("of possible bodies", checked.by_possible.error)
            .numbers("of it, %", 100 * c.error.cwiseQuotient(c.rms.cwiseMax(1e-300)))
            .text());
}

/// Panels of efforts and of residuals.
RecordTable residual_table(const Model& model, const EffortComparison& c) {
  RecordTable table;
  table.titles = {"t[s]"};
  for (const char* group : {"measured", "predicted", "residual"})
    for (int k = 0; k < model.speeds(); ++k)
      table.titles.push_back(fmt::format("{}.{}[{}]", group,
                                         model.speed_names()[static_cast<std::size_t>(k)],
                                         effort_unit(model, k)));
  table.values.resize(c.t.size(), std::ssize(table.titles));
  table.values << c.t, c.measured.transpose(), c.predicted.transpose(),
      (c.measured - c.predicted).transpose();
  return table;
}

Json to_json_found(const Found& found, const std::vector<Measurement>& logs,
                   const std::vector<Checked>& fits, const std::vector<Checked>& checks,
                   const std::vector<std::string>& outputs) {
  const auto& names = found.regressor.names();
  const Eigen::VectorXd deviations = found.estimate.deviations();
  Json out = json_object();
  out["count"] = found.base.count();
  out["condition"] = found.estimate.condition;
  out["noise"] = to_json(found.estimate.noise);
  out["residual_correlation"] = to_json(found.estimate.correlation);
  out["base"] = Json::array();
  for (int k = 0; k < found.base.count(); ++k)
    out["base"].push_back(
        {{"parameter",
          names[static_cast<std::size_t>(found.base.kept[static_cast<std::size_t>(k)])]},
         {"text", describe(found.base, k, names)},
         {"model", found.model_base(k)},
         {"estimate", found.estimate.estimate(k)},
         {"deviation", deviations(k)},
         {"possible", found.consistent.base(k)}});
  out["impossible"] = found.impossible;
  out["distance"] = found.consistent.distance;
  out["parameters"] = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k)
    out["parameters"][names[k]] = found.consistent.parameters(static_cast<Eigen::Index>(k));
  out["logs"] = Json::array();
  for (const Measurement& log : logs) out["logs"].push_back(measurement_to_json(log));
  out["fit"] = Json::array();
  for (const Checked& fit : fits) out["fit"].push_back(checked_to_json(fit));
  out["validation"] = Json::array();
  for (const Checked& check : checks) out["validation"].push_back(checked_to_json(check));
  out["outputs"] = outputs;
  return out;
}

int run(const Options& options) {
  const Model model = load(options);
  model.require_tree("identification");
  if (options.excite.excite) {
    if (!options.logs.empty())
      throw InputError("--excite takes no log", "ulna identify ROBOT --excite -o motion.csv");
    return run_excite(model, options.terms(), options.excite, options.output, options.json);
  }
  if (options.logs.empty())
    throw InputError("no log is given", "ulna identify ROBOT LOG...",
                     "ulna identify ROBOT --excite gives a motion to record");
  std::vector<Measurement> logs, others;
  for (const std::string& file : options.logs)
    logs.push_back(load_log(file, model, options.log).measured);
  for (const std::string& file : options.validate)
    others.push_back(load_log(file, model, options.log).measured);
  TorqueRegressor regressor(model, options.terms());
  const BaseParameters base = base_parameters_by_rank(regressor);
  Identification estimate = identify(regressor, base, logs);
  ConsistentParameters consistent = consistent_parameters(regressor, base, estimate);
  const std::vector<std::string> impossible =
      impossible_bodies(regressor, nearest_parameters(regressor, base, estimate.estimate));
  const Found found{regressor,
                    base,
                    std::move(estimate),
                    std::move(consistent),
                    base.combination * regressor.parameters(),
                    impossible};
  warn_of_doubts(found);
  std::vector<Checked> fits, checks;
  for (std::size_t k = 0; k < logs.size(); ++k)
    fits.push_back(check_against(regressor, found, options.logs[k], logs[k]));
  for (std::size_t k = 0; k < others.size(); ++k)
    checks.push_back(check_against(regressor, found, options.validate[k], others[k]));
  std::vector<std::string> outputs;
  if (options.output) {
    write_file(*options.output,
               write_robot_yaml(robot_with_parameters(regressor, found.consistent.parameters)));
    outputs.push_back(*options.output);
  }
  if (options.plot) {
    const Checked& shown = checks.empty() ? fits.front() : checks.front();
    write_table(*options.plot, residual_table(model, shown.by_estimate),
                "Efforts of " + model.name() + " in " + shown.file);
    outputs.push_back(*options.plot);
  }
  if (options.json) {
    print_json(to_json_found(found, logs, fits, checks, outputs));
    return 0;
  }
  for (std::size_t k = 0; k < logs.size(); ++k) print_measurement(options.logs[k], logs[k]);
  print_found(found);
  for (const Checked& fit : fits) print_checked(model, fit, false);
  for (const Checked& check : checks) print_checked(model, check, true);
  for (const std::string& file : outputs) print(fmt::format("wrote {}\n", printable(file)));
  return 0;
}

}  // namespace
}  // namespace ulna::cli::identify_detail

namespace ulna::cli {

Command add_identify(CLI::App& program) {
  auto options = std::make_shared<identify_detail::Options>();
  CLI::App* app = add_robot_command(program, "identify",
                                    "Base parameters from measured logs; excitation motions",
                                    identify_detail::examples, *options);
  add_arguments(*app, "LOG", options->logs, "Measured logs with motion and efforts (.csv)");
  add_texts(*app, "--validate", options->validate, "FILE",
            "Log for cross-validation, whose efforts are predicted (may be repeated)");
  add_term_flags(*app, *options);
  add_log_options(*app, options->log);
  add_text(*app, "--plot", options->plot, "FILE",
           "Plot measured and predicted efforts and residuals (.svg, .png, .pdf, .csv)");
  add_text(*app, "-o,--output", options->output, "FILE",
           "Write the identified robot (.yaml); with --excite the motion (.csv, .svg)");
  ExciteWords& excite = options->excite;
  add_flag(*app, "--excite", excite.excite, "Compute a motion that excites all base parameters");
  add_text(*app, "--period", excite.period, "TIME",
           "--excite: duration of the motion (default: 10 s)");
  add_text(*app, "--rate", excite.rate, "HZ", "--excite: samples per second (default: 100)");
  add_text(*app, "--velocity", excite.velocity, "X",
           "--excite: speed limit where the robot has none (default: 2 rad/s or m/s)");
  add_text(*app, "--acceleration", excite.acceleration, "X",
           "--excite: acceleration limit (default: 5 rad/s^2 or m/s^2)");
  add_text(*app, "--harmonics", excite.harmonics, "N",
           "--excite: number of harmonics of each joint (default: 5)");
  add_text(*app, "--candidates", excite.candidates, "N",
           "--excite: number of random motions, of which the best is taken (default: 100)");
  add_integer(*app, "--seed", excite.seed, "--excite: seed of the random motions");
  return {app, [options] { return identify_detail::run(*options); }};
}

}  // namespace ulna::cli
