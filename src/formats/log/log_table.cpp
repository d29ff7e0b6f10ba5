#include "log/log_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "log/log_cells.hpp"
#include "text_file.hpp"
#include "ulna/model/internal/quantity.hpp"  // in_quotes
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

struct Line {
  std::string_view text;
  int number;
};

std::vector<Line> lines_of(std::string_view rest) {
  std::vector<Line> lines;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view content = trimmed(line);
    if (content.empty() || content.starts_with("//")) continue;
    // Comments; but "# t q1 q2" above numbers is a line of titles.
    if (content[0] == '#' || content[0] == '%') {
      if (lines.size() > 1) continue;
      lines.clear();
      lines.push_back({trimmed(content.substr(1)), number});
      continue;
    }
    lines.push_back({line, number});
  }
  return lines;
}

/// ' ' stands for any blanks.
struct Layout {
  char delimiter, decimal;
  const char* words;
};
constexpr Layout layouts[] = {{';', ',', "semicolons, decimal comma"},
                              {';', '.', "semicolons"},
                              {'\t', ',', "tabs, decimal comma"},
                              {'\t', '.', "tabs"},
                              {',', '.', "commas"},
                              {' ', ',', "blanks, decimal comma"},
                              {' ', '.', "blanks"}};

std::vector<std::string_view> cells_of(std::string_view line, char delimiter) {
  std::vector<std::string_view> cells;
  if (delimiter == ' ') {
    for (line = trimmed(line); !line.empty();) {
      const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
      cells.push_back(line.substr(0, end));
      line.remove_prefix(end);
      line = trimmed(line);
    }
    return cells;
  }
  while (true) {
    std::size_t from = 0;
    const std::size_t first = std::min(line.find_first_not_of(" "), line.size());
    if (line.substr(first).starts_with('"')) {
      const std::size_t close = line.find('"', first + 1);
      if (close != std::string_view::npos) from = close + 1;
    }
    const std::size_t end = line.find(delimiter, from);
    std::string_view cell = trimmed(line.substr(0, end));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = trimmed(cell.substr(1, cell.size() - 2));
    cells.push_back(cell);
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
  }
  return cells;
}

/// Where the table begins, and which of its columns hold words: empty cells elsewhere.
struct Start {
  std::size_t line;
  std::vector<std::string> words;
};

/// The columns of these lines hold numbers, or no number at all. Nothing where one holds both, or
/// fewer than two hold numbers.
std::optional<std::vector<std::string>> word_columns(
    const std::vector<std::vector<std::string_view>>& rows, char decimal) {
  std::vector<std::string> words(rows.front().size());
  std::size_t numbers = 0;
  for (std::size_t c = 0; c < words.size(); ++c) {
    bool number = false;
    for (const auto& row : rows) {
      const auto value = number_in(row[c], decimal);
      if (!value && words[c].empty()) words[c] = std::string(row[c]);
      number = number || (value && !std::isnan(*value));
    }
    if (number && !words[c].empty()) return std::nullopt;
    numbers += number;
  }
  return numbers < 2 ? std::nullopt : std::optional(words);
}

/// The first lines are titles, units and remarks; then all have the same number of cells.
std::optional<Start> start_of(const std::vector<Line>& lines, const Layout& layout) {
  constexpr std::size_t most = 60, looked_at = 20;
  for (std::size_t first = 0; first < std::min(most, lines.size()); ++first) {
    std::vector<std::vector<std::string_view>> rows;
    for (std::size_t k = first; k < std::min(lines.size(), first + looked_at); ++k)
      rows.push_back(cells_of(lines[k].text, layout.delimiter));
    const std::size_t count = rows.front().size();
    // A table of only a last line that happens to fit is none.
    if (count < 2 || rows.size() < 2) continue;
    if (std::ranges::any_of(rows, [&](const auto& row) { return row.size() != count; })) continue;
    if (auto words = word_columns(rows, layout.decimal)) return Start{first, std::move(*words)};
  }
  return std::nullopt;
}

/// The layout that leaves the fewest columns of words, the earliest of equals.
std::optional<std::pair<Start, Layout>> recognised(const std::vector<Line>& lines) {
  std::optional<std::pair<Start, Layout>> best;
  long fewest = 0;
  for (const Layout& layout : layouts) {
    auto start = start_of(lines, layout);
    if (!start) continue;
    const long words =
        std::ranges::count_if(start->words, [](auto& word) { return !word.empty(); });
    if (best && words >= fewest) continue;
    fewest = words;
    best.emplace(std::move(*start), layout);
    if (words == 0) break;
  }
  return best;
}

std::vector<std::string> titles_of(const std::vector<Line>& lines, std::size_t first,
                                   std::size_t count, const Layout& layout) {
  std::vector<std::string> titles;
  const auto words = [&](std::size_t line) {
    auto cells = cells_of(lines[line].text, layout.delimiter);
    // "t[s],q1[rad]" above blanks, and the like.
    for (const Layout& other : layouts)
      if (cells.size() != count && cells.size() + 1 != count)
        cells = cells_of(lines[line].text, other.delimiter);
    if (cells.size() + 1 == count) cells.emplace_back();  // records end with a delimiter
    return cells;
  };
  if (first > 0) {
    const auto last = words(first - 1);
    const auto before = first > 1 ? words(first - 2) : std::vector<std::string_view>{};
    const bool units = before.size() == count;
    const auto& names = units ? before : last;
    if (names.size() == count)
      for (std::size_t k = 0; k < count; ++k) {
        titles.emplace_back(names[k]);
        if (units && last.size() == count && !last[k].empty())
          titles.back() += fmt::format("[{}]", last[k]);
      }
  }
  if (titles.empty())
    for (std::size_t k = 0; k < count; ++k) titles.push_back(std::to_string(k + 1));
  return titles;
}

std::vector<double> row_of(const std::vector<std::string_view>& cells, const LogTable& table,
                           char decimal, const SourceMark& where) {
  std::vector<double> row;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::optional<double> value = table.words[c].empty() ? number_in(cells[c], decimal) : NAN;
    if (!value)
      throw InputError(Problem{where,
                               "column " + in_quotes(table.titles[c]),
                               "found " + in_quotes(std::string(cells[c])),
                               "a number",
                               {}});
    row.push_back(std::isfinite(*value) ? *value : NAN);
  }
  return row;
}

}  // namespace

LogTable parse_log(const std::string& original, const std::string& file) {
  const std::string text = as_utf8(original);
  const std::vector<Line> lines = lines_of(text);
  const auto found = recognised(lines);
  if (!found)
    throw InputError(Problem{{file},
                             {},
                             "no table of numbers was recognised",
                             "lines with the same number of values, separated by commas, "
                             "semicolons, tabs or blanks, at least two of each",
                             {}});
  const auto& [start, layout] = *found;
  LogTable table;
  table.layout = layout.words;
  table.words = start.words;
  const std::size_t count = start.words.size();
  table.titles = titles_of(lines, start.line, count, layout);
  for (std::size_t k = start.line; k < lines.size(); ++k) {
    const auto cells = cells_of(lines[k].text, layout.delimiter);
    if (k + 1 == lines.size() && cells.size() < count) {
      table.cut_off = lines[k].number;
      break;
    }
    const SourceMark where{file, lines[k].number, 1};
    if (cells.size() != count)
      throw InputError(Problem{where,
                               {},
                               fmt::format("{} values", cells.size()),
                               fmt::format("{}, as in the lines above", count),
                               {}});
    table.rows.push_back(row_of(cells, table, layout.decimal, where));
    table.lines.push_back(lines[k].number);
  }
  return table;
}

}  // namespace ulna
