#include "ulna/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "page/text.hpp"
#include "ulna/report/internal/ticks.hpp"

namespace ulna {
namespace {

// Okabe and Ito's eight; their yellow, too faint on paper, darkened and last.
constexpr const char* palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                   "#56B4E9", "#E69F00", "#000000", "#B8A800"};
constexpr int colours = std::size(palette);
constexpr const char* dashes[] = {"", "7 3", "2 3", "9 3 2 3"};

constexpr double margin = 14, left_margin = 62, right_margin = 16, line_height = 18;
constexpr double character_width = 7.2;  // of a 13 px sans-serif, on the wide side

constexpr const char* run_dashes[] = {"", "6 3", "2 3", "9 3 2 3", "12 4"};

/// One curve, its numbers as they are drawn: logarithms on logarithmic axes.
struct Line {
  std::string label, title;
  int colour;
  const char* dash;
  Eigen::VectorXd x, y;
};

struct Panel {
  std::string heading, unit;
  AxisScale scale = AxisScale::linear;
  std::vector<Line> lines;
  // Places relative to the panel's own corner.
  std::vector<std::pair<double, double>> legend;
  double plot_top = 0, height = 0;
};

struct Range {
  double low, high;
};

/// Numbers as they lie on an axis; NaN where they have no place.
Eigen::VectorXd on_axis(const Eigen::VectorXd& x, AxisScale scale) {
  if (scale == AxisScale::linear) return x;
  const double factor = scale == AxisScale::decibel ? 20 : 1;
  return x.unaryExpr([&](double value) {
    if (scale == AxisScale::decibel) value = std::abs(value);
    return value > 0 ? factor * std::log10(value) : NAN;
  });
}

bool is_phase(const std::string& unit) { return unit == "deg" || unit == "rad" || unit == "dB"; }

/// Groups of channels with one unit. References go where the coordinates are.
std::vector<Panel> panels_of(const std::vector<PlotRun>& runs, const PlotOptions& options) {
  std::vector<Panel> panels;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::map<std::pair<std::size_t, std::string>, int> colour_of;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const RecordTable& table = *runs[run].table;
    std::set<std::string> groups;
    for (const int column : runs[run].channels)
      groups.insert(channel_title(table.titles.at(column)).group);
    for (const int column : runs[run].channels) {
      const ChannelTitle title = channel_title(table.titles.at(column));
      const bool reference = title.group == "reference" && groups.contains("q");
      const std::string group = reference ? "q" : title.group;
      const auto [at, is_new] = known.try_emplace({group, title.unit}, panels.size());
      if (is_new)
        panels.push_back({group_heading(group), title.unit, AxisScale::linear, {}, {}, 0, 0});
      Panel& panel = panels[at->second];
      int fresh = 0;
      for (const auto& [key, colour] : colour_of) fresh += key.first == at->second ? 1 : 0;
      const auto found = colour_of.try_emplace({at->second, title.label}, fresh).first;
      std::string label = shortened(clean_utf8(title.label), 40);
      if (reference) label += " commanded";
      if (runs.size() > 1) label += (label.empty() ? "" : ", ") + clean_utf8(runs[run].name);
      const char* dash = reference         ? "1 3"
                         : runs.size() > 1 ? run_dashes[run % std::size(run_dashes)]
                                           : dashes[found->second / colours % std::size(dashes)];
      panel.lines.push_back({label, table.titles[column], found->second, dash,
                             on_axis(table.values.col(0), options.x_scale),
                             table.values.col(column)});
    }
  }
  for (Panel& panel : panels) {
    if (!is_phase(panel.unit)) panel.scale = options.y_scale;
    for (Line& line : panel.lines) line.y = on_axis(line.y, panel.scale);
    // A plain table's "x1" alone is named by its heading.
    if (panel.lines.size() == 1 && panel.lines[0].label == panel.heading) panel.lines[0].label = "";
  }
  return panels;
}

// The legend runs in rows under the heading.
void place(Panel& panel, const PlotOptions& options) {
  double x = left_margin, y = 20 + line_height;
  for (const Line& line : panel.lines) {
    const double width = 26 + character_width * characters(line.label) + 14;
    if (x + width > options.width - right_margin && x > left_margin) {
      x = left_margin;
      y += line_height;
    }
    panel.legend.emplace_back(x, y);
    x += width;
  }
  panel.plot_top = y + 10;
  panel.height = panel.plot_top + options.panel_height + 30;
}

Range padded(double low, double high, double share) {
  const double size = std::max(std::abs(low), std::abs(high));
  constexpr double denormal = 1e-280;  // steps of the ticks would be lost
  if (high - low <= 1e-13 * size || high == low || high - low < denormal) {
    const double half = size > denormal ? 0.1 * size : 1;
    return {low - half, high + half};
  }
  const double pad = share * (high - low);
  return {low - pad, high + pad};
}

/// Of what has a place on the axis; what was asked for wins.
Range range_of(const Panel& panel, const AxisRange& asked) {
  double low = INFINITY, high = -INFINITY;
  for (const Line& line : panel.lines)
    for (const double y : line.y)
      if (std::isfinite(y)) low = std::min(low, y), high = std::max(high, y);
  if (!(low <= high)) low = 0, high = 1;
  Range range = padded(low, high, 0.05);
  const Eigen::Vector2d ends =
      on_axis(Eigen::Vector2d(asked.low, asked.high),
              panel.scale == AxisScale::logarithmic ? panel.scale : AxisScale::linear);
  if (std::isfinite(ends(0))) range.low = ends(0);
  if (std::isfinite(ends(1))) range.high = ends(1);
  if (!(range.low < range.high))
    throw InputError(fmt::format("an axis from {:.6g} to {:.6g}", range.low, range.high),
                     "a lower end below the upper one");
  return range;
}

/// Whole powers of ten; of less than two decades 2 and 5 times these, too.
Ticks log_ticks(double low, double high) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  Ticks ticks;
  const int every = std::max(1, static_cast<int>((high - low) / 8) + 1);
  for (int power = static_cast<int>(std::floor(low)); power <= static_cast<int>(std::ceil(high));
       ++power)
    for (const int m : {1, 2, 5}) {
      if (m != 1 && high - low > 2) continue;
      if (m == 1 && power % every != 0) continue;
      const double at = power + std::log10(m);
      if (at < low - 1e-9 || at > high + 1e-9) continue;
      ticks.values.push_back(at);
      if (power >= -3 && power <= 4) {
        ticks.labels.push_back(fmt::format("{:g}", m * std::pow(10, power)));
        continue;
      }
      std::string label = m == 1 ? "10" : fmt::format("{}·10", m);
      if (power < 0) label += "⁻";
      for (const char c : std::to_string(std::abs(power))) label += digits[c - '0'];
      ticks.labels.push_back(label);
    }
  if (ticks.values.size() < 2) return nice_ticks(low, high, 4);
  return ticks;
}

// "[10⁻³ J] + 1000".
std::string unit_text(const std::string& unit, const Ticks& ticks) {
  std::string text = ticks.factor;
  if (!unit.empty()) text += (text.empty() ? "" : " ") + shortened(clean_utf8(unit), 40);
  if (!text.empty()) text = "[" + text + "]";
  if (!ticks.offset.empty()) text += (text.empty() ? "" : " ") + ticks.offset;
  return text;
}

class Painter {
 public:
  Painter(std::string abscissa, const std::vector<Panel>& panels, const PlotOptions& options)
      : abscissa_(std::move(abscissa)), options_(options) {
    double low = INFINITY, high = -INFINITY;
    for (const Panel& panel : panels)
      for (const Line& line : panel.lines)
        for (const double x : line.x)
          if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
    if (!(low <= high)) low = 0, high = 1;
    x_ = padded(low, high, 0);
    const Eigen::Vector2d ends =
        on_axis(Eigen::Vector2d(options.x_range.low, options.x_range.high), options.x_scale);
    if (std::isfinite(ends(0))) x_.low = ends(0);
    if (std::isfinite(ends(1))) x_.high = ends(1);
    if (!(x_.low < x_.high))
      throw InputError("an abscissa without extent", "a lower end below the upper one");
    x_ticks_ = options.x_scale == AxisScale::logarithmic ? log_ticks(x_.low, x_.high)
                                                         : nice_ticks(x_.low, x_.high, 8);
  }

  std::string panel(const Panel& panel, double dx, double dy, bool names_abscissa) {
    out_.clear();
    top_ = panel.plot_top;
    y_ = range_of(panel, options_.y_range);
    const Ticks ticks = panel.scale == AxisScale::logarithmic
                            ? log_ticks(y_.low, y_.high)
                            : nice_ticks(y_.low, y_.high, std::max(3, options_.panel_height / 36));
    add(R"g(<g class="panel" transform="translate({:.2f} {:.2f})">)g", dx, dy);
    heading(panel, ticks);
    grid(ticks);
    if (names_abscissa) abscissa();
    const bool cut = std::isfinite(options_.x_range.low + options_.x_range.high) ||
                     std::isfinite(options_.y_range.low) || std::isfinite(options_.y_range.high) ||
                     std::isfinite(options_.x_range.low) || std::isfinite(options_.x_range.high);
    if (cut) {  // curves end at the edges of the plot
      add(R"(<svg x="0" y="{0:.2f}" width="{1}" height="{2}" viewBox="0 {0:.2f} {1} {2}">)", top_,
          options_.width, options_.panel_height);
      for (std::size_t k = 0; k < panel.lines.size(); ++k) line(panel, k, Part::curve);
      add("</svg>");
    }
    for (std::size_t k = 0; k < panel.lines.size(); ++k)
      line(panel, k, cut ? Part::key : Part::both);
    out_ += "</g>\n";
    return out_;
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
    out_ += '\n';
  }
  double right_edge() const { return options_.width - right_margin; }
  double bottom() const { return top_ + options_.panel_height; }
  double x_of(double value) const {
    return left_margin + (value - x_.low) / (x_.high - x_.low) * (right_edge() - left_margin);
  }
  double y_of(double value) const {
    return bottom() - (value - y_.low) / (y_.high - y_.low) * options_.panel_height;
  }

  void heading(const Panel& panel, const Ticks& ticks) {
    add(R"(<text class="heading" x="{:.0f}" y="20">{}<tspan class="unit" dx="8">{}</tspan></text>)",
        left_margin, xml_escaped(shortened(clean_utf8(panel.heading), 40)),
        xml_escaped(unit_text(shown_unit(panel), ticks)));
  }

  static std::string shown_unit(const Panel& panel) {
    const std::string unit = panel.unit == "1" ? "" : panel.unit;
    if (panel.scale != AxisScale::decibel) return unit;
    return unit.empty() ? "dB" : "dB re 1 " + unit;
  }

  void grid(const Ticks& ticks) {
    for (std::size_t k = 0; k < ticks.values.size(); ++k) {
      const double y = y_of(ticks.values[k]);
      add(R"(<path class="{}" d="M{:.0f} {:.2f}H{:.0f}"/>)", ticks.values[k] == 0 ? "zero" : "grid",
          left_margin, y, right_edge());
      add(R"(<text class="tick y" x="{:.0f}" y="{:.2f}">{}</text>)", left_margin - 7, y + 4,
          ticks.labels[k]);
    }
    double free_from = -INFINITY;
    for (std::size_t k = 0; k < x_ticks_.values.size(); ++k) {
      const double x = x_of(x_ticks_.values[k]);
      add(R"(<path class="grid" d="M{:.2f} {:.2f}V{:.2f}"/>)", x, top_, bottom());
      const double half = 0.5 * character_width * characters(x_ticks_.labels[k]);
      // Labels never run into each other, nor over the edge of the picture.
      const double at = std::min(x, options_.width - half - 2);
      if (at - half < free_from) continue;
      free_from = at + half + 6;
      add(R"(<text class="tick x" x="{:.2f}" y="{:.2f}">{}</text>)", at, bottom() + 17,
          x_ticks_.labels[k]);
    }
    add(R"(<path class="axis" d="M{0:.0f} {1:.2f}V{2:.2f}H{3:.0f}"/>)", left_margin, top_, bottom(),
        right_edge());
  }

  void abscissa() {
    const ChannelTitle title = channel_title(abscissa_);
    add(R"(<text class="abscissa" x="{:.2f}" y="{:.2f}">{} {}</text>)", right_edge(), bottom() + 35,
        xml_escaped(shortened(clean_utf8(title.name), 60)),
        xml_escaped(unit_text(title.unit, x_ticks_)));
  }

  enum class Part { both, curve, key };
  void line(const Panel& panel, std::size_t k, Part part) {
    const Line& line = panel.lines[k];
    const std::string title = xml_escaped(line.title);
    const std::string style =
        fmt::format(R"(stroke="{}"{})", palette[line.colour % colours],
                    *line.dash ? fmt::format(R"( stroke-dasharray="{}")", line.dash) : "");
    if (part != Part::key)
      add(R"(<path class="line" {} d="{}"><title>{}</title></path>)", style, path(line), title);
    if (part == Part::curve) return;
    if (line.label.empty()) return;
    const auto [x, y] = panel.legend[k];
    add(R"(<g class="key"><path class="line" {} d="M{:.1f} {:.1f}h20"/>)"
        R"(<text x="{:.1f}" y="{:.1f}">{}</text></g>)",
        style, x, y - 4, x + 26, y, xml_escaped(line.label));
  }

  std::string path(const Line& line) const {
    const Eigen::VectorXd &x = line.x, &y = line.y;
    std::string d;
    bool broken = true;
    const auto point = [&](long k) {
      if (!std::isfinite(x(k)) || !std::isfinite(y(k))) {
        broken = true;
        return;
      }
      fmt::format_to(std::back_inserter(d), "{}{:.2f} {:.2f}", broken ? "M" : "L", x_of(x(k)),
                     std::clamp(y_of(y(k)), -1e5, 1e5));
      broken = false;
    };
    const long n = x.size();
    const double pixels = right_edge() - left_margin;
    bool increasing = x.allFinite() && y.allFinite();
    for (long k = 1; k < n && increasing; ++k) increasing = x(k) >= x(k - 1);
    if (!increasing || static_cast<double>(n) <= 4 * pixels) {
      for (long k = 0; k < n; ++k) point(k);
      return d;
    }
    for (long begin = 0; begin < n;) {
      const long pixel = std::lround(std::floor(x_of(x(begin))));
      long end = begin, least = begin, greatest = begin;
      for (; end < n && std::lround(std::floor(x_of(x(end)))) == pixel; ++end) {
        if (y(end) < y(least)) least = end;
        if (y(end) > y(greatest)) greatest = end;
      }
      long chosen[] = {begin, std::min(least, greatest), std::max(least, greatest), end - 1};
      for (int k = 0; k < 4; ++k)
        if (k == 0 || chosen[k] != chosen[k - 1]) point(chosen[k]);
      begin = end;
    }
    return d;
  }

  std::string abscissa_;
  const PlotOptions& options_;
  Range x_{}, y_{};
  Ticks x_ticks_;
  double top_ = 0;
  std::string out_;
};

constexpr const char* style = R"(<style>
text { font: 13px "Helvetica Neue", Arial, "Liberation Sans", "DejaVu Sans", sans-serif; fill: #222 }
.title { font-size: 17px; font-weight: 600 }
.heading { font-size: 14px; font-weight: 600 }
.unit { font-weight: 400; fill: #555 }
.tick { font-size: 12px; fill: #444 }
.tick.x { text-anchor: middle } .tick.y, .abscissa { text-anchor: end }
.abscissa { fill: #444 }
path { fill: none }
.grid { stroke: #e4e4e4; stroke-width: 1 }
.zero { stroke: #aaa; stroke-width: 1 }
.axis { stroke: #777; stroke-width: 1 }
.line { stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round }
</style>
)";

}  // namespace

std::string group_heading(const std::string& group) {
  static const std::map<std::string, std::string> known = {
      {"q", "Coordinates"},         {"v", "Speeds"},
      {"a", "Accelerations"},       {"tau", "Efforts"},
      {"energy", "Energy"},         {"power", "Power"},
      {"momentum", "Momentum"},     {"reference", "Reference"},
      {"constraint", "Constraint"}, {"element", "Force elements"}};
  if (const auto found = known.find(group); found != known.end()) return found->second;
  if (group.starts_with("frame.")) return "Frame " + group.substr(6);
  return group;
}

std::string plot_svg(const RecordTable& table, const std::vector<int>& channels,
                     const PlotOptions& options) {
  return plot_svg(std::vector<PlotRun>{{"", &table, channels}}, options);
}

std::string plot_svg(const std::vector<PlotRun>& runs, const PlotOptions& options) {
  for (const PlotRun& run : runs)
    if (run.channels.empty() || run.table->values.rows() == 0)
      throw InputError("there is nothing to plot", "at least one channel and one record");
  if (runs.empty()) throw InputError("there is nothing to plot", "at least one run");
  std::vector<Panel> panels = panels_of(runs, options);
  for (Panel& panel : panels) place(panel, options);

  const std::size_t columns = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::max(options.columns, 1)), 1, panels.size());
  const double head = options.title.empty() ? margin : margin + 30;
  Painter painter(runs.front().table->titles[0], panels, options);
  std::string body;
  double y = head;
  for (std::size_t row = 0; row < panels.size(); row += columns) {
    double height = 0;
    for (std::size_t k = row; k < std::min(row + columns, panels.size()); ++k) {
      const bool last = k + columns >= panels.size();
      body += painter.panel(panels[k], static_cast<double>((k - row) * options.width), y, last);
      height = std::max(height, panels[k].height + (last ? 12 : 0));
    }
    y += height;
  }
  const double width = static_cast<double>(columns) * options.width, height = y + margin;
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" role="img">)"
      "\n{2}<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height, style);
  if (!options.title.empty())
    svg += fmt::format("<text class=\"title\" x=\"{:.0f}\" y=\"30\">{}</text>\n", left_margin,
                       xml_escaped(shortened(clean_utf8(options.title), 70)));
  return svg + body + "</svg>\n";
}

}  // namespace ulna
