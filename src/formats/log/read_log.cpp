#include "ulna/formats/read_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "log/log_columns.hpp"
#include "log/log_table.hpp"
#include "text_file.hpp"

namespace ulna {
namespace {

Eigen::VectorXd values_of(const LogTable& table, const LogColumn& column) {
  Eigen::VectorXd out(std::ssize(table.rows));
  for (std::size_t k = 0; k < table.rows.size(); ++k)
    out(static_cast<Eigen::Index>(k)) =
        column.factor * table.rows[k][static_cast<std::size_t>(column.column)];
  return out;
}

/// Places of one kind with their columns, in the order of the model.
std::vector<int> places_of(const LogColumns& columns, LogKind kind) {
  std::vector<int> out;
  for (const auto& [key, column] : columns)
    if (key.first == kind) out.push_back(key.second);
  return out;
}

Eigen::MatrixXd rows_of(const LogTable& table, const LogColumns& columns, LogKind kind,
                        const std::vector<int>& places) {
  Eigen::MatrixXd out(std::ssize(places), std::ssize(table.rows));
  for (std::size_t k = 0; k < places.size(); ++k)
    out.row(static_cast<Eigen::Index>(k)) =
        values_of(table, columns.at({kind, places[k]})).transpose();
  return out;
}

/// Records with all numbers that are asked for; the others are left out with a warning.
void leave_out_incomplete(LogTable& table, const LogColumns& columns, const std::string& file,
                          std::vector<std::string>& warnings) {
  std::vector<std::vector<double>> whole;
  std::vector<int> missing;
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const auto& row = table.rows[k];
    if (std::ranges::any_of(columns, [&](const auto& entry) {
          return std::isnan(row[static_cast<std::size_t>(entry.second.column)]);
        }))
      missing.push_back(table.lines[k]);
    else
      whole.push_back(row);
  }
  table.rows = std::move(whole);
  if (table.cut_off > 0) missing.push_back(table.cut_off);
  if (missing.size() == 1)
    warnings.push_back(fmt::format("{}: the record in line {} was left out: a cell is empty", file,
                                   missing.front()));
  if (missing.size() > 1)
    warnings.push_back(
        fmt::format("{}: {} records with an empty cell were left out, the first in line {}", file,
                    missing.size(), missing.front()));
}

/// Speeds and accelerations count together: alone they have no use.
void leave_out_single_rates(LogColumns& columns) {
  const std::vector<int> v = places_of(columns, LogKind::v), a = places_of(columns, LogKind::a);
  if (v == a) return;
  std::erase_if(columns, [](const auto& entry) {
    return entry.first.first == LogKind::v || entry.first.first == LogKind::a;
  });
}

/// Positions beyond the limits of a joint, or of many turns, are in another unit as a rule.
void warn_of_far_positions(const Model& model, const MeasuredLog& log, const LogColumns& columns,
                           const std::vector<std::string>& titles,
                           std::vector<std::string>& warnings) {
  if (log.t.size() == 0) return;
  for (std::size_t k = 0; k < log.coordinates.size(); ++k) {
    const int c = log.coordinates[k];
    const Quantity* measured = quantity_of(model, LogKind::q, c);
    if (!measured) continue;
    const bool turns = measured == &quantity::angle;
    const auto q = log.q.row(static_cast<Eigen::Index>(k));
    const double low = q.minCoeff(), high = q.maxCoeff(), lower = model.lower()(c),
                 upper = model.upper()(c);
    const bool limited = std::isfinite(lower) && std::isfinite(upper);
    const double slack = limited ? 0.01 * (upper - lower) : 0;
    const bool outside = low < lower - slack || high > upper + slack;
    const LogColumn& column = columns.at({LogKind::q, c});
    constexpr double two_turns = 4 * std::numbers::pi;
    if (!outside && (limited || !turns || column.sure || std::max(-low, high) < two_turns))
      continue;
    std::string text = fmt::format("{}: {} goes from {:.4g} to {:.4g} {}", log.name,
                                   log_name(model, LogKind::q, c), low, high, turns ? "rad" : "m");
    if (outside) text += fmt::format(", its limits are {:.4g} and {:.4g}", lower, upper);
    if (!column.sure)
      text +=
          fmt::format("; if the column is in {}: --column 'q.{}={}*{}'", turns ? "degrees" : "mm",
                      model.coordinate_names()[static_cast<std::size_t>(c)],
                      titles[static_cast<std::size_t>(column.column)], turns ? "pi/180" : "0.001");
    warnings.push_back(std::move(text));
  }
}

/// Without a title of its own, the time is the first column if it has no other use and ascends.
void find_time(const LogTable& table, LogColumns& columns, const std::string& file) {
  if (columns.contains({LogKind::time, 0})) return;
  bool used = table.rows.size() < 2;
  for (const auto& [key, column] : columns) used = used || column.column == 0;
  double last = -INFINITY;
  for (const std::vector<double>& row : table.rows) {
    used = used || row[0] <= last || !table.words[0].empty();
    if (!std::isnan(row[0])) last = row[0];
  }
  if (used)
    throw InputError(Problem{
        {file}, {}, "no column is the time", "a title such as t or time", "--column 't=TITLE'"});
  columns[{LogKind::time, 0}] = {0, 1};
}

/// A run is a log, too: that of its directory.
std::string file_of_log(const std::string& name) {
  std::error_code ignored;
  const std::filesystem::path records = std::filesystem::path(name) / "run.csv";
  return std::filesystem::is_regular_file(records, ignored) ? records.string() : name;
}

}  // namespace

ReadLog read_log(const std::string& name, const Model& model, const LogOptions& options) {
  const std::string file = file_of_log(name);
  LogTable table = parse_log(read_text_file(file, 4096 * megabyte), file);
  LogColumns columns = columns_by_title(model, table, options, file);
  leave_out_single_rates(columns);
  find_time(table, columns, file);
  ReadLog out;
  leave_out_incomplete(table, columns, file, out.warnings);
  out.layout = table.layout;
  std::vector<bool> used(table.titles.size());
  for (const auto& [key, column] : columns) {
    used[static_cast<std::size_t>(column.column)] = true;
    out.columns.emplace_back(log_name(model, key.first, key.second),
                             table.titles[static_cast<std::size_t>(column.column)]);
  }
  for (std::size_t k = 0; k < used.size(); ++k)
    if (!used[k] && !table.titles[k].empty()) out.unused.push_back(table.titles[k]);
  MeasuredLog& log = out.log;
  log.name = file;
  log.t = values_of(table, columns.at({LogKind::time, 0}));
  log.coordinates = places_of(columns, LogKind::q);
  if (log.coordinates.empty())
    throw InputError(Problem{
        {file},
        {},
        fmt::format("no column is a coordinate of robot '{}' among {}", model.name(),
                    fmt::join(table.titles, ", ")),
        fmt::format("titles such as q.{}",
                    model.coordinate_names().empty() ? "NAME" : model.coordinate_names()[0]),
        "--column 'q.NAME=TITLE'"});
  log.q = rows_of(table, columns, LogKind::q, log.coordinates);
  log.speeds = places_of(columns, LogKind::v);
  if (!log.speeds.empty()) {
    log.v = rows_of(table, columns, LogKind::v, log.speeds);
    log.a = rows_of(table, columns, LogKind::a, log.speeds);
  }
  log.efforts = places_of(columns, LogKind::tau);
  log.tau = rows_of(table, columns, LogKind::tau, log.efforts);
  warn_of_far_positions(model, log, columns, table.titles, out.warnings);
  return out;
}

}  // namespace ulna
