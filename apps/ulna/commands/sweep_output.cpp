#include "commands/sweep_output.hpp"

#include <fmt/format.h>

#include "commands/modes_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli::sweep_output_detail {
namespace {

/// All parameters of every point, then its frequencies.
RecordTable numbers_table(const SweepGrid& grid, const Eigen::MatrixXd& hz) {
  RecordTable table;
  const auto axes = static_cast<int>(grid.axes.size());
  for (const SweepAxis& axis : grid.axes) table.titles.push_back(axis.title());
  for (int k = 1; k <= hz.cols(); ++k)
    table.titles.push_back(fmt::format("frequency.mode {}[Hz]", k));
  table.values.resize(hz.rows(), axes + hz.cols());
  for (int p = 0; p < hz.rows(); ++p)
    for (int a = 0; a < axes; ++a) table.values(p, a) = grid.axes[a].values[grid.index(p, a)];
  table.values.rightCols(hz.cols()) = hz;
  return table;
}

/// The last parameter across, a line for each mode and each combination of the others.
RecordTable lines_table(const SweepGrid& grid, const Eigen::MatrixXd& hz) {
  const SweepAxis& across = grid.axes.back();
  const auto n = static_cast<int>(across.values.size()), modes = static_cast<int>(hz.cols());
  const int combinations = static_cast<int>(hz.rows()) / n;
  RecordTable table;
  table.titles.push_back(across.title());
  table.values.resize(n, 1 + combinations * modes);
  for (int k = 0; k < n; ++k) table.values(k, 0) = across.values[static_cast<std::size_t>(k)];
  for (int c = 0; c < combinations; ++c) {
    std::string others;
    for (int a = 0; a + 1 < static_cast<int>(grid.axes.size()); ++a)
      others +=
          fmt::format(", {} {}", grid.axes[a].parameter, grid.axes[a].labels[grid.index(c * n, a)]);
    for (int m = 0; m < modes; ++m)
      table.titles.push_back(fmt::format("frequency.mode {}{}[Hz]", m + 1, others));
    table.values.middleCols(1 + c * modes, modes) = hz.middleRows(c * n, n);
  }
  return table;
}

Json axis_json(const SweepAxis& axis, int index) {
  if (axis.words) return axis.labels[index];
  return axis.values[index];
}

void print_json_sweep(const SweepGrid& grid, const SweptFrequencies& found,
                      const ModesOptions& options) {
  Json out = json_object();
  const auto points = static_cast<int>(found.omega.rows());
  out["values"] = Json::array();
  if (grid.axes.size() == 1) {
    out["parameter"] = grid.axes[0].parameter;
    for (int p = 0; p < points; ++p) out["values"].push_back(axis_json(grid.axes[0], p));
  } else {
    out["parameters"] = Json::array();
    for (const SweepAxis& axis : grid.axes) out["parameters"].push_back(axis.parameter);
    for (int p = 0; p < points; ++p) {
      Json row = Json::array();
      for (int a = 0; a < static_cast<int>(grid.axes.size()); ++a)
        row.push_back(axis_json(grid.axes[a], grid.index(p, a)));
      out["values"].push_back(row);
    }
  }
  out["frequencies_hz"] = matrix_to_json(found.omega * hertz);
  out["frequencies_rad"] = matrix_to_json(found.omega);
  if (found.growth.size() > 0) out["growth"] = matrix_to_json(found.growth);
  out["assurance"] = matrix_to_json(found.assurance);
  if (options.output) out["file"] = *options.output;
  print_json(out);
}

}  // namespace
}  // namespace ulna::cli::sweep_output_detail

namespace ulna::cli {

int report_sweep(const SweepGrid& grid, const SweptFrequencies& found, const ModesOptions& options,
                 const std::string& title) {
  const Eigen::MatrixXd hz = found.omega * hertz;
  if (options.output && !options.is_page())
    write_plot(*options.output,
               options.output->ends_with(".csv") ? sweep_output_detail::numbers_table(grid, hz)
                                                 : sweep_output_detail::lines_table(grid, hz),
               title);
  if (options.json) {
    sweep_output_detail::print_json_sweep(grid, found, options);
    return 0;
  }
  Table table;
  for (int a = 0; a < static_cast<int>(grid.axes.size()); ++a) {
    std::vector<std::string> labels;
    for (int p = 0; p < hz.rows(); ++p) labels.push_back(grid.axes[a].labels[grid.index(p, a)]);
    table.words(grid.axes[a].parameter, labels);
  }
  std::vector<std::string> titles;
  for (int k = 1; k <= hz.cols(); ++k) titles.push_back(fmt::format("mode {} Hz", k));
  print(table.matrix(titles, hz).text());
  if (options.output) print(fmt::format("\nwrote {}\n", printable(*options.output)));
  return 0;
}

}  // namespace ulna::cli
