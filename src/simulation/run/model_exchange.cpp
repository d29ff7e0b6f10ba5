#include "ulna/simulation/internal/model_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integrators/event_finder.hpp"
#include "run/element_forces.hpp"
#include "run/event_actions.hpp"
#include "sensors/sensor_bank.hpp"

namespace ulna {
namespace {

std::vector<Channel> sensed_channels(const Experiment& experiment) {
  std::vector<Channel> list;
  for (const Sensor& sensor : experiment.sensors)
    for (const std::string& name : sensor.channels)
      list.push_back(channels_named(experiment, name).front());
  return list;
}

std::vector<Channel> all_named(const Experiment& experiment,
                               const std::vector<std::string>& names) {
  std::vector<Channel> list;
  for (const std::string& name : names)
    for (Channel& channel : channels_named(experiment, name)) list.push_back(std::move(channel));
  return list;
}

}  // namespace

struct ModelExchange::Parts {
  /// Channels of events and the values they pass.
  struct Levels {
    std::vector<Channel> channels;
    std::vector<double> values;
    explicit Levels(const Experiment& e) {
      for (const Event& event : e.events)
        if (!event.channel.empty()) {
          channels.push_back(channels_named(e, event.channel).front());
          values.push_back(event.value);
        }
    }
  };

  CheckedExperiment checked;
  MechanicalSystem system;
  std::vector<Channel> channels;
  ChannelReader outputs, sensed;
  Levels levels;
  ChannelReader level_reader;
  EventLog log;
  EventFinder finder;
  bool begun = false;
  double next = 0;
  Eigen::VectorXd rates, seen;

  Parts(const ExperimentWithInputs& given, const std::vector<std::string>& names)
      : checked(CheckedExperiment::after_event(
            with_element_inputs(*CheckedExperiment(given.experiment)))),
        system(checked),
        channels(all_named(*checked, names)),
        outputs(system, channels),
        sensed(system, sensed_channels(*checked)),
        levels(*checked),
        level_reader(system, levels.channels),
        log(*checked),
        finder(*checked, system, log),
        rates(Eigen::VectorXd::Zero(system.size())) {}

  /// The state without what another program's integrator leaves in the speeds of joints at rest: a
  /// controller that compensates friction would take the sign of that for a motion.
  const double* without_noise(const double* y) {
    if (!system.has_contact_states()) return y;
    seen = Eigen::Map<const Eigen::VectorXd>(y, system.size());
    system.contacts().rest(seen.data());
    return seen.data();
  }

  double next_jump(double t) const {
    return std::min(system.controls.next_breakpoint(t), log.next_due());
  }

  void sample(double t, const double* y) {
    SensorBank& sensors = system.controls.sensors();
    if (sensors.due(t)) sensors.take(t, sensed.read(t, y));
    sensors.release(t);
    system.sample(t, y);
  }

  bool is_due(double time, double t) const { return time <= t || same_time(time, t); }

  /// Events whose time has come and whose channel has passed its value; true where one stops.
  bool happen(double t, const double* y) {
    bool ends = false;
    const auto note = [&](std::size_t k) {
      const Event& event = checked->events[k];
      log.happened(k, t);
      ends |= event.stops;
      for (const EventAction& action : event.actions)
        ends |= action.kind == EventAction::Kind::stop;
    };
    for (int most = 1000; most > 0 && finder.jump(t, y); --most) note(finder.last());
    for (std::size_t k = 0; k < checked->events.size(); ++k)
      if (const std::optional<double> time = log.due(k); time && is_due(*time, t)) note(k);
    return ends;
  }
};

ModelExchange::ModelExchange(const ExperimentWithInputs& experiment,
                             const std::vector<std::string>& channels) {
  if (const std::string why = refusal(experiment.experiment); !why.empty())
    throw InputError(why, "an experiment without such an event");
  parts_ = std::make_unique<Parts>(experiment, channels);
}
ModelExchange::~ModelExchange() = default;

std::string ModelExchange::refusal(const Experiment& experiment) {
  for (const Event& event : experiment.events)
    for (const EventAction& action : event.actions)
      if (changes_system(action) || action.kind == EventAction::Kind::call)
        return fmt::format("event '{}' changes the system of equations", event.name);
  return {};
}

int ModelExchange::states() const { return parts_->system.size(); }
int ModelExchange::indicators() const {
  return static_cast<int>(parts_->levels.values.size()) + parts_->system.has_contact_states();
}
const std::vector<Channel>& ModelExchange::channels() const { return parts_->channels; }

std::vector<std::string> ModelExchange::state_names() const {
  const MechanicalSystem& s = parts_->system;
  std::vector<std::string> names;
  for (const int k : s.layout.free_q) names.push_back("q." + s.model().coordinate_names()[k]);
  for (const int k : s.layout.free_v) names.push_back("v." + s.model().speed_names()[k]);
  for (int k = 0; k < s.controls.states(); ++k) names.push_back(fmt::format("controller.{}", k));
  for (const char* work : {"efforts", "external", "dissipated"})
    names.push_back(fmt::format("work.{}", work));
  return names;
}

Eigen::VectorXd ModelExchange::start() {
  parts_->begun = false;
  return parts_->system.start();
}

void ModelExchange::rates(double t, const double* y, double* dy) {
  parts_->system.rates(t, parts_->without_noise(y), dy);
}

std::span<const double> ModelExchange::outputs(double t, const double* y) {
  return parts_->outputs.read(t, parts_->without_noise(y));
}

void ModelExchange::indicate(double t, const double* y, double* z) {
  y = parts_->without_noise(y);
  const std::span<const double> values = parts_->level_reader.read(t, y);
  for (std::size_t k = 0; k < parts_->levels.values.size(); ++k)
    z[k] = values[k] - parts_->levels.values[k];
  if (parts_->system.has_contact_states())
    z[parts_->levels.values.size()] = parts_->system.guard(t, y);
}

ModelExchange::Change ModelExchange::pass_event(double t, double* y) {
  Parts& p = *parts_;
  const Eigen::VectorXd before = Eigen::Map<const Eigen::VectorXd>(y, p.system.size());
  Change change;
  if (!p.begun) {
    p.system.controls.set_segment(p.system.controls.last_breakpoint(t), p.next_jump(t));
    p.sample(t, y);
    p.system.controls.set_segment(t, p.next_jump(t));
    if (p.system.has_contact_states()) p.system.choose_contact_states(t, y);
    p.finder.start(t, y);
    p.begun = true;
  } else {
    if (p.system.has_contact_states()) p.system.contacts().rest(y);
    p.system.project(t, y, p.rates.data());
    if (p.is_due(p.next, t)) {
      p.sample(t, y);
      p.system.pass_jump(t, p.next_jump(t), y);
    }
    if (p.system.has_contact_states()) {
      if (p.system.guard(t, y) >= 0) p.system.contacts().accept();
      p.system.choose_contact_states(t, y);
    }
  }
  change.ends = p.happen(t, y);
  change.next = p.next = p.next_jump(t);
  change.states = (Eigen::Map<const Eigen::VectorXd>(y, p.system.size()) - before).norm() > 0;
  return change;
}

bool ModelExchange::drifted(double t, const double* y) {
  constexpr double tolerance = 1e-9;
  y = parts_->without_noise(y);
  MechanicalSystem& s = parts_->system;
  for (const int first : s.layout.quaternions)
    if (std::abs(Eigen::Map<const Eigen::Vector4d>(y + first).norm() - 1) > tolerance) return true;
  if (s.has_contact_states()) {
    if (s.guard(t, y) >= 0) s.contacts().accept();
  }
  if (!s.projects()) return false;
  Eigen::VectorXd moved = Eigen::Map<const Eigen::VectorXd>(y, s.size());
  s.project(t, moved.data(), parts_->rates.data());
  const double distance =
      (moved - Eigen::Map<const Eigen::VectorXd>(y, s.size())).cwiseAbs().maxCoeff();
  return !(distance <= tolerance);
}

Eigen::VectorXd ModelExchange::memory() const {
  const Eigen::VectorXd own = parts_->system.memory();
  Eigen::VectorXd all(own.size() + 2);
  all << own, double(parts_->begun), parts_->next;
  return all;
}

void ModelExchange::set_memory(const Eigen::VectorXd& memory) {
  Parts& p = *parts_;
  if (memory.size() < 2) throw InputError("the state belongs to another experiment");
  p.system.set_memory(memory.head(memory.size() - 2));
  p.begun = memory(memory.size() - 2) != 0;
  p.next = memory(memory.size() - 1);
}

}  // namespace ulna
