#include "commands/inverse_experiment.hpp"

#include "output/duty_output.hpp"
#include "output/json_output.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/kinematics/loop_closure.hpp"

namespace ulna::cli::inverse_experiment_detail {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The records of the run: one row each, t apart.
struct Records {
  std::vector<Channel> channels;
  std::vector<double> t, values;

  long count() const { return static_cast<long>(t.size()); }
  Eigen::VectorXd times() const { return Eigen::Map<const Eigen::VectorXd>(t.data(), count()); }
  Eigen::MatrixXd matrix() const {
    return Eigen::Map<const Rows>(values.data(), count(), std::ssize(channels));
  }
};

bool writes_table(const std::optional<std::string>& output) {
  return output && (output->ends_with(".csv") || is_picture(*output));
}

RecordTable table_of(const Records& records) {
  RecordTable table;
  table.titles = {"t[s]"};
  for (const Channel& channel : records.channels) table.titles.push_back(channel.title());
  table.values.resize(records.count(), std::ssize(table.titles));
  table.values << records.times(), records.matrix();
  return table;
}

/// By joint: forces and moments, one row per time.
Json reactions_json(const Records& records) {
  Json out = Json::object();
  const Eigen::MatrixXd values = records.matrix();
  for (std::size_t k = 0; k < records.channels.size(); ++k) {
    const Channel& channel = records.channels[k];
    if (channel.kind != Channel::Kind::reaction || channel.index != 0) continue;
    const std::string suffix = ".fx", prefix = "reaction.";
    const std::string joint =
        channel.name.substr(prefix.size(), channel.name.size() - prefix.size() - suffix.size());
    const auto column = static_cast<long>(k);
    out[joint] = {{"force", matrix_to_json(values.middleCols(column, 3))},
                  {"moment", matrix_to_json(values.middleCols(column + 3, 3))}};
  }
  return out;
}

void print_run_json(const Experiment& experiment, const Records& records, const Ran& ran,
                    const ExperimentOptions& options) {
  Json out = json_object();
  out["method"] = experiment.method.empty() ? formulations().front().name : experiment.method;
  out["t"] = to_json(records.times());
  out["tau"] = matrix_to_json(records.matrix().leftCols(experiment.model->speeds()));
  out["speeds"] = experiment.model->speed_names();
  out["work"] = ran.summary.works(0);
  if (options.reactions) {
    out["reactions_unique"] = ran.summary.bearings_unique;
    out["reactions"] = reactions_json(records);
  }
  const Json summary = parse_json(run_summary_json(experiment, ran.summary));
  for (const auto& [key, value] : std::get<Json::Object>(summary.value()))
    if (key == "motors" || key == "bearings" || key == "outside_limits") out[key] = value;
  out["outputs"] = Json::array();
  if (ran.directory) out["outputs"].push_back(*ran.directory);
  print_json(out);
}

/// About twenty rows are enough for a table; the file has them all.
void print_run(const Experiment& experiment, const Records& records, const Ran& ran) {
  const long rows = records.count(), stride = std::max(1L, (rows - 1 + 19) / 20);
  std::vector<long> shown;
  for (long row = 0; row < rows; row += stride) shown.push_back(row);
  if (rows > 0 && shown.back() != rows - 1) shown.push_back(rows - 1);
  const long n = experiment.model->speeds();
  const Eigen::MatrixXd tau = records.matrix().leftCols(n);
  // Joints without a motor have no effort at any time: their columns say nothing.
  const bool loops = n > 0 && LoopClosure(*experiment.model).rows() > 0;
  std::vector<std::string> titles;
  std::vector<long> columns;
  for (long k = 0; k < n; ++k) {
    if (loops && tau.col(k).isZero(0)) continue;
    columns.push_back(k);
    titles.push_back("tau " + experiment.model->speed_names()[static_cast<std::size_t>(k)]);
  }
  if (columns.empty())
    print("No joint is driven: there are no efforts.\n");
  else
    print(Table()
              .numbers("t [s]", records.times()(shown))
              .matrix(titles, tau(shown, columns))
              .text());
  print(duty_text(ran.summary));
  if (ran.directory) print("\nwrote " + *ran.directory + "\n");
}

}  // namespace
}  // namespace ulna::cli::inverse_experiment_detail

namespace ulna::cli {

int run_inverse_experiment(const ExperimentOptions& options) {
  using namespace inverse_experiment_detail;
  ReadExperiment read = load(options, Question::inverse);
  check(read.experiment);
  read.experiment = inverse_of(read.experiment);
  read.experiment.record.channels = {"tau", "q", "v", "a", "energy"};
  if (options.reactions) read.experiment.record.channels.emplace_back("reaction");
  ExperimentOptions running = options;
  if (writes_table(options.output)) running.output.reset();
  Records records;
  records.channels = channels_of(read.experiment);
  Ran ran = run_experiment(read, running, [&](double t, std::span<const double> row) {
    records.t.push_back(t);
    records.values.insert(records.values.end(), row.begin(), row.end());
  });
  if (writes_table(options.output)) {
    write_table(*options.output, table_of(records), read.experiment.name);
    ran.directory = options.output;
  }
  options.json ? print_run_json(read.experiment, records, ran, options)
               : print_run(read.experiment, records, ran);
  return ran.summary.complete ? 0 : 1;
}

}  // namespace ulna::cli
