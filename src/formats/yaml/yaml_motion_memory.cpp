#include "yaml/yaml_motion_memory.hpp"

#include <algorithm>

namespace ulna {
namespace {

bool same(const YamlNode& a, const YamlNode& b) {
  return a.kind == b.kind && a.text == b.text && std::ranges::equal(a.items, b.items, same) &&
         std::ranges::equal(a.entries, b.entries, [](const YamlEntry& x, const YamlEntry& y) {
           return x.key == y.key && same(x.value, y.value);
         });
}

/// Whether no text in the node may refer to a constant that has another value now.
bool keeps_value(const YamlNode& node, const FormulaConstants& before,
                 const FormulaConstants& now) {
  if (before.size() != now.size()) return false;
  return std::ranges::all_of(before, [&](const auto& constant) {
    const auto at = now.find(constant.first);
    return at != now.end() && (at->second == constant.second || !mentions(node, constant.first));
  });
}

}  // namespace

bool mentions(const YamlNode& node, const std::string& word) {
  const auto inside = [&](const YamlNode& one) { return mentions(one, word); };
  return node.text.find(word) != std::string::npos || std::ranges::any_of(node.items, inside) ||
         std::ranges::any_of(node.entries, inside, &YamlEntry::value);
}

const MotionMemory::Functions* MotionMemory::find(const MotionContext& context,
                                                  const YamlNode& node, int which) const {
  const auto at = entries_.find({node.line, node.column, which});
  if (at == entries_.end()) return nullptr;
  const Entry& entry = at->second;
  const bool as_before = entry.duration == context.duration &&
                         entry.open_ended == context.open_ended && entry.timed == context.timed &&
                         same(entry.node, node) &&
                         keeps_value(node, entry.constants, context.constants);
  return as_before ? &entry.functions : nullptr;
}

void MotionMemory::keep(const MotionContext& context, const YamlNode& node, Functions functions,
                        int which) {
  entries_[{node.line, node.column, which}] = {
      node,          context.constants,   context.duration, context.open_ended,
      context.timed, std::move(functions)};
}

const CsvTable* MotionMemory::table(const std::string& path) const {
  const auto at = tables_.find(path);
  return at == tables_.end() ? nullptr : &at->second;
}

}  // namespace ulna
