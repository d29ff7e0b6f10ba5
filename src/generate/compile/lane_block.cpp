#include "compile/lane_block.hpp"

#include <fmt/format.h>

#include "print/printing.hpp"

namespace ulna::generate {
namespace {

TracedFunction empty_function() {
  TracedFunction f;
  f.graph = std::make_shared<Graph>();
  return f;
}

}  // namespace

LaneBlock::LaneBlock(Of of) : of_(of), function_(empty_function()), scope_(*function_.graph) {}

// The name of an argument is the text of its elements, with @ for their number.
Expressions LaneBlock::inputs(const std::string& format, int count) {
  function_.inputs.push_back({format, count, 1, {}, {}, {}});
  Expressions out;
  for (int k = 0; k < count; ++k)
    out.push_back(function_.graph->input(fmt::format("{} {}", format, k)));
  return out;
}

void LaneBlock::outputs(const std::string& format, const Expressions& values) {
  function_.outputs.push_back({format, static_cast<int>(values.size()), 1, {}, {}, {}});
  function_.expressions.insert(function_.expressions.end(), values.begin(), values.end());
}

Expressions LaneBlock::columns(const std::string& array, int rows) {
  return inputs("ULNA_AT(" + array + "[@])", rows);
}
Expressions LaneBlock::of_column_i(const std::string& array, int rows) {
  return inputs(array + "[@][i]", rows);
}
Expressions LaneBlock::entries(const std::string& array, int count) {
  return inputs(array + "[@]", count);
}
void LaneBlock::put(const std::string& array, const Expressions& values) {
  outputs("ULNA_AT(" + array + "[@])", values);
}
void LaneBlock::put_entries(const std::string& array, const Expressions& values) {
  outputs(array + "[@]", values);
}
void LaneBlock::put_variable(const std::string& name, const Expression& value) {
  outputs(name, {value});
}

std::string LaneBlock::text(const std::string& indent) const {
  CFamily family{"restrict", "", ""};
  family.lanes = of_ == Of::lanes ? 1 : 0;
  Syntax syntax = c_syntax(family);
  syntax.element = [](const Argument& argument, int k) {
    std::string out = argument.name;
    const std::size_t at = out.find('@');
    if (at != std::string::npos) out.replace(at, 1, std::to_string(k));
    return out;
  };
  CodeWriter writer(function_, syntax, 0);
  return block(writer.lines(0), indent);
}

}  // namespace ulna::generate
