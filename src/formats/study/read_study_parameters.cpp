#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/study_reader.hpp"
#include "text_file.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

/// A number, or in SI units what has one of its own ("30 deg", "pi/2"); none for words.
std::optional<double> value_of(const std::string& text) {
  const ParsedQuantity number = parse_quantity(text, quantity::number);
  if (number.complaint.empty()) return number.value;
  try {
    return constant_formula(text);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool has_own_unit(const std::string& text) {
  return !parse_quantity(text, quantity::number).complaint.empty() && value_of(text);
}

/// Numbers where all of them are; else words, numbered by their place.
void take_texts(const std::vector<std::string>& texts, SampleParameter& p) {
  for (const std::string& text : texts) {
    const std::optional<double> number = value_of(text);
    if (!number) p.words = texts;
    p.values.push_back(number.value_or(0));
  }
  for (std::size_t k = 0; k < p.words.size(); ++k) p.values[k] = double(k);
}

}  // namespace

void StudyReader::read_table() {
  if (!map_.has("table")) return;
  const std::string file = beside(map_.text("table"));
  const std::string text = read_text_file(file, 512 * megabyte);
  parts_.sources += text;
  table_ = parse_csv(text, file, true);
}

void StudyReader::read_parameters() {
  const YamlNode* list = map_.need("parameters", "a list of {path: ..., grid: from:to:count}");
  if (!list) return;
  for (const YamlNode& item : read_list(context_, *list, "parameters")) read_parameter(item);
  std::set<std::string> names;
  for (const SampleParameter& p : parts_.plan.parameters) names.insert(p.name);
  for (const auto& [node, index] : sets_) read_set(*node, names, index);
  for (const StudyTarget& t : parts_.targets)
    if (!t.of_run()) parts_.edits = true;
}

void StudyReader::read_parameter(const YamlNode& item) {
  const YamlMap map(context_, item, "parameter",
                    {"name", "path", "paths", "set", "unit", "grid", "log-grid", "list", "column",
                     "uniform", "log-uniform", "normal", "log-normal", "triangular"});
  SampleParameter p;
  const int index = static_cast<int>(parts_.plan.parameters.size());
  items_.push_back(&item);
  const std::string unit = map.text("unit", unit_of_column(map));
  std::vector<std::string> paths;
  if (map.has("path")) paths.push_back(map.text("path"));
  if (const YamlNode* several = map.find("paths"))
    for (const YamlNode& one : read_list(context_, *several, "parameter, paths"))
      paths.push_back(read_text(context_, one, "parameter, paths"));
  p.name = map.text("name", paths.empty() ? "" : paths.front());
  if (p.name.empty())
    map.complain("path", "a parameter without a place", "path, paths, or name and set");
  for (const std::string& path : paths) {
    StudyTarget target;
    target.path = path, target.parameter = index, target.unit = unit;
    parts_.targets.push_back(std::move(target));
  }
  if (const YamlNode* set = map.find("set")) sets_.emplace_back(set, index);
  read_values(map, p);
  parts_.plan.parameters.push_back(std::move(p));
  parts_.units.push_back(unit);
}

void StudyReader::read_set(const YamlNode& node, const std::set<std::string>& names, int index) {
  if (node.kind != YamlNode::Kind::map) {
    context_.problems.add(context_.mark(node), "parameter, set", "found " + describe(node),
                          "{path: formula of the parameters}");
    return;
  }
  for (const YamlEntry& entry : node.entries) {
    const std::string text = read_text(context_, entry.value, "parameter, set");
    StudyTarget target;
    target.path = entry.key, target.parameter = index;
    try {
      target.formula.emplace(quoted_names(text, names));
      for (const std::string& v : target.formula->variables()) {
        const auto at = std::ranges::find(parts_.plan.parameters, v, &SampleParameter::name);
        if (at == parts_.plan.parameters.end())
          throw InputError("no parameter '" + v + "'", "formulas of the parameters");
        target.variables.push_back(static_cast<int>(at - parts_.plan.parameters.begin()));
      }
      parts_.targets.push_back(std::move(target));
    } catch (const InputError& error) {
      add(entry.value, "parameter, set", error);
    }
  }
}

void StudyReader::read_values(const YamlMap& map, SampleParameter& p) {
  static const std::vector<std::string> kinds = {"grid",   "log-grid",   "list",
                                                 "column", "uniform",    "log-uniform",
                                                 "normal", "log-normal", "triangular"};
  std::string found;
  for (const std::string& kind : kinds)
    if (map.has(kind)) found += (found.empty() ? "" : ", ") + kind;
  if (found.find(',') != std::string::npos || found.empty()) {
    map.complain(found.empty() ? "name" : found.substr(0, found.find(',')),
                 found.empty() ? "no values" : "found " + found,
                 "one of " + fmt::format("{}", fmt::join(kinds, ", ")));
    return;
  }
  if (found == "grid" || found == "log-grid") return read_grid(map, found, p);
  if (found == "list") return read_words(map, p);
  if (found == "column") return read_column(map, p);
  using Kind = Distribution::Kind;
  Distribution& d = p.distribution;
  d.kind = found == "uniform"       ? Kind::uniform
           : found == "log-uniform" ? Kind::log_uniform
           : found == "normal"      ? Kind::normal
           : found == "log-normal"  ? Kind::log_normal
                                    : Kind::triangular;
  const bool normal = d.kind == Kind::normal || d.kind == Kind::log_normal;
  const YamlMap own(context_, *map.find(found), "parameter '" + p.name + "', " + found,
                    {"from", "to", "mode", "mean", "deviation", "least", "most"});
  const std::string a = normal ? "mean" : "from", b = normal ? "deviation" : "to";
  const bool unit = map.has("unit");
  if (own.need(a, "a number")) d.a = end_of(own, a, unit, 0);
  if (own.need(b, "a number")) d.b = end_of(own, b, unit, 1);
  d.mode = end_of(own, "mode", unit, 0.5 * (d.a + d.b));
  d.least = end_of(own, "least", unit, d.least);
  d.most = end_of(own, "most", unit, d.most);
}

/// A number of a distribution, in the unit of the parameter or in one of its own.
double StudyReader::end_of(const YamlMap& map, const std::string& key, bool unit, double fallback) {
  if (!map.has(key) || (!unit && has_own_unit(map.text(key))))
    return map.has(key) ? *value_of(map.text(key)) : fallback;
  return map.number(key, quantity::number, fallback);
}

/// "from:to:count".
void StudyReader::read_grid(const YamlMap& map, const std::string& key, SampleParameter& p) {
  const std::string text = map.text(key);
  std::vector<double> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::optional<double> one = value_of(part);
    if (!one || (map.has("unit") && has_own_unit(part))) break;
    parts.push_back(*one);
    begin = end + 1;
  }
  const bool log = key == "log-grid";
  if (parts.size() != 3 || !(parts[2] >= 1 && parts[2] <= 1e8) ||
      parts[2] != std::floor(parts[2]) || (log && !(parts[0] > 0 && parts[1] > 0)))
    return map.complain(key, "found " + in_quotes(text),
                        log ? "from:to:count, both ends above 0 and a count up to 100000000"
                            : "from:to:count with a count up to 100000000");
  const auto n = static_cast<long>(parts[2]);
  for (long k = 0; k < n; ++k) {
    const double s = n > 1 ? double(k) / double(n - 1) : 0;
    p.values.push_back(k == n - 1 && n > 1 ? parts[1]
                       : log               ? parts[0] * std::pow(parts[1] / parts[0], s)
                                           : parts[0] + s * (parts[1] - parts[0]));
  }
}

void StudyReader::read_words(const YamlMap& map, SampleParameter& p) {
  std::vector<std::string> texts;
  for (const YamlNode& item : read_list(context_, *map.find("list"), "parameter, list"))
    texts.push_back(read_text(context_, item, "parameter, list"));
  if (texts.empty()) map.complain("list", "an empty list", "one value or more");
  if (const auto own = std::ranges::find_if(texts, has_own_unit);
      map.has("unit") && own != texts.end())
    map.complain("list", "found " + in_quotes(*own) + " beside 'unit'", "one of both");
  take_texts(texts, p);
}

/// As the title of the column has it: "angle[deg]". What is no unit is a part of the name.
std::string StudyReader::unit_of_column(const YamlMap& map) const {
  if (!table_ || !map.has("column")) return {};
  const std::string name = map.text("column");
  for (const std::string& title : table_->titles) {
    if (title == name || !is_title_of(title, name)) continue;
    const std::string unit = plain_unit(unit_of_title(title));
    try {
      constant_formula("1 " + unit);
      return unit;
    } catch (const InputError&) {
      return {};
    }
  }
  return {};
}

void StudyReader::read_column(const YamlMap& map, SampleParameter& p) {
  if (!table_) return map.complain("column", "the study has no table", "'table: FILE.csv'");
  try {
    take_texts(table_->texts(map.text("column")), p);
    p.tabled = true;
  } catch (const InputError& error) {
    add(*map.find("column"), "parameter '" + p.name + "'", error);
  }
}

void StudyReader::read_sampling() {
  SamplePlan& plan = parts_.plan;
  if (const YamlNode* node = map_.find("sampling")) {
    const YamlMap map(context_, *node, "sampling",
                      {"method", "count", "seed", "indices", "scrambled"});
    const std::string method = map.text("method", "random");
    for (const SamplingMethod m :
         {SamplingMethod::random, SamplingMethod::latin_hypercube, SamplingMethod::sobol})
      if (method == name_of(m)) plan.method = m;
    if (method != name_of(plan.method))
      map.complain("method", "found " + in_quotes(method), "random, latin-hypercube or sobol",
                   nearest_name_hint(method, {"random", "latin-hypercube", "sobol"}));
    plan.count = whole(map, "count", 1);
    plan.seed = static_cast<std::uint64_t>(whole(map, "seed", 1));
    plan.indices = map.boolean("indices", false);
    plan.scrambled = map.boolean("scrambled", true);
  }
  if (const YamlNode* node = map_.find("correlation")) read_correlation(*node);
}

void StudyReader::read_correlation(const YamlNode& node) {
  const YamlMap map(context_, node, "correlation", {"of", "matrix"});
  SamplePlan& plan = parts_.plan;
  const YamlNode* of = map.need("of", "names of parameters");
  const YamlNode* matrix = map.need("matrix", "rows of numbers");
  if (!of || !matrix) return;
  for (const YamlNode& item : read_list(context_, *of, "correlation, of")) {
    const std::string name = read_text(context_, item, "correlation, of");
    const auto at = std::ranges::find(plan.parameters, name, &SampleParameter::name);
    if (at == plan.parameters.end())
      return map.complain("of", "no parameter '" + name + "'", "names of parameters");
    plan.correlated.push_back(static_cast<int>(at - plan.parameters.begin()));
  }
  const std::size_t n = plan.correlated.size();
  plan.correlation.setZero(static_cast<long>(n), static_cast<long>(n));
  const auto& rows = read_list(context_, *matrix, "correlation, matrix");
  if (rows.size() != n)
    return map.complain("matrix", fmt::format("{} rows", rows.size()), fmt::format("{}", n));
  for (std::size_t r = 0; r < n; ++r) {
    const std::vector<double> row =
        read_numbers(context_, rows[r], "correlation, matrix", quantity::number, n);
    for (std::size_t c = 0; c < row.size(); ++c)
      plan.correlation(static_cast<long>(r), static_cast<long>(c)) = row[c];
  }
}

}  // namespace ulna
