#include "log/log_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

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
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
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
  if (cells.back().empty()) cells.pop_back();  // a delimiter at the end of each line
  return cells;
}

/// Nothing when the cell is not a number; NaN when it says that there is none.
std::optional<double> number_in(std::string_view cell, char decimal) {
  std::string text(cell);
  if (text.empty() || text == "NaN" || text == "nan" || text == "NA" || text == "-nan" ||
      text == "Inf" || text == "inf" || text == "-inf")
    return NAN;
  if (decimal == ',') {
    if (text.find('.') != std::string::npos) return std::nullopt;
    if (const std::size_t comma = text.find(','); comma != std::string::npos) text[comma] = '.';
  }
  const char* first = text.data() + (text[0] == '+' ? 1 : 0);
  double value = 0;
  const auto [at, error] = std::from_chars(first, text.data() + text.size(), value);
  if (error != std::errc() || at != text.data() + text.size()) return std::nullopt;
  return value;
}

bool all_numbers(const std::vector<std::string_view>& cells, char decimal) {
  bool any = false;
  for (const std::string_view cell : cells) {
    const auto value = number_in(cell, decimal);
    if (!value) return false;
    any = any || !std::isnan(*value);
  }
  return any;
}

/// Lines in front of the numbers, at most two of which are titles and units.
std::optional<std::size_t> heading_lines(const std::vector<Line>& lines, const Layout& layout) {
  constexpr std::size_t most = 60, looked_at = 20;
  for (std::size_t first = 0; first < std::min(most, lines.size()); ++first) {
    const std::size_t count = cells_of(lines[first].text, layout.delimiter).size();
    if (count < 2) continue;
    bool fits = true;
    for (std::size_t k = first; fits && k < std::min(lines.size(), first + looked_at); ++k) {
      const auto cells = cells_of(lines[k].text, layout.delimiter);
      fits = cells.size() == count && all_numbers(cells, layout.decimal);
    }
    // A table of only a last line that happens to fit is none.
    if (fits && first + 1 < lines.size()) return first;
  }
  return std::nullopt;
}

std::vector<std::string> titles_of(const std::vector<Line>& lines, std::size_t first,
                                   std::size_t count, const Layout& layout) {
  std::vector<std::string> titles;
  const auto words = [&](std::size_t line) {
    auto cells = cells_of(lines[line].text, layout.delimiter);
    // "t[s],q1[rad]" above blanks, and the like.
    for (const Layout& other : layouts)
      if (cells.size() != count) cells = cells_of(lines[line].text, other.delimiter);
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

}  // namespace

LogTable parse_log(const std::string& text, const std::string& file) {
  const std::vector<Line> lines = lines_of(text);
  for (const Layout& layout : layouts) {
    const auto first = heading_lines(lines, layout);
    if (!first) continue;
    LogTable table;
    table.layout = layout.words;
    const std::size_t count = cells_of(lines[*first].text, layout.delimiter).size();
    table.titles = titles_of(lines, *first, count, layout);
    for (std::size_t k = *first; k < lines.size(); ++k) {
      const auto cells = cells_of(lines[k].text, layout.delimiter);
      const bool cut_off = k + 1 == lines.size() && cells.size() < count;
      if (cells.size() != count && !cut_off)
        throw InputError(Problem{{file, lines[k].number, 1},
                                 {},
                                 fmt::format("{} values", cells.size()),
                                 fmt::format("{}, as in the lines above", count),
                                 {}});
      std::vector<double> row;
      bool whole = !cut_off;
      for (std::size_t c = 0; whole && c < count; ++c) {
        const auto value = number_in(cells[c], layout.decimal);
        if (!value)
          throw InputError(Problem{{file, lines[k].number, 1},
                                   "column " + in_quotes(table.titles[c]),
                                   "found " + in_quotes(std::string(cells[c])),
                                   "a number",
                                   {}});
        whole = std::isfinite(*value);
        row.push_back(*value);
      }
      if (whole)
        table.rows.push_back(std::move(row));
      else if (table.incomplete++ == 0)
        table.first_incomplete = lines[k].number;
    }
    return table;
  }
  throw InputError(Problem{{file},
                           {},
                           "no table of numbers was recognised",
                           "lines with the same number of values, separated by commas, semicolons, "
                           "tabs or blanks, at least two of each",
                           {}});
}

}  // namespace ulna
