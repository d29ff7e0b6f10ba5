#include "output/picture.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "output/output_file.hpp"
#include "ulna/motion/internal/sample.hpp"
#include "ulna/report/plot.hpp"

namespace ulna::cli {

namespace {

void write_as(const std::string& file, const RecordTable& table, const PlotOptions& options) {
  if (!is_picture(file)) return write_file(file, csv_text({table.titles, table.values}));
  std::vector<int> channels(table.titles.size() - 1);
  std::iota(channels.begin(), channels.end(), 1);
  write_picture(file, plot_svg(table, channels, options));
}

}  // namespace

void write_table(const std::string& file, const RecordTable& table, const std::string& title) {
  PlotOptions options;
  options.title = title;
  write_as(file, table, options);
}

void write_bode(const std::string& file, const RecordTable& table, const std::string& title) {
  PlotOptions options;
  options.title = title;
  if ((table.values.col(0).array() > 0).any()) options.x_scale = AxisScale::logarithmic;
  options.y_scale = AxisScale::decibel;
  write_as(file, table, options);
}

Eigen::VectorXd unwrapped_degrees(const Eigen::VectorXcd& response) {
  constexpr double turn = 360;
  Eigen::VectorXd phase = response.cwiseArg() * (turn / 2 / std::numbers::pi);
  for (Eigen::Index k = 1; k < phase.size(); ++k)
    phase(k) += turn * std::round((phase(k - 1) - phase(k)) / turn);
  return phase;
}

bool is_picture(const std::string& file) {
  return file.ends_with(".png") || file.ends_with(".svg") || file.ends_with(".pdf");
}

void write_picture(const std::string& file, const std::string& svg) {
  if (file.ends_with(".png"))
    write_file(file, png_from_svg(svg));
  else
    write_file(file, file.ends_with(".pdf") ? pdf_from_svg(svg) : svg);
}

}  // namespace ulna::cli
