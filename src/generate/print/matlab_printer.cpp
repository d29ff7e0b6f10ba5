// MATLAB and Octave: name.m and name_test.m.

#include <fmt/format.h>

#include "print/printing.hpp"

namespace ulna::generate {
namespace {

Syntax matlab_syntax() {
  Syntax s;
  const auto call = [](std::string f) {
    return [f](const std::string& x) { return f + "(" + x + ")"; };
  };
  s.number = number_text;
  s.element = [](const Argument& a, int k) {
    return a.cols == 1 ? fmt::format("{}({})", a.name, k + 1)
                       : fmt::format("{}({}, {})", a.name, k / a.cols + 1, k % a.cols + 1);
  };
  s.sine = call("sin");
  s.cosine = call("cos");
  s.root = call("sqrt");
  // Truth values are numbers: no branch.
  s.choose = [](const std::string& a, const std::string& b, const std::string& x,
                const std::string& y) {
    return fmt::format("(({0} < {1})*({2}) + (1 - ({0} < {1}))*({3}))", a, b, x, y);
  };
  s.declare = s.assign = [](const std::string& name, const std::string& value) {
    return name + " = " + value + ";";
  };
  return s;
}

std::string matlab_function(const TracedFunction& f) {
  CodeWriter writer(f, matlab_syntax(), 0);
  std::string out = fmt::format("function [{}] = {}({})\n", names_of(f.outputs), f.identifier(),
                                names_of(f.inputs));
  out += block(header_lines(f), "% ");
  for (const Argument& a : f.outputs)
    out += fmt::format("  {} = zeros({}, {});\n", a.name, a.rows, a.cols);
  return out + block(writer.lines(0), "  ") + "end\n";
}

}  // namespace

Sources print_matlab(const TracedFunction& f, const TestTable& test) {
  const std::string name = f.identifier();
  Sources files = {{name + ".m", matlab_function(f)}};
  if (f.prepare) files.push_back({f.prepare->identifier() + ".m", matlab_function(*f.prepare)});

  std::string check = fmt::format(
      "% Compares {} with the general algorithms of Ulna on ten random states.\n"
      "% Prints the largest difference, relative to the largest entry; an error above {:.3g}.\n",
      name, test.tolerance);
  const auto row = [](const std::vector<double>& values) {
    std::string text = number_list(values);
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 4)
      text.insert(at, "...");
    return text;
  };
  const auto table = [&](const TestTable::Column& column, const std::string& prefix) {
    check += prefix + column.argument.name + " = [\n";
    for (const auto& state : column.states) check += "  " + row(state) + ";\n";
    check += "];\n";
  };
  for (const auto& column : test.inputs) table(column, "given_");
  for (const auto& column : test.outputs) table(column, "expected_");
  if (f.prepare)
    check += fmt::format("c = {}([{}]);\n", f.prepare->identifier(), row(test.parameters));
  check += fmt::format("worst = 0;\nfor k = 1:10\n  [{}] = {}({});\n", names_of(f.outputs), name,
                       joined(f.inputs, ", ", [](const Argument& a) {
                         return a.name == "c" ? std::string("c") : "given_" + a.name + "(k, :)";
                       }));
  for (const auto& column : test.outputs)  // by rows
    check += fmt::format(
        "  worst = max(worst, max(abs(reshape({0}.', 1, []) - expected_{0}(k, :)))/{1});\n",
        column.argument.name, number_text(column.scale));
  check += fmt::format(
      "end\nprintf('{0}: largest difference %.3g\\n', worst);\n"
      "if ~(worst <= {1})\n  error('{0}: results differ');\nend\n",
      name, number_text(test.tolerance));
  // printf is Octave's; fprintf is in both.
  check.replace(check.find("printf('"), 8, "fprintf('");
  files.push_back({name + "_test.m", check});
  return files;
}

}  // namespace ulna::generate
