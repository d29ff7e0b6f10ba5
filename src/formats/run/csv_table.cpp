#include "run/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "log/log_table.hpp"
#include "text_file.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

/// The end of a cell in quotes that begins at 0: behind the closing quote, npos if there is none.
std::size_t end_of_quotes(std::string_view line) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] != '"') continue;
    if (i + 1 == line.size() || line[i + 1] != '"') return i + 1;
    ++i;  // "" stands for one quote
  }
  return std::string_view::npos;
}

/// Cells as they stand, quotes included.
std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    std::size_t from = 0;
    if (line.substr(first).starts_with('"')) {
      const std::size_t quoted = end_of_quotes(line.substr(first));
      if (quoted != std::string_view::npos) from = first + quoted;
    }
    const std::size_t comma = line.find(',', from);
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::string unquoted(std::string_view cell) {
  if (!cell.starts_with('"') || end_of_quotes(cell) != cell.size()) return std::string(cell);
  std::string out;
  for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
    out += cell[i];
    if (cell[i] == '"') ++i;
  }
  return out;
}

/// Without the quotes that some programs put around numbers as well.
std::string_view bare(std::string_view cell) {
  const bool quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return quoted ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

void refuse_doubled_titles(const CsvTable& table, int line) {
  std::set<std::string_view> seen;
  for (const std::string& title : table.titles)
    if (!seen.insert(title).second)
      throw InputError(Problem{{table.file, line, 1},
                               {},
                               "two columns have the title " + in_quotes(title),
                               "titles that differ",
                               {}});
}

}  // namespace

std::string csv_title(const std::string& title) {
  if (title.find_first_of(",\"") == std::string::npos && trimmed(title) == title) return title;
  std::string out = "\"";
  for (const char c : title) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string title_without_unit(std::string_view title) {
  const std::size_t bracket = title.ends_with(']') ? title.rfind('[') : std::string_view::npos;
  return std::string(title.substr(0, bracket));
}

std::string unit_of_title(std::string_view title) {
  const std::size_t bare = title_without_unit(title).size();
  return bare == title.size()
             ? std::string()
             : std::string(trimmed(title.substr(bare + 1, title.size() - bare - 2)));
}

std::string plain_unit(std::string unit) {
  for (const char* joined : {"kNm", "mNm", "Nm"})
    if (const std::size_t at = unit.find(joined); at != std::string::npos) {
      unit.insert(at + std::string_view(joined).size() - 1, " ");
      break;
    }
  constexpr std::pair<const char*, const char*> in_full[] = {
      {"\xC2\xB0", "deg"}, {"degrees", "deg"}, {"degree", "deg"}, {"radians", "rad"},
      {"radian", "rad"},   {"seconds", "s"},   {"second", "s"},   {"sec", "s"}};
  for (const auto& [word, name] : in_full)
    if (const std::size_t at = unit.find(word); at != std::string::npos)
      unit.replace(at, std::string_view(word).size(), name);
  return unit;
}

bool is_title_of(std::string_view title, std::string_view name) {
  const std::string bare = title_without_unit(title);
  return title == name || bare == name || trimmed(bare) == name;
}

const std::vector<double>& CsvTable::column(const std::string& name) const {
  return columns[index(name)];
}

const std::vector<std::string>& CsvTable::texts(const std::string& name) const {
  return words[index(name)];
}

std::size_t CsvTable::index(const std::string& name) const {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < titles.size(); ++k) {
    known.push_back(title_without_unit(titles[k]));
    if (is_title_of(titles[k], name)) return k;
  }
  throw InputError(Problem{{file, 1, 0},
                           {},
                           "the table has no column " + in_quotes(name),
                           one_of(known),
                           nearest_name_hint(name, known)});
}

std::vector<double> CsvTable::column(const std::string& name, const Quantity& quantity) const {
  std::vector<double> values = column(name);
  const std::string& title = titles[index(name)];
  const std::string unit = unit_of_title(title);
  if (unit.empty()) return values;
  const ParsedQuantity one = parse_quantity("1 " + plain_unit(unit), quantity);
  if (one.complaint.ends_with("wrong unit"))
    throw InputError(
        Problem{{file, 1, 0},
                "column " + in_quotes(title),
                fmt::format("the unit {} is not that of {}", in_quotes(unit), quantity.name),
                std::string("one such as ") + quantity.example,
                {}});
  if (one.complaint.empty() && one.value != 1)
    for (double& value : values) value *= one.value;
  return values;
}

CsvTable parse_csv(const std::string& text, const std::string& file_name, bool words) {
  CsvTable table;
  table.file = file_name;
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    const std::string_view content = trimmed(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (content.empty() || content[0] == '#') continue;
    const std::vector<std::string_view> cells = split(content);
    if (table.titles.empty()) {
      for (const std::string_view cell : cells) table.titles.push_back(unquoted(cell));
      refuse_doubled_titles(table, line);
      table.columns.resize(cells.size());
      if (words) table.words.resize(cells.size());
      continue;
    }
    if (cells.size() != table.titles.size())
      throw InputError(Problem{{file_name, line, 1},
                               {},
                               fmt::format("{} values", cells.size()),
                               fmt::format("{}, one for each title", table.titles.size()),
                               {}});
    for (std::size_t k = 0; k < cells.size(); ++k) {
      double value = NAN;
      const std::string_view cell = bare(cells[k]);
      if (words && !cell.empty()) {
        table.words[k].emplace_back(cell);
        continue;
      }
      const char* const last = cell.data() + cell.size();
      const auto [at, error] = std::from_chars(cell.data(), last, value);
      if (error != std::errc() || at != last || !std::isfinite(value))
        throw InputError(Problem{{file_name, line, 1},
                                 "column " + in_quotes(table.titles[k]),
                                 "found " + in_quotes(cells[k]),
                                 words ? "a value" : "a finite number",
                                 {}});
      table.columns[k].push_back(value);
    }
  }
  if (table.titles.empty())
    throw InputError(Problem{{file_name, 1, 1}, {}, "the table is empty", "a line of titles", {}});
  return table;
}

namespace {

/// Without the columns of words.
CsvTable csv_of(const LogTable& log, const std::string& file_name) {
  CsvTable table;
  table.file = file_name;
  for (std::size_t c = 0; c < log.titles.size(); ++c) {
    if (!log.words[c].empty() || log.titles[c].empty()) continue;
    table.titles.push_back(log.titles[c]);
    std::vector<double>& column = table.columns.emplace_back();
    for (std::size_t k = 0; k < log.rows.size(); ++k) {
      column.push_back(log.rows[k][c]);
      if (std::isnan(column.back()))
        throw InputError(Problem{{file_name, log.lines[k], 1},
                                 "column " + in_quotes(log.titles[c]),
                                 "there is no number",
                                 "a finite number",
                                 {}});
    }
  }
  refuse_doubled_titles(table, 1);
  return table;
}

}  // namespace

CsvTable parse_table(const std::string& text, const std::string& file_name) {
  try {
    return parse_csv(text, file_name);
  } catch (const InputError&) {
    LogTable log;
    try {
      log = parse_log(text, file_name);
    } catch (const InputError&) {
    }
    if (log.rows.empty() || log.layout == "commas") throw;
    return csv_of(log, file_name);
  }
}

}  // namespace ulna
