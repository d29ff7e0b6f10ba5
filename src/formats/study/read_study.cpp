#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "run/csv_table.hpp"
#include "study/study_parts.hpp"
#include "text_file.hpp"
#include "ulna/model/model.hpp"
#include "wording.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '.'; }

/// Names of measures and parameters in single quotes, so that a formula takes them as variables.
std::string quoted_names(const std::string& text, const std::set<std::string>& names) {
  std::string out;
  for (std::size_t k = 0; k < text.size();) {
    if (text[k] == '\'') {
      const std::size_t end = std::min(text.find('\'', k + 1), text.size() - 1) + 1;
      out += text.substr(k, end - k);
      k = end;
    } else if (is_name_start(text[k])) {
      std::size_t end = k;
      while (end < text.size() && is_name_part(text[end])) ++end;
      const std::string word = text.substr(k, end - k);
      out += names.count(word) ? "'" + word + "'" : word;
      k = end;
    } else {
      out += text[k++];
    }
  }
  return out;
}

const std::vector<std::pair<std::string, Take>> takes = {{"first", Take::first},
                                                         {"final", Take::final},
                                                         {"least", Take::least},
                                                         {"largest", Take::largest},
                                                         {"range", Take::range},
                                                         {"mean", Take::mean},
                                                         {"rms", Take::rms},
                                                         {"integral", Take::integral},
                                                         {"time-of-least", Take::time_of_least},
                                                         {"time-of-largest", Take::time_of_largest},
                                                         {"time-above", Take::time_above},
                                                         {"settling-time", Take::settling},
                                                         {"overshoot", Take::overshoot}};

template <class Pairs>
std::vector<std::string> names_in(const Pairs& pairs) {
  std::vector<std::string> all;
  for (const auto& p : pairs) all.push_back(p.first);
  return all;
}

}  // namespace

class StudyReader {
 public:
  StudyReader(YamlContext& context, const YamlNode& root, Study::Parts& parts,
              const ReadOptions& options)
      : context_(context),
        map_(context, root, "study",
             {"study", "name", "description", "robot", "experiment", "parameters", "table",
              "sampling", "correlation", "run", "measures", "constraints", "limit", "optimize"}),
        parts_(parts),
        options_(options) {}

  void read() {
    const YamlNode* version = map_.need("study", "'study: 1', the version of this format");
    if (version && version->text != "1")
      map_.complain("study", fmt::format("version {}", describe(*version)), "'study: 1'");
    parts_.description = map_.text("description");
    read_subject();
    context_.problems.throw_if_any();
    read_table();
    read_parameters();
    read_sampling();
    read_runs();
    read_measures();
    read_constraints();
    parts_.seconds = map_.number("limit", quantity::time, 0);
    read_goal();
    context_.problems.throw_if_any();
    parts_.plan.check();
  }

 private:
  std::string beside(const std::string& name) const {
    const fs::path path = fs::path(context_.file).parent_path() / name;
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) ? path.string() : name;
  }

  void read_subject() {
    const bool robot = map_.has("robot"), experiment = map_.has("experiment");
    if (robot == experiment) {
      map_.complain("robot", robot ? "found 'robot' and 'experiment'" : "nothing to study",
                    "either 'robot: NAME' or 'experiment: FILE'");
      return;
    }
    if (robot) {
      const Robot read = read_robot(beside(map_.text("robot")), options_).robot;
      parts_.robot.emplace(read);
      parts_.nominal = std::make_shared<const Model>(read);
    } else {
      parts_.experiment.emplace(beside(map_.text("experiment")), options_);
      parts_.nominal = parts_.experiment->with({}).experiment.model;
    }
  }

  void read_table() {
    if (!map_.has("table")) return;
    const std::string file = beside(map_.text("table"));
    table_ = parse_csv(read_text_file(file, 512 * megabyte), file);
  }

  void read_parameters() {
    const YamlNode* list = map_.need("parameters", "a list of {path: ..., grid: from:to:count}");
    if (!list) return;
    for (const YamlNode& item : read_list(context_, *list, "parameters")) read_parameter(item);
    std::set<std::string> names;
    for (const SampleParameter& p : parts_.plan.parameters) names.insert(p.name);
    for (const auto& [node, index] : sets_) read_set(*node, names, index);
    for (const StudyTarget& t : parts_.targets)
      if (!t.path.starts_with("q.") && !t.path.starts_with("v.")) parts_.edits = true;
  }

  void read_parameter(const YamlNode& item) {
    const YamlMap map(context_, item, "parameter",
                      {"name", "path", "paths", "set", "unit", "grid", "log-grid", "list", "column",
                       "uniform", "log-uniform", "normal", "log-normal", "triangular"});
    SampleParameter p;
    const int index = static_cast<int>(parts_.plan.parameters.size());
    const std::string unit = map.text("unit");
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

  void read_set(const YamlNode& node, const std::set<std::string>& names, int index) {
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

  void add(const YamlNode& node, const std::string& element, const InputError& error) {
    for (const Problem& p : error.problems())
      context_.problems.add(context_.mark(node), element, p.message, p.expectation, p.hint);
  }

  void read_values(const YamlMap& map, SampleParameter& p) {
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
    if (own.need(a, "a number")) d.a = own.number(a, quantity::number, 0);
    if (own.need(b, "a number")) d.b = own.number(b, quantity::number, 1);
    d.mode = own.number("mode", quantity::number, 0.5 * (d.a + d.b));
    d.least = own.number("least", quantity::number, d.least);
    d.most = own.number("most", quantity::number, d.most);
  }

  /// "from:to:count".
  void read_grid(const YamlMap& map, const std::string& key, SampleParameter& p) {
    const std::string text = map.text(key);
    std::vector<double> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(':', begin), text.size());
      const ParsedQuantity one = parse_quantity(text.substr(begin, end - begin), quantity::number);
      if (!one.complaint.empty()) break;
      parts.push_back(one.value);
      begin = end + 1;
    }
    const bool log = key == "log-grid";
    if (parts.size() != 3 || !(parts[2] >= 1 && parts[2] <= 1e8) ||
        parts[2] != std::floor(parts[2]) || (log && !(parts[0] > 0 && parts[1] > 0)))
      return map.complain(key, "found " + in_quotes(text),
                          log ? "from:to:count, both ends above 0" : "from:to:count");
    const auto n = static_cast<long>(parts[2]);
    for (long k = 0; k < n; ++k) {
      const double s = n > 1 ? double(k) / double(n - 1) : 0;
      p.values.push_back(k == n - 1 && n > 1 ? parts[1]
                         : log               ? parts[0] * std::pow(parts[1] / parts[0], s)
                                             : parts[0] + s * (parts[1] - parts[0]));
    }
  }

  void read_words(const YamlMap& map, SampleParameter& p) {
    for (const YamlNode& item : read_list(context_, *map.find("list"), "parameter, list")) {
      const std::string text = read_text(context_, item, "parameter, list");
      const ParsedQuantity number = parse_quantity(text, quantity::number);
      p.words.push_back(text);
      p.values.push_back(number.complaint.empty() ? number.value : double(p.values.size()));
      if (!number.complaint.empty()) has_words_ = true;
    }
    if (p.values.empty()) map.complain("list", "an empty list", "one value or more");
    if (!has_words_) p.words.clear();
    has_words_ = false;
  }

  void read_column(const YamlMap& map, SampleParameter& p) {
    if (!table_) return map.complain("column", "the study has no table", "'table: FILE.csv'");
    try {
      p.values = table_->column(map.text("column"));
      p.tabled = true;
    } catch (const InputError& error) {
      add(*map.find("column"), "parameter '" + p.name + "'", error);
    }
  }

  void read_sampling() {
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

  static long whole(const YamlMap& map, const std::string& key, long fallback) {
    const double value = map.number(key, quantity::number, double(fallback));
    if (!(value >= 0 && value <= 9e15) || value != std::floor(value)) {
      map.complain(key, fmt::format("found {}", value), "a whole number");
      return fallback;
    }
    return static_cast<long>(value);
  }

  void read_correlation(const YamlNode& node) {
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

  void read_runs() {
    const YamlNode* node = map_.need(
        "run", "simulate, inverse, modes, deflection, linearize, equilibrium, or a list of them");
    if (!node) return;
    if (node->kind == YamlNode::Kind::sequence)
      for (const YamlNode& item : node->items) read_run(item);
    else
      read_run(*node);
  }

  void read_run(const YamlNode& node) {
    using Kind = StudyRunKind::Kind;
    static const std::vector<std::pair<std::string, Kind>> kinds = {
        {"simulate", Kind::simulate},   {"inverse", Kind::inverse},
        {"modes", Kind::modes},         {"deflection", Kind::deflection},
        {"linearize", Kind::linearize}, {"equilibrium", Kind::equilibrium}};
    const bool with_options = node.kind == YamlNode::Kind::map && node.entries.size() == 1;
    const std::string name = with_options ? node.entries[0].key : read_text(context_, node, "run");
    const auto at = std::ranges::find(kinds, name, &std::pair<std::string, Kind>::first);
    if (at == kinds.end()) {
      context_.problems.add(context_.mark(node), "run", "found " + in_quotes(name),
                            one_of(names_in(kinds)), nearest_name_hint(name, names_in(kinds)));
      return;
    }
    StudyRunKind run;
    run.kind = at->second;
    const bool needs_experiment = run.kind == Kind::simulate || run.kind == Kind::inverse;
    if (needs_experiment && !parts_.experiment)
      context_.problems.add(context_.mark(node), "run", name + " of a robot alone",
                            "'experiment: FILE' instead of 'robot'");
    if (with_options) read_run_options(node.entries[0].value, name, run);
    parts_.runs.push_back(std::move(run));
  }

  void read_run_options(const YamlNode& node, const std::string& name, StudyRunKind& run) {
    const YamlMap map(
        context_, node, "run, " + name,
        {"q", "v", "posture", "locked", "count", "elements", "frame", "force", "gravity"});
    run.q = named(map, "q"), run.v = named(map, "v");
    run.posture = map.text("posture");
    if (const YamlNode* locked = map.find("locked")) {
      run.all_locked = false;
      if (locked->kind == YamlNode::Kind::sequence)
        for (const YamlNode& item : locked->items)
          run.locked.push_back(read_text(context_, item, "run, locked"));
      else if (const std::string word = map.text("locked"); word == "all")
        run.all_locked = true;
      else if (word != "none")
        run.locked.push_back(word);
    }
    run.count = static_cast<int>(std::min(whole(map, "count", 6), 1000L));
    run.elements = map.boolean("elements", false);
    run.frame = map.text("frame");
    run.force = map.vector("force", quantity::force, run.force);
    run.gravity = map.boolean("gravity", true);
  }

  NamedValues named(const YamlMap& map, const std::string& key) {
    NamedValues values;
    const YamlNode* node = map.find(key);
    if (!node) return values;
    const std::vector<std::string>& names =
        key == "q" ? parts_.nominal->coordinate_names() : parts_.nominal->speed_names();
    const auto number = [&](const YamlNode& at) {
      const std::string text = read_text(context_, at, map.element() + ", " + key);
      for (const Quantity& q : {quantity::number, quantity::angle, quantity::length})
        if (const ParsedQuantity p = parse_quantity(text, q); p.complaint.empty()) return p.value;
      map.complain(key, "found " + in_quotes(text), "a number, an angle or a length");
      return 0.0;
    };
    if (node->kind == YamlNode::Kind::map)
      for (const YamlEntry& e : node->entries) values.push_back({e.key, number(e.value)});
    else if (node->kind == YamlNode::Kind::sequence && node->items.size() <= names.size())
      for (std::size_t k = 0; k < node->items.size(); ++k)
        values.push_back({names[k], number(node->items[k])});
    else
      map.complain(key, "found " + describe(*node), "{NAME: value} or a list of values");
    return values;
  }

  void read_measures() {
    const YamlNode* node = map_.need("measures", "{NAME: formula or {take: ..., of: ...}}");
    if (!node || node->kind != YamlNode::Kind::map) return;
    for (const SampleParameter& p : parts_.plan.parameters) known_.insert(p.name);
    for (const YamlEntry& entry : node->entries) {
      try {
        read_measure(entry);
      } catch (const InputError& error) {
        add(entry.value, "measure '" + entry.key + "'", error);
      }
      known_.insert(entry.key);
    }
  }

  void read_measure(const YamlEntry& entry) {
    if (entry.value.kind != YamlNode::Kind::map) {
      const std::string text = read_text(context_, entry.value, "measure '" + entry.key + "'");
      parts_.measures.push_back({entry.key, VariableFormula(quoted_names(text, known_)), {}, {}});
      return;
    }
    const YamlMap map(context_, entry.value, "measure '" + entry.key + "'",
                      {"take", "of", "from", "to", "goal", "band"});
    const std::string word = map.needed_text("take", one_of(names_in(takes)));
    const auto at = std::ranges::find(takes, word, &std::pair<std::string, Take>::first);
    if (at == takes.end())
      return map.complain("take", "found " + in_quotes(word), one_of(names_in(takes)),
                          nearest_name_hint(word, names_in(takes)));
    TakeOptions options;
    options.from = map.number("from", quantity::time, 0);
    options.to = map.number("to", quantity::time, map.has("from") ? 1e300 : 0);
    options.goal_given = map.has("goal");
    options.goal = map.number("goal", quantity::number, 0);
    options.band = map.number("band", quantity::number, 0.02);
    StudyMeasure measure{entry.key, VariableFormula(map.needed_text("of", "a formula of channels")),
                         at->second, options};
    for (const std::string& channel : measure.formula.variables())
      if (std::ranges::find(parts_.channels, channel) == parts_.channels.end())
        parts_.channels.push_back(channel);
    parts_.measures.push_back(std::move(measure));
  }

  void read_constraints() {
    const YamlNode* node = map_.find("constraints");
    if (!node) return;
    for (const YamlNode& item : read_list(context_, *node, "constraints")) {
      const std::string text = read_text(context_, item, "constraints");
      const std::size_t at = std::min(text.find("<="), text.find(">="));
      try {
        if (at == std::string::npos)
          throw InputError("found " + in_quotes(text), "FORMULA <= FORMULA or FORMULA >= FORMULA");
        parts_.constraints.push_back(
            {text, VariableFormula(quoted_names(text.substr(0, at), known_)),
             VariableFormula(quoted_names(text.substr(at + 2), known_)), text[at] == '<'});
      } catch (const InputError& error) {
        add(item, "constraints", error);
      }
    }
  }

  void read_goal() {
    const YamlNode* node = map_.find("optimize");
    if (!node) return;
    const YamlMap map(
        context_, *node, "optimize",
        {"least", "largest", "and-least", "algorithm", "starts", "evaluations", "tolerance"});
    StudyGoal goal;
    goal.largest = map.has("largest");
    goal.measure = map.text(goal.largest ? "largest" : "least");
    goal.second = map.text("and-least");
    goal.algorithm = map.text("algorithm", goal.algorithm);
    goal.starts = whole(map, "starts", goal.second.empty() ? 1 : 11);
    goal.evaluations = whole(map, "evaluations", goal.evaluations);
    goal.tolerance = map.number("tolerance", quantity::number, goal.tolerance);
    std::vector<std::string> names;
    for (const StudyMeasure& m : parts_.measures) names.push_back(m.name);
    for (const std::string* name : {&goal.measure, &goal.second})
      if ((name == &goal.measure || !name->empty()) && std::ranges::count(names, *name) == 0)
        map.complain("least", "no measure " + in_quotes(*name), one_of(names),
                     nearest_name_hint(*name, names));
    parts_.goal = goal;
  }

  YamlContext& context_;
  YamlMap map_;
  Study::Parts& parts_;
  const ReadOptions& options_;
  std::optional<CsvTable> table_;
  std::vector<std::pair<const YamlNode*, int>> sets_;
  std::set<std::string> known_;
  bool has_words_ = false;
};

Study Study::from_text(const std::string& text, const std::string& file_name,
                       const ReadOptions& options) {
  check_text(text, file_name, largest_yaml);
  auto parts = std::make_shared<Parts>();
  parts->text = text, parts->file = file_name;
  YamlContext context{file_name, {}, {}};
  const YamlNode root = parse_yaml(text, file_name);
  StudyReader(context, root, *parts, options).read();
  Study study;
  study.parts_ = parts;
  return study;
}

Study::Study(const std::string& path, const ReadOptions& options) {
  *this = from_text(read_text_file(path, largest_yaml), path, options);
}

}  // namespace ulna
