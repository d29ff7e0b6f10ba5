#include "ulna/report/internal/workspace_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "page/text.hpp"
#include "ulna/report/internal/ticks.hpp"

namespace ulna {
namespace {

constexpr double slice_left = 70, slice_top = 44, slice_size = 480, legend_width = 170,
                 slice_bottom = 56;

/// From dark blue (condition 1) to pale (1000 and beyond), in steps of the logarithm.
std::string good_colour(double condition) {
  const double s = std::clamp(std::log10(std::max(condition, 1.0)) / 3, 0.0, 1.0);
  const auto mix = [&](double a, double b) {
    return static_cast<int>(std::lround(a + s * (b - a)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0, 190), mix(75, 225), mix(140, 245));
}

std::string colour(const PoseCheck& check) {
  switch (check.fault) {
    case PoseFault::none:
      return good_colour(check.condition);
    case PoseFault::unreachable:
      return "#ffffff";
    case PoseFault::stroke:
      return "#e6e6e6";
    case PoseFault::hinge_angle:
      return "#E69F00";
    case PoseFault::ball_angle:
      return "#F0C566";
    case PoseFault::collision:
      return "#CC79A7";
    case PoseFault::singular:
      return "#D55E00";
  }
  return "#ffffff";
}

std::string label(const SliceRange& range) {
  const bool turn = static_cast<int>(range.axis) > 2;
  return fmt::format("{} [{}]", name_of(range.axis), turn ? "rad" : "m");
}

std::string ticks_of(const SliceRange& range, bool across) {
  std::string out;
  const Ticks ticks = nice_ticks(range.lower, range.upper, 6);
  for (double value : ticks.values) {
    const double s = (value - range.lower) / (range.upper - range.lower);
    if (s < 0 || s > 1) continue;
    const std::string text = fmt::format("{:.6g}", std::abs(value) < 1e-12 ? 0.0 : value);
    if (across) {
      const double x = slice_left + s * slice_size;
      out += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}v5\" stroke=\"#333\"/><text x=\"{0:.1f}\" "
          "y=\"{2:.1f}\" text-anchor=\"middle\">{3}</text>\n",
          x, slice_top + slice_size, slice_top + slice_size + 19, text);
    } else {
      const double y = slice_top + slice_size - s * slice_size;
      out += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}h-5\" stroke=\"#333\"/><text x=\"{2:.1f}\" "
          "y=\"{3:.1f}\" text-anchor=\"end\">{4}</text>\n",
          slice_left, y, slice_left - 8, y + 4, text);
    }
  }
  return out;
}

/// Cells of one colour in a row are one rectangle.
std::string cells(const WorkspaceSlice& slice) {
  std::string out;
  const int nx = slice.ranges[0].count, ny = slice.ranges[1].count;
  const double w = slice_size / nx, h = slice_size / ny;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx;) {
      const std::string fill = colour(slice.at(i, j));
      int end = i + 1;
      while (end < nx && colour(slice.at(end, j)) == fill) ++end;
      if (fill != "#ffffff")
        out += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
            "fill=\"{}\"/>\n",
            slice_left + i * w, slice_top + slice_size - (j + 1) * h, (end - i) * w + 0.05,
            h + 0.05, fill);
      i = end;
    }
  return out;
}

/// Cells stand around their points: the first and the last are half a cell inside.
std::string curves(const WorkspaceSlice& slice, const std::vector<LocusPiece>& loci) {
  if (loci.empty()) return {};
  const auto place = [&](const std::array<double, 2>& at, int axis) {
    const SliceRange& r = slice.ranges[axis];
    const double cell = slice_size / r.count;
    const double along =
        (at[static_cast<std::size_t>(axis)] - r.lower) / (r.upper - r.lower) * (slice_size - cell) +
        cell / 2;
    return axis == 0 ? slice_left + along : slice_top + slice_size - along;
  };
  std::string path;
  for (const LocusPiece& piece : loci)
    path += fmt::format("M{:.2f} {:.2f}L{:.2f} {:.2f}", place(piece.from, 0), place(piece.from, 1),
                        place(piece.to, 0), place(piece.to, 1));
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#d00000\" stroke-width=\"1.5\"/>\n",
                     path);
}

std::string legend_text(const WorkspaceSlice& slice) {
  std::string out;
  double y = slice_top + 10;
  const auto entry = [&](const std::string& fill, const std::string& text) {
    out += fmt::format(
        "<rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"14\" height=\"14\" fill=\"{2}\" "
        "stroke=\"#888\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
        slice_left + slice_size + 16, y, fill, slice_left + slice_size + 36, y + 12, text);
    y += 22;
  };
  for (double condition : {1.0, 10.0, 100.0, 1000.0})
    entry(good_colour(condition), fmt::format("condition {:g}", condition));
  for (PoseFault fault : {PoseFault::stroke, PoseFault::hinge_angle, PoseFault::ball_angle,
                          PoseFault::collision, PoseFault::singular, PoseFault::unreachable}) {
    const bool seen = std::any_of(slice.checks.begin(), slice.checks.end(),
                                  [&](const PoseCheck& c) { return c.fault == fault; });
    if (!seen) continue;
    PoseCheck check;
    check.fault = fault;
    entry(colour(check), name_of(fault));
  }
  return out;
}

}  // namespace

std::string workspace_svg(const WorkspaceSlice& slice, const std::string& title,
                          const std::vector<LocusPiece>& loci) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n",
      slice_left + slice_size + legend_width, slice_top + slice_size + slice_bottom);
  out += fmt::format("<text x=\"{}\" y=\"26\" font-size=\"15\">{}</text>\n", slice_left,
                     xml_escaped(title));
  out += "<g shape-rendering=\"crispEdges\">\n" + cells(slice) + "</g>\n" + curves(slice, loci);
  out += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#333\"/>\n",
      slice_left, slice_top, slice_size, slice_size);
  out += ticks_of(slice.ranges[0], true) + ticks_of(slice.ranges[1], false);
  out +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                  slice_left + slice_size / 2, slice_top + slice_size + 42, label(slice.ranges[0]));
  out += fmt::format(
      "<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      slice_top + slice_size / 2, label(slice.ranges[1]));
  return out + legend_text(slice) + "</svg>\n";
}

}  // namespace ulna
