// C99: name.h, name.c and name_test.c. What C++ shares is written here too.

#include <fmt/format.h>

#include "printing.hpp"

namespace ulna::generate {
namespace {

Syntax c_syntax(const CFamily& family) {
  Syntax s;
  const auto call = [](std::string f) {
    return [f](const std::string& x) { return f + "(" + x + ")"; };
  };
  s.number = number_text;
  s.element = [](const Argument& a, int k) { return fmt::format("{}[{}]", a.name, k); };
  s.sine = call(family.math + "sin");
  s.cosine = call(family.math + "cos");
  s.root = call(family.math + "sqrt");
  s.choose = [](const std::string& a, const std::string& b, const std::string& x,
                const std::string& y) { return fmt::format("({} < {} ? {} : {})", a, b, x, y); };
  s.declare = [](const std::string& name, const std::string& value) {
    return fmt::format("const double {} = {};", name, value);
  };
  s.assign = [](const std::string& name, const std::string& value) {
    return fmt::format("{} = {};", name, value);
  };
  s.memory = [](int slot) { return fmt::format("m[{}]", slot); };
  return s;
}

std::string body_of(CodeWriter& writer, const TracedFunction& f, int part) {
  std::string out;
  for (const Argument& argument : arguments_of(f))
    if (!writer.uses(part, argument)) out += fmt::format("  (void){};\n", argument.name);
  return out + block(writer.lines(part), "  ");
}

std::string parameters_with_memory(const TracedFunction& f, const CFamily& family) {
  return c_parameters(f, family.restrict_word) +
         fmt::format(", double *{} m", family.restrict_word);
}

std::string comment(const TracedFunction& f) {
  std::vector<std::string> lines = header_lines(f);
  return "/* " + lines[0] + "\n" + block({lines.begin() + 1, lines.end()}, " * ") + " */\n";
}

std::string declarations(const TracedFunction& f, const std::string& linkage) {
  std::string out;
  if (f.prepare) out += declarations(*f.prepare, linkage) + "\n";
  return out + comment(f) + linkage + "void " + f.identifier() + "(" + c_parameters(f, "") + ");\n";
}

}  // namespace

std::string c_parameters(const TracedFunction& f, const std::string& restrict_word) {
  const std::string star = restrict_word.empty() ? " *" : " *" + restrict_word + " ";
  const auto each = [&](const std::string& type) {
    return [type, star](const Argument& a) { return type + star + a.name; };
  };
  return joined(f.inputs, ", ", each("const double")) + ", " +
         joined(f.outputs, ", ", each("double"));
}

std::string c_function(const TracedFunction& f, const CFamily& family) {
  std::string out;
  if (f.prepare) out += c_function(*f.prepare, family) + "\n";
  CodeWriter writer(f, c_syntax(family), part_size);
  const std::string name = f.identifier();
  const std::string head =
      family.linkage + "void " + name + "(" + c_parameters(f, family.restrict_word) + ") {\n";
  if (writer.parts() == 1) return out + head + body_of(writer, f, 0) + "}\n";
  const std::string part_linkage = family.linkage.empty() ? "static " : family.linkage;
  for (int part = 0; part < writer.parts(); ++part)
    out += fmt::format("{}void {}_part{}({}) {{\n", part_linkage, name, part + 1,
                       parameters_with_memory(f, family)) +
           (part == 0 ? "" : "") + body_of(writer, f, part) + "}\n\n";
  out += head + fmt::format("  double m[{}];\n", std::max(1, writer.memory()));
  const std::string words = joined(arguments_of(f), ", ", [](const Argument& a) { return a.name; });
  for (int part = 0; part < writer.parts(); ++part)
    out += fmt::format("  {}_part{}({}, m);\n", name, part + 1, words);
  return out + "}\n";
}

std::string c_test(const TracedFunction& f, const TestTable& test, const std::string& includes) {
  std::string out = fmt::format(
      "/* Compares {} with the general algorithms of Ulna on ten random states.\n"
      " * Prints the largest difference, relative to the largest entry; status 1 above {:.3g}. */\n"
      "#include <math.h>\n#include <stdio.h>\n\n{}\n",
      f.identifier(), test.tolerance, includes);
  const auto table = [&](const TestTable::Column& column, const std::string& name) {
    out += fmt::format("static const double {}[10][{}] = {{\n", name, column.argument.size());
    for (const auto& state : column.states) out += "  {" + number_list(state) + "},\n";
    out += "};\n";
  };
  for (const auto& column : test.inputs) table(column, "given_" + column.argument.name);
  for (const auto& column : test.outputs) table(column, "expected_" + column.argument.name);
  if (f.prepare)
    out += fmt::format("static const double given_p[{}] = {{\n  {}}};\n", test.parameters.size(),
                       number_list(test.parameters));
  out +=
      "\nstatic double difference(const double *x, const double *y, int n, double scale) {\n"
      "  double worst = 0;\n"
      "  for (int k = 0; k < n; ++k) {\n"
      "    const double d = fabs(x[k] - y[k]) / scale;\n"
      "    if (!(d <= worst)) worst = d;\n"
      "  }\n"
      "  return worst;\n"
      "}\n\n"
      "int main(void) {\n"
      "  double worst = 0;\n";
  if (f.prepare)
    out += fmt::format("  static double c[{}];\n  {}(given_p, c);\n", f.inputs.back().size(),
                       f.prepare->identifier());
  for (const Argument& a : f.outputs)
    out += fmt::format("  static double {}[{}];\n", a.name, a.size());
  out += "  for (int k = 0; k < 10; ++k) {\n";
  const std::string words =
      joined(f.inputs, ", ",
             [](const Argument& a) {
               return a.name == "c" ? std::string("c") : "given_" + a.name + "[k]";
             }) +
      ", " + joined(f.outputs, ", ", [](const Argument& a) { return a.name; });
  out += fmt::format("    {}({});\n", f.identifier(), words);
  for (const auto& column : test.outputs)
    out += fmt::format(
        "    {{\n      const double d = difference({0}, expected_{0}[k], {1}, {2});\n"
        "      if (!(d <= worst)) worst = d;\n    }}\n",
        column.argument.name, column.argument.size(), number_text(column.scale));
  return out + fmt::format(
                   "  }}\n  printf(\"{}: largest difference %.3g\\n\", worst);\n"
                   "  return worst <= {} ? 0 : 1;\n}}\n",
                   f.identifier(), number_text(test.tolerance));
}

Sources print_c(const TracedFunction& f, const TestTable& test) {
  const std::string name = f.identifier();
  std::string guard = name + "_H";
  for (char& c : guard) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string header = fmt::format(
      "#ifndef {0}\n#define {0}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{1}\n"
      "#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
      guard, declarations(f, ""));
  const std::string source = fmt::format(
      "/* Generated by Ulna; described in {0}.h. Arrays must not overlap. */\n#include "
      "\"{0}.h\"\n\n"
      "#include <math.h>\n\n{1}",
      name, c_function(f, {"restrict", "", ""}));
  return {{name + ".h", header},
          {name + ".c", source},
          {name + "_test.c", c_test(f, test, fmt::format("#include \"{}.h\"\n", name))}};
}

std::string c_text(const TracedFunction& f, const std::string& adapter) {
  int index = 0;
  const auto pick = [&](const char* array) {
    index = 0;
    return [&index, array](const Argument&) { return fmt::format("{}[{}]", array, index++); };
  };
  const std::string inputs = joined(f.inputs, ", ", pick("in"));
  const std::string outputs = joined(f.outputs, ", ", pick("out"));
  return "#include <math.h>\n\n" + declarations(f, "") + "\n" +
         c_function(f, {"restrict", "", ""}) +
         fmt::format(
             "\nvoid {0}(const double *const *in, double *const *out);\n"
             "void {0}(const double *const *in, double *const *out) {{\n  {1}({2}, {3});\n}}\n",
             adapter, f.identifier(), inputs, outputs);
}

}  // namespace ulna::generate
