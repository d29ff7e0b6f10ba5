#include "run/csv_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "text_file.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::string without_unit(const std::string& title) {
  return std::string(trimmed(std::string_view(title).substr(0, title.find('['))));
}

}  // namespace

const std::vector<double>& CsvTable::column(const std::string& name) const {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < titles.size(); ++k) {
    if (titles[k] == name || without_unit(titles[k]) == name) return columns[k];
    known.push_back(without_unit(titles[k]));
  }
  throw InputError(Problem{{file, 1, 0},
                           {},
                           "the table has no column " + in_quotes(name),
                           one_of(known),
                           nearest_name_hint(name, known)});
}

CsvTable parse_csv(const std::string& text, const std::string& file_name) {
  CsvTable table;
  table.file = file_name;
  std::string_view rest = text;
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    const std::string_view content = trimmed(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (content.empty() || content[0] == '#') continue;
    const std::vector<std::string_view> cells = split(content);
    if (table.titles.empty()) {
      for (const std::string_view cell : cells) table.titles.emplace_back(cell);
      table.columns.resize(cells.size());
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
      const char* const last = cells[k].data() + cells[k].size();
      const auto [at, error] = std::from_chars(cells[k].data(), last, value);
      if (error != std::errc() || at != last || !std::isfinite(value))
        throw InputError(Problem{{file_name, line, 1},
                                 "column " + in_quotes(table.titles[k]),
                                 "found " + in_quotes(cells[k]),
                                 "a finite number",
                                 {}});
      table.columns[k].push_back(value);
    }
  }
  if (table.titles.empty())
    throw InputError(Problem{{file_name, 1, 1}, {}, "the table is empty", "a line of titles", {}});
  return table;
}

}  // namespace ulna
