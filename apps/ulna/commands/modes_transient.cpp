#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/modes_options.hpp"
#include "commands/modes_output.hpp"
#include "options/sweep_text.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/elastic/internal/modal_superposition.hpp"
#include "ulna/structure/internal/response_point.hpp"

namespace ulna::cli::modes_transient_detail {
namespace {

/// A force in time: straight between the times, and a blow at the first.
struct Load {
  Eigen::VectorXd times, force;
  double impulse = 0;
  std::vector<int> shown;  ///< times that were asked for
};

std::vector<double> times_of(const ModesOptions& options, const std::string& otherwise) {
  const std::vector<double> times =
      parse_range("--times", options.times.value_or(otherwise), Dimension::time);
  for (std::size_t k = 1; k < times.size(); ++k)
    if (!(times[k] > times[k - 1]))
      throw InputError(Problem{{}, "--times", "times that do not increase", "A:B:STEP", {}});
  if (times.size() < 2) throw InputError(Problem{{}, "--times", "one time alone", "A:B:STEP", {}});
  return times;
}

Load constant(const std::vector<double>& times, double force, double impulse) {
  Load load;
  const auto n = static_cast<Eigen::Index>(times.size());
  load.times = Eigen::Map<const Eigen::VectorXd>(times.data(), n);
  load.force.setConstant(n, force);
  load.impulse = impulse;
  for (int k = 0; k < n; ++k) load.shown.push_back(k);
  return load;
}

double force_at(const RecordTable& table, double t) {
  const auto& at = table.values;
  if (t <= at(0, 0)) return at(0, 1);
  for (Eigen::Index k = 1; k < at.rows(); ++k)
    if (t <= at(k, 0))
      return at(k - 1, 1) +
             (t - at(k - 1, 0)) / (at(k, 0) - at(k - 1, 0)) * (at(k, 1) - at(k - 1, 1));
  return at(at.rows() - 1, 1);
}

// The corners of the history are steps of the solution too, so that it is exact between them.
Load from_table(const std::string& file, const ModesOptions& options, double amplitude) {
  const RecordTable table = read_table(file);
  if (table.values.cols() < 2 || table.values.rows() < 2)
    throw InputError(Problem{
        {file, 0, 0},
        {},
        fmt::format("{} columns and {} lines of numbers", table.values.cols(), table.values.rows()),
        "times and forces, two lines or more",
        {}});
  for (Eigen::Index k = 1; k < table.values.rows(); ++k)
    if (!(table.values(k, 0) > table.values(k - 1, 0)))
      throw InputError(Problem{{file, 0, 0},
                               {},
                               fmt::format("the time {} does not increase", table.values(k, 0)),
                               "times in ascending order",
                               {}});
  std::vector<double> asked;
  if (options.times)
    asked = times_of(options, "");
  else
    for (Eigen::Index k = 0; k < table.values.rows(); ++k) asked.push_back(table.values(k, 0));
  std::vector<double> all = asked;
  for (Eigen::Index k = 0; k < table.values.rows(); ++k)
    if (const double t = table.values(k, 0); t > asked.front() && t < asked.back())
      all.push_back(t);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  Load load = constant(all, 0, 0);
  load.shown.clear();
  for (Eigen::Index k = 0; k < load.times.size(); ++k) {
    load.force(k) = amplitude * force_at(table, load.times(k));
    if (std::binary_search(asked.begin(), asked.end(), load.times(k)))
      load.shown.push_back(static_cast<int>(k));
  }
  return load;
}

Load load_of(const ModesOptions& options) {
  const double amplitude = options.amplitude ? parse_number("--amplitude", *options.amplitude) : 1;
  const std::string kind = options.load.value_or("step");
  if (kind == "step") return constant(times_of(options, "0:1:0.001"), amplitude, 0);
  if (kind == "impulse") return constant(times_of(options, "0:1:0.001"), 0, amplitude);
  if (kind.ends_with(".csv")) return from_table(kind, options, amplitude);
  throw InputError(
      Problem{{}, "--load", "found '" + kind + "'", "step, impulse or a file .csv", {}});
}

}  // namespace
}  // namespace ulna::cli::modes_transient_detail

namespace ulna::cli {

int modes_transient(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options,
                    int count) {
  const ResponsePath path = parse_response("--transient", *options.transient);
  const RobotStructure structure(model, q, structure_options(model, options.structure));
  const Eigen::VectorXd force = response_point(structure, path.from);
  Eigen::MatrixXd outputs(structure.frame().size(), Eigen::Index(path.to.size()));
  for (std::size_t k = 0; k < path.to.size(); ++k)
    outputs.col(Eigen::Index(k)) = response_point(structure, path.to[k]);
  const modes_transient_detail::Load load = modes_transient_detail::load_of(options);
  StructureDamping damping = damping_of(options, 0.01);
  const double zeta = std::exchange(damping.ratio, 0.0);  // the modes have it themselves
  const elastic::ModalSuperposition modes(damped_system(structure, damping), zeta, count);
  const Eigen::MatrixXd all = modes.transient(force, outputs, load.times, load.force, load.impulse);
  require_finite(all, "the response");
  const Eigen::MatrixXd x = all(load.shown, Eigen::all);
  const Eigen::VectorXd t = load.times(load.shown), f = load.force(load.shown);
  if (options.output) {
    RecordTable table;
    table.titles = {"time[s]"};
    if (load.impulse == 0) table.titles.push_back("force." + path.from);
    for (const std::string& to : path.to) table.titles.push_back("motion." + to);
    table.values.resize(t.size(), Eigen::Index(table.titles.size()));
    table.values.col(0) = t;
    if (load.impulse == 0) table.values.col(1) = f;
    table.values.rightCols(x.cols()) = x;
    write_plot(*options.output, table, "Transient response to " + path.from);
  }
  if (options.json) {
    Json out = json_object();
    out["times"] = to_json(t);
    out["force"] = to_json(f);
    for (std::size_t k = 0; k < path.to.size(); ++k)
      out["motion"][path.to[k]] = to_json(x.col(Eigen::Index(k)));
    out["impulse"] = load.impulse;
    out["modes"] = modes.modes().count();
    if (options.output) out["file"] = *options.output;
    print_json(out);
    return 0;
  }
  for (std::size_t k = 0; k < path.to.size(); ++k) {
    Eigen::Index at = 0;
    x.col(Eigen::Index(k)).cwiseAbs().maxCoeff(&at);
    print(fmt::format("{}: largest {:.6g} at {:.6g} s, at the end {:.6g}\n", path.to[k],
                      x(at, Eigen::Index(k)), t(at), x(t.size() - 1, Eigen::Index(k))));
  }
  if (options.output) print(fmt::format("wrote {}\n", printable(*options.output)));
  return 0;
}

}  // namespace ulna::cli
