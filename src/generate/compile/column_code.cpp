#include "compile/column_code.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compile/column_prelude.hpp"
#include "print/printing.hpp"
#include "ulna/model/kernels/spring.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna::generate {
namespace {

std::string filled(std::string text, int n) {
  for (std::size_t at = 0; (at = text.find("@n@", at)) != std::string::npos;)
    text.replace(at, 3, std::to_string(n));
  return text;
}

}  // namespace

ColumnCode::ColumnCode(const Model& model, const TracedFunction& described)
    : model_(model), described_(described), nodes_(model.topology().nodes), n_(model.speeds()) {
  const Tracing t{model, {}, {}, {}, {}, {}, {}, converted<Expression>(model.parameters())};
  parameters_ = t.grouped(described.name != "mass");
  for (int i = 1; i <= n_; ++i) {
    chain_ &= nodes_[i].parent == i - 1;
    speed_.push_back(nodes_[i].v);
    in_order_ &= nodes_[i].v == i - 1;
  }
  make_tables();
}

void ColumnCode::array(const char* name, int rows) {
  add(fmt::format("ULNA_ROWS({}, {});", name, rows));
}

void ColumnCode::add_block(const LaneBlock& block) {
  body_ += "  ULNA_EACH {\n" + block.text("    ") + "  }\n";
  count(block.operations(), n_);
}

void ColumnCode::add_scalars(const LaneBlock& block) {
  body_ += "  {\n" + block.text("    ") + "  }\n";
  count(block.operations(), 1);
}

void ColumnCode::sums(const std::string& call, int rows) {
  add(fmt::format("for (int c = 0; c < {}; ++c) {};", rows, call));
  operations_.additions += rows * (n_ - 1);
}

void ColumnCode::take(const char* row, const char* argument) {
  add(in_order_ ? fmt::format("memcpy({}, {}, {} * sizeof(double));", row, argument, n_)
                : fmt::format("for (int i = 0; i < {}; ++i) {}[i] = {}[ulna_speed[i]];", n_, row,
                              argument));
}

void ColumnCode::count(const OperationCount& each, int times) {
  operations_.multiplications += each.multiplications * times;
  operations_.additions += each.additions * times;
  operations_.divisions += each.divisions * times;
}

Expression ColumnCode::constant(LaneBlock& block, const std::string& name,
                                const std::vector<double>& values, bool may_pad) {
  const bool equal =
      std::all_of(values.begin(), values.end(), [&](double x) { return x == values[0]; });
  if (equal && (may_pad || values[0] == 0)) return values[0];
  const std::string table = "ulna_" + name;
  if (tables_.find(" " + table + "[") == std::string::npos)
    tables_ += fmt::format(
        "static const double {}[1][ULNA_COLUMNS] __attribute__((aligned(64))) = {{{{\n"
        "    {}}}}};\n",
        table, number_list(values));
  return block.columns(table, 1)[0];
}

void ColumnCode::make_tables() {
  const auto number = [](int k) { return std::to_string(k); };
  if (!in_order_)
    tables_ += fmt::format("static const int ulna_speed[{}] = {{{}}};\n", n_,
                           joined(speed_, ", ", number));
  if (chain_) return;
  const auto stands_on = [&](int k, int i) {  // i carries k, or is it
    while (k > i) k = nodes_[k].parent;
    return k == i;
  };
  std::vector<int> parents;
  std::string carries, carried;
  for (int i = 1; i <= n_; ++i) {
    std::vector<int> below(n_), above(n_);
    for (int k = 1; k <= n_; ++k) {
      below[k - 1] = k <= i && stands_on(i, k) ? -1 : 0;
      above[k - 1] = k > i && stands_on(k, i) ? -1 : 0;
    }
    parents.push_back(nodes_[i].parent - 1);
    carries += "    {" + joined(below, ", ", number) + "},\n";
    carried += "    {" + joined(above, ", ", number) + "},\n";
  }
  tables_ += fmt::format(
      "static const int ulna_parent[{0}] = {{{1}}};\n"
      "static const int64_t ulna_carries[{0}][ULNA_COLUMNS] = {{\n{2}}};\n"
      "static const int64_t ulna_carried[{0}][ULNA_COLUMNS] = {{\n{3}}};\n",
      n_, joined(parents, ", ", number), carries, carried);
}

std::string ColumnCode::entry(const std::string& format, int column) const {
  return fmt::format(fmt::runtime(format), column, speed_[column] * (n_ + 1));
}

void ColumnCode::rotors(const std::string& format) {
  for (int i = 0; i < n_; ++i)
    if (const Expression inertia = parameters_.armature[speed_[i]]; !inertia.is_zero())
      add(fmt::format("{} += {};", entry(format, i), number_text(inertia.factor())));
}

void ColumnCode::passive_slopes(const std::string& q_format, const std::string& v_format) {
  LaneBlock block(LaneBlock::Of::scalars);
  const Expressions q = block.entries("q", n_);
  std::string text;
  for (const DegreeTerms& terms : model_.degree_terms()) {
    const double square = terms.multiplier * terms.multiplier;
    const auto at = std::find(speed_.begin(), speed_.end(), terms.v);
    const int column = static_cast<int>(at - speed_.begin());
    if (terms.has_spring()) {
      block.put_variable(fmt::format("const double spring_{}", terms.v),
                         square * spring_tangent(terms, spring_stretch(terms, q.data())));
      text += fmt::format("    {} += spring_{};\n", entry(q_format, column), terms.v);
    }
    if (terms.damping != 0)
      text += fmt::format("    {} += {};\n", entry(v_format, column),
                          number_text(square * terms.damping));
  }
  if (!text.empty()) body_ += "  {\n" + block.text("    ") + text + "  }\n";
}

std::string ColumnCode::text() const {
  std::string out = filled(column_prelude, n_) + tables_;
  out += filled(in_order_ ? ordered_put : mixed_put, n_);
  out += filled(chain_ ? chain_sums : tree_sums, n_);
  if (described_.name.starts_with("forward")) out += filled(factor_functions, n_);
  if (described_.name == "forward-derivatives") out += filled(panel_functions, n_);
  return out + fmt::format("\nvoid {0}({1});\nvoid {0}({1}) {{\n{2}}}\n", described_.identifier(),
                           c_parameters(described_, "restrict"), body_);
}

}  // namespace ulna::generate
