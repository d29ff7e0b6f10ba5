// C99: name.h, name.c and name_test.c. What C++ shares is written here too.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "print/printing.hpp"

namespace ulna::generate {

Syntax c_syntax(const CFamily& family) {
  Syntax s;
  const auto call = [](std::string f) {
    return [f](const std::string& x) { return f + "(" + x + ")"; };
  };
  // In C each precision has functions of its own; C++ chooses by the type.
  const std::string precise = family.single && family.math.empty() ? "f" : "";
  s.number = number_text;
  if (family.single) s.number = [](double x) { return number_text(x) + "f"; };
  s.element = [](const Argument& a, int k) { return fmt::format("{}[{}]", a.name, k); };
  s.sine = call(family.math + "sin" + precise);
  s.cosine = call(family.math + "cos" + precise);
  s.root = call(family.math + "sqrt" + precise);
  s.choose = [](const std::string& a, const std::string& b, const std::string& x,
                const std::string& y) { return fmt::format("({} < {} ? {} : {})", a, b, x, y); };
  const std::string real = family.single ? "float" : "double";
  s.declare = [real](const std::string& name, const std::string& value) {
    return fmt::format("const {} {} = {};", real, name, value);
  };
  s.assign = [](const std::string& name, const std::string& value) {
    return fmt::format("{} = {};", name, value);
  };
  s.memory = [](int slot) { return fmt::format("m[{}]", slot); };
  return family.lanes > 0 ? pack_syntax(std::move(s)) : s;
}

namespace {

/// Constants made of parameters are the same for all states.
std::string type_of(const TracedFunction& f, const Argument& a, int lanes, bool single) {
  if (lanes > 0 && !(f.prepare && a.name == "c")) return "lanes";
  return single ? "float" : "double";
}

/// From so many angles on: measured; fewer wait longer for the packing than they gain.
bool pays_at_once(const TracedFunction& f, const Syntax& syntax) {
  constexpr int fewest = 12;
  return f.operations().sincos_pairs >= fewest && CodeWriter(f, syntax, part_size).parts() == 1;
}

/// Sines and cosines of coordinates and of their sums, which can all be had at the beginning.
class AnglesAtOnce {
 public:
  explicit AnglesAtOnce(int width) : width_(width) {}

  void change(Syntax& s) {
    const auto half = [this](const char* array, auto otherwise) {
      return [this, array, otherwise](const std::string& angle) {
        // Other values are named x...; only parts that stand alone can be moved.
        if (angle.find('x') != std::string::npos || angle.find("m[") != std::string::npos)
          return otherwise(angle);
        const auto at = std::find(angles_.begin(), angles_.end(), angle);
        const long k = at - angles_.begin();
        if (at == angles_.end()) angles_.push_back(angle);
        return fmt::format("{}[{}]", array, k);
      };
    };
    s.sine = half("sines", s.sine);
    s.cosine = half("cosines", s.cosine);
  }

  /// The statements with the sums of angles and the call in front.
  std::vector<std::string> placed(const std::vector<std::string>& lines) const {
    if (angles_.empty()) return lines;
    std::vector<std::string> first, rest;
    for (const std::string& line : lines)
      (line.rfind("const double q", 0) == 0 ? first : rest).push_back(line);
    const std::size_t size = (angles_.size() + width_ - 1) / width_ * width_;
    std::string list;
    for (std::size_t k = 0; k < size; ++k)
      list += (k == 0 ? "" : ", ") + (k < angles_.size() ? angles_[k] : std::string("0"));
    first.push_back(fmt::format("const double angles[{}] = {{{}}};", size, list));
    first.push_back(fmt::format("double sines[{0}], cosines[{0}];", size));
    first.push_back(fmt::format("for (int k = 0; k < {}; k += ULNA_WIDTH)", size));
    first.push_back(
        "  ulna_sincos(*(const lanes *)(angles + k), (lanes *)(sines + k), (lanes *)(cosines + "
        "k));");
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
  }

 private:
  std::size_t width_;
  std::vector<std::string> angles_;
};

std::string c_body(CodeWriter& writer, const TracedFunction& f, int part,
                   const AnglesAtOnce* angles = nullptr) {
  std::string out;
  for (const Argument& argument : arguments_of(f))
    if (!writer.uses(part, argument)) out += fmt::format("  (void){};\n", argument.name);
  const std::vector<std::string> lines = writer.lines(part);
  return out + block(angles ? angles->placed(lines) : lines, "  ");
}

std::string parameters_with_memory(const TracedFunction& f, const CFamily& family) {
  return c_parameters(f, family.restrict_word, family.lanes, family.single) +
         fmt::format(", {} *{} m", family.real(), family.restrict_word);
}

std::string declarations(const TracedFunction& f, const std::string& linkage, bool single = false) {
  std::string out;
  if (f.prepare) out += declarations(*f.prepare, linkage, single) + "\n";
  return out + c_comment(f) + linkage + "void " + f.identifier() + "(" +
         c_parameters(f, "", 0, single) + ");\n";
}

}  // namespace

std::string c_comment(const TracedFunction& f) {
  std::vector<std::string> lines = header_lines(f);
  return "/* " + lines[0] + "\n" + block({lines.begin() + 1, lines.end()}, " * ") + " */\n";
}

std::string c_parameters(const TracedFunction& f, const std::string& restrict_word, int lanes,
                         bool single) {
  const std::string star = restrict_word.empty() ? " *" : " *" + restrict_word + " ";
  const auto each = [&](const std::string& before) {
    return [&f, lanes, single, before, star](const Argument& a) {
      return before + type_of(f, a, lanes, single) + star + a.name;
    };
  };
  return joined(f.inputs, ", ", each("const ")) + ", " + joined(f.outputs, ", ", each(""));
}

std::string c_function(const TracedFunction& f, const CFamily& family) {
  std::string out;
  if (f.prepare) {
    CFamily scalar = family;
    scalar.lanes = 0;
    if (family.lanes > 0) scalar.linkage.clear();
    out += c_function(*f.prepare, scalar) + "\n";
  }
  Syntax syntax = c_syntax(family);
  AnglesAtOnce angles(family.angles_at_once);
  const bool at_once = family.angles_at_once > 0 && pays_at_once(f, syntax);
  if (at_once) angles.change(syntax);
  CodeWriter writer(f, syntax, part_size);
  const std::string name =
      family.lanes > 0 ? pack_name(f, family.lanes) + "_lanes" : f.identifier();
  const std::string head = family.linkage + "void " + name + "(" +
                           c_parameters(f, family.restrict_word, family.lanes, family.single) +
                           ") {\n";
  if (writer.parts() == 1)
    return out + head + c_body(writer, f, 0, at_once ? &angles : nullptr) + "}\n";
  const std::string part_linkage = family.linkage.empty() ? "static " : family.linkage;
  for (int part = 0; part < writer.parts(); ++part)
    out += fmt::format("{}void {}_part{}({}) {{\n", part_linkage, name, part + 1,
                       parameters_with_memory(f, family)) +
           c_body(writer, f, part) + "}\n\n";
  out += head + fmt::format("  {} m[{}];\n", family.real(), std::max(1, writer.memory()));
  const std::string words = names_of(arguments_of(f));
  for (int part = 0; part < writer.parts(); ++part)
    out += fmt::format("  {}_part{}({}, m);\n", name, part + 1, words);
  return out + "}\n";
}

std::string c_test(const TracedFunction& f, const TestTable& test, const std::string& includes) {
  // The same number of units in the last place.
  const double tolerance = test.single ? test.tolerance * (std::numeric_limits<float>::epsilon() /
                                                           std::numeric_limits<double>::epsilon())
                                       : test.tolerance;
  const std::string real = test.single ? "float" : "double";
  std::string out = fmt::format(
      "/* Compares {} with the general algorithms of Ulna on ten random states{}.\n"
      " * Prints the largest difference, relative to the largest entry; status 1 above {:.3g}. */\n"
      "#include <math.h>\n#include <stdio.h>\n\n{}\n",
      f.identifier(), test.single ? ", those in double precision" : "", tolerance, includes);
  const auto list = [&](const std::vector<double>& values) {
    if (!test.single) return number_list(values);
    return joined(values, ", ", [](double x) { return number_text(x) + "f"; });
  };
  const auto table = [&](const TestTable::Column& column, const std::string& name) {
    const bool given = name.starts_with("given_");
    out += fmt::format("static const {} {}[10][{}] = {{\n", given ? real : "double", name,
                       column.argument.size());
    for (const auto& state : column.states)
      out += "  {" + (given ? list(state) : number_list(state)) + "},\n";
    out += "};\n";
  };
  for (const auto& column : test.inputs) table(column, "given_" + column.argument.name);
  for (const auto& column : test.outputs) table(column, "expected_" + column.argument.name);
  if (f.prepare)
    out += fmt::format("static const {} given_p[{}] = {{\n  {}}};\n", real, test.parameters.size(),
                       list(test.parameters));
  out += "\nstatic double difference(const " + real +
         " *x, const double *y, int n, double scale) {\n"
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
    out += fmt::format("  static {} c[{}];\n  {}(given_p, c);\n", real, f.inputs.back().size(),
                       f.prepare->identifier());
  for (const Argument& a : f.outputs)
    out += fmt::format("  static {} {}[{}];\n", real, a.name, a.size());
  out += "  for (int k = 0; k < 10; ++k) {\n";
  const std::string words =
      joined(f.inputs, ", ",
             [](const Argument& a) {
               return a.name == "c" ? std::string("c") : "given_" + a.name + "[k]";
             }) +
      ", " + names_of(f.outputs);
  out += fmt::format("    {}({});\n", f.identifier(), words);
  for (const auto& column : test.outputs)
    out += fmt::format(
        "    {{\n      const double d = difference({0}, expected_{0}[k], {1}, {2});\n"
        "      if (!(d <= worst)) worst = d;\n    }}\n",
        column.argument.name, column.argument.size(), number_text(column.scale));
  return out + fmt::format(
                   "  }}\n  printf(\"{}: largest difference %.3g\\n\", worst);\n"
                   "  return worst <= {} ? 0 : 1;\n}}\n",
                   f.identifier(), number_text(tolerance));
}

Sources print_c(const TracedFunction& f, const TestTable& test) {
  const std::string name = f.identifier();
  std::string guard = name + "_H";
  for (char& c : guard) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string header = fmt::format(
      "#ifndef {0}\n#define {0}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{1}\n"
      "#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
      guard, declarations(f, "", test.single));
  const std::string source = fmt::format(
      "/* Generated by Ulna; described in {0}.h. Arrays must not overlap. */\n#include "
      "\"{0}.h\"\n\n"
      "#include <math.h>\n\n{1}",
      name, c_function(f, {"restrict", "", "", 0, 0, test.single}));
  return {{name + ".h", header},
          {name + ".c", source},
          {name + "_test.c", c_test(f, test, fmt::format("#include \"{}.h\"\n", name))}};
}

std::string c_text(const TracedFunction& f, int angles_at_once) {
  return "#include <math.h>\n\n" + declarations(f, "") + "\n" +
         c_function(f, {"restrict", "", "", 0, angles_at_once});
}

std::string c_adapter(const TracedFunction& f, const std::string& adapter) {
  int index = 0;
  const auto pick = [&](const char* array) {
    index = 0;
    return [&index, array](const Argument&) { return fmt::format("{}[{}]", array, index++); };
  };
  const std::string inputs = joined(f.inputs, ", ", pick("in"));
  const std::string outputs = joined(f.outputs, ", ", pick("out"));
  return fmt::format(
      "\nvoid {0}(const double *const *in, double *const *out);\n"
      "void {0}(const double *const *in, double *const *out) {{\n  {1}({2}, {3});\n}}\n",
      adapter, f.identifier(), inputs, outputs);
}

}  // namespace ulna::generate
