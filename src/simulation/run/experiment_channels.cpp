// The channels that an experiment adds to those of its robot: contacts and nonholonomic rows.

#include <fmt/format.h>

#include <algorithm>

#include "contact/contact_system.hpp"
#include "run/channel_reader.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using Kind = Channel::Kind;
using NameAndUnit = std::pair<const char*, const char*>;

constexpr NameAndUnit of_contact[] = {{"gap", "m"}, {"normal", "N"}, {"t1", "N"},
                                      {"t2", "N"},  {"slip", "m/s"}, {"mode", "1"}};
constexpr NameAndUnit of_nonholonomic[] = {{"slip", "m/s"}, {"fx", "N"}, {"fy", "N"}, {"fz", "N"}};

/// group.NAME.x for every item that the name covers: the group, one item, or one channel of it.
template <class Items, std::size_t N>
void add(std::vector<Channel>& list, const Items& items, const std::string& group,
         const NameAndUnit (&names)[N], Kind kind, const std::string& wanted) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = group + "." + items[i].name;
    for (std::size_t k = 0; k < N; ++k) {
      const std::string name = item + "." + names[k].first;
      if (wanted == group || wanted == item || wanted == name)
        list.push_back({name, names[k].second, kind, static_cast<int>(k), static_cast<int>(i)});
    }
  }
}

bool covers(const std::string& wanted, const std::string& group, const std::string& item,
            const std::string& name) {
  return wanted == group || wanted == item || wanted == name;
}

/// sensor.NAME.q: the index is that among all readings.
void add_sensors(std::vector<Channel>& list, const Experiment& e, const std::string& wanted) {
  int index = 0;
  for (std::size_t k = 0; k < e.sensors.size(); ++k) {
    const Sensor& sensor = e.sensors[k];
    const std::string item = "sensor." + sensor.name;
    std::vector<Sensor::Output> outputs = sensor.outputs;
    if (sensor.difference) outputs.push_back({"v", outputs.front().unit + "/s"});
    for (const Sensor::Output& output : outputs) {
      const std::string name = item + "." + output.name;
      if (covers(wanted, "sensor", item, name))
        list.push_back({name, output.unit, Kind::sensor, index, static_cast<int>(k)});
      ++index;
    }
  }
}

/// actuator.NAME.current: index 0 and 1 are command and effort.
void add_actuators(std::vector<Channel>& list, const Experiment& e, const std::string& wanted) {
  for (std::size_t k = 0; k < e.actuators.size(); ++k) {
    const Actuator& actuator = *e.actuators[k];
    const std::string item = "actuator." + actuator.name;
    const std::string effort = effort_unit(*e.model, actuator.speed);
    std::vector<std::pair<std::string, std::string>> names = {
        {"command", actuator.command_unit(effort)}, {"effort", effort}};
    for (const ActuatorReading& reading : actuator.readings())
      names.emplace_back(reading.name, reading.unit);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string name = item + "." + names[i].first;
      if (covers(wanted, "actuator", item, name))
        list.push_back(
            {name, names[i].second, Kind::actuator, static_cast<int>(i), static_cast<int>(k)});
    }
  }
}

/// tip_error.FRAME.x
void add_tip_errors(std::vector<Channel>& list, const Experiment& e, const std::string& wanted) {
  constexpr const char* names[] = {"x", "y", "z", "distance"};
  for (std::size_t f = 1; f < e.model->frames().size(); ++f) {
    const std::string item = "tip_error." + e.model->frames()[f].name;
    for (int k = 0; k < 4; ++k) {
      const std::string name = item + "." + names[k];
      if (wanted == item || wanted == name)
        list.push_back({name, "m", Kind::tip_error, k, static_cast<int>(f)});
    }
  }
}

std::vector<Channel> own_channels(const Experiment& e, const std::string& name) {
  std::vector<Channel> list;
  add_tip_errors(list, e, name);
  add_sensors(list, e, name);
  add_actuators(list, e, name);
  add(list, e.contacts, "contact", of_contact, Kind::contact, name);
  add(list, e.nonholonomic, "nonholonomic", of_nonholonomic, Kind::nonholonomic, name);
  return list;
}

}  // namespace

const char* name_of(ContactState state) {
  constexpr const char* names[] = {"open", "sticks", "slips"};
  return names[static_cast<int>(state)];
}

std::vector<Channel> channels_named(const Experiment& experiment, const std::string& name) {
  if (std::vector<Channel> own = own_channels(experiment, name); !own.empty()) return own;
  struct Group {
    const char* name;
    bool present;
    const char* expected;
  };
  const Group own_groups[] = {
      {"contact", !experiment.contacts.empty(),
       "contact.NAME, or gap, normal, t1, t2, slip or mode of it"},
      {"nonholonomic", !experiment.nonholonomic.empty(),
       "nonholonomic.NAME, or slip, fx, fy or fz of it"},
      {"sensor", true, "sensor.NAME of a sensor of the experiment, or one of its outputs"},
      {"actuator", true,
       "actuator.NAME of an actuator of the experiment, or command, effort, ..."}};
  for (const Group& group : own_groups) {
    if (!group.present || !name.starts_with(std::string(group.name) + ".")) continue;
    std::vector<std::string> known;
    for (const Group& other : own_groups)
      for (const Channel& channel : own_channels(experiment, other.name))
        known.push_back(channel.name);
    throw InputError(fmt::format("there is no channel '{}'", name), group.expected,
                     nearest_name_hint(name, known));
  }
  if (name == "sensor" || name == "actuator")
    throw InputError(fmt::format("there is no channel '{}': the experiment has no {}s", name, name),
                     fmt::format("{}s in the experiment", name));
  return channels_named(*experiment.model, name);
}

double ChannelReader::contact_value(const Channel& channel) const {
  const auto i = static_cast<std::size_t>(channel.frame);
  if (channel.kind == Kind::nonholonomic) {
    const ContactSystem::Kept& kept = system_.contacts().touching()->kept()[i];
    return channel.index == 0 ? kept.speed.head(kept.count).norm()
                              : kept.world_force()(channel.index - 1);
  }
  const ContactSystem::Touch touch = system_.contacts().touching()->contact(i);
  switch (channel.index) {
    case 0:
      return touch.at.gap;
    case 4:
      return touch.closed() ? touch.slip_speed() : 0;
    case 5:
      return static_cast<double>(touch.state);
    default:
      return touch.force(channel.index - 1);
  }
}

double ChannelReader::slip() const {
  double worst = 0;
  if (const ContactSystem* contacts = system_.contacts().touching())
    for (const ContactSystem::Kept& kept : contacts->kept())
      worst = std::max(worst, kept.speed.head(kept.count).norm());
  return worst;
}

}  // namespace ulna
