#include "yaml/yaml_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/numerics/internal/visible_text.hpp"
#include "wording.hpp"

namespace ulna {

YamlMap::YamlMap(YamlContext& context, const YamlNode& node, std::string element,
                 const std::vector<std::string>& known)
    : context_(context), node_(node), element_(std::move(element)) {
  if (node.kind != YamlNode::Kind::map) {
    context.problems.add(context.mark(node), element_, "found " + describe(node),
                         "a map with the keys " + one_of(known));
    return;
  }
  for (const YamlEntry& entry : node.entries)
    if (entry.key == "name" && entry.value.kind == YamlNode::Kind::scalar)
      element_ += " " + in_quotes(entry.value.text);
  for (const YamlEntry& entry : node.entries) {
    const SourceMark where{context.file, entry.line, entry.column};
    if (std::find(known.begin(), known.end(), entry.key) == known.end())
      context.problems.add(where, element_, "unknown key " + in_quotes(entry.key), one_of(known),
                           nearest_name_hint(entry.key, known));
    else if (entry.value.kind == YamlNode::Kind::null)
      context.problems.add(where, element_, fmt::format("the key '{}' has no value", entry.key));
  }
}

const YamlNode* YamlMap::find(const std::string& key) const {
  for (const YamlEntry& entry : node_.entries)
    if (entry.key == key) return entry.value.kind == YamlNode::Kind::null ? nullptr : &entry.value;
  return nullptr;
}

const YamlNode* YamlMap::need(const std::string& key, const std::string& expectation) const {
  const YamlNode* value = find(key);
  const bool present = std::any_of(node_.entries.begin(), node_.entries.end(),
                                   [&](const YamlEntry& entry) { return entry.key == key; });
  if (!present && node_.kind == YamlNode::Kind::map)
    context_.problems.add(mark(), element_, fmt::format("the key '{}' is missing", key),
                          expectation);
  return value;
}

void YamlMap::complain(const std::string& key, std::string message, std::string expectation,
                       std::string hint) const {
  const YamlNode* value = find(key);
  context_.problems.add(context_.mark(value ? *value : node_), element_, std::move(message),
                        std::move(expectation), std::move(hint));
}

std::string YamlMap::text(const std::string& key, const std::string& fallback) const {
  const YamlNode* value = find(key);
  return value ? text_of(*value, key) : fallback;
}

std::string YamlMap::needed_text(const std::string& key, const std::string& expectation) const {
  const YamlNode* value = need(key, expectation);
  return value ? text_of(*value, key) : std::string();
}

std::string YamlMap::text_of(const YamlNode& node, const std::string& key) const {
  const std::string element = element_ + ", " + key;
  std::string out = read_text(context_, node, element);
  if (key != "name" || node.kind != YamlNode::Kind::scalar) return out;
  if (out.empty()) context_.problems.add(context_.mark(node), element, "is empty", "a name");
  const std::string hidden = hidden_character(out);
  if (!hidden.empty())
    context_.problems.add(context_.mark(node), element, "holds " + hidden, "a name in one line");
  return out;
}

double YamlMap::number(const std::string& key, const Quantity& quantity, double fallback) const {
  const YamlNode* value = find(key);
  return value ? read_number(context_, *value, element_ + ", " + key, quantity) : fallback;
}

Vector3<double> YamlMap::vector(const std::string& key, const Quantity& quantity,
                                const Vector3<double>& fallback) const {
  const YamlNode* value = find(key);
  return value ? read_vector(context_, *value, element_ + ", " + key, quantity) : fallback;
}

bool YamlMap::boolean(const std::string& key, bool fallback) const {
  const YamlNode* value = find(key);
  if (!value) return fallback;
  if (value->kind == YamlNode::Kind::scalar && value->text == "true") return true;
  if (value->kind == YamlNode::Kind::scalar && value->text == "false") return false;
  complain(key, fmt::format("{}: found {}", key, describe(*value)), "true or false");
  return fallback;
}

std::string read_text(YamlContext& context, const YamlNode& node, const std::string& element) {
  if (node.kind == YamlNode::Kind::scalar) return node.text;
  context.problems.add(context.mark(node), element, "found " + describe(node), "a text");
  return {};
}

double read_number(YamlContext& context, const YamlNode& node, const std::string& element,
                   const Quantity& quantity) {
  std::string complaint = "found " + describe(node);
  if (node.kind == YamlNode::Kind::scalar) {
    ParsedQuantity parsed = parse_quantity(node.text, quantity);
    if (parsed.complaint.empty()) return parsed.value;
    complaint = std::move(parsed.complaint);
  }
  context.problems.add(context.mark(node), element, complaint,
                       fmt::format("{}, such as {}", quantity.name, quantity.example));
  return 0;
}

std::vector<double> read_numbers(YamlContext& context, const YamlNode& node,
                                 const std::string& element, const Quantity& quantity,
                                 std::size_t count) {
  std::vector<double> numbers(count, 0.0);
  if (node.kind != YamlNode::Kind::sequence || node.items.size() != count) {
    context.problems.add(context.mark(node), element, "found " + describe(node),
                         fmt::format("{} numbers in brackets", count));
    return numbers;
  }
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = read_number(context, node.items[i], element, quantity);
  return numbers;
}

Vector3<double> read_vector(YamlContext& context, const YamlNode& node, const std::string& element,
                            const Quantity& quantity) {
  const std::vector<double> v = read_numbers(context, node, element, quantity, 3);
  return {v[0], v[1], v[2]};
}

Matrix3<double> read_matrix(YamlContext& context, const YamlNode& node, const std::string& element,
                            const Quantity& quantity) {
  Matrix3<double> m = Matrix3<double>::Identity();
  if (node.kind != YamlNode::Kind::sequence || node.items.size() != 3) {
    context.problems.add(context.mark(node), element, "found " + describe(node),
                         "three rows of three numbers");
    return m;
  }
  for (int row = 0; row < 3; ++row)
    m.row(row) = read_vector(context, node.items[static_cast<std::size_t>(row)], element, quantity)
                     .transpose();
  return m;
}

const std::vector<YamlNode>& read_list(YamlContext& context, const YamlNode& node,
                                       const std::string& element) {
  if (node.kind != YamlNode::Kind::sequence)
    context.problems.add(context.mark(node), element, "found " + describe(node),
                         "a list, one '- ' item each");
  return node.items;
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return in_quotes(node.text);
    case YamlNode::Kind::sequence:
      return node.items.empty() ? "an empty list" : fmt::format("a list of {}", node.items.size());
    case YamlNode::Kind::map:
      return "a map";
  }
  return {};
}

}  // namespace ulna
