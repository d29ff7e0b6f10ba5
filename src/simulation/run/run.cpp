// A run kept in memory; the times and channels of its records.

#include <fmt/format.h>

#include "run/channel_reader.hpp"
#include "run/times.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/simulation/internal/read_records.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

/// Nothing but motions and the time decides what the records hold, where no coordinate is free.
bool may_be_prescribed(const Experiment& e) {
  return e.events.empty() && e.contacts.empty() && e.nonholonomic.empty() &&
         e.controllers.empty() && e.actuators.empty() && e.sensors.empty() &&
         e.model->loops().empty() && !e.model->flexible() && !e.model->has_timed_elements();
}

}  // namespace

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

bool read_records(const CheckedExperiment& checked,
                  const std::function<void(double, std::span<const double>)>& record) {
  const Experiment& e = *checked;
  if (!may_be_prescribed(e)) return false;
  MechanicalSystem system(checked);
  if (!system.layout.free_v.empty() || system.has_contact_states()) return false;
  ChannelReader reader(system, channels_of(e));
  const Eigen::VectorXd y = system.start();
  double begin = 0;  // of the segment between two jumps; a record at a jump is taken before it
  for (const double t : record_times(e)) {
    interruption_point();
    double end = system.controls.next_breakpoint(begin);
    for (; end < t && !same_time(end, t); end = system.controls.next_breakpoint(begin)) begin = end;
    system.controls.set_segment(begin, std::min(end, e.end));
    const std::span<const double> row = reader.read(t, y.data());
    for (const double value : row)
      if (!std::isfinite(value))
        throw ComputationError(fmt::format("the motion is not finite at t = {:.9g} s", t));
    record(t, row);
  }
  return true;
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
