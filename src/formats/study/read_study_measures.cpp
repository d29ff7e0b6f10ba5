#include <algorithm>

#include "study/study_reader.hpp"
#include "study/study_results.hpp"
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

void StudyReader::read_measure(const YamlEntry& entry) {
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
      parts_.constraints.push_back({text, VariableFormula(quoted_names(text.substr(0, at), known_)),
                                    VariableFormula(quoted_names(text.substr(at + 2), known_)),
                                    text[at] == '<'});
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

/// Every run records what measures and the store name of it.
void StudyReader::share_channels() {
  parts_.channels = parts_.stored;
  for (const StudyMeasure& measure : parts_.measures)
    if (measure.take)
      for (const std::string& channel : measure.formula.variables())
        if (!std::ranges::count(parts_.channels, channel)) parts_.channels.push_back(channel);
  for (const std::string& channel : parts_.channels) {
    StudyRunKind* owner = nullptr;
    for (StudyRunKind& run : parts_.runs)
      if (run.of_experiment() &&
          (run.name.empty() ? owner == nullptr : channel.starts_with(run.name + ".")))
        owner = &run;
    if (owner)
      owner->channels.push_back(owner->name.empty() ? channel
                                                    : channel.substr(owner->name.size() + 1));
  }
  bool numbers = false;  // of a run, such as run.balance
  const auto look = [&](const VariableFormula& formula) {
    for (const std::string& name : formula.variables())
      numbers = numbers || name.find("run.") != std::string::npos;
  };
  for (const StudyMeasure& measure : parts_.measures) look(measure.formula);
  for (const StudyConstraint& c : parts_.constraints) look(c.left), look(c.right);
  for (StudyRunKind& run : parts_.runs) {
    if (!run.of_experiment() || !parts_.unchanged) continue;
    if (run.channels.empty()) run.channels = {"q"};
    run.records_alone = !numbers && std::ranges::all_of(run.channels, [](const std::string& name) {
      const std::string head = name.substr(0, name.find('.'));
      return head == "tau" || head == "q" || head == "v" || head == "a";
    });
    try {
      run.prepared = std::make_shared<const Experiment>(prepared_for(run, *parts_.unchanged));
      run.recorded = recorded_names(run, *run.prepared);
    } catch (const InputError& error) {
      add(map_.node(), "measures", error);
    }
  }
}

void StudyReader::read_goal() {
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
  const std::vector<std::string> algorithms = search_algorithms();  // none without NLopt
  if (!algorithms.empty() && std::ranges::count(algorithms, goal.algorithm) == 0)
    map.complain("algorithm", "found " + in_quotes(goal.algorithm), one_of(algorithms),
                 nearest_name_hint(goal.algorithm, algorithms));
  parts_.goal = goal;
}

}  // namespace ulna
