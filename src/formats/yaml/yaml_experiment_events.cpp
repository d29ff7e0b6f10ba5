// `events` of an experiment file: when they happen and what they do; `stop`, the short form.

#include <fmt/format.h>

#include <cmath>

#include "wording.hpp"
#include "yaml/yaml_controller.hpp"
#include "yaml/yaml_experiment_reader.hpp"
#include "yaml/yaml_parts.hpp"

namespace ulna {
namespace {

const std::vector<std::string> action_names = {"stop",  "record", "drive",  "move",
                                               "gains", "pick",   "release"};

}  // namespace

/// `above`, `below` or `passes` of the channel `when`.
void ExperimentReader::read_level(const YamlMap& map, Event& event) {
  const int ways = int(map.has("above")) + int(map.has("below")) + int(map.has("passes"));
  if (ways != 1)
    map.complain({}, fmt::format("{} of above, below and passes are given", ways), "one");
  for (const auto& [key, direction] : {std::pair{"above", Event::Direction::rising},
                                       {"below", Event::Direction::falling},
                                       {"passes", Event::Direction::either}})
    if (map.has(key)) {
      event.value = map.number(key, quantity_of(event.channel), 0);
      event.direction = direction;
    }
}

void ExperimentReader::read_events() {
  if (const YamlNode* list = map_.find("stop"))
    for (const YamlNode& item : read_list(context_, *list, "stop")) {
      const YamlMap map(context_, item, "stop",
                        {"name", "when", "above", "below", "passes", "go_on"});
      Event event;
      event.mark = map.mark();
      event.channel = map.needed_text("when", "a channel such as q.joint1 or frame.wrist.z");
      event.name = map.text("name", event.channel);
      event.stops = !map.boolean("go_on", false);
      read_level(map, event);
      e_.events.push_back(event);
    }
  if (const YamlNode* list = map_.find("events"))
    for (const YamlNode& item : read_list(context_, *list, "events")) read_event(item);
}

void ExperimentReader::read_event(const YamlNode& node) {
  const YamlMap map(context_, node, "event",
                    {"name", "when", "above", "below", "passes", "at", "contact", "opens", "after",
                     "delay", "once", "do"});
  Event event;
  event.mark = map.mark();
  event.stops = false;
  event.name = map.text("name", fmt::format("event{}", e_.events.size() + 1));
  event.once = map.boolean("once", false);
  event.after = map.text("after");
  event.delay = map.number("delay", quantity::time, 0);
  const int ways = int(map.has("when")) + int(map.has("at")) + int(map.has("contact"));
  if (ways > 1 || (ways == 0 && event.after.empty()))
    map.complain({}, fmt::format("{} of when, at and contact are given", ways),
                 "one of them, or after: the name of an event");
  if (map.has("delay") && (ways > 0 || event.after.empty()))
    map.complain("delay", "a delay counts from another event", "after, without when and at");
  if (map.has("when")) {
    event.channel = map.text("when");
    read_level(map, event);
  }
  if (map.has("contact")) {
    const bool opens = map.boolean("opens", false);
    event.channel = fmt::format("contact.{}.mode", map.text("contact"));
    event.value = 0.5;
    event.direction = opens ? Event::Direction::falling : Event::Direction::rising;
  }
  if (map.has("at")) event.time = map.number("at", quantity::time, 0);
  if (const YamlNode* actions = map.find("do")) {
    if (actions->kind == YamlNode::Kind::sequence)
      for (const YamlNode& item : actions->items) read_action(item, map.element(), event);
    else
      read_action(*actions, map.element(), event);
  }
  e_.events.push_back(std::move(event));
}

/// One item of `do`; may stand for several actions.
void ExperimentReader::read_action(const YamlNode& node, const std::string& owner, Event& event) {
  using Kind = EventAction::Kind;
  const std::string element = owner + ", do";
  if (node.kind == YamlNode::Kind::scalar) {
    EventAction action;
    if (node.text == "record") action.kind = Kind::record;
    if (node.text != "record" && node.text != "stop")
      return context_.problems.add(context_.mark(node), element, "found " + in_quotes(node.text),
                                   "stop, record, or a map with one of " + one_of(action_names),
                                   nearest_name_hint(node.text, action_names));
    event.actions.push_back(action);
    return;
  }
  const YamlMap map(context_, node, element,
                    {"drive", "move", "time", "relative", "gains", "pick", "known", "release"});
  const int given = int(map.has("drive")) + int(map.has("move")) + int(map.has("gains")) +
                    int(map.has("pick")) + int(map.has("release"));
  if (given != 1)
    return map.complain({}, fmt::format("{} actions are given", given),
                        "one of " + one_of(action_names));
  if (map.has("drive"))
    for_each_joint(*map.find("drive"), element, [&](int j, const YamlNode& value) {
      EventAction action;
      action.kind = Kind::drive;
      action.joint = j;
      read_drive_into(action.drive, j, value);
      event.actions.push_back(std::move(action));
    });
  if (map.has("move")) read_move(map, event);
  if (map.has("gains")) read_gain_change(*map.find("gains"), element, event);
  if (map.has("pick")) {
    EventAction action;
    action.kind = Kind::pick;
    action.payload = read_payload(context_, *map.find("pick"));
    action.known = map.boolean("known", true);
    event.actions.push_back(std::move(action));
  }
  if (map.has("release")) {
    EventAction action;
    action.kind = Kind::release;
    action.name = map.text("release");
    event.actions.push_back(std::move(action));
  }
}

void ExperimentReader::read_move(const YamlMap& map, Event& event) {
  map.need("time", "how long the motion takes, such as 0.5 s");
  const double time = map.number("time", quantity::time, 1);
  const bool relative = map.boolean("relative", false);
  for_each_joint(*map.find("move"), map.element() + ", move", [&](int j, const YamlNode& value) {
    const Joint& joint = model().joints()[static_cast<std::size_t>(j)];
    EventAction action;
    action.kind = EventAction::Kind::move;
    action.joint = j;
    action.time = time;
    action.relative = relative;
    const bool list = value.kind == YamlNode::Kind::sequence;
    const std::size_t count = list ? value.items.size() : 1;
    for (std::size_t k = 0; k < count; ++k) {
      const auto speed = static_cast<std::size_t>(joint.v) + k;
      const bool slides = speed < model().speed_dimensions().size() &&
                          model().speed_dimensions()[speed] == Dimension::length;
      action.to.push_back(read_number(context_, list ? value.items[k] : value,
                                      map.element() + ", move",
                                      slides ? quantity::length : quantity::angle));
    }
    event.actions.push_back(std::move(action));
  });
}

/// The controller as the file has it, with some of its keys changed.
void ExperimentReader::read_gain_change(const YamlNode& node, const std::string& owner,
                                        Event& event) {
  const std::string element = owner + ", gains";
  if (node.kind != YamlNode::Kind::map)
    return context_.problems.add(context_.mark(node), element, "found " + describe(node),
                                 "a map such as {controller: arm, kp: 100}");
  std::string name;
  YamlNode merged;
  merged.kind = YamlNode::Kind::map;
  merged.line = node.line;
  merged.column = node.column;
  for (const YamlEntry& entry : node.entries)
    if (entry.key == "controller") name = entry.value.text;
  std::size_t index = e_.controllers.size();
  for (std::size_t k = 0; k < e_.controllers.size(); ++k)
    if ((name.empty() && e_.controllers.size() == 1) || e_.controllers[k]->title == name ||
        name == std::to_string(k + 1))
      index = k;
  const YamlNode* list = map_.find("controllers");
  if (index == e_.controllers.size())
    return context_.problems.add(context_.mark(node), element,
                                 fmt::format("there is no controller {}", in_quotes(name)),
                                 "controller: its name, or its number from 1");
  if (list && index < list->items.size())
    for (const YamlEntry& entry : list->items[index].entries) merged.entries.push_back(entry);
  for (const YamlEntry& entry : node.entries) {
    if (entry.key == "controller") continue;
    std::erase_if(merged.entries, [&](const YamlEntry& old) { return old.key == entry.key; });
    merged.entries.push_back(entry);
  }
  EventAction action;
  action.kind = EventAction::Kind::control;
  action.index = index;
  action.controller = read_controller(context_, merged, e_, folder_, options_);
  if (action.controller) event.actions.push_back(std::move(action));
}

}  // namespace ulna
