#include "output/closing_output.hpp"
#include "options/degrees.hpp"

#include "options/state_options.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli {
namespace {

/// One of q, v, a of all closing joints in a row.
Eigen::VectorXd gathered(const State& state, Eigen::VectorXd ClosingJointState::*part) {
  Eigen::VectorXd all(0);
  for (const ClosingJointState& one : state.closing) {
    const Eigen::VectorXd& x = one.*part;
    all.conservativeResize(all.size() + x.size());
    all.tail(x.size()) = x;
  }
  return all;
}

/// Closed forms of platforms have the efforts of the drives only.
bool has_efforts(const ClosingColumns& columns) {
  return columns.efforts && columns.efforts->size() > 0;
}

/// {"joint4": {"q": [], "v": [], "a": [], "tau": []}, ...}.
Json closing_to_json(const Model& model, const State& state, const ClosingColumns& columns) {
  const bool efforts = has_efforts(columns);
  Json out = Json::object();
  Eigen::Index first = 0;
  for (std::size_t k = 0; k < state.closing.size(); ++k) {
    const ClosingJointState& one = state.closing[k];
    if (one.q.size() == 0) continue;
    Json& joint = out[model.loops()[k].joint];
    joint["q"] = to_json(one.q);
    if (columns.rates) joint["v"] = to_json(one.v);
    if (columns.accelerations) joint["a"] = to_json(one.a);
    if (efforts) joint["tau"] = to_json(columns.efforts->segment(first, one.v.size()));
    first += one.v.size();
  }
  return out;
}

}  // namespace

void add_closed_state(Json& out, const Model& model, const State& state, std::string_view parts,
                      const std::optional<ClosingColumns>& columns) {
  if (state.closing.empty()) return;
  for (const auto& [name, x] : {std::pair{'q', &state.q}, {'v', &state.v}, {'a', &state.a}})
    if (parts.find(name) != parts.npos) out[std::string(1, name)] = to_json(*x);
  if (columns) out["closing_joints"] = closing_to_json(model, state, *columns);
}

void print_closing(const Model& model, const State& state, const ClosingColumns& columns) {
  const std::vector<Entry> coordinates = closing_coordinate_entries(model),
                           speeds = closing_speed_entries(model);
  if (coordinates.empty()) return;
  const auto names = [](const std::vector<Entry>& entries) {
    std::vector<std::string> list;
    for (const Entry& entry : entries) list.push_back(entry.name);
    return list;
  };
  print(heading("\njoints that close loops"));
  Table table;
  table.words("joint", names(coordinates))
      .numbers("q", shown(gathered(state, &ClosingJointState::q), coordinates))
      .words("unit", shown_units(coordinates));
  // A quaternion has more entries than its rates: these then have a table of their own.
  const bool together = coordinates.size() == speeds.size();
  Table other;
  if (!together) other.words("joint", names(speeds));
  Table& rates = together ? table : other;
  if (columns.rates)
    rates.numbers("v", shown(gathered(state, &ClosingJointState::v), speeds))
        .words("unit", shown_units(speeds, "/s"));
  if (columns.accelerations)
    rates.numbers("a", shown(gathered(state, &ClosingJointState::a), speeds))
        .words("unit", shown_units(speeds, "/s^2"));
  if (has_efforts(columns))
    rates.numbers("tau", *columns.efforts).words("unit", effort_units(speeds));
  print(table.text());
  if (!together && (columns.rates || columns.accelerations || has_efforts(columns)))
    print("\n" + other.text());
}

}  // namespace ulna::cli
