// A run kept in memory; the times and channels of its records.

#include <fmt/format.h>

#include "run/times.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {

std::vector<Channel> channels_of(const Experiment& experiment) {
  std::vector<Channel> list;
  const std::vector<std::string>& names = experiment.record.channels;
  for (const std::string& name : names.empty() ? default_channels() : names)
    for (Channel& channel : channels_named(experiment, name)) list.push_back(std::move(channel));
  return list;
}

std::vector<double> record_times(const Experiment& experiment) {
  const double interval =
      experiment.record.interval > 0 ? experiment.record.interval : experiment.end / 100;
  std::vector<double> times;
  for (long k = 0;; ++k) {
    const double t = static_cast<double>(k) * interval;
    if (t > experiment.end || same_time(t, experiment.end)) break;
    times.push_back(t);
  }
  times.push_back(experiment.end);
  return times;
}

std::optional<double> RunSummary::relative_balance() const {
  constexpr double rounding = 1e-13;  // of energies, in sums over the bodies
  if (!(largest_kinetic > rounding * largest_energy)) return std::nullopt;
  return energy_balance / largest_kinetic;
}

Run simulate(const Experiment& experiment, std::stop_token stop) {
  Run run;
  if (!experiment.model) throw InputError("the experiment has no robot");
  std::vector<double> values;
  RunOptions options;
  options.stop = std::move(stop);
  options.record = [&](double t, std::span<const double> row) {
    run.t.push_back(t);
    values.insert(values.end(), row.begin(), row.end());
  };
  run.summary = simulate(experiment, options);
  run.channels = channels_of(experiment);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  run.values = Eigen::Map<const Rows>(values.data(), static_cast<long>(run.t.size()),
                                      static_cast<long>(run.channels.size()));
  return run;
}

Eigen::VectorXd Run::column(const std::string& name) const {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < channels.size(); ++k) {
    if (channels[k].name == name) return values.col(static_cast<long>(k));
    known.push_back(channels[k].name);
  }
  throw InputError(fmt::format("channel '{}' was not recorded", name), {},
                   nearest_name_hint(name, known));
}

}  // namespace ulna
