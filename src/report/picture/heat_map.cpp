#include "ulna/report/internal/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "page/text.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/report/internal/ticks.hpp"

namespace ulna {
namespace {

constexpr double panel_top = 44, panel_size = 420, panel_left = 78, panel_gap = 90,
                 panel_bottom = 58, scale_width = 18;

// From dark blue over green to yellow; lightness grows evenly, so that it reads in grey too.
std::string colour(double s) {
  static constexpr std::array<std::array<double, 3>, 6> stops = {
      {{68, 1, 84}, {65, 68, 135}, {42, 120, 142}, {34, 168, 132}, {122, 209, 81}, {253, 231, 37}}};
  const double at = std::clamp(s, 0.0, 1.0) * (stops.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const auto mix = [&](int c) {
    return static_cast<int>(
        std::lround(stops[k][c] + (at - double(k)) * (stops[k + 1][c] - stops[k][c])));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2));
}

struct Span {
  double low, high;
  double part(double value) const { return (value - low) / (high - low); }
};

Span span_of(const Eigen::MatrixXd& values) {
  Span span{INFINITY, -INFINITY};
  for (const double v : values.reshaped())
    if (std::isfinite(v)) span.low = std::min(span.low, v), span.high = std::max(span.high, v);
  return span;
}

// Never without width, as of frequencies that do not change.
Span widened(Span span) {
  const double least = 1e-9 * std::max({std::abs(span.low), std::abs(span.high), 1e-300});
  if (span.high - span.low < least) span.low -= least, span.high += least;
  return span;
}

/// Axes, ticks and labels of a square panel; its places from data.
class SquarePanel {
 public:
  SquarePanel(double x0, Span x, Span y) : x0_(x0), x_(x), y_(y) {}
  double across(double value) const { return x0_ + panel_size * x_.part(value); }
  double up(double value) const { return panel_top + panel_size * (1 - y_.part(value)); }

  std::string axes(const std::string& x_label, const std::string& y_label) const {
    std::string out = fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#333\"/>\n", x0_,
        panel_top, panel_size, panel_size);
    const Ticks tx = nice_ticks(x_.low, x_.high, 6), ty = nice_ticks(y_.low, y_.high, 6);
    for (std::size_t k = 0; k < tx.values.size(); ++k)
      out += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}v5\" stroke=\"#333\"/><text x=\"{0:.1f}\" y=\"{2:.1f}\" "
          "text-anchor=\"middle\">{3}</text>\n",
          across(tx.values[k]), panel_top + panel_size, panel_top + panel_size + 19, tx.labels[k]);
    for (std::size_t k = 0; k < ty.values.size(); ++k)
      out += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}h-5\" stroke=\"#333\"/><text x=\"{2:.1f}\" y=\"{3:.1f}\" "
          "text-anchor=\"end\">{4}</text>\n",
          x0_, up(ty.values[k]), x0_ - 8, up(ty.values[k]) + 4, ty.labels[k]);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       x0_ + panel_size / 2, panel_top + panel_size + 42, titled(x_label, tx));
    return out + fmt::format(
                     "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" "
                     "text-anchor=\"middle\">{}</text>\n",
                     x0_ - 58, panel_top + panel_size / 2, titled(y_label, ty));
  }

 private:
  static std::string titled(const std::string& label, const Ticks& ticks) {
    std::string text = label;
    if (!ticks.factor.empty()) text += " × " + ticks.factor;
    return xml_escaped(text + (ticks.offset.empty() ? "" : " " + ticks.offset));
  }
  double x0_;
  Span x_, y_;
};

// Half way to the neighbours, so that each cell has its point inside.
Eigen::VectorXd edges_of(const Eigen::VectorXd& values) {
  const Eigen::Index n = values.size();
  Eigen::VectorXd edges(n + 1);
  for (Eigen::Index k = 1; k < n; ++k) edges(k) = (values(k - 1) + values(k)) / 2;
  edges(0) = 2 * values(0) - edges(1);
  edges(n) = 2 * values(n - 1) - edges(n - 1);
  return edges;
}

std::string posture_panel(const HeatMap& map, const Span& shown) {
  const Eigen::VectorXd x = edges_of(map.x.values), y = edges_of(map.y.values);
  const SquarePanel panel(panel_left, span_of(x), span_of(y));
  std::string out = "<g shape-rendering=\"crispEdges\">\n";
  for (Eigen::Index j = 0; j < map.values.cols(); ++j)
    for (Eigen::Index i = 0; i < map.values.rows(); ++i) {
      if (!std::isfinite(map.values(i, j))) continue;
      const double a = panel.across(x(i)), b = panel.across(x(i + 1)), c = panel.up(y(j)),
                   d = panel.up(y(j + 1));
      out += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
          std::min(a, b), std::min(c, d), std::abs(b - a) + 0.05, std::abs(d - c) + 0.05,
          colour(shown.part(map.values(i, j))));
    }
  return out + "</g>\n" + panel.axes(map.x.label, map.y.label);
}

// The longest side of the patch between four neighbours.
double patch_size(const HeatMap& map, Eigen::Index i, Eigen::Index j) {
  const auto x = map.place_x.block<2, 2>(i, j), y = map.place_y.block<2, 2>(i, j);
  return std::max({std::hypot(x(1, 0) - x(0, 0), y(1, 0) - y(0, 0)),
                   std::hypot(x(1, 1) - x(0, 1), y(1, 1) - y(0, 1)),
                   std::hypot(x(0, 1) - x(0, 0), y(0, 1) - y(0, 0)),
                   std::hypot(x(1, 1) - x(1, 0), y(1, 1) - y(1, 0))});
}

// Beyond this, neighbours in the grid are none in place: something jumps between them.
double largest_patch(const HeatMap& map) {
  std::vector<double> sizes;
  for (Eigen::Index j = 0; j + 1 < map.values.cols(); ++j)
    for (Eigen::Index i = 0; i + 1 < map.values.rows(); ++i)
      if (std::isfinite(map.values.block(i, j, 2, 2).sum())) sizes.push_back(patch_size(map, i, j));
  if (sizes.empty()) return 0;
  std::nth_element(sizes.begin(), sizes.begin() + std::ssize(sizes) / 2, sizes.end());
  return 8 * sizes[sizes.size() / 2];
}

// The four points of a cell as a patch with their mean; both axes to the same measure.
std::string place_panel(const HeatMap& map, const Span& shown, double x0) {
  Span x = span_of(map.place_x), y = span_of(map.place_y);
  const double half = 0.52 * std::max({x.high - x.low, y.high - y.low, 1e-9});
  const double mx = (x.low + x.high) / 2, my = (y.low + y.high) / 2;
  const SquarePanel panel(x0, {mx - half, mx + half}, {my - half, my + half});
  std::string out = "<g>\n";
  const double largest = largest_patch(map);
  for (Eigen::Index j = 0; j + 1 < map.values.cols(); ++j)
    for (Eigen::Index i = 0; i + 1 < map.values.rows(); ++i) {
      const double mean = map.values.block(i, j, 2, 2).mean();
      if (!std::isfinite(mean) || patch_size(map, i, j) > largest) continue;
      std::string path;
      for (const auto& [a, b] : {std::pair{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}})
        path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? "M" : "L",
                            panel.across(map.place_x(a, b)), panel.up(map.place_y(a, b)));
      const std::string fill = colour(shown.part(mean));
      out += fmt::format("<path d=\"{0}Z\" fill=\"{1}\" stroke=\"{1}\" stroke-width=\"0.3\"/>\n",
                         path, fill);
    }
  return out + "</g>\n" + panel.axes(map.place_x_label, map.place_y_label);
}

std::string scale(const Span& shown, const std::string& label, double x0) {
  std::string out;
  constexpr int steps = 60;
  for (int k = 0; k < steps; ++k)
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x0,
        panel_top + panel_size * (1 - (k + 1.0) / steps), scale_width, panel_size / steps + 0.3,
        colour((k + 0.5) / steps));
  const Ticks ticks = nice_ticks(shown.low, shown.high, 8);
  for (std::size_t k = 0; k < ticks.values.size(); ++k) {
    const double y = panel_top + panel_size * (1 - shown.part(ticks.values[k]));
    out += fmt::format(
        "<path d=\"M{:.1f} {:.1f}h5\" stroke=\"#333\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        x0 + scale_width, y, x0 + scale_width + 8, y + 4, ticks.labels[k]);
  }
  return out + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x0,
                           panel_top + panel_size + 24,
                           xml_escaped(label + (ticks.factor.empty() ? "" : " × " + ticks.factor) +
                                       (ticks.offset.empty() ? "" : " " + ticks.offset)));
}

void check(const HeatMap& map) {
  const Eigen::Index nx = map.x.values.size(), ny = map.y.values.size();
  if (nx < 2 || ny < 2)
    throw InputError(fmt::format("a map of {} by {} points", nx, ny), "two or more each way");
  if (map.values.rows() != nx || map.values.cols() != ny)
    throw InputError("a map whose numbers do not fit its axes");
  if (map.place_x.size() > 0 && (map.place_x.rows() != nx || map.place_x.cols() != ny ||
                                 map.place_y.rows() != nx || map.place_y.cols() != ny))
    throw InputError("a map whose places do not fit its axes");
  if (!map.values.array().isFinite().any()) throw InputError("a map without a number");
}

}  // namespace

std::string heat_map_svg(const HeatMap& map) {
  check(map);
  const Span shown = widened(span_of(map.values));
  const bool places = map.place_x.size() > 0;
  const double second = panel_left + panel_size + panel_gap,
               bar = (places ? second + panel_size : panel_left + panel_size) + 24;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n<text x=\"{2}\" y=\"26\" font-size=\"15\">{3}</text>\n",
      bar + 110, panel_top + panel_size + panel_bottom, panel_left, xml_escaped(map.title));
  out += posture_panel(map, shown);
  if (places) out += place_panel(map, shown, second);
  return out + scale(shown, map.label, bar) + "</svg>\n";
}

}  // namespace ulna
