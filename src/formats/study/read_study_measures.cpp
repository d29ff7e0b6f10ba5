#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "study/study_reader.hpp"
#include "study/study_results.hpp"
#include "ulna/simulation/simulate.hpp"
#include "ulna/study/search.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '.'; }

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

}  // namespace

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

void StudyReader::read_measures() {
  for (const SampleParameter& p : parts_.plan.parameters) known_.insert(p.name);
  named_ = known_;
  const YamlNode* node = need_unless_own("measures", "{NAME: formula or {take: ..., of: ...}}");
  if (node && node->kind == YamlNode::Kind::map)
    read_measures_of(*node);
  else if (node)
    map_.complain("measures", "found " + describe(*node),
                  "{NAME: formula or {take: ..., of: ...}}");
  if (own_)
    for (const std::string& name : *own_) add_own_measure(name);
}

void StudyReader::read_measures_of(const YamlNode& node) {
  for (const YamlEntry& entry : node.entries) named_.insert(entry.key);
  for (const YamlEntry& entry : node.entries) {
    try {
      if (own_)
        add_own_measure(entry.key);
      else
        read_measure(entry);
    } catch (const InputError& error) {
      add(entry.value, "measure '" + entry.key + "'", error);
    }
    known_.insert(entry.key);
  }
}

/// The caller gives its value, and the file at most its name.
void StudyReader::add_own_measure(const std::string& name) {
  if (std::ranges::count(parts_.measures, name, &StudyMeasure::name)) return;
  parts_.measures.push_back({name, VariableFormula("0"), {}, {}, {}});
  named_.insert(name), known_.insert(name);
}

/// What a formula names that is no function, constant or unit is a measure of the caller.
void StudyReader::name_all_words(const std::string& text) {
  for (std::size_t k = 0; k < text.size();) {
    std::size_t end = k + 1;
    if (is_name_start(text[k]) && (k == 0 || !is_name_part(text[k - 1]))) {
      while (end < text.size() && is_name_part(text[end])) ++end;
      const std::string word = text.substr(k, end - k);
      const std::size_t next = text.find_first_not_of(' ', end);
      const std::size_t before = k == 0 ? std::string::npos : text.find_last_not_of(' ', k - 1);
      const bool unit = before != std::string::npos && text[before] >= '0' && text[before] <= '9';
      if (!unit && (next == std::string::npos || text[next] != '(')) try {
          (void)VariableFormula(word);
        } catch (const InputError&) {
          named_.insert(word);
        }
    }
    k = end;
  }
}

/// A formula whose names all stand for something: what no run gives would fail every sample.
VariableFormula StudyReader::formula_of_results(const YamlNode& node, const std::string& text,
                                                const std::string& element) {
  if (own_) name_all_words(text);
  VariableFormula formula(quoted_names(text, named_));
  for (const std::string& name : formula.variables()) {
    if (own_ && !known_.count(name)) add_own_measure(name);
    if (known_.count(name) || name == "robot.mass") continue;
    if (named_.count(name)) {
      context_.problems.add(context_.mark(node), element, "measure '" + name + "' stands below it",
                            "measures above");
      continue;
    }
    std::vector<std::string> all = {"robot.mass"};
    bool given = false;
    for (const StudyRunKind& run : parts_.runs) {
      given = given || gives(run, name);
      std::ranges::move(results_of(run), std::back_inserter(all));
    }
    if (given) continue;
    all.insert(all.end(), known_.begin(), known_.end());
    context_.problems.add(context_.mark(node), element, "no run gives '" + name + "'",
                          "a parameter, a measure above, a result of a run, or {take: ..., of: "
                          "CHANNEL}",
                          nearest_name_hint(name, all));
  }
  return formula;
}

TakeOptions StudyReader::take_options(const YamlMap& map) {
  TakeOptions options;
  options.from = map.number("from", quantity::time, 0);
  options.to = map.number("to", quantity::time, map.has("from") ? 1e300 : 0);
  options.goal_given = map.has("goal");
  options.goal = map.number("goal", quantity::number, 0);
  options.band = map.number("band", quantity::number, 0.02);
  if ((map.has("from") || map.has("to")) && !(options.from < options.to))
    map.complain("from", fmt::format("from {} to {} s", options.from, options.to),
                 "a time before `to`");
  if (!(options.band > 0)) map.complain("band", fmt::format("found {}", options.band), "above 0");
  return options;
}

void StudyReader::read_measure(const YamlEntry& entry) {
  const std::string element = "measure '" + entry.key + "'";
  if (entry.value.kind != YamlNode::Kind::map) {
    const std::string text = read_text(context_, entry.value, element);
    parts_.measures.push_back(
        {entry.key, formula_of_results(entry.value, text, element), {}, {}, {}});
    return;
  }
  const YamlMap map(context_, entry.value, element, {"take", "of", "from", "to", "goal", "band"});
  const std::string word = map.needed_text("take", one_of(names_in(takes)));
  const auto at = std::ranges::find(takes, word, &std::pair<std::string, Take>::first);
  if (at == takes.end())
    return map.complain("take", "found " + in_quotes(word), one_of(names_in(takes)),
                        nearest_name_hint(word, names_in(takes)));
  if (at->second == Take::time_above && !map.has("goal"))
    map.complain("goal", "time-above without a level", "goal: LEVEL");
  const std::string text = map.needed_text("of", "a formula of channels");
  if (text.empty()) return;
  std::set<std::string> names;
  for (const SampleParameter& p : parts_.plan.parameters) names.insert(p.name);
  StudyMeasure measure{
      entry.key, VariableFormula(quoted_names(text, names)), at->second, take_options(map), {}};
  for (const std::string& name : measure.formula.variables()) {
    const auto p = std::ranges::find(parts_.plan.parameters, name, &SampleParameter::name);
    measure.parameters.push_back(p == parts_.plan.parameters.end()
                                     ? -1
                                     : static_cast<int>(p - parts_.plan.parameters.begin()));
  }
  parts_.measures.push_back(std::move(measure));
}

void StudyReader::read_constraints() {
  const YamlNode* node = map_.find("constraints");
  if (!node) return;
  for (const YamlNode& item : read_list(context_, *node, "constraints")) {
    const std::string text = read_text(context_, item, "constraints");
    const std::size_t at = std::min(text.find("<="), text.find(">="));
    try {
      if (at == std::string::npos)
        throw InputError("found " + in_quotes(text), "FORMULA <= FORMULA or FORMULA >= FORMULA");
      parts_.constraints.push_back(
          {text, formula_of_results(item, text.substr(0, at), "constraints"),
           formula_of_results(item, text.substr(at + 2), "constraints"), text[at] == '<'});
    } catch (const InputError& error) {
      add(item, "constraints", error);
    }
  }
}

/// Channels that are kept of every sample.
void StudyReader::read_store() {
  const YamlNode* node = map_.find("store");
  if (!node) return;
  for (const YamlNode& item : read_list(context_, *node, "store"))
    parts_.stored.push_back(read_text(context_, item, "store"));
  if (std::ranges::none_of(parts_.runs, &StudyRunKind::of_experiment))
    map_.complain("store", "no run has channels", "run: simulate or inverse");
}

/// The run that records a channel: by its name in front, else the first one without a name.
StudyRunKind* StudyReader::run_with(const std::string& channel) {
  StudyRunKind* owner = nullptr;
  for (StudyRunKind& run : parts_.runs)
    if (run.of_experiment() &&
        (run.name.empty() ? owner == nullptr : channel.starts_with(run.name + ".")))
      owner = &run;
  return owner;
}

/// Every run records what measures and the store name of it.
void StudyReader::share_channels() {
  std::vector<std::string> channels = parts_.stored;
  for (const StudyMeasure& measure : parts_.measures)
    for (std::size_t k = 0; k < measure.parameters.size(); ++k)
      if (const std::string& name = measure.formula.variables()[k];
          measure.parameters[k] < 0 && !std::ranges::count(channels, name))
        channels.push_back(name);
  for (const std::string& channel : channels)
    if (StudyRunKind* run = run_with(channel))
      run->channels.push_back(run->name.empty() ? channel : channel.substr(run->name.size() + 1));
  for (StudyRunKind& run : parts_.runs)
    if (run.of_experiment() && parts_.unchanged) prepare(run);
  // Groups among what is stored become their channels.
  std::vector<std::string> single;
  for (const std::string& name : parts_.stored) {
    const StudyRunKind* run = run_with(name);
    if (!run || !run->prepared) continue;
    const std::string own = run->name.empty() ? name : name.substr(run->name.size() + 1);
    for (const Channel& channel : channels_named(*run->prepared, own))
      single.push_back(run->result(channel.name));
  }
  parts_.stored = std::move(single);
  for (const StudyMeasure& measure : parts_.measures) check_channels(measure);
}

/// The experiment of a run, made once, and what it records.
void StudyReader::prepare(StudyRunKind& run) {
  // Numbers of the run as a whole, such as run.balance, and of its motors and events.
  bool of_run = false, of_motors = false;
  const auto look = [&](const VariableFormula& formula) {
    for (const std::string& name : formula.variables()) {
      of_run = of_run || name.find("run.") != std::string::npos;
      of_motors = of_motors || (!known_.count(name) && gives(run, name));
    }
  };
  for (const StudyMeasure& measure : parts_.measures)
    if (!measure.take) look(measure.formula);
  for (const StudyConstraint& c : parts_.constraints) look(c.left), look(c.right);
  if (run.channels.empty()) run.channels = {"q"};
  run.records_alone = !of_run && std::ranges::all_of(run.channels, [](const std::string& name) {
    const std::string head = name.substr(0, name.find('.'));
    return head == "tau" || head == "q" || head == "v" || head == "a";
  });
  run.channels_alone = run.records_alone && !of_motors;
  try {
    run.prepared = std::make_shared<const Experiment>(prepared_for(run, *parts_.unchanged));
    run.recorded = recorded_names(run, *run.prepared);
  } catch (const InputError& error) {
    add(map_.node(), "measures", error);
    run.prepared = nullptr;
  }
}

void StudyReader::check_channels(const StudyMeasure& measure) {
  if (!measure.take) return;
  const std::string element = "measure '" + measure.name + "'";
  for (std::size_t k = 0; k < measure.parameters.size(); ++k) {
    if (measure.parameters[k] >= 0) continue;
    const std::string& name = measure.formula.variables()[k];
    const StudyRunKind* run = run_with(name);
    if (run && !run->prepared) continue;  // said already
    if (!run)
      context_.problems.add(map_.mark(), element, "no run records '" + name + "'",
                            "run: simulate or inverse, or a formula without `take`");
    else if (std::ranges::count(run->recorded, name) == 0)
      context_.problems.add(map_.mark(), element, "'" + name + "' is a group of channels",
                            "one of them, such as " + run->recorded.front());
  }
}

void StudyReader::read_goal() {
  const YamlNode* node = map_.find("optimize");
  if (!node) return;
  const YamlMap map(
      context_, *node, "optimize",
      {"least", "largest", "and-least", "algorithm", "starts", "evaluations", "tolerance"});
  StudyGoal goal;
  if (map.has("least") && map.has("largest"))
    map.complain("largest", "found 'least' and 'largest'",
                 "one of them; 'and-least' is the second");
  goal.largest = map.has("largest");
  goal.measure = map.text(goal.largest ? "largest" : "least");
  goal.second = map.text("and-least");
  goal.algorithm = map.text("algorithm", goal.algorithm);
  goal.starts = whole(map, "starts", goal.second.empty() ? 1 : 11);
  goal.evaluations = whole(map, "evaluations", goal.evaluations);
  goal.tolerance = map.number("tolerance", quantity::number, goal.tolerance);
  if (own_)
    for (const std::string& name : {goal.measure, goal.second})
      if (!name.empty()) add_own_measure(name);
  std::vector<std::string> names;
  for (const StudyMeasure& m : parts_.measures) names.push_back(m.name);
  for (const std::string* name : {&goal.measure, &goal.second})
    if ((name == &goal.measure || !name->empty()) && std::ranges::count(names, *name) == 0)
      map.complain("least", "no measure " + in_quotes(*name), one_of(names),
                   nearest_name_hint(*name, names));
  const std::vector<std::string> algorithms = search_algorithms();  // none without NLopt
  if (!algorithms.empty() && std::ranges::count(algorithms, goal.algorithm) == 0)
    map.complain("algorithm", "found " + in_quotes(goal.algorithm), one_of(algorithms),
                 nearest_name_hint(goal.algorithm, algorithms));
  parts_.goal = goal;
}

}  // namespace ulna
