#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "study/study_reader.hpp"
#include "study/study_run_kinds.hpp"
#include "ulna/dynamics/base_parameters.hpp"
#include "ulna/kinematics/posture.hpp"
#include "ulna/model/model.hpp"
#include "ulna/model/parts/platform.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

/// `pattern` with * for any text; # for a number.
bool fits(const std::string& pattern, const std::string& name) {
  const std::size_t star = pattern.find_first_of("*#");
  if (star == std::string::npos) return pattern == name;
  const std::string tail = pattern.substr(star + 1);
  if (name.size() <= star + tail.size() || !name.starts_with(pattern.substr(0, star)) ||
      !name.ends_with(tail))
    return false;
  const std::string middle = name.substr(star, name.size() - star - tail.size());
  return pattern[star] == '*' || middle.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

/// What a run gives besides channels: * stands for names of motors, events and the like.
std::vector<std::string> results_of(const StudyRunKind& run) {
  using Kind = StudyRunKind::Kind;
  static const std::vector<std::string> moved = {"run.t",         "run.steps",   "run.balance",
                                                 "motor.*.peak",  "motor.*.rms", "motor.*.speed",
                                                 "motor.*.power", "event.*"};
  static const std::map<Kind, std::vector<std::string>> all = {
      {Kind::simulate, moved},
      {Kind::inverse, moved},
      {Kind::modes, {}},
      {Kind::deflection,
       {"deflection.x", "deflection.y", "deflection.z", "deflection.rx", "deflection.ry",
        "deflection.rz", "deflection.distance", "stiffness.x", "stiffness.y", "stiffness.z",
        "stress.largest"}},
      {Kind::linearize, {"pole.#.real", "pole.#.imag", "growth.largest"}},
      {Kind::equilibrium, {"rest.*"}},
      {Kind::kinematics,
       {"frame.x", "frame.y", "frame.z", "frame.rx", "frame.ry", "frame.rz", "jacobian.condition",
        "jacobian.least", "jacobian.manipulability"}},
      {Kind::platform,
       {"pose.x", "pose.y", "pose.z", "pose.rx", "pose.ry", "pose.rz", "drive.*",
        "platform.condition", "platform.determinant"}},
      {Kind::identify,
       {"estimate.*", "deviation.*", "true.*", "identify.error", "identify.change",
        "identify.condition", "identify.noise"}}};
  std::vector<std::string> names = all.at(run.kind);
  if (run.by_modes) names.emplace_back("growth.largest");
  if (run.kind == Kind::modes)
    for (int k = 1; k <= run.count; ++k) names.push_back(fmt::format("frequency.{}", k));
  if (run.platform && run.platform->slice)
    names = {"slice.share", "slice.area", "slice.condition.least", "slice.condition.largest"};
  for (std::string& name : names) name = run.result(name);
  return names;
}

bool gives(const StudyRunKind& run, const std::string& name) {
  return std::ranges::any_of(results_of(run),
                             [&](const std::string& pattern) { return fits(pattern, name); });
}

void StudyReader::read_runs() {
  if (!parts_.nominal) return;  // the caller computes, without a robot
  const YamlNode* node = need_unless_own(
      "run",
      "simulate, inverse, modes, deflection, linearize, equilibrium, kinematics, platform, "
      "identify, or a list of them");
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
      {"simulate", Kind::simulate},     {"inverse", Kind::inverse},
      {"modes", Kind::modes},           {"deflection", Kind::deflection},
      {"linearize", Kind::linearize},   {"equilibrium", Kind::equilibrium},
      {"kinematics", Kind::kinematics}, {"platform", Kind::platform},
      {"identify", Kind::identify}};
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
      {Kind::modes, {"q", "v", "posture", "time", "locked", "count", "elements"}},
      {Kind::deflection, {"q", "posture", "time", "locked", "frame", "force", "gravity"}},
      {Kind::linearize, {"q", "v", "posture", "time"}},
      {Kind::equilibrium, {"q", "posture"}},
      {Kind::kinematics, {"q", "posture", "time", "frame"}},
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
  if (map.has("time")) read_time(map, run);
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
  run.by_modes =
      run.kind == StudyRunKind::Kind::modes && !run.elements && parts_.nominal->flexible();
  run.frame = map.text("frame");
  if (!run.frame.empty()) parts_.nominal->frame(run.frame);
  check_posture(map, run);
  run.force = map.vector("force", quantity::force, run.force);
  run.gravity = map.boolean("gravity", true);
}

/// When along the motions of the experiment.
void StudyReader::read_time(const YamlMap& map, StudyRunKind& run) {
  run.time = map.number("time", quantity::time, 0);
  if (!parts_.unchanged) {
    map.complain("time", "a robot alone has no motions", "'experiment: FILE' instead of 'robot'");
    return;
  }
  parts_.nominal->require_tree("a posture at a time of the motions");
  if (!run.posture.empty()) map.complain("time", "found 'posture' and 'time'", "one of them");
  if (!(*run.time >= 0 && *run.time <= parts_.unchanged->end))
    map.complain("time", fmt::format("found {} s", *run.time),
                 fmt::format("0 to {} s, the duration of the experiment", parts_.unchanged->end));
}

/// Names that the robot does not have would fail every sample.
void StudyReader::check_posture(const YamlMap& map, const StudyRunKind& run) {
  const Model& model = *parts_.nominal;
  const auto require = [&](const char* key, const std::string& name,
                           const std::vector<std::string>& known) {
    if (std::ranges::count(known, name) == 0)
      map.complain(key, "robot '" + model.name() + "' has no " + in_quotes(name), one_of(known),
                   nearest_name_hint(name, known));
  };
  for (const NamedValue& value : run.q) require("q", value.name, coordinates_of(model));
  for (const NamedValue& value : run.v) require("v", value.name, speeds_of(model));
  std::vector<std::string> joints;
  for (const JointData& joint : model.robot().joints) joints.push_back(joint.name);
  for (const std::string& name : run.locked) require("locked", name, joints);
  if (!run.posture.empty()) posture(model, run.posture);
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
  const std::vector<std::string> legs = platform_drives(*parts_.nominal);
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
  for (const char* limit : {"ball-angle", "leg-radius"})
    if (map.has(limit) && !platform_if_any(parts_.nominal->robot()))
      map.complain(limit, "its legs have no closed form", "limits of its joints in the robot file");
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
