#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands/study_figures.hpp"
#include "commands/sweep_summary.hpp"
#include "ulna/report/internal/heat_map.hpp"

namespace ulna::cli {
namespace {

std::string histogram(const ValueReader& values, const SampleStatistics& found,
                      const std::string& label) {
  const PageAxis x = page_axis({found.least, found.largest});
  constexpr int bins = 40;
  std::vector<double> count(bins);
  values([&](std::span<const double> some) {
    for (const double v : some)
      if (std::isfinite(v))
        count[static_cast<std::size_t>(
            std::min(bins - 1, static_cast<int>(bins * (v - x.low) / (x.high - x.low))))] += 1;
  });
  const PageAxis y{0, std::max(1.0, *std::max_element(count.begin(), count.end()))};
  std::string bars;
  for (int k = 0; k < bins; ++k) {
    const double top = y.up(count[static_cast<std::size_t>(k)]), wide = double(figure_wide) / bins;
    bars +=
        fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='#0072b2'/>",
                    figure_margin + wide * k, top, wide - 0.5, y.up(0) - top);
  }
  return figure_svg(x, y, label, bars, "samples");
}

std::string scatter(const std::vector<double>& xs, const std::vector<double>& ys,
                    const std::string& label, const std::string& title) {
  const PageAxis x = page_axis(xs), y = page_axis(ys);
  std::string dots = "<g fill='#d55e00' fill-opacity='0.5'>";
  const std::size_t step = std::max<std::size_t>(1, xs.size() / 1500);
  for (std::size_t k = 0; k < xs.size(); k += step)
    if (std::isfinite(ys[k]))
      dots +=
          fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='1.5'/>", x.across(xs[k]), y.up(ys[k]));
  return figure_svg(x, y, label, dots + "</g>", title);
}

/// A measure over a grid of two parameters alone.
std::string map_of(const StudySummary& s, const MeasureSummary& m, int column) {
  const SamplePlan& plan = s.study->plan();
  const auto& axes = plan.grid_parameters();
  if (axes.size() != 2 || plan.ensemble() != 1 || !s.complete || s.samples != s.study->total() ||
      plan.parameters.size() != 2)
    return {};
  const SampleParameter& a = plan.parameters[0];
  const SampleParameter& b = plan.parameters[1];
  const long n = std::ssize(a.values), k = std::ssize(b.values);
  if (n < 2 || k < 2 || !a.words.empty() || !b.words.empty()) return {};
  // A picture has no room for more cells than this along each axis.
  constexpr long most = 160;
  const long skip_n = (n + most - 1) / most, skip_k = (k + most - 1) / most;
  const auto some_of = [](const std::vector<double>& all, long skip) {
    std::vector<double> some;
    for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(skip))
      some.push_back(all[i]);
    return some;
  };
  const std::vector<double> xs = some_of(a.values, skip_n), ys = some_of(b.values, skip_k);
  HeatMap map;
  map.title = m.name, map.label = m.name;
  const std::vector<std::string> titles = s.study->parameter_titles();
  map.x = {titles[0], Eigen::Map<const Eigen::VectorXd>(xs.data(), std::ssize(xs))};
  map.y = {titles[1], Eigen::Map<const Eigen::VectorXd>(ys.data(), std::ssize(ys))};
  map.values.resize(std::ssize(xs), std::ssize(ys));
  long at = 0;
  s.store->reader(column)([&](std::span<const double> some) {
    for (const double value : some) {
      const long i = at / k, j = at % k;
      if (i % skip_n == 0 && j % skip_k == 0) map.values(i / skip_n, j / skip_k) = value;
      ++at;
    }
  });
  return m.statistics.count > 0 ? heat_map_svg(map) : std::string();
}

std::string measure_section(const StudySummary& s, std::size_t index) {
  const MeasureSummary& m = s.measures[index];
  const auto parameters = static_cast<int>(s.study->plan().parameters.size());
  const int column = parameters + static_cast<int>(index);
  std::string out = fmt::format("<h2>{}</h2>", escaped(m.name));
  if (m.statistics.count == 0) return out + "<p>No sample has a value.</p>";
  out += fmt::format(
      "<p>mean {:.6g} (95 %: {:.6g} to {:.6g}), deviation {:.4g}, from {:.6g} "
      "(<code>ulna sweep {} --sample {} -o run</code>) to {:.6g} "
      "(<code>ulna sweep {} --sample {} -o run</code>)</p>",
      m.statistics.mean, m.statistics.mean_confidence.low, m.statistics.mean_confidence.high,
      m.statistics.deviation, m.statistics.least, escaped(s.file), m.least_sample,
      m.statistics.largest, escaped(s.file), m.largest_sample);
  out += "<table><tr><th>percentile</th><th>value</th><th>95 % from</th><th>to</th></tr>";
  for (std::size_t k = 0; k < m.statistics.percentiles.size(); ++k)
    out += fmt::format("<tr><td>{:g} %</td><td>{:.6g}</td><td>{:.6g}</td><td>{:.6g}</td></tr>",
                       100 * SampleStatistics::levels()[k], m.statistics.percentiles[k],
                       m.statistics.confidence[k].low, m.statistics.confidence[k].high);
  out += "</table>";
  out += drawn([&] { return histogram(s.store->reader(column), m.statistics, m.name); });
  out += drawn([&] { return map_of(s, m, column); });
  const std::vector<std::string> titles = s.study->parameter_titles();
  const auto& random = s.study->plan().random_parameters();
  out +=
      "<table><tr><th>parameter</th><th>rank correlation</th><th>Sobol, first order</th>"
      "<th>Sobol, total</th></tr>";
  for (std::size_t p = 0; p < titles.size(); ++p) {
    out += fmt::format("<tr><td>{}</td><td>{:.3f}</td>", escaped(titles[p]), m.correlations[p]);
    const auto at = std::ranges::find(random, static_cast<int>(p));
    const auto k = static_cast<std::size_t>(at - random.begin());
    if (k < m.indices.first.size())
      out += fmt::format("<td>{:.3f} ({:.3f} to {:.3f})</td><td>{:.3f} ({:.3f} to {:.3f})</td>",
                         m.indices.first[k], m.indices.first_confidence[k].low,
                         m.indices.first_confidence[k].high, m.indices.total[k],
                         m.indices.total_confidence[k].low, m.indices.total_confidence[k].high);
    out += "</tr>";
  }
  out += "</table>";
  for (std::size_t p = 0; p < titles.size(); ++p)
    out += drawn([&] {
      return scatter(s.chosen[p], s.chosen[static_cast<std::size_t>(column)], titles[p], m.name);
    });
  return out;
}

}  // namespace

std::string summary_page(const StudySummary& s) {
  std::string out = study_page_head(s.file, s.description) +
                    fmt::format("<p>{} samples: {} ok, {} infeasible, {} failed{}.</p>", s.samples,
                                s.ok, s.infeasible, s.failed,
                                s.complete ? "" : fmt::format(", {} missing", s.samples - s.done));
  if (!s.reasons.empty()) {
    out += "<h2>Reasons</h2><table><tr><th>count</th><th>reason</th><th>first</th></tr>";
    for (const auto& [text, how] : s.reasons)
      out += fmt::format("<tr><td>{}</td><td>{}</td><td><code>--sample {}</code></td></tr>",
                         how.first, escaped(text), how.second);
    out += "</table>";
  }
  for (std::size_t k = 0; k < s.measures.size(); ++k) out += measure_section(s, k);
  return out + "</html>\n";
}

}  // namespace ulna::cli
