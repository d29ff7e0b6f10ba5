#include "commands/optimize_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands/study_figures.hpp"

namespace ulna::cli {
namespace {

std::size_t measure_of(const Study& study, const std::string& name) {
  const std::vector<std::string> names = study.measure_names();
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

std::string goal_in_words(const StudyGoal& goal) {
  const char* way = goal.largest ? "Largest" : "Least";
  const std::string who = escaped(goal.measure);
  if (!goal.second.empty())
    return fmt::format("{} {} for each bound of {}: {} points of a Pareto front by {}.", way, who,
                       escaped(goal.second), goal.starts, goal.algorithm);
  return fmt::format("{} {} by {} from {} start{}.", way, who, goal.algorithm, goal.starts,
                     goal.starts == 1 ? "" : "s");
}

/// Both measures of all feasible ends, the front joined by a line.
std::string front_figure(const Study& study, const StudyGoal& goal,
                         const std::vector<StudyRow>& ends, const std::vector<bool>& front) {
  const std::size_t a = measure_of(study, goal.measure), b = measure_of(study, goal.second);
  std::vector<double> xs, ys;
  std::vector<std::pair<double, double>> line;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    if (ends[k].status != SampleStatus::ok) continue;
    xs.push_back(ends[k].measures[a]), ys.push_back(ends[k].measures[b]);
    if (front[k]) line.emplace_back(xs.back(), ys.back());
  }
  if (xs.empty()) return {};
  std::ranges::sort(line);
  const PageAxis x = page_axis(xs), y = page_axis(ys);
  std::string content = "<polyline fill='none' stroke='#0072b2' points='";
  for (const auto& [u, v] : line) content += fmt::format("{:.1f},{:.1f} ", x.across(u), y.up(v));
  content += "'/>";
  for (std::size_t k = 0; k < xs.size(); ++k)
    content += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3' fill='{}'/>", x.across(xs[k]),
                           y.up(ys[k]),
                           std::ranges::count(line, std::pair(xs[k], ys[k])) ? "#0072b2" : "#bbb");
  return figure_svg(x, y, goal.measure, content, goal.second);
}

std::string ends_table(const Study& study, const std::vector<StudyRow>& ends,
                       const std::vector<bool>& marked, const char* mark) {
  std::string out = "<table><tr><th>search</th><th>status</th>";
  for (const std::string& name : study.measure_names()) out += "<th>" + escaped(name) + "</th>";
  for (const std::string& title : study.parameter_titles())
    out += "<th>" + escaped(title) + "</th>";
  out += "</tr>";
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const StudyRow& row = ends[k];
    const std::string status = row.reason.empty() ? std::string(name_of(row.status))
                                                  : name_of(row.status) + (": " + row.reason);
    out += fmt::format("<tr><td>{}</td><td>{}{}</td>", k, escaped(status),
                       marked[k] ? std::string(", ") + mark : "");
    for (const std::vector<double>* values : {&row.measures, &row.parameters})
      for (const double value : *values)
        out += std::isfinite(value) ? fmt::format("<td>{:.6g}</td>", value) : "<td></td>";
    out += "</tr>";
  }
  return out + "</table>";
}

}  // namespace

std::vector<bool> on_front(const Study& study, const StudyGoal& goal,
                           const std::vector<StudyRow>& ends) {
  const std::size_t a = measure_of(study, goal.measure), b = measure_of(study, goal.second);
  const double way = goal.largest ? -1 : 1;
  std::vector<bool> front(ends.size(), false);
  for (std::size_t k = 0; k < ends.size(); ++k) {
    if (ends[k].status != SampleStatus::ok) continue;
    const double x = way * ends[k].measures[a], y = ends[k].measures[b];
    front[k] = std::ranges::none_of(ends, [&](const StudyRow& other) {
      if (other.status != SampleStatus::ok) return false;
      const double u = way * other.measures[a], v = other.measures[b];
      return u <= x && v <= y && (u < x || v < y);
    });
  }
  return front;
}

std::string searches_page(const Study& study, const StudyGoal& goal, const std::string& file,
                          const std::vector<StudyRow>& ends, long best) {
  std::string out = study_page_head(file, study.description());
  out += "<p>" + goal_in_words(goal);
  for (const std::string& constraint : study.constraint_texts())
    out += " <code>" + escaped(constraint) + "</code>";
  out += "</p>";
  if (goal.second.empty()) {
    std::vector<bool> marked(ends.size(), false);
    if (best >= 0) marked[static_cast<std::size_t>(best)] = true;
    return out + ends_table(study, ends, marked, "the best") + "</html>\n";
  }
  const std::vector<bool> front = on_front(study, goal, ends);
  out += drawn([&] { return front_figure(study, goal, ends, front); });
  out += "<p>Grey points are feasible, and another point is better in both measures.</p>";
  return out + ends_table(study, ends, front, "on the front") + "</html>\n";
}

}  // namespace ulna::cli
