#include <fmt/format.h>

#include <algorithm>

#include "ulna/model/model.hpp"

namespace ulna {
namespace {

std::string in_small_letters(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return text;
}

/// Letters to be inserted, left out or changed.
int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1 : 0)});
      diagonal = above;
    }
  }
  return row[b.size()];
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
  int best_distance = static_cast<int>(std::min(name.size(), longest)) / 3 + 2;
  for (const std::string& candidate : known) {
    if (name.size() > longest || candidate.size() > longest) continue;
    const int distance = edit_distance(in_small_letters(name), in_small_letters(candidate));
    if (distance < best_distance) best_distance = distance, best = &candidate;
  }
  if (!best) best = begun_with(name, known);
  return best ? fmt::format("did you mean '{}'?", *best) : std::string{};
}

}  // namespace ulna
