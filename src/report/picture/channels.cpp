#include "ulna/report/parts/channels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "ulna/model/model.hpp"  // nearest_name_hint

namespace ulna {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// A shell's pattern, without brackets. Linear in practice: on a mismatch only the last star moves.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, after = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++after;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

ChannelTitle channel_title(const std::string& title) {
  ChannelTitle parts;
  const std::size_t open = title.rfind('['), close = title.rfind(']');
  const bool has_unit = open != std::string::npos && close == title.size() - 1 && open < close;
  parts.name = trimmed(title.substr(0, has_unit ? open : title.size()));
  if (has_unit) parts.unit = trimmed(title.substr(open + 1, close - open - 1));
  // Names of joints, bodies and frames may hold dots; what follows them does not.
  bool three_parts = false;
  for (const char* group : {"frame.", "reaction.", "external."})
    three_parts = three_parts || parts.name.starts_with(group);
  const std::size_t dot = three_parts ? parts.name.rfind('.') : parts.name.find('.');
  if (dot != std::string::npos) {
    parts.group = parts.name.substr(0, dot);
    parts.label = parts.name.substr(dot + 1);
  } else {  // tau1, tau2 of a plain table
    parts.group = parts.name.substr(0, parts.name.find_last_not_of("0123456789_") + 1);
    if (parts.group.empty()) parts.group = parts.name;
    parts.label = parts.name;
  }
  return parts;
}

namespace {

[[noreturn]] void refuse_pattern(std::string_view pattern, const std::vector<std::string>& titles) {
  constexpr std::size_t most = 12;
  std::vector<std::string> known, groups;
  for (std::size_t k = 1; k < titles.size(); ++k) {
    const ChannelTitle parts = channel_title(titles[k]);
    known.push_back(parts.name);
    known.push_back(parts.group);
    if (std::find(groups.begin(), groups.end(), parts.group) == groups.end())
      groups.push_back(parts.group);
  }
  if (groups.size() > most) groups.resize(most), groups.emplace_back("...");
  throw InputError(fmt::format("no channel matches '{}'", pattern),
                   fmt::format("a channel, a group ({}) or a pattern such as {}*",
                               fmt::join(groups, ", "), groups.empty() ? "tau" : groups.front()),
                   nearest_name_hint(std::string(pattern), known));
}

}  // namespace

std::vector<int> select_channels(const std::vector<std::string>& titles,
                                 const std::string& patterns) {
  std::vector<std::string> names;
  for (const std::string& title : titles) names.push_back(channel_title(title).name);
  std::vector<bool> chosen(titles.size(), false);
  for (const std::string_view pattern : split(patterns)) {
    bool found = false;
    const std::string members = std::string(pattern) + ".*";
    for (std::size_t k = 1; k < names.size(); ++k)
      if (matches(pattern, names[k]) || matches(members, names[k])) chosen[k] = found = true;
    if (!found) refuse_pattern(pattern, titles);
  }
  std::vector<int> list;
  for (std::size_t k = 1; k < chosen.size(); ++k)
    if (chosen[k]) list.push_back(static_cast<int>(k));
  return list;
}

}  // namespace ulna
