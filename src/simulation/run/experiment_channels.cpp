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

std::vector<Channel> own_channels(const Experiment& e, const std::string& name) {
  std::vector<Channel> list;
  add(list, e.contacts, "contact", of_contact, Kind::contact, name);
  add(list, e.nonholonomic, "nonholonomic", of_nonholonomic, Kind::nonholonomic, name);
  return list;
}

}  // namespace

const char* name_of(ContactMode mode) {
  constexpr const char* names[] = {"open", "sticks", "slips"};
  return names[static_cast<int>(mode)];
}

std::vector<Channel> channels_named(const Experiment& experiment, const std::string& name) {
  if (std::vector<Channel> own = own_channels(experiment, name); !own.empty()) return own;
  const bool contact = name.starts_with("contact."), rolling = name.starts_with("nonholonomic.");
  const bool has = contact ? !experiment.contacts.empty() : !experiment.nonholonomic.empty();
  if ((contact || rolling) && has) {
    std::vector<std::string> known;
    for (const char* group : {"contact", "nonholonomic"})
      for (const Channel& channel : own_channels(experiment, group)) known.push_back(channel.name);
    throw InputError(fmt::format("there is no channel '{}'", name),
                     contact ? "contact.NAME, or gap, normal, t1, t2, slip or mode of it"
                             : "nonholonomic.NAME, or slip, fx, fy or fz of it",
                     nearest_name_hint(name, known));
  }
  return channels_named(*experiment.model, name);
}

double ChannelReader::contact_value(const Channel& channel) const {
  const auto i = static_cast<std::size_t>(channel.frame);
  if (channel.kind == Kind::nonholonomic) {
    const ContactSystem::Kept& kept = system_.contacts()->kept()[i];
    return channel.index == 0 ? kept.speed.head(kept.count).norm()
                              : kept.world_force()(channel.index - 1);
  }
  const ContactSystem::Touch& touch = system_.contacts()->touches()[i];
  switch (channel.index) {
    case 0:
      return touch.at.gap;
    case 4:
      return touch.closed() ? touch.slip_speed() : 0;
    case 5:
      return static_cast<double>(touch.mode);
    default:
      return touch.force(channel.index - 1);
  }
}

double ChannelReader::slip() const {
  double worst = 0;
  if (const ContactSystem* contacts = system_.contacts())
    for (const ContactSystem::Kept& kept : contacts->kept())
      worst = std::max(worst, kept.speed.head(kept.count).norm());
  return worst;
}

}  // namespace ulna
