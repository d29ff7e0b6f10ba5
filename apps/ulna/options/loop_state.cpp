#include "options/loop_state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/terminal.hpp"

namespace ulna::cli {
namespace {

void note_moved(const char* option, double moved, const Eigen::VectorXd& x) {
  if (moved > 1e-9 * (1 + x.norm()))
    note(fmt::format("{} does not fit the loops: changed by {:.3g}", option, moved));
}

std::vector<int> places_in(const std::string& option, const std::string& text,
                           const std::vector<Entry>& entries) {
  std::vector<int> places;
  for (const std::string& name : listed_names(text)) {
    places.push_back(place_named(option, name, entries));
    if (std::ranges::count(places, places.back()) > 1)
      throw InputError(
          Problem{{}, option, fmt::format("'{}' is given twice", name), "each name once", {}});
  }
  return places;
}

}  // namespace

RobotState closed_state(const Model& model, const VectorOption& q, const VectorOption& v,
                        const VectorOption& a) {
  const StateRequest request{.q = coordinates_part(model, q),
                             .v = rates_part(model, v, "--v", "/s"),
                             .a = rates_part(model, a, "--a", "/s^2")};
  RobotState state = complete_state(model, request);
  for (const std::string& item : state.notes) note(item);
  if (state.moved_q > 0)
    note(fmt::format("--q leaves the loops open by {:.3g} (m, rad): closed by moving it {:.3g}",
                     state.gap, state.moved_q));
  note_moved("--v", state.moved_v, state.v);
  note_moved("--a", state.moved_a, state.a);
  warn_limits(model, state.q, state.v);
  return state;
}

void add_state_options(CLI::App& command, StateWords& words, std::string_view parts) {
  const auto add = [&](const char* option, VectorOption& text, const char* type, const char* help) {
    if (parts.find(option[2]) != parts.npos) add_text(command, option, text, type, help);
  };
  add("--q", words.q, "Q1,Q2,...", q_help);
  add("--elastic", words.elastic, "E1,E2,...", elastic_help);
  add("--v", words.v, "V1,V2,...", "Speeds (default: zero)");
  add("--a", words.a, "A1,A2,...", "Accelerations (default: zero)");
}

RobotState closed_state(const Model& model, const StateWords& words) {
  return closed_state(model, with_elastic(model, words.q, words.elastic), words.v, words.a);
}

std::vector<int> speeds_named_in(const Model& model, const std::string& option,
                                 const std::string& text) {
  return places_in(option, text, speed_entries(model));
}

std::vector<int> degrees_named_in(const Model& model, const std::string& option,
                                  const std::string& text) {
  std::vector<Entry> entries = speed_entries(model);
  for (const Entry& entry : closing_speed_entries(model)) entries.push_back(entry);
  return places_in(option, text, entries);
}

}  // namespace ulna::cli
