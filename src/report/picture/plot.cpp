#include "ulna/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

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

struct Line {
  int column;
  std::string label;
};

struct Panel {
  std::string heading, unit;
  std::vector<Line> lines;
  // Places relative to the panel's own corner.
  std::vector<std::pair<double, double>> legend;
  double plot_top = 0, height = 0;
};

struct Range {
  double low, high;
};

std::vector<Panel> panels_of(const RecordTable& table, const std::vector<int>& channels) {
  std::vector<Panel> panels;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const int column : channels) {
    const ChannelTitle title = channel_title(table.titles.at(column));
    const auto [at, is_new] = known.try_emplace({title.group, title.unit}, panels.size());
    if (is_new) panels.push_back({group_heading(title.group), title.unit, {}, {}, 0, 0});
    panels[at->second].lines.push_back({column, shortened(clean_utf8(title.label), 40)});
  }
  for (Panel& panel : panels)  // a plain table's "x1" alone is named by its heading
    if (panel.lines.size() == 1 && panel.lines[0].label == panel.heading) panel.lines[0].label = "";
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

Range range_of(const RecordTable& table, const Panel& panel) {
  double low = INFINITY, high = -INFINITY;
  for (const Line& line : panel.lines) {
    low = std::min(low, table.values.col(line.column).minCoeff());
    high = std::max(high, table.values.col(line.column).maxCoeff());
  }
  return padded(low, high, 0.05);
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
  Painter(const RecordTable& table, const PlotOptions& options) : table_(table), options_(options) {
    const auto x = table.values.col(0);
    x_ = padded(x.minCoeff(), x.maxCoeff(), 0);
    increasing_ = true;
    for (long k = 1; k < x.size(); ++k) increasing_ &= x(k) >= x(k - 1);
    x_ticks_ = nice_ticks(x_.low, x_.high, 8);
  }

  std::string panel(const Panel& panel, double dx, double dy, bool names_abscissa) {
    out_.clear();
    top_ = panel.plot_top;
    y_ = range_of(table_, panel);
    const Ticks ticks = nice_ticks(y_.low, y_.high, std::max(3, options_.panel_height / 36));
    add(R"g(<g class="panel" transform="translate({:.2f} {:.2f})">)g", dx, dy);
    heading(panel, ticks);
    grid(ticks);
    if (names_abscissa) abscissa();
    for (std::size_t k = 0; k < panel.lines.size(); ++k) line(panel, k);
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
        xml_escaped(unit_text(panel.unit == "1" ? "" : panel.unit, ticks)));
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
      if (x - half < free_from) continue;  // labels never run into each other
      free_from = x + half + 6;
      add(R"(<text class="tick x" x="{:.2f}" y="{:.2f}">{}</text>)", x, bottom() + 17,
          x_ticks_.labels[k]);
    }
    add(R"(<path class="axis" d="M{0:.0f} {1:.2f}V{2:.2f}H{3:.0f}"/>)", left_margin, top_, bottom(),
        right_edge());
  }

  void abscissa() {
    const ChannelTitle title = channel_title(table_.titles[0]);
    add(R"(<text class="abscissa" x="{:.2f}" y="{:.2f}">{} {}</text>)", right_edge(), bottom() + 35,
        xml_escaped(shortened(clean_utf8(title.name), 60)),
        xml_escaped(unit_text(title.unit, x_ticks_)));
  }

  void line(const Panel& panel, std::size_t k) {
    const Line& line = panel.lines[k];
    const std::string title = xml_escaped(table_.titles[line.column]);
    const char* const dash = dashes[k / colours % std::size(dashes)];
    const std::string style =
        fmt::format(R"(stroke="{}"{})", palette[k % colours],
                    *dash ? fmt::format(R"( stroke-dasharray="{}")", dash) : "");
    add(R"(<path class="line" {} d="{}"><title>{}</title></path>)", style, path(line.column),
        title);
    if (line.label.empty()) return;
    const auto [x, y] = panel.legend[k];
    add(R"(<g class="key"><path class="line" {} d="M{:.1f} {:.1f}h20"/>)"
        R"(<text x="{:.1f}" y="{:.1f}">{}</text></g>)",
        style, x, y - 4, x + 26, y, xml_escaped(line.label));
  }

  std::string path(int column) const {
    const auto x = table_.values.col(0), y = table_.values.col(column);
    std::string d;
    const auto point = [&](long k) {
      fmt::format_to(std::back_inserter(d), "{}{:.2f} {:.2f}", d.empty() ? "M" : "L", x_of(x(k)),
                     y_of(y(k)));
    };
    const long n = x.size();
    const double pixels = right_edge() - left_margin;
    if (!increasing_ || static_cast<double>(n) <= 4 * pixels) {
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

  const RecordTable& table_;
  const PlotOptions& options_;
  Range x_{}, y_{};
  bool increasing_ = true;
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
  if (channels.empty() || table.values.rows() == 0)
    throw InputError("there is nothing to plot", "at least one channel and one record");
  std::vector<Panel> panels = panels_of(table, channels);
  for (Panel& panel : panels) place(panel, options);

  const std::size_t columns = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::max(options.columns, 1)), 1, panels.size());
  const double head = options.title.empty() ? margin : margin + 30;
  Painter painter(table, options);
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
