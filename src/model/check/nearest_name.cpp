#include <fmt/format.h>

#include <algorithm>

#include "ulna/model/internal/entry_hint.hpp"

namespace ulna {
namespace {

std::string in_small_letters(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return text;
}

/// Letters to be inserted, left out, changed or exchanged with the next one.
int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> before(b.size() + 1), last = before, row = before;
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// How many letters both begin with.
int common_beginning(const std::string& a, const std::string& b) {
  const auto ends = std::ranges::mismatch(a, b);
  return static_cast<int>(ends.in1 - a.begin());
}

/// The shortest of the names that begin with so much of one.
const std::string* begun_with(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t telling = 3;
  const std::string* best = nullptr;
  if (name.size() < telling) return best;
  for (const std::string& candidate : known)
    if (candidate.starts_with(name) && (!best || candidate.size() < best->size()))
      best = &candidate;
  return best;
}

}  // namespace

std::string nearest_name_hint(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 100;  // what is longer is no slip of the keyboard
  const std::string* best = nullptr;
  int best_distance = static_cast<int>(std::min(name.size(), longest)) / 3 + 1, best_begun = -1;
  for (const std::string& candidate : known) {
    if (name.size() > longest || candidate.size() > longest) continue;
    const std::string typed = in_small_letters(name), offered = in_small_letters(candidate);
    const int distance = edit_distance(typed, offered), begun = common_beginning(typed, offered);
    if (distance > best_distance || (distance == best_distance && begun <= best_begun)) continue;
    best_distance = distance, best_begun = begun, best = &candidate;
  }
  if (!best) best = begun_with(name, known);
  return best ? fmt::format("did you mean '{}'?", *best) : std::string{};
}

std::string nearest_entry_hint(const Model& model, const std::string& name,
                               const std::vector<std::string>& known) {
  for (const JointData& joint : model.robot().joints) {
    if (joint.name != name) continue;
    if (joint.mimic) return fmt::format("'{}' follows '{}'", name, joint.mimic->joint);
    if (joint.type == JointType::fixed) return fmt::format("'{}' is fixed", name);
  }
  return nearest_name_hint(name, known);
}

}  // namespace ulna
