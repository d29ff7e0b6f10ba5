#include "print/code_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "print/landmarks.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/symbolic/internal/evaluate.hpp"

namespace ulna::generate {

std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

CodeWriter::CodeWriter(const TracedFunction& function, Syntax syntax, std::size_t most)
    : function_(function),
      syntax_(std::move(syntax)),
      program_(function.expressions, *function.graph),
      operations_(program_.operations()),
      values_(program_.statements().size()) {
  cut(most);
  count_uses();
  name_values();
}

void CodeWriter::cut(std::size_t most) {
  const std::span<const Node> statements = program_.statements();
  std::size_t operations = 0;
  for (const Node& node : statements) operations += operand_count(node.kind) > 0;
  if (most == 0 || operations <= most) {
    outputs_of_part_.resize(1);
    return;
  }
  parts_ = static_cast<int>((operations + most - 1) / most);
  outputs_of_part_.resize(parts_);
  const std::size_t each = (operations + parts_ - 1) / parts_;
  std::size_t count = 0;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (operand_count(statements[i].kind) == 0) continue;
    values_[i].part = static_cast<int>(count++ / each);
  }
}

void CodeWriter::count_uses() {
  const std::span<const Node> statements = program_.statements();
  const std::size_t arguments = function_.inputs.size() + function_.outputs.size();
  used_.assign(parts_, std::vector<char>(arguments, 0));
  const auto use = [&](std::uint32_t id, int part) {
    Value& value = values_[id];
    ++value.uses;
    value.last_part = std::max(value.last_part, part);
    if (statements[id].kind != Kind::input) return;
    int index = 0;
    used_[part][&argument_of(statements[id].link, index) - function_.inputs.data()] = 1;
  };
  for (std::size_t i = 1; i < statements.size(); ++i) {
    const Node& node = statements[i];
    // A condition is written where it is used, so its operands are needed there.
    const Node& condition = statements[node.kind == Kind::select ? node.link : 0];
    for (int k = 0; k < operand_count(condition.kind); ++k)
      if (!condition.operands[k].is_constant())
        use(condition.operands[k].id(), values_[i].part),
            ++values_[condition.operands[k].id()].uses;
    if (node.kind == Kind::less) continue;
    for (int k = 0; k < operand_count(node.kind); ++k)
      if (!node.operands[k].is_constant()) use(node.operands[k].id(), values_[i].part);
  }
  std::size_t entry = 0;
  for (std::size_t o = 0; o < function_.outputs.size(); ++o)
    for (int k = 0; k < function_.outputs[o].size(); ++k, ++entry) {
      const Expression& e = program_.outputs()[entry];
      const int part = values_[e.id()].part;
      if (!e.is_constant()) use(e.id(), part);
      outputs_of_part_[part].push_back(static_cast<std::uint32_t>(entry));
      used_[part][function_.inputs.size() + o] = 1;
    }
  for (std::size_t i = 1; i < statements.size(); ++i)
    if (statements[i].kind != Kind::input && values_[i].last_part > values_[i].part)
      values_[i].slot = memory_++;
}

const Argument& CodeWriter::argument_of(std::uint32_t input, int& index) const {
  index = static_cast<int>(input);
  for (const Argument& argument : function_.inputs) {
    if (index < argument.size()) return argument;
    index -= argument.size();
  }
  throw std::logic_error("generate: an expression uses an input that is not an argument");
}

std::string CodeWriter::angle_terms(const Expression& e, bool& known, bool& wide) const {
  const Node& node = program_.statements()[e.id()];
  if (node.kind == Kind::sum) {
    const double sign = e.factor();
    const auto term = [&](const Expression& t) {
      if (t.is_constant()) return std::string("o,");
      return angle_terms(Expression::of_node(sign * t.factor(), t.id()), known, wide);
    };
    return term(node.a()) + term(node.b());
  }
  if (node.kind != Kind::input) return known = false, "";
  int index = 0;
  if (argument_of(node.link, index).name != "q") return known = false, "";
  if (index + 1 > 9) wide = true;
  return fmt::format("{}{},", e.factor() < 0 ? "m" : "", index + 1);
}

std::string CodeWriter::angle_name(std::uint32_t id) const {
  bool known = true, wide = false;
  std::string terms = angle_terms(Expression::of_node(1.0, id), known, wide);
  if (!known || terms.size() > 24) return {};
  terms.pop_back();
  if (wide) {
    std::replace(terms.begin(), terms.end(), ',', '_');
    return "_" + terms;
  }
  std::erase(terms, ',');
  return terms;
}

void CodeWriter::name_values() {
  const std::span<const Node> statements = program_.statements();
  const auto meaning = meanings();
  std::set<std::string> taken;
  for (std::uint32_t i = 1; i < statements.size(); ++i) {
    const Node& node = statements[i];
    if (operand_count(node.kind) == 0 || node.kind == Kind::less) continue;
    std::string angle;
    const bool turn = node.kind == Kind::sin || node.kind == Kind::cos;
    if (turn && !node.a().is_constant() && node.a().factor() == 1.0)
      angle = angle_name(node.a().id());
    else if (node.kind == Kind::sum && node.affine)
      angle = angle_name(i);
    const char* letter = node.kind == Kind::sin ? "s" : node.kind == Kind::cos ? "c" : "q";
    std::string name = angle.empty() ? "" : letter + angle;
    if (name.empty() && meaning) name = meaning(i);
    if (name.empty() || !taken.insert(name).second) name = "x";
    values_[i].name = name;
  }
}

std::function<std::string(std::uint32_t)> CodeWriter::meanings() const {
  if (!function_.landmarks) return {};
  const Landmarks& known = *function_.landmarks;
  std::array<std::vector<double>, Landmarks::states> values;
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::vector<double> inputs;
    for (const Argument& argument : function_.inputs) {
      const auto& of = argument.name == "q"   ? known.q[k]
                       : argument.name == "v" ? known.v[k]
                       : argument.name == "a" ? known.a[k]
                                              : known.tau[k];
      inputs.insert(inputs.end(), of.begin(), of.end());
    }
    values[k] = evaluate_nodes(program_.statements(), inputs);
  }
  return [values = std::move(values), &known](std::uint32_t id) {
    std::array<double, Landmarks::states> of;
    for (std::size_t k = 0; k < of.size(); ++k) of[k] = values[k][id];
    return known.name_of(of);
  };
}

std::string CodeWriter::reference(std::uint32_t id) const {
  const Node& node = program_.statements()[id];
  if (node.kind == Kind::input) {
    int index = 0;
    const Argument& argument = argument_of(node.link, index);
    return syntax_.element(argument, index);
  }
  if (values_[id].slot >= 0) return syntax_.memory(values_[id].slot);
  return syntax_.name ? syntax_.name(values_[id].name) : values_[id].name;
}

CodeWriter::Text CodeWriter::operand(const Expression& e) const {
  const bool negative = e.factor() < 0;
  if (e.is_constant()) return {negative, syntax_.number(std::abs(e.factor())), 2};
  const Value& value = values_[e.id()];
  if (!value.written_in) return {negative, reference(e.id()), 2};
  Text text = value.text;
  text.negative ^= negative;
  return text;
}

std::string CodeWriter::wrapped(const Text& text, int least_rank) const {
  return text.rank < least_rank ? "(" + text.body + ")" : text.body;
}

/// The text with its sign.
std::string CodeWriter::plain(const Text& text) const {
  return text.negative ? "-" + wrapped(text, 1) : text.body;
}

CodeWriter::Text CodeWriter::sum(Text a, Text b) const {
  if (a.negative && !b.negative) std::swap(a, b);
  // Both negative: the sign goes outside.
  const bool outside = a.negative && b.negative;
  if (outside) a.negative = b.negative = false;
  return {outside, a.body + (b.negative ? " - " : " + ") + wrapped(b, 1), 0};
}

CodeWriter::Text CodeWriter::product(Text a, Text b) const {
  return {a.negative != b.negative, wrapped(a, 1) + syntax_.times + wrapped(b, 2), 1};
}

CodeWriter::Text CodeWriter::text_of(const Node& node) const {
  switch (node.kind) {
    case Kind::sum:
      return sum(operand(node.a()), operand(node.b()));
    case Kind::product:
      return product(operand(node.a()), operand(node.b()));
    case Kind::quotient: {
      const Text a = operand(node.a()), b = operand(node.b());
      if (syntax_.divide) return {a.negative != b.negative, syntax_.divide(a.body, b.body), 2};
      return {a.negative != b.negative, wrapped(a, 1) + "/" + wrapped(b, 2), 1};
    }
    case Kind::sqrt:
      return {false, syntax_.root(plain(operand(node.a()))), 2};
    case Kind::sin:
      return {false, syntax_.sine(plain(operand(node.a()))), 2};
    case Kind::cos:
      return {false, syntax_.cosine(plain(operand(node.a()))), 2};
    case Kind::select: {
      const Node& condition = program_.statements()[node.link];
      return {false,
              syntax_.choose(plain(operand(condition.a())), plain(operand(condition.b())),
                             plain(operand(node.a())), plain(operand(node.b()))),
              2};
    }
    default:
      throw std::logic_error("generate: a statement that computes nothing");
  }
}

bool CodeWriter::may_be_written_in(std::uint32_t id, const Text& text) const {
  const Node& node = program_.statements()[id];
  const Value& value = values_[id];
  return value.uses == 1 && value.last_part == value.part &&
         text.body.size() <= syntax_.width / 2 &&
         (node.kind == Kind::sum || node.kind == Kind::product) && value.name == "x";
}

std::vector<std::string> CodeWriter::lines(int part) {
  std::vector<std::string> out;
  const std::span<const Node> statements = program_.statements();
  for (std::uint32_t i = 1; i < statements.size(); ++i) {
    if (i % 256 == 0) interruption_point();
    const Node& node = statements[i];
    if (values_[i].part != part || operand_count(node.kind) == 0 || node.kind == Kind::less)
      continue;
    const Text text = text_of(node);
    if (may_be_written_in(i, text)) {
      values_[i].written_in = true;
      values_[i].text = text;
    } else if (values_[i].slot >= 0) {
      out.push_back(syntax_.assign(reference(i), plain(text)));
    } else {
      if (values_[i].name == "x") values_[i].name += std::to_string(next_++);
      out.push_back(syntax_.declare(reference(i), plain(text)));
    }
  }
  for (const std::uint32_t entry : outputs_of_part_[part]) {
    int index = static_cast<int>(entry);
    const Argument* argument = function_.outputs.data();
    for (; index >= argument->size(); ++argument) index -= argument->size();
    out.push_back(syntax_.assign(syntax_.element(*argument, index),
                                 plain(operand(program_.outputs()[entry]))));
  }
  return out;
}

bool CodeWriter::uses(int part, const Argument& argument) const {
  std::size_t index = 0;
  const auto in = [&](const std::vector<Argument>& list) {
    for (const Argument& other : list) {
      if (other.name == argument.name) return true;
      ++index;
    }
    return false;
  };
  if (!in(function_.inputs) && !in(function_.outputs)) return false;
  if (part >= 0) return used_[part][index] != 0;
  return std::any_of(used_.begin(), used_.end(), [&](const auto& u) { return u[index] != 0; });
}

}  // namespace ulna::generate
