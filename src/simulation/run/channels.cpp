#include "ulna/simulation/channels.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "run/state_channels.hpp"
#include "ulna/kinematics/frame_motion.hpp"
#include "ulna/model/joints/joint_traits.hpp"

namespace ulna {
namespace {

using Kind = Channel::Kind;

struct Named {
  const char* name;
  const char* unit;
};
constexpr Named energies[] = {{"kinetic", "J"}, {"potential", "J"}, {"total", "J"},
                              {"work", "J"},    {"external", "J"},  {"dissipated", "J"},
                              {"balance", "J"}};
constexpr Named momenta[] = {{"ax", "Nms"}, {"ay", "Nms"}, {"az", "Nms"},
                             {"lx", "Ns"},  {"ly", "Ns"},  {"lz", "Ns"}};
/// The rate of the momentum less what acts: zero but for rounding.
constexpr Named balances[] = {{"angular", "Nm"}, {"linear", "N"}};
constexpr Named powers[] = {
    {"efforts", "W"}, {"external", "W"}, {"dissipated", "W"}, {"residual", "W"}};
constexpr Named pose[] = {{"x", "m"},  {"y", "m"},  {"z", "m"}, {"qw", "1"},
                          {"qx", "1"}, {"qy", "1"}, {"qz", "1"}};
constexpr Named twist[] = {{"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"},
                           {"vx", "m/s"},   {"vy", "m/s"},   {"vz", "m/s"}};
constexpr Named accelerations[] = {{"dwx", "rad/s^2"}, {"dwy", "rad/s^2"}, {"dwz", "rad/s^2"},
                                   {"ax", "m/s^2"},    {"ay", "m/s^2"},    {"az", "m/s^2"}};
constexpr Named wrench[] = {{"fx", "N"},  {"fy", "N"},  {"fz", "N"},
                            {"mx", "Nm"}, {"my", "Nm"}, {"mz", "Nm"}};
constexpr Named deflections[] = {{"x", "m"},         {"y", "m"},         {"z", "m"},
                                 {"slope_y", "rad"}, {"slope_z", "rad"}, {"twist", "rad"}};
constexpr Named moments[] = {{"twist", "Nm"}, {"y", "Nm"}, {"z", "Nm"}};
constexpr Named strains[] = {{"y", "1/m"}, {"z", "1/m"}};
constexpr Named elastics[] = {{"energy", "J"}, {"deflection", "1"}, {"stability", "1/s^2"}};
constexpr Named constraints[] = {{"quaternion", "1"}};
constexpr Named line_readings[] = {
    {"length", "m"}, {"rate", "m/s"}, {"force", "N"}, {"energy", "J"}};
constexpr Named turn_readings[] = {
    {"angle", "rad"}, {"rate", "rad/s"}, {"torque", "Nm"}, {"energy", "J"}};
constexpr Named closures[] = {{"length", "m"}, {"angle", "rad"}};

template <std::size_t N>
void add(std::vector<Channel>& list, const std::string& group, const Named (&names)[N], Kind kind,
         int frame = 0) {
  for (std::size_t k = 0; k < N; ++k)
    list.push_back({group + "." + names[k].name, names[k].unit, kind, static_cast<int>(k), frame});
}

void add(std::vector<Channel>& list, const std::string& group,
         const std::vector<std::string>& names, const std::vector<std::string>& units, Kind kind) {
  for (std::size_t k = 0; k < names.size(); ++k)
    list.push_back({group + "." + names[k], units[k], kind, static_cast<int>(k)});
}

std::vector<std::string> with(std::vector<std::string> units, const std::string& rate) {
  for (std::string& unit : units) unit = (unit == "1" ? "1" : unit) + rate;
  return units;
}

std::vector<std::string> effort_units_of(const Model& model) {
  std::vector<std::string> units;
  for (int k = 0; k < model.speeds(); ++k) units.push_back(effort_unit(model, k));
  return units;
}

const std::vector<std::string> groups = {
    "q",        "v",       "a",        "tau",          "reference",       "energy",
    "momentum", "power",   "reaction", "constraint",   "closure",         "closing",
    "elastic",  "element", "contact",  "nonholonomic", "momentum_balance"};

/// The coordinates of the joints that close loops: closing.pin, closing.ball.0 ...
void add_closing(std::vector<Channel>& list, const Model& model) {
  for (int k = 0; k < std::ssize(model.loops()); ++k) {
    const Loop& loop = model.loops()[k];
    if (loop.kind != LoopKind::joint) continue;
    const std::span<const Degree> coordinates = traits_of(loop.type).coordinates;
    for (std::size_t d = 0; d < coordinates.size(); ++d)
      list.push_back({coordinates.size() == 1 ? fmt::format("closing.{}", loop.joint)
                                              : fmt::format("closing.{}.{}", loop.joint, d),
                      si_unit(coordinates[d].dimension), Kind::closing, static_cast<int>(d), k});
  }
}

const std::vector<std::string> closing_groups = {"closing_rate", "closing_acceleration",
                                                 "closing_effort"};

/// One per speed of the joints that close loops: closing_rate.pin, closing_rate.ball.0 ...
void add_closing_speeds(std::vector<Channel>& list, const Model& model, const std::string& group,
                        Kind kind) {
  for (int k = 0; k < std::ssize(model.loops()); ++k) {
    const Loop& loop = model.loops()[k];
    if (loop.kind != LoopKind::joint) continue;
    const std::span<const Degree> speeds = traits_of(loop.type).speeds;
    for (std::size_t d = 0; d < speeds.size(); ++d) {
      const std::string unit = kind == Kind::closing_effort
                                   ? (speeds[d].dimension == Dimension::length ? "N" : "Nm")
                                   : si_unit(speeds[d].dimension) +
                                         std::string(kind == Kind::closing_rate ? "/s" : "/s^2");
      list.push_back({speeds.size() == 1 ? fmt::format("{}.{}", group, loop.joint)
                                         : fmt::format("{}.{}.{}", group, loop.joint, d),
                      unit, kind, static_cast<int>(d), k});
    }
  }
}

/// Of the joints of the tree, then of those that close loops.
void add_reactions(std::vector<Channel>& list, const Model& model, const std::string& group) {
  const auto joint = [&](const std::string& name, std::size_t place) {
    if (group == "reaction" || group == "reaction." + name)
      add(list, "reaction." + name, wrench, Kind::reaction, static_cast<int>(place));
  };
  const std::size_t joints = model.joints().size();
  for (std::size_t j = 0; j < joints; ++j) joint(model.joints()[j].name, j);
  for (std::size_t k = 0; k < model.loops().size(); ++k)
    if (model.loops()[k].kind != LoopKind::coupling) joint(model.loops()[k].joint, joints + k);
}

/// Groups that a robot may lack, and why.
struct Absence {
  const char* group;
  const char* reason;
  const char* expected;
};
constexpr Absence absences[] = {
    {"closure", "has no loops", "a robot with loops"},
    {"closing", "has no joints that close loops", "a robot with loops"},
    {"closing_rate", "has no joints that close loops", "a robot with loops"},
    {"closing_acceleration", "has no joints that close loops", "a robot with loops"},
    {"closing_effort", "has no joints that close loops", "a robot with loops"},
    {"elastic", "has no flexible bodies", "a robot with flexible bodies"},
    {"element", "has no force elements", "a robot with elements"},
    {"momentum_balance", "has loops", "a robot without loops; power.residual is for all"},
    {"contact", "is in an experiment without contacts", "contacts in the experiment"},
    {"nonholonomic", "is in an experiment without rolling or knife edges",
     "nonholonomic in the experiment"}};

/// A group that this robot cannot give is an error that names it.
void refuse_absent(const Model& model, const std::string& name) {
  for (const Absence& absence : absences)
    if (name == absence.group)
      throw InputError(fmt::format("there is no channel '{}': robot '{}' {}", name, model.name(),
                                   absence.reason),
                       absence.expected);
}

int frame_or_none(const Model& model, std::string_view name) {
  for (std::size_t f = 0; f < model.frames().size(); ++f)
    if (model.frames()[f].name == name) return static_cast<int>(f);
  return -1;
}

/// FRAME, FRAME/BASE, FRAME@AXES or FRAME/BASE@AXES. Names may hold these signs themselves, so
/// every way to divide the text is tried; none: none fits.
std::optional<FrameQuery> frame_query(const Model& model, std::string_view text) {
  constexpr auto none = std::string_view::npos;
  for (std::size_t at = none;;) {
    const int axes = at == none ? 0 : frame_or_none(model, text.substr(at + 1));
    const std::string_view rest = text.substr(0, at);
    for (std::size_t slash = none; axes >= 0;) {
      const int base = slash == none ? 0 : frame_or_none(model, rest.substr(slash + 1));
      const int frame = frame_or_none(model, rest.substr(0, slash));
      if (frame >= 0 && base >= 0) return FrameQuery{frame, base, axes};
      slash = rest.find('/', slash == none ? 0 : slash + 1);
      if (slash == none) break;
    }
    at = text.find('@', at == none ? 0 : at + 1);
    if (at == none) return std::nullopt;
  }
}

/// twist.FRAME and acceleration.FRAME, relative to and in the axes of other frames.
template <std::size_t N>
void add_frame_motion(std::vector<Channel>& list, const Model& model, const std::string& group,
                      std::string_view prefix, const Named (&names)[N], Kind kind) {
  if (!group.starts_with(prefix)) return;
  const auto query = frame_query(model, std::string_view(group).substr(prefix.size()));
  if (!query) return;
  add(list, group, names, kind, query->frame);
  for (Channel& channel : list) {
    channel.relative_to = query->relative_to;
    channel.expressed_in = query->expressed_in;
  }
}

}  // namespace

double section_share(const std::string& channel, const char* group, const std::string& body) {
  const std::string start = fmt::format("{}.{}@", group, body);
  if (!channel.starts_with(start)) return -1;
  double share = -1;
  const char* end = channel.data() + channel.size();
  const auto [at, error] = std::from_chars(channel.data() + start.size(), end, share);
  const bool whole = error == std::errc() && (at == end || *at == '.');
  return whole && share >= 0 && share <= 1 ? share : -1;
}

namespace {

std::vector<Channel> group_named(const Model& model, const std::string& group) {
  std::vector<Channel> list;
  const bool closes = !model.loops().empty();
  if (group == "q") add(list, group, model.coordinate_names(), coordinate_units(model), Kind::q);
  if (group == "v") add(list, group, model.speed_names(), with(speed_units(model), "/s"), Kind::v);
  if (group == "a")
    add(list, group, model.speed_names(), with(speed_units(model), "/s^2"), Kind::a);
  if (group == "tau") add(list, group, model.speed_names(), effort_units_of(model), Kind::tau);
  if (group == "reference")
    add(list, group, model.coordinate_names(), coordinate_units(model), Kind::reference);
  if (group == "energy") add(list, group, energies, Kind::energy);
  if (group == "momentum") add(list, group, momenta, Kind::momentum);
  if (group == "momentum_balance" && !closes)
    for (int k = 0; k < 2; ++k)
      list.push_back(
          {fmt::format("{}.{}", group, balances[k].name), balances[k].unit, Kind::momentum, 6 + k});
  if (group == "power") add(list, group, powers, Kind::power);
  if (group == "constraint") add(list, group, constraints, Kind::constraint);
  if (group == "closing_rate") add_closing_speeds(list, model, group, Kind::closing_rate);
  if (group == "closing_acceleration")
    add_closing_speeds(list, model, group, Kind::closing_acceleration);
  if (group == "closing_effort") add_closing_speeds(list, model, group, Kind::closing_effort);
  add_frame_motion(list, model, group, "twist.", twist, Kind::twist);
  add_frame_motion(list, model, group, "acceleration.", accelerations, Kind::acceleration);
  add_reactions(list, model, group);
  for (std::size_t b = 1; b < model.bodies().size(); ++b)
    if (group == "external." + model.bodies()[b].name)
      add(list, group, wrench, Kind::external, static_cast<int>(b));
  if (group == "closure" && closes) add(list, group, closures, Kind::closure);
  if (group == "closing") add_closing(list, model);
  for (std::size_t k = 0; k < model.elements().size(); ++k) {
    const Element& element = model.elements()[k];
    if (group != "element" && group != "element." + element.name) continue;
    const bool turns = element.type == ElementData::Type::torsion;
    add(list, "element." + element.name, turns ? turn_readings : line_readings, Kind::element,
        static_cast<int>(k));
  }
  if (group == "elastic" && model.modes() > 0) add(list, group, elastics, Kind::elastic);
  for (std::size_t k = 0; k < model.flexible_links().size(); ++k) {
    const std::string& body = model.bodies()[model.flexible_links()[k].body].name;
    if (group == "deflection." + body)
      add(list, group, deflections, Kind::deflection, static_cast<int>(k));
    // The name of a single channel goes on after the share.
    const bool whole =
        !group.ends_with(".y") && !group.ends_with(".z") && !group.ends_with(".twist");
    if (group == "moment." + body || (whole && section_share(group, "moment", body) >= 0))
      add(list, group, moments, Kind::moment, static_cast<int>(k));
    if (group == "strain." + body || (whole && section_share(group, "strain", body) >= 0))
      add(list, group, strains, Kind::strain, static_cast<int>(k));
  }
  if (group.starts_with("frame."))
    for (std::size_t f = 0; f < model.frames().size(); ++f)
      if (group == "frame." + model.frames()[f].name)
        add(list, group, pose, Kind::frame, static_cast<int>(f));
  return list;
}

[[noreturn]] void refuse_name(const Model& model, const std::string& name) {
  std::vector<std::string> known = groups;
  for (const std::string& group : groups)
    for (const Channel& channel : group_named(model, group)) known.push_back(channel.name);
  for (const std::string& group : closing_groups) known.push_back(group);
  for (const Frame& frame : model.frames())
    for (const char* group : {"frame.", "twist.", "acceleration."})
      known.push_back(group + frame.name);
  for (const FlexibleLink& link : model.flexible_links())
    for (const char* group : {"deflection.", "moment.", "strain."})
      known.push_back(group + model.bodies()[link.body].name);
  throw InputError(
      fmt::format("there is no channel '{}'", name),
      "q, v, a, tau, twist.NAME, acceleration.NAME, closing_rate, closing_acceleration, "
      "closing_effort, reference, energy, momentum, momentum_balance, power, reaction, constraint, "
      "closure, "
      "closing, elastic, element, frame.NAME, external.BODY, deflection.BODY, moment.BODY, "
      "moment.BODY@SHARE, strain.BODY@SHARE, tip_error.FRAME, contact, nonholonomic, or one of "
      "theirs such as energy.kinetic",
      nearest_name_hint(name, known));
}

}  // namespace

std::string effort_unit(const Model& model, int speed) {
  return model.speed_dimensions()[static_cast<std::size_t>(speed)] == Dimension::length ? "N"
                                                                                        : "Nm";
}

std::vector<std::string> speed_units(const Model& model) {
  std::vector<std::string> units;
  for (const Dimension d : model.speed_dimensions()) units.emplace_back(si_unit(d));
  return units;
}

std::vector<std::string> coordinate_units(const Model& model) {
  std::vector<std::string> units;
  for (const Dimension d : model.coordinate_dimensions()) units.emplace_back(si_unit(d));
  return units;
}

std::vector<std::string> default_channels() { return {"q", "v", "tau", "energy"}; }

std::vector<Channel> channels_named(const Model& model, const std::string& name) {
  if (std::vector<Channel> group = group_named(model, name); !group.empty()) return group;
  // A single channel: the group before a dot, whichever dot it is (names may hold dots).
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
    for (const Channel& channel : group_named(model, name.substr(0, dot)))
      if (channel.name == name) return {channel};
  refuse_absent(model, name);
  // Another group without channels (q of a robot without joints) is no mistake.
  for (const std::string& group : groups)
    if (group == name) return {};
  refuse_name(model, name);
}

}  // namespace ulna
