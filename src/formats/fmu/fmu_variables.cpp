#include "fmu/fmu_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ulna/motion/formula.hpp"
#include "ulna/simulation/internal/model_exchange.hpp"
#include "wording.hpp"
#include "yaml/yaml_tree.hpp"

namespace ulna {
namespace {

const YamlNode* entry_of(const YamlNode& map, const std::string& key) {
  for (const YamlEntry& entry : map.entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

FormulaConstants constants_of(const YamlNode& root) {
  FormulaConstants known;
  if (const YamlNode* list = entry_of(root, "constants"))
    for (const YamlEntry& entry : list->entries)
      known[entry.key] = constant_formula(entry.value.text, known);
  return known;
}

bool is_number(const std::string& text, const FormulaConstants& constants) {
  try {
    constant_formula(text, constants);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// `path` itself, or the entries of the list or map there.
void add_numbers(const YamlNode& node, const std::string& path, const FormulaConstants& constants,
                 std::vector<std::string>& paths) {
  if (node.kind == YamlNode::Kind::scalar && is_number(node.text, constants)) paths.push_back(path);
  for (std::size_t k = 0; k < node.items.size(); ++k)
    add_numbers(node.items[k], fmt::format("{}.{}", path, k), constants, paths);
  for (const YamlEntry& entry : node.entries)
    add_numbers(entry.value, path + "." + entry.key, constants, paths);
}

std::string place_of(const YamlNode& item, std::size_t k) {
  const YamlNode* name = entry_of(item, "name");
  return name ? name->text : std::to_string(k);
}

std::vector<std::string> usual_paths(const YamlNode& root) {
  std::vector<std::string> paths;
  const FormulaConstants constants = constants_of(root);
  if (const YamlNode* list = entry_of(root, "constants"))
    add_numbers(*list, "constants", constants, paths);
  if (const YamlNode* list = entry_of(root, "payloads"))
    for (std::size_t k = 0; k < list->items.size(); ++k)
      if (const YamlNode* mass = entry_of(list->items[k], "mass"))
        add_numbers(*mass, fmt::format("payloads.{}.mass", place_of(list->items[k], k)), constants,
                    paths);
  if (const YamlNode* list = entry_of(root, "controllers"))
    for (std::size_t k = 0; k < list->items.size(); ++k)
      for (const char* gain : {"kp", "kd", "ki"})
        if (const YamlNode* value = entry_of(list->items[k], gain))
          add_numbers(*value, fmt::format("controllers.{}.{}", place_of(list->items[k], k), gain),
                      constants, paths);
  return paths;
}

/// A word for a whole list, and names.
std::vector<std::string> chosen(const std::vector<std::string>& asked,
                                const std::map<std::string, std::vector<std::string>>& words) {
  std::vector<std::string> out;
  for (const std::string& name : asked) {
    const auto word = words.find(name);
    if (word == words.end())
      out.push_back(name);
    else
      out.insert(out.end(), word->second.begin(), word->second.end());
  }
  std::vector<std::string> once;
  for (std::string& name : out)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(std::move(name));
  return once;
}

/// Gains that are one number for all joints of their controller, and masses that are carried.
std::vector<FmuVariable> numbers_in_memory(const Experiment& e) {
  std::vector<FmuVariable> out;
  const auto name_or = [](const std::string& name, std::size_t k) {
    return name.empty() ? std::to_string(k) : name;
  };
  const std::vector<PayloadData>& payloads = e.model->robot().payloads;
  for (std::size_t k = 0; k < payloads.size(); ++k)
    if (payloads[k].inertial.mass != 0)
      out.push_back({fmt::format("payloads.{}.mass", name_or(payloads[k].name, k)), "",
                     payloads[k].inertial.mass});
  for (std::size_t k = 0; k < e.controllers.size(); ++k) {
    const auto* law = dynamic_cast<const Feedback*>(e.controllers[k].get());
    if (!law) continue;
    const auto add = [&](const char* key, const Eigen::VectorXd& gains) {
      std::vector<double> own;
      for (const int j : law->joints)
        for (int v = 0; v < e.model->joints()[j].speeds; ++v)
          if (const int at = e.model->joints()[j].v + v; at < gains.size())
            own.push_back(gains(at));
      if (own.empty() || std::count(own.begin(), own.end(), own[0]) != std::ssize(own)) return;
      out.push_back({fmt::format("controllers.{}.{}", name_or(law->title, k), key), "", own[0]});
    };
    add("kp", law->kp), add("kd", law->kd), add("ki", law->ki);
  }
  return out;
}

std::vector<std::string> output_names(const Experiment& e, const FmuOptions& options) {
  const std::vector<std::string> groups = !options.outputs.empty() ? options.outputs
                                          : e.record.channels.empty()
                                              ? std::vector<std::string>{"q", "v", "tau"}
                                              : e.record.channels;
  return chosen(groups, {{"none", {}}});
}

}  // namespace

std::vector<FmuVariable> fmu_parameters(const ReadExperiment& read,
                                        const ExperimentParameters& parameters,
                                        const FmuOptions& options) {
  std::vector<FmuVariable> out;
  const YamlNode root = parse_yaml(read.text, read.experiment.source);
  const FormulaConstants constants = constants_of(root);
  for (const std::string& path :
       chosen(options.parameters, {{"usual", usual_paths(root)}, {"none", {}}})) {
    const std::string text = parameters.value(path);
    if (!is_number(text, constants))
      throw InputError(Problem{{},
                               "parameters",
                               text.empty()
                                   ? in_quotes(path) + " is not in the file"
                                   : fmt::format("'{}' at {} is not one number", text, path),
                               "the path of a number in the experiment or robot file",
                               {}});
    out.push_back({path, "", constant_formula(text, constants)});
  }
  return out;
}

std::vector<FmuVariable> fmu_parameters(const Experiment& e, const FmuOptions& options) {
  const std::vector<FmuVariable> known = numbers_in_memory(e);
  std::vector<std::string> names;
  for (const FmuVariable& number : known) names.push_back(number.name);
  std::vector<FmuVariable> out;
  for (const std::string& name : chosen(options.parameters, {{"usual", names}, {"none", {}}})) {
    const auto at = std::find_if(known.begin(), known.end(),
                                 [&](const FmuVariable& v) { return v.name == name; });
    if (at == known.end())
      throw InputError(Problem{{},
                               "parameters",
                               in_quotes(name) + " is not a parameter of an experiment in memory",
                               "controllers.NAME.kp, kd or ki where one number holds for all of "
                               "its joints, payloads.NAME.mass",
                               nearest_name_hint(name, names)});
    out.push_back(*at);
  }
  return out;
}

FmuVariables fmu_variables(const Experiment& e, std::vector<FmuVariable> parameters,
                           const FmuOptions& options) {
  FmuVariables out;
  out.parameters = std::move(parameters);
  out.given = with_inputs(
      e, chosen(options.inputs, {{"open", open_inputs(e)}, {"all", input_names(e)}, {"none", {}}}));
  for (const ExperimentInput& input : out.given.inputs)
    out.inputs.push_back({input.name, input.unit, input.start});
  for (const std::string& name : output_names(e, options))
    for (const Channel& channel : channels_named(e, name)) {
      const bool twice = std::any_of(out.outputs.begin(), out.outputs.end(),
                                     [&](const FmuVariable& v) { return v.name == channel.name; });
      if (!twice) out.outputs.push_back({channel.name, channel.unit, 0});
    }
  out.why_no_exchange = ModelExchange::refusal(e);
  if (!out.why_no_exchange.empty()) return out;
  ModelExchange exchange(out.given, {});
  const Eigen::VectorXd start = exchange.start();
  const std::vector<std::string> names = exchange.state_names();
  for (std::size_t k = 0; k < names.size(); ++k)
    out.states.push_back({names[k], "", start(static_cast<long>(k))});
  out.indicators = exchange.indicators();
  return out;
}

}  // namespace ulna
