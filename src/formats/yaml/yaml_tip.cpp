// The keys `shaping` and `tip` of experiment files.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "wording.hpp"
#include "yaml/yaml_path.hpp"

namespace ulna {

std::optional<ShapingRequest> read_shaping(YamlContext& context, const YamlNode& node) {
  const std::size_t before = context.problems.count();
  ShapingRequest request;
  request.mark = context.mark(node);
  Shaping& shaping = request.shaping;
  const std::vector<std::string> names = shaper_names();
  const auto choose = [&](const std::string& name, const YamlNode& at) {
    shaping.shaper = name;
    if (std::ranges::count(names, name) == 0)
      context.problems.add(context.mark(at), "shaping", "found " + in_quotes(name), one_of(names),
                           nearest_name_hint(name, names));
  };
  if (node.kind == YamlNode::Kind::scalar) {
    choose(node.text, node);
  } else {
    const YamlMap map(context, node, "shaping",
                      {"shaper", "modes", "tolerance", "postures", "frequencies", "damping"});
    if (const YamlNode* name = map.find("shaper")) choose(map.text("shaper"), *name);
    const auto count = [&](const char* key, int fallback, int most) {
      const double x = map.number(key, quantity::number, fallback);
      if (!(x >= 1 && x <= most && x == std::floor(x)))
        map.complain(key, fmt::format("found {}", x), fmt::format("a whole number, 1 to {}", most));
      return static_cast<int>(x);
    };
    shaping.modes = count("modes", shaping.modes, 50);
    shaping.postures = count("postures", shaping.postures, 1000);
    shaping.tolerance = map.number("tolerance", quantity::number, shaping.tolerance);
    shaping.damping = map.number("damping", quantity::number, 0);
    if (const YamlNode* list = map.find("frequencies"))
      for (const YamlNode& item : read_list(context, *list, "shaping, frequencies"))
        shaping.frequencies.push_back(
            2 * std::numbers::pi *
            read_number(context, item, "shaping, frequencies", quantity::frequency));
  }
  if (context.problems.count() != before) return std::nullopt;
  return request;
}

std::optional<TipRequest> read_tip(YamlContext& context, const YamlNode& node, const Model& model) {
  const std::size_t before = context.problems.count();
  const YamlMap map(context, node, "tip",
                    {"frame", "inversion", "preview", "step", "position_only", "tolerance"});
  TipRequest request;
  request.mark = context.mark(node);
  TipOptions& options = request.options;
  const std::string name = map.needed_text("frame", "the frame that is to follow its path");
  if (!name.empty()) try {
      options.frame = model.frame(name);
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        map.complain("frame", p.message, p.expectation, p.hint);
    }
  const std::string inversion = map.text("inversion", "preview");
  if (inversion == name_of(TipInversion::causal))
    options.inversion = TipInversion::causal;
  else if (inversion != name_of(TipInversion::preview))
    map.complain("inversion", "found " + in_quotes(inversion), "preview or causal");
  options.preview = map.number("preview", quantity::time, 0);
  options.step = map.number("step", quantity::time, 0);
  options.tolerance = map.number("tolerance", quantity::number, options.tolerance);
  options.position_only = map.boolean("position_only", true);
  for (const auto& [key, value] : {std::pair{"preview", options.preview}, {"step", options.step}})
    if (map.has(key) && !(value > 0))
      map.complain(key, fmt::format("found {} s", value), "a time above 0");
  if (context.problems.count() != before) return std::nullopt;
  return request;
}

}  // namespace ulna
