#include "commands/inverse_experiment.hpp"

#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/kinematics/loop_closure.hpp"

namespace ulna::cli {

int run_inverse_experiment(const ExperimentOptions& options) {
  ReadExperiment read = load(options, Question::inverse);
  check(read.experiment);
  read.experiment = inverse_of(read.experiment);
  read.experiment.record.channels = {"tau", "q", "v", "a", "energy"};
  const long n = read.experiment.model->speeds();
  std::vector<double> times, efforts;
  const Ran ran = run_experiment(read, options, [&](double t, std::span<const double> row) {
    times.push_back(t);
    efforts.insert(efforts.end(), row.begin(), row.begin() + n);
  });
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd tau =
      Eigen::Map<const Rows>(efforts.data(), static_cast<long>(times.size()), n);
  const Eigen::VectorXd t =
      Eigen::Map<const Eigen::VectorXd>(times.data(), static_cast<long>(times.size()));
  if (options.json) {
    Json out = json_object();
    out["method"] =
        read.experiment.method.empty() ? formulations().front().name : read.experiment.method;
    out["t"] = to_json(t);
    out["tau"] = matrix_to_json(tau);
    out["speeds"] = read.experiment.model->speed_names();
    out["work"] = ran.summary.works(0);
    out["outputs"] = Json::array();
    if (ran.directory) out["outputs"].push_back(*ran.directory);
    print_json(out);
  } else {
    // About twenty rows are enough for a table; the run has them all.
    const long rows = tau.rows(), stride = std::max(1L, (rows - 1 + 19) / 20);
    std::vector<long> shown;
    for (long row = 0; row < rows; row += stride) shown.push_back(row);
    if (rows > 0 && shown.back() != rows - 1) shown.push_back(rows - 1);
    // Joints without a motor have no effort at any time: their columns say nothing.
    std::vector<std::string> titles;
    std::vector<long> columns;
    const bool loops =
        read.experiment.model->speeds() > 0 && LoopClosure(*read.experiment.model).rows() > 0;
    for (long k = 0; k < n; ++k) {
      if (loops && tau.col(k).isZero(0)) continue;
      columns.push_back(k);
      titles.push_back("tau " + read.experiment.model->speed_names()[static_cast<std::size_t>(k)]);
    }
    print(Table().numbers("t [s]", t(shown)).matrix(titles, tau(shown, columns)).text());
    if (ran.directory) print("\nwrote " + *ran.directory + "\n");
  }
  return ran.summary.complete ? 0 : 1;
}

}  // namespace ulna::cli
