#include "yaml/yaml_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "run/csv_table.hpp"
#include "text_file.hpp"
#include "ulna/motion/internal/boundary_polynomial.hpp"
#include "ulna/motion/internal/combined_motion.hpp"
#include "ulna/motion/internal/switch_times.hpp"
#include "ulna/motion/program.hpp"
#include "ulna/motion/spin_up.hpp"
#include "ulna/motion/spline.hpp"
#include "ulna/motion/table_motion.hpp"
#include "ulna/motion/trapezoidal_jerk.hpp"
#include "wording.hpp"
#include "yaml/yaml_motion_memory.hpp"

namespace ulna {
namespace {

constexpr std::size_t largest_table = 256 * megabyte;

std::vector<double> read_all(MotionContext& context, const YamlMap& map, const std::string& key,
                             const Quantity& quantity) {
  std::vector<double> values;
  const YamlNode* node = map.need(key, "a list of numbers");
  if (!node) return values;
  for (const YamlNode& item : read_list(context.yaml, *node, map.element() + ", " + key))
    values.push_back(read_number(context.yaml, item, map.element() + ", " + key, quantity));
  return values;
}

ScalarMotionPtr read_program(MotionContext& context, const YamlNode& node,
                             const std::string& element, const Quantity& q) {
  const YamlMap map(context.yaml, node, element,
                    {"program", "from", "to", "time", "start", "breaks"});
  const std::string name = map.needed_text("program", one_of(program_names()));
  map.need("to", "where it leads");
  const double from = map.number("from", q, 0), to = map.number("to", q, 0);
  const double start = map.number("start", quantity::time, 0);
  const double time = map.number("time", quantity::time, context.duration - start);
  if (!map.has("breaks")) return program_named(name, from, to, time, start);
  if (name != "trapezoidal-jerk") {
    map.complain("breaks", "only trapezoidal-jerk has break times");
    return nullptr;
  }
  const std::vector<double> breaks =
      read_numbers(context.yaml, *map.find("breaks"), element + ", breaks", quantity::number, 8);
  BreakTimes times;
  std::copy_n(breaks.begin(), 8, times.begin());
  return std::make_shared<TrapezoidalJerk>(from, to, time, start, times);
}

ScalarMotionPtr read_spline(MotionContext& context, const YamlNode& node,
                            const std::string& element, const Quantity& q) {
  const YamlMap map(context.yaml, node, element, {"spline", "times", "values", "ends"});
  const std::vector<double> times = read_all(context, map, "times", quantity::time),
                            values = read_all(context, map, "values", q);
  if (times.size() != values.size()) {
    map.complain("values", fmt::format("{} values at {} times", values.size(), times.size()),
                 "one value for each time");
    return nullptr;
  }
  const SplineEnds ends = spline_ends_named(map.text("ends", "clamped"));
  const std::string degree = map.text("spline");
  if (degree == "cubic")
    return std::make_shared<PiecewisePolynomial>(cubic_spline(times, values, ends));
  if (degree == "quintic")
    return std::make_shared<PiecewisePolynomial>(quintic_spline(times, values, ends));
  if (degree == "linear") {
    MotionTable table{times, values, {}, {}};
    return std::make_shared<PiecewisePolynomial>(table_motion(table, Interpolation::linear));
  }
  map.complain("spline", "found " + in_quotes(degree), "linear, cubic or quintic");
  return nullptr;
}

/// Before and after its rows a table keeps its first and last value only when that is asked for.
void check_span(const MotionContext& context, const YamlMap& map, const std::vector<double>& t) {
  const std::string outside = map.text("outside", "");
  if (!outside.empty() && outside != "hold")
    map.complain("outside", "found " + in_quotes(outside), "hold, or nothing");
  if (!outside.empty() || t.empty()) return;
  const double rounding = 1e-9 * std::max(1.0, context.duration);
  const char* hint = "outside: hold keeps the first and last value";
  if (t.front() > rounding)
    map.complain("table", fmt::format("its times begin at {:.9g} s, the motion at 0 s", t.front()),
                 "a table that begins at 0 s or before", hint);
  if (!context.timed && t.back() < context.duration - rounding)
    map.complain("table",
                 fmt::format("its times end at {:.9g} s, the experiment at {:.9g} s", t.back(),
                             context.duration),
                 "a table as long as the experiment", hint);
}

Quantity rate_of(Quantity q) {
  q.time -= 1;
  return q;
}

/// What is wrong with a table, with the place that names it.
CsvTable table_named_in(const YamlMap& map, const std::string& path) {
  try {
    return parse_table(read_text_file(path, largest_table), path);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      problem.hint +=
          fmt::format("{}it is the table of {}, {}:{}", problem.hint.empty() ? "" : "; ",
                      map.element(), map.mark().file, map.mark().line);
    throw InputError(std::move(problems));
  }
}

ScalarMotionPtr read_table(MotionContext& context, const YamlNode& node, const std::string& element,
                           const Quantity& q) {
  const YamlMap map(context.yaml, node, element,
                    {"table", "time", "value", "rate", "acceleration", "interpolation", "outside"});
  const std::string file = map.needed_text("table", "a file of numbers (.csv)");
  const std::string value = map.needed_text("value", "the title of a column");
  if (file.empty() || value.empty()) return nullptr;
  return table_columns(context, map, load_table(context, map, file),
                       {value, map.text("rate", ""), map.text("acceleration", "")}, q);
}

ScalarMotionPtr read_spin_up(MotionContext& context, const YamlNode& node,
                             const std::string& element, const Quantity& q) {
  const YamlMap map(context.yaml, node, element, {"spin-up", "time", "from", "start"});
  map.need("time", "the time to reach the rate, such as 2 s");
  return std::make_shared<SpinUp>(map.number("spin-up", rate_of(q), 0),
                                  map.number("time", quantity::time, 0), map.number("from", q, 0),
                                  map.number("start", quantity::time, 0));
}

ScalarMotionPtr read_sequence(MotionContext& context, const YamlNode& node,
                              const std::string& element, const Quantity& q) {
  const YamlMap map(context.yaml, node, element, {"sequence"});
  std::vector<ScalarMotionPtr> parts;
  MotionContext inner = context;  // a part ends where the next one begins
  inner.timed = true;
  for (const YamlNode& item : read_list(context.yaml, *map.find("sequence"), element)) {
    parts.push_back(read_motion(inner, item, element, q));
    if (!parts.back()) return nullptr;
  }
  return std::make_shared<SequenceMotion>(std::move(parts));
}

/// Conditions at times: of each one the value and any derivatives, of any number of them.
ScalarMotionPtr read_polynomial(MotionContext& context, const YamlNode& node,
                                const std::string& element, const Quantity& q) {
  constexpr const char* orders[] = {"value", "rate", "acceleration", "jerk"};
  const YamlMap map(context.yaml, node, element, {"polynomial"});
  std::vector<MotionCondition> conditions;
  for (const YamlNode& item : read_list(context.yaml, *map.find("polynomial"), element)) {
    const YamlMap at(context.yaml, item, element + ", polynomial",
                     {"at", "value", "rate", "acceleration", "jerk"});
    at.need("at", "the time of the condition, such as 0.5 s");
    const double t = at.number("at", quantity::time, 0);
    const std::size_t before = conditions.size();
    Quantity quantity = q;
    for (int order = 0; order < 4; ++order, quantity.time -= 1)
      if (at.has(orders[order]))
        conditions.push_back({t, order, at.number(orders[order], quantity, 0)});
    if (conditions.size() == before)
      at.complain({}, "a time without a condition", "value, rate, acceleration or jerk");
  }
  if (conditions.empty()) {
    map.complain("polynomial", "no conditions", "a list such as [{at: 0, value: 0, rate: 0}, ...]");
    return nullptr;
  }
  return std::make_shared<BoundaryPolynomial>(conditions);
}

ScalarMotionPtr read_switched(MotionContext& context, const YamlNode& node,
                              const std::string& element, const Quantity& q) {
  const YamlMap map(context.yaml, node, element, {"switched", "at", "until"});
  return std::make_shared<SwitchedSignal>(map.number("switched", q, 0),
                                          read_all(context, map, "at", quantity::time),
                                          map.number("until", quantity::time, context.duration));
}

ScalarMotionPtr read_any(MotionContext& context, const YamlNode& node, const std::string& element,
                         const Quantity& q) {
  if (node.kind == YamlNode::Kind::scalar) {
    // A plain value with its unit, or a formula.
    const ParsedQuantity number = parse_quantity(node.text, q);
    if (number.complaint.empty()) return std::make_shared<ConstantMotion>(number.value);
    try {
      const double lasts = context.open_ended     ? std::numeric_limits<double>::infinity()
                           : context.duration > 0 ? context.duration
                                                  : 1.0;
      auto formula = std::make_shared<Formula>(node.text, context.constants, lasts);
      formula->require(q);
      if (context.ranges)
        if (const auto range = formula_range(node.text, context.constants, lasts))
          (*context.ranges)[formula.get()] = *range;
      return formula;
    } catch (const InputError&) {
      if (number.complaint.ends_with("wrong unit"))  // "30 deg/s": no formula, but a number
        throw InputError(number.complaint, expected_text(q));
      throw;
    }
  }
  const auto has = [&](const char* key) {
    return std::any_of(node.entries.begin(), node.entries.end(),
                       [&](const YamlEntry& entry) { return entry.key == key; });
  };
  if (has("program")) return read_program(context, node, element, q);
  if (has("spline")) return read_spline(context, node, element, q);
  if (has("table")) return read_table(context, node, element, q);
  if (has("spin-up")) return read_spin_up(context, node, element, q);
  if (has("sequence")) return read_sequence(context, node, element, q);
  if (has("switched")) return read_switched(context, node, element, q);
  if (has("polynomial")) return read_polynomial(context, node, element, q);
  context.yaml.problems.add(context.yaml.mark(node), element, "found " + describe(node),
                            "a formula in t, or a map with program, polynomial, spline, table, "
                            "spin-up, sequence or switched");
  return nullptr;
}

}  // namespace

CsvTable load_table(const MotionContext& context, const YamlMap& map, const std::string& file) {
  const std::filesystem::path path =
      std::filesystem::path(file).is_absolute() || context.folder.empty()
          ? std::filesystem::path(file)
          : std::filesystem::path(context.folder) / file;
  if (context.known)
    if (const CsvTable* table = context.known->table(path.string())) return *table;
  CsvTable table = table_named_in(map, path.string());
  if (context.learned) context.learned->keep_table(path.string(), table);
  return table;
}

ScalarMotionPtr table_columns(const MotionContext& context, const YamlMap& map, const CsvTable& csv,
                              const TableTitles& titles, const Quantity& q,
                              const std::string& otherwise) {
  MotionTable table;
  table.t = csv.column(map.text("time", "t"), quantity::time);
  table.q = csv.column(titles.value, q);
  check_span(context, map, table.t);
  if (!titles.rate.empty()) table.v = csv.column(titles.rate, rate_of(q));
  if (!titles.acceleration.empty()) table.a = csv.column(titles.acceleration, rate_of(rate_of(q)));
  const std::string between = map.text("interpolation", otherwise);
  if (between.empty()) return std::make_shared<PiecewisePolynomial>(table_motion(table));
  return std::make_shared<PiecewisePolynomial>(table_motion(table, interpolation_named(between)));
}

ScalarMotionPtr read_motion(MotionContext& context, const YamlNode& node,
                            const std::string& element, const Quantity& quantity) {
  if (context.known)
    if (const auto* same = context.known->find(context, node); same && same->motion)
      return same->motion;
  const std::size_t before = context.yaml.problems.count();
  try {
    ScalarMotionPtr motion = read_any(context, node, element, quantity);
    if (context.yaml.problems.count() != before) return nullptr;
    if (context.learned) context.learned->keep(context, node, {motion, nullptr});
    return motion;
  } catch (const InputError& error) {
    // What the motion itself refuses is said at its place in this file, unless it has its own.
    for (const Problem& p : error.problems())
      context.yaml.problems.add(p.where.file.empty() ? context.yaml.mark(node) : p.where,
                                p.element.empty() ? element : element + ", " + p.element, p.message,
                                p.expectation, p.hint);
    return nullptr;
  }
}

}  // namespace ulna
