#include "ulna/formats/read_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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

/// Without a title of its own, the time is the first column if it has no other use and ascends.
void find_time(const LogTable& table, LogColumns& columns, const std::string& file) {
  if (columns.contains({LogKind::time, 0})) return;
  bool used = table.rows.size() < 2;
  for (const auto& [key, column] : columns) used = used || column.column == 0;
  for (std::size_t k = 1; !used && k < table.rows.size(); ++k)
    used = !(table.rows[k][0] > table.rows[k - 1][0]);
  if (used)
    throw InputError(Problem{
        {file}, {}, "no column is the time", "a title such as t or time", "--column 't=TITLE'"});
  columns[{LogKind::time, 0}] = {0, 1};
}

}  // namespace

ReadLog read_log(const std::string& file, const Model& model, const LogOptions& options) {
  const LogTable table = parse_log(read_text_file(file, 4096 * megabyte), file);
  LogColumns columns = columns_by_title(model, table.titles, options, file);
  find_time(table, columns, file);
  ReadLog out;
  out.layout = table.layout;
  std::vector<bool> used(table.titles.size());
  for (const auto& [key, column] : columns) {
    used[static_cast<std::size_t>(column.column)] = true;
    out.columns.emplace_back(log_name(model, key.first, key.second),
                             table.titles[static_cast<std::size_t>(column.column)]);
  }
  for (std::size_t k = 0; k < used.size(); ++k)
    if (!used[k]) out.unused.push_back(table.titles[k]);
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
  const std::vector<int> v = places_of(columns, LogKind::v), a = places_of(columns, LogKind::a);
  if (!v.empty() && v == a) {
    log.speeds = v;
    log.v = rows_of(table, columns, LogKind::v, v);
    log.a = rows_of(table, columns, LogKind::a, a);
  }
  log.efforts = places_of(columns, LogKind::tau);
  log.tau = rows_of(table, columns, LogKind::tau, log.efforts);
  if (table.incomplete > 0)
    out.warnings.push_back(
        fmt::format("{}: {} records with an empty cell were left out, the first in line {}", file,
                    table.incomplete, table.first_incomplete));
  return out;
}

}  // namespace ulna
