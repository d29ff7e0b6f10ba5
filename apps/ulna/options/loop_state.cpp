#include "options/loop_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "output/terminal.hpp"
#include "ulna/kinematics/independent_speeds.hpp"

namespace ulna::cli {
namespace {

/// "a=1,b=2" as places among the entries, ascending, and values.
struct Named {
  std::vector<int> places;
  Eigen::VectorXd values;
};

bool is_named(const VectorOption& text) { return text && text->find('=') != std::string::npos; }

std::vector<std::string> named_parts(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

int place_of(const std::string& option, const std::string& name,
             const std::vector<Entry>& entries) {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (entries[k].name == name) return static_cast<int>(k);
    known.push_back(entries[k].name);
  }
  throw InputError(Problem{{},
                           option,
                           fmt::format("the robot has no '{}'", name),
                           "names as 'ulna info' lists them",
                           nearest_name_hint(name, known)});
}

Named parse_named(const std::string& option, const std::string& text,
                  const std::vector<Entry>& entries, const std::string& rate = {}) {
  std::map<int, std::string> value_of;  // by place
  for (const std::string& part : named_parts(text)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      throw InputError(Problem{{},
                               option,
                               fmt::format("'{}' found among named values", part),
                               "NAME=VALUE for each, or values alone for all",
                               {}});
    const int place = place_of(option, part.substr(0, equals), entries);
    if (!value_of.emplace(place, part.substr(equals + 1)).second)
      throw InputError(Problem{{},
                               option,
                               fmt::format("'{}' is given twice", entries[place].name),
                               "each name once",
                               {}});
  }
  Named named;
  std::string values;
  std::vector<Entry> used;
  for (const auto& [place, value] : value_of) {
    named.places.push_back(place);
    used.push_back(entries[place]);
    values += (values.empty() ? "" : ",") + value;
  }
  named.values = parse_vector(option, values, used, rate);
  return named;
}

void require_loops(const Model& model, const char* option) {
  if (model.loops().empty())
    throw InputError(
        Problem{{},
                option,
                fmt::format("named values for robot '{}', which has no loops", model.name()),
                "all values in their order",
                {}});
}

Eigen::VectorXd closed_coordinates(const Model& model, const VectorOption& text) {
  AssemblyOptions options = assembly_options(model, text);
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, options.start);
  const double gap = closure.largest_gap(work);
  if (gap <= 1e-12) return options.start;
  options.tolerance = 1e-11;
  const AssemblyResult found = assemble(model, options);
  if (found.solutions.empty()) throw ComputationError(found.reason, found.nearest_gap);
  const Eigen::VectorXd& q = found.solutions[0].q;
  if (!found.note.empty()) note(found.note);
  if (found.solutions[0].gap > options.tolerance)
    note(fmt::format("the loops stay open by {:.3g} (m, rad), within the robot's tolerance {:.3g}",
                     found.solutions[0].gap, model.robot().loop_tolerance));
  if (text && !is_named(text))
    note(fmt::format("--q leaves the loops open by {:.3g} (m, rad): closed by moving it {:.3g}",
                     gap, model.difference(options.start, q).norm()));
  return q;
}

/// Modal speeds that are not named are zero, where the loops leave them free.
void add_still_modes(const LoopClosure& closure, Named& named) {
  const Model& model = closure.model();
  for (const int k : split_speeds(closure).independent) {
    const auto at = std::lower_bound(named.places.begin(), named.places.end(), k);
    if (k < model.joint_speeds() || (at != named.places.end() && *at == k)) continue;
    const auto before = at - named.places.begin(), after = named.values.size() - before;
    Eigen::VectorXd values = Eigen::VectorXd::Zero(named.values.size() + 1);
    values.head(before) = named.values.head(before);
    values.tail(after) = named.values.tail(after);
    named.values = values;
    named.places.insert(at, k);
  }
}

/// All speeds or accelerations from some of them, or the nearest to those typed.
Eigen::VectorXd completed(const Model& model, LoopClosure& closure, const VectorOption& text,
                          const char* option, const char* rate, bool accelerations) {
  const auto nearest = [&](const Eigen::VectorXd& x) {
    return accelerations ? compatible_accelerations(closure, x) : compatible_speeds(closure, x);
  };
  if (!text) return nearest(Eigen::VectorXd::Zero(model.speeds()));
  if (is_named(text)) {
    Named named = parse_named(option, *text, speed_entries(model), rate);
    if (model.flexible()) add_still_modes(closure, named);
    const CoordinateMap map = independent_map(closure, split_speeds(closure, named.places));
    return accelerations ? map.accelerations(named.values) : map.speeds(named.values);
  }
  const Eigen::VectorXd typed = parse_vector(option, *text, speed_entries(model), rate);
  const Eigen::VectorXd x = nearest(typed);
  const double change = (x - typed).norm();
  if (change > 1e-9 * (1 + typed.norm()))
    note(fmt::format("{} does not fit the loops: changed by {:.3g}", option, change));
  return x;
}

}  // namespace

AssemblyOptions assembly_options(const Model& model, const VectorOption& text) {
  AssemblyOptions options;
  if (!is_named(text)) {
    options.start = coordinates_from(model, text);
    return options;
  }
  require_loops(model, "--q");
  const Named named = parse_named("--q", *text, coordinate_entries(model));
  options.start = model.neutral();
  for (std::size_t k = 0; k < named.places.size(); ++k)
    options.start(named.places[k]) = named.values(static_cast<Eigen::Index>(k));
  options.start = model.normalized(options.start);
  options.held = named.places;
  return options;
}

RobotState closed_state(const Model& model, const VectorOption& q, const VectorOption& v,
                        const VectorOption& a) {
  if (model.loops().empty()) {
    if (is_named(q)) require_loops(model, "--q");
    if (is_named(v)) require_loops(model, "--v");
    if (is_named(a)) require_loops(model, "--a");
    return {coordinates_from(model, q), speeds_from(model, v), accelerations_from(model, a)};
  }
  RobotState state;
  state.q = closed_coordinates(model, q);
  warn_limits(model, state.q);
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, state.q);
  state.v = completed(model, closure, v, "--v", "/s", false);
  closure.update_rates(work, state.q, state.v);
  state.a = completed(model, closure, a, "--a", "/s^2", true);
  return state;
}

std::vector<int> speeds_named_in(const Model& model, const std::string& option,
                                 const std::string& text) {
  std::vector<int> speeds;
  const std::vector<Entry> entries = speed_entries(model);
  for (const std::string& name : named_parts(text))
    speeds.push_back(place_of(option, name, entries));
  return speeds;
}

}  // namespace ulna::cli
