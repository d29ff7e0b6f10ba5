#include "commands/study_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/numerics/error.hpp"
#include "ulna/report/internal/ticks.hpp"

namespace ulna::cli {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

PageAxis page_axis(const std::vector<double>& values) {
  PageAxis axis{INFINITY, -INFINITY};
  for (const double v : values)
    if (std::isfinite(v)) axis.low = std::min(axis.low, v), axis.high = std::max(axis.high, v);
  if (std::isinf(axis.low)) return {-1, 1};
  // What differs by rounding alone is one value.
  const double size = std::max(std::abs(axis.low), std::abs(axis.high));
  if (size > 1e300) throw InputError(fmt::format("Values up to {:.6g} cannot be drawn", size));
  const double room = size > 0 ? 1e-6 * size : 1;
  if (!(axis.high - axis.low > 1e-12 * size)) return {axis.low - room, axis.high + room};
  return axis;
}

std::string figure_svg(const PageAxis& x, const PageAxis& y, const std::string& label,
                       const std::string& content, const std::string& title) {
  std::string out =
      fmt::format("<svg viewBox='0 0 {} {}' width='{}' font-size='10' font-family='sans-serif'>",
                  figure_wide + 60, figure_high + 56, figure_wide + 60);
  const Ticks along = nice_ticks(x.low, x.high, 6), up = nice_ticks(y.low, y.high, 5);
  for (std::size_t k = 0; k < along.values.size(); ++k)
    out += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>",
                       x.across(along.values[k]), figure_high + 22, escaped(along.labels[k]));
  for (std::size_t k = 0; k < up.values.size(); ++k)
    out += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>{}</text>", figure_margin - 4,
                       y.up(up.values[k]) + 3, escaped(up.labels[k]));
  out += content;
  const auto with_factor = [](const std::string& name, const Ticks& ticks) {
    return escaped(name + (ticks.factor.empty() ? "" : " / " + ticks.factor) +
                   (ticks.offset.empty() ? "" : " " + ticks.offset));
  };
  out += fmt::format(
      "<rect x='{0}' y='10' width='{1}' height='{2}' fill='none' stroke='#888'/>"
      "<text x='{0}' y='8'>{3}</text><text x='{4}' y='{5}' text-anchor='middle'>{6}</text></svg>",
      figure_margin, figure_wide, figure_high, with_factor(title, up),
      figure_margin + figure_wide / 2, figure_high + 40, with_factor(label, along));
  return out;
}

std::string drawn(const std::function<std::string()>& draw) {
  try {
    return draw();
  } catch (const InputError& error) {
    return "<p>" + escaped(error.problems().front().message) + ".</p>";
  }
}

std::string study_page_head(const std::string& title, const std::string& description) {
  return fmt::format(
      "<!doctype html><html lang='en'><meta charset='utf-8'><title>{0}</title>"
      "<style>body{{font:15px sans-serif;margin:2em;max-width:1200px}}table{{border-collapse:"
      "collapse;margin:1em 0}}td,th{{border:1px solid #ccc;padding:2px 8px;text-align:right}}"
      "</style><h1>{0}</h1><p>{1}</p>",
      escaped(title), escaped(description));
}

}  // namespace ulna::cli
