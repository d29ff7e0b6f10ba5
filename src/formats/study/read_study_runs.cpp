#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "study/study_reader.hpp"
#include "study/study_run_kinds.hpp"
#include "ulna/dynamics/base_parameters.hpp"
#include "ulna/model/model.hpp"
#include "wording.hpp"

namespace ulna {

void StudyReader::read_runs() {
  const YamlNode* node = map_.need(
      "run",
      "simulate, inverse, modes, deflection, linearize, equilibrium, platform, identify, or a list "
      "of them");
  if (!node) return;
  if (node->kind == YamlNode::Kind::sequence)
    for (const YamlNode& item : node->items) read_run(item);
  else
    read_run(*node);
  refuse_same_results();
}

void StudyReader::read_run(const YamlNode& node) {
  using Kind = StudyRunKind::Kind;
  static const std::vector<std::pair<std::string, Kind>> kinds = {
      {"simulate", Kind::simulate},   {"inverse", Kind::inverse},
      {"modes", Kind::modes},         {"deflection", Kind::deflection},
      {"linearize", Kind::linearize}, {"equilibrium", Kind::equilibrium},
      {"platform", Kind::platform},   {"identify", Kind::identify}};
  StudyRunKind run;
  const YamlNode* options = nullptr;
  std::string name;
  if (node.kind == YamlNode::Kind::map) {
    for (const YamlEntry& entry : node.entries) {
      if (entry.key == "name")
        run.name = read_text(context_, entry.value, "run, name");
      else if (name.empty())
        name = entry.key, options = &entry.value;
      else
        context_.problems.add(context_.mark(entry.value), "run", "found " + in_quotes(entry.key),
                              "one run in each entry of the list, with 'name' beside it");
    }
  } else {
    name = read_text(context_, node, "run");
  }
  const auto at = std::ranges::find(kinds, name, &std::pair<std::string, Kind>::first);
  if (at == kinds.end()) {
    context_.problems.add(context_.mark(node), "run", "found " + in_quotes(name),
                          one_of(names_in(kinds)), nearest_name_hint(name, names_in(kinds)));
    return;
  }
  run.kind = at->second;
  if (run.of_experiment() && !parts_.experiment)
    context_.problems.add(context_.mark(node), "run", name + " of a robot alone",
                          "'experiment: FILE' instead of 'robot'");
  YamlNode nothing;
  nothing.kind = YamlNode::Kind::map, nothing.line = node.line, nothing.column = node.column;
  if (options && options->kind == YamlNode::Kind::null) options = nullptr;
  try {
    read_run_options(options ? *options : nothing, name, run);
  } catch (const InputError& error) {
    add(node, "run, " + name, error);
  }
  parts_.runs.push_back(std::move(run));
}

void StudyReader::read_run_options(const YamlNode& node, const std::string& name,
                                   StudyRunKind& run) {
  using Kind = StudyRunKind::Kind;
  // What each kind of run asks for; other keys are mistakes.
  static const std::map<Kind, std::vector<std::string>> keys = {
      {Kind::simulate, {}},
      {Kind::inverse, {}},
      {Kind::modes, {"q", "v", "posture", "locked", "count", "elements"}},
      {Kind::deflection, {"q", "posture", "locked", "frame", "force", "gravity"}},
      {Kind::linearize, {"q", "v", "posture"}},
      {Kind::equilibrium, {"q", "posture"}},
      {Kind::platform,
       {"position", "turn", "drives", "slice", "points", "ball-angle", "leg-radius"}},
      {Kind::identify, {"terms", "period", "samples", "candidates", "noise", "seed"}}};
  const YamlMap map(context_, node, "run, " + name, keys.at(run.kind));
  if (run.kind == Kind::platform)
    read_platform(map, run);
  else if (run.kind == Kind::identify)
    read_identify(map, run);
  else if (!run.of_experiment())
    read_posture(map, run);
}

void StudyReader::read_posture(const YamlMap& map, StudyRunKind& run) {
  run.q = named(map, "q", parts_.nominal->coordinate_names());
  run.v = named(map, "v", parts_.nominal->speed_names());
  run.posture = map.text("posture");
  if (const YamlNode* locked = map.find("locked")) {
    run.all_locked = false;
    if (locked->kind == YamlNode::Kind::sequence)
      for (const YamlNode& item : locked->items)
        run.locked.push_back(read_text(context_, item, "run, locked"));
    else if (const std::string word = map.text("locked"); word == "all")
      run.all_locked = true;
    else if (word != "none")
      run.locked.push_back(word);
  }
  run.count = static_cast<int>(std::min(whole(map, "count", 6), 1000L));
  run.elements = map.boolean("elements", false);
  run.frame = map.text("frame");
  run.force = map.vector("force", quantity::force, run.force);
  run.gravity = map.boolean("gravity", true);
}

/// A number, an angle or a length, in SI units.
double StudyReader::any_number(const YamlMap& map, const std::string& key, const YamlNode& node) {
  const std::string text = read_text(context_, node, map.element() + ", " + key);
  for (const Quantity& q : {quantity::number, quantity::angle, quantity::length})
    if (const ParsedQuantity p = parse_quantity(text, q); p.complaint.empty()) return p.value;
  map.complain(key, "found " + in_quotes(text), "a number, an angle or a length");
  return 0;
}

NamedValues StudyReader::named(const YamlMap& map, const std::string& key,
                               const std::vector<std::string>& names) {
  NamedValues values;
  const YamlNode* node = map.find(key);
  if (!node) return values;
  if (node->kind == YamlNode::Kind::map)
    for (const YamlEntry& e : node->entries)
      values.push_back({e.key, any_number(map, key, e.value)});
  else if (node->kind == YamlNode::Kind::sequence && node->items.size() <= names.size())
    for (std::size_t k = 0; k < node->items.size(); ++k)
      values.push_back({names[k], any_number(map, key, node->items[k])});
  else
    map.complain(key, "found " + describe(*node), "{NAME: value} or a list of values");
  return values;
}

/// Two runs of one kind without names would write over each other's results.
void StudyReader::refuse_same_results() {
  for (std::size_t k = 0; k < parts_.runs.size(); ++k)
    for (std::size_t i = 0; i < k; ++i) {
      const StudyRunKind &a = parts_.runs[k], &b = parts_.runs[i];
      const bool alike = a.kind == b.kind || (a.of_experiment() && b.of_experiment());
      if (alike && a.name == b.name)
        return map_.complain("run", "two runs give results of the same names",
                             "a name for one of them", "- {name: folded, modes: {...}}");
    }
}

void StudyReader::read_slice(const YamlNode& node, PlatformRun& run) {
  const YamlMap map(context_, node, "run, platform, slice", {"x", "y", "z", "rx", "ry", "rz"});
  std::vector<SliceRange> ranges;
  for (const char* axis : {"x", "y", "z", "rx", "ry", "rz"}) {
    const YamlNode* ends = map.find(axis);
    if (!ends) continue;
    const std::vector<double> both = read_numbers(
        context_, *ends, map.element(), axis[0] == 'r' ? quantity::angle : quantity::length, 2);
    if (both.size() == 2) ranges.push_back({slice_axis_named(axis), both[0], both[1], 61});
  }
  if (ranges.size() != 2)
    return map.complain("x", fmt::format("{} ranges", ranges.size()),
                        "two of x, y, z, rx, ry, rz, such as {x: [-1, 1], z: [0, 2]}");
  run.slice = {ranges[0], ranges[1]};
}

void StudyReader::read_platform(const YamlMap& map, StudyRunKind& run) {
  auto made = std::make_shared<PlatformRun>();
  const Platform nominal(platform_of(parts_.nominal->robot()));
  std::vector<std::string> legs;
  for (const PlatformLeg& leg : nominal.data().legs) legs.push_back(leg.name);
  if (map.has("position"))
    made->position = map.vector("position", quantity::length, Vector3<double>::Zero());
  made->turn = map.vector("turn", quantity::angle, Vector3<double>::Zero());
  made->drives = named(map, "drives", legs);
  if (const YamlNode* slice = map.find("slice")) read_slice(*slice, *made);
  const long points = whole(map, "points", 61);
  if (points < 2 || points > 2000)
    map.complain("points", fmt::format("found {}", points), "2 to 2000");
  if (made->slice)
    for (SliceRange& range : *made->slice)
      range.count = static_cast<int>(std::clamp(points, 2L, 2000L));
  made->limits.ball_angle = map.number("ball-angle", quantity::angle, made->limits.ball_angle);
  made->limits.leg_radius = map.number("leg-radius", quantity::length, 0);
  for (const StudyTarget& target : parts_.targets)
    if (target.path.starts_with("drive.")) made->direct = true;
  made->direct = made->direct || !made->drives.empty();
  run.platform = made;
}

void StudyReader::read_identify(const YamlMap& map, StudyRunKind& run) {
  ExcitationOptions motion;
  motion.period = map.number("period", quantity::time, motion.period);
  motion.samples = static_cast<int>(std::min(whole(map, "samples", motion.samples), 1000000L));
  motion.candidates =
      static_cast<int>(std::min(whole(map, "candidates", motion.candidates), 10000L));
  RegressorTerms terms;
  if (const YamlNode* list = map.find("terms"))
    for (const YamlNode& item : read_list(context_, *list, "run, identify, terms")) {
      const std::string word = read_text(context_, item, "run, identify, terms");
      if (word == "friction")
        terms.friction = terms.damping = true;
      else if (word == "rotors")
        terms.rotors = true;
      else if (word == "springs")
        terms.springs = true;
      else
        map.complain("terms", "found " + in_quotes(word), "friction, rotors, springs",
                     nearest_name_hint(word, {"friction", "rotors", "springs"}));
    }
  const long seed = whole(map, "seed", 1);
  motion.seed = static_cast<unsigned>(seed);
  auto made = std::make_shared<IdentifyRun>(parts_.nominal, terms, motion);
  made->noise = map.number("noise", quantity::number, 0);
  made->seed = static_cast<std::uint64_t>(seed);
  run.identify = made;
}

}  // namespace ulna
