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
  std::string title;
  int colour;
  const char* dash;
  Eigen::VectorXd x, y;
};

/// An entry of the legend, at its place relative to the panel's own corner.
struct Key {
  std::string label, colour;
  const char* dash;
  double x = 0, y = 0;
};

struct Panel {
  std::string heading, unit;
  bool phase = false;
  AxisScale scale = AxisScale::linear;
  std::vector<Line> lines = {};
  std::vector<Key> keys = {};
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

bool is_phase(const ChannelTitle& title) {
  return title.unit == "deg" || title.name.find("phase") != std::string::npos;
}

void style_keys(Panel& panel, const std::vector<PlotRun>& runs, bool references);

/// Groups of channels with one unit. References go where the coordinates are.
std::vector<Panel> panels_of(const std::vector<PlotRun>& runs, const PlotOptions& options) {
  std::vector<Panel> panels;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::map<std::pair<std::size_t, std::string>, int> colour_of;
  std::set<std::size_t> commanded;  // panels with references
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
      if (is_new) panels.push_back({group_heading(group), title.unit, is_phase(title)});
      Panel& panel = panels[at->second];
      if (reference) commanded.insert(at->second);
      int fresh = 0;
      for (const auto& [key, colour] : colour_of) fresh += key.first == at->second ? 1 : 0;
      const auto [found, unseen] = colour_of.try_emplace({at->second, title.label}, fresh);
      const std::string label = clean_utf8(title.label);
      const char* dash = reference         ? "1 3"
                         : runs.size() > 1 ? run_dashes[run % std::size(run_dashes)]
                                           : dashes[found->second / colours % std::size(dashes)];
      panel.lines.push_back({table.titles[column], found->second, dash,
                             on_axis(table.values.col(0), options.x_scale),
                             table.values.col(column)});
      if (unseen)
        panel.keys.push_back(
            {label, palette[found->second % colours], runs.size() > 1 ? "" : dash});
    }
  }
  for (std::size_t k = 0; k < panels.size(); ++k) {
    Panel& panel = panels[k];
    if (!panel.phase && panel.unit != "dB") panel.scale = options.y_scale;
    for (Line& line : panel.lines) line.y = on_axis(line.y, panel.scale);
    // A plain table's "x1" alone is named by its heading.
    if (panel.keys.size() == 1 && panel.keys[0].label == panel.heading) panel.keys.clear();
    style_keys(panel, runs, commanded.contains(k));
  }
  return panels;
}

/// What line styles stand for is said once, not for every line.
void style_keys(Panel& panel, const std::vector<PlotRun>& runs, bool references) {
  constexpr const char* neutral = "#666666";
  for (std::size_t run = 0; run < runs.size() && runs.size() > 1; ++run)
    panel.keys.push_back(
        {clean_utf8(runs[run].name), neutral, run_dashes[run % std::size(run_dashes)]});
  if (references) panel.keys.push_back({"commanded", neutral, "1 3"});
}

// The legend runs in rows under the heading.
void place(Panel& panel, const PlotOptions& options) {
  double x = left_margin, y = 20 + line_height;
  constexpr double line_width = 26, gap = 14;
  const int most =
      static_cast<int>((options.width - left_margin - right_margin - line_width) / character_width);
  for (Key& key : panel.keys) {
    // Names in a row often differ at their ends.
    key.label = shortened_inside(key.label, std::clamp(most, 3, 40));
    const double width = line_width + character_width * characters(key.label) + gap;
    if (x + width > options.width - right_margin && x > left_margin) {
      x = left_margin;
      y += line_height;
    }
    key.x = x, key.y = y;
    x += width;
  }
  if (panel.keys.empty()) y -= line_height;
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
    const int count = std::max(3, options_.panel_height / 36);
    const Ticks ticks = panel.scale == AxisScale::logarithmic ? log_ticks(y_.low, y_.high)
                        : panel.phase && panel.unit == "deg"  ? degree_ticks(y_.low, y_.high, count)
                                                              : nice_ticks(y_.low, y_.high, count);
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
    }
    for (const Line& curve : panel.lines) line(curve);
    if (cut) add("</svg>");
    for (const Key& entry : panel.keys) key(entry);
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
    constexpr double bold = 8.6;  // width of a character of the heading
    const std::string unit = unit_text(shown_unit(panel), ticks);
    const double room = options_.width - left_margin - character_width * characters(unit);
    const int most = std::clamp(static_cast<int>(room / bold) - 2, 6, 60);
    add(R"(<text class="heading" x="{:.0f}" y="20">{}<tspan class="unit" dx="8">{}</tspan></text>)",
        left_margin, xml_escaped(shortened_inside(clean_utf8(panel.heading), most)),
        xml_escaped(unit));
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

  static std::string style_of(const std::string& colour, const char* dash) {
    return fmt::format(R"(stroke="{}"{})", colour,
                       *dash ? fmt::format(R"( stroke-dasharray="{}")", dash) : "");
  }

  void line(const Line& line) {
    add(R"(<path class="line" {} d="{}"><title>{}</title></path>)",
        style_of(palette[line.colour % colours], line.dash), path(line), xml_escaped(line.title));
  }

  void key(const Key& key) {
    add(R"(<g class="key"><path class="line" {} d="M{:.1f} {:.1f}h20"/>)"
        R"(<text x="{:.1f}" y="{:.1f}">{}</text></g>)",
        style_of(key.colour, key.dash), key.x, key.y - 4, key.x + 26, key.y,
        xml_escaped(key.label));
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
    svg += fmt::format(
        "<text class=\"title\" x=\"{:.0f}\" y=\"30\">{}</text>\n", left_margin,
        xml_escaped(shortened(clean_utf8(options.title),
                              std::max(10, static_cast<int>((width - left_margin) / 9)))));
  return svg + body + "</svg>\n";
}

}  // namespace ulna
