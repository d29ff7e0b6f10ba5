// C for 4 or 8 states at once: the statements of the C printer on vector types, which gcc and clang
// turn into the widest registers there are. Sine and cosine are those of scalar/sincos.hpp.

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <memory>

#include "print/printing.hpp"

namespace ulna::generate {
namespace {

// Packs of 8 on registers of 4 are two halves: kept in one type, gcc spills most of it.
constexpr const char* prelude = R"(#include <math.h>
#include <stdint.h>

#if @N@ == 8 && !defined(__AVX512F__)
#define ULNA_WIDTH 4
#define ULNA_HALVES 2
#else
#define ULNA_WIDTH @N@
#define ULNA_HALVES 1
#endif
typedef double lanes __attribute__((vector_size(8 * ULNA_WIDTH), aligned(8), may_alias));
typedef int64_t lane_bits __attribute__((vector_size(8 * ULNA_WIDTH), aligned(8), may_alias));
)";

constexpr const char* functions = R"(
#define ULNA_ALL(x) ((lanes){0} + (x))
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* all of these are inlined */
#endif

static inline lanes ulna_choose(lane_bits which, lanes x, lanes y) {
  return (lanes)(((lane_bits)x & which) | ((lane_bits)y & ~which));
}

static inline lanes ulna_root(lanes x) {
  lanes y;
  for (int k = 0; k < ULNA_WIDTH; ++k) y[k] = sqrt(x[k]);
  return y;
}

/* Reduction by Cody and Waite, polynomials of fdlibm; beyond 1e5 the mathematical library. */
static inline void ulna_sincos(lanes x, lanes *s, lanes *c) {
  const lane_bits sign = (lane_bits){0} + INT64_MIN;
  const lane_bits x_bits = (lane_bits)x;
  const lanes angle = (lanes)(x_bits & ~sign);
  const lane_bits beyond = ~(angle <= ULNA_ALL(1e5));
  const lanes shifted = angle * 0x1.45f306dc9c883p-1 + 0x1.8p52;
  const lanes k = shifted - 0x1.8p52;
  const lane_bits quadrant = (lane_bits)shifted;
  const lanes t = angle - k * 0x1.921fb5444p+0;
  const lanes r = t - k * 0x1.68c234c4cp-39;
  const lanes low = ((t - r) - k * 0x1.68c234c4cp-39) - k * 0x1.98a2e03707345p-77;
  const lanes z = r * r, zz = z * z;
  const lanes p = (-1.66666666666666324348e-01 + z * 8.33333333332248946124e-03) +
                  zz * ((-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) +
                        zz * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10));
  const lanes sine = r + (low + (r * z) * p);
  const lanes q = (4.16666666666666019037e-02 - z * 1.38888888888741095749e-03) +
                  zz * ((2.48015872894767294178e-05 - z * 2.75573143513906633035e-07) +
                        zz * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11));
  const lanes head = 1.0 - 0.5 * z;
  const lanes cosine = head + (((1.0 - head) - 0.5 * z) + (zz * q - r * low));
  const lane_bits swap = ((lane_bits)sine ^ (lane_bits)cosine) & -(quadrant & 1);
  *s = (lanes)((lane_bits)sine ^ swap ^ (((quadrant << 62) ^ x_bits) & sign));
  *c = (lanes)((lane_bits)cosine ^ swap ^ (((quadrant + 1) << 62) & sign));
  int64_t any = 0;
  for (int i = 0; i < ULNA_WIDTH; ++i) any |= beyond[i];
  if (__builtin_expect(any != 0, 0))
    for (int i = 0; i < ULNA_WIDTH; ++i)
      if (beyond[i]) (*s)[i] = sin(x[i]), (*c)[i] = cos(x[i]);
}

)";

std::string with_lanes(std::string text, int lanes) {
  for (std::size_t at = 0; (at = text.find("@N@", at)) != std::string::npos;)
    text.replace(at, 3, std::to_string(lanes));
  return text;
}

/// A number alone is no pack.
std::string wide(const std::string& text) {
  for (const char c : text)
    if (!std::isdigit(static_cast<unsigned char>(c)) &&
        std::string("+-.e").find(c) == std::string::npos)
      return text;
  return "ULNA_ALL(" + text + ")";
}

/// The function on vectors, and the one on arrays that calls it.
std::string function_text(const TracedFunction& f, int lanes) {
  const auto word = [&](const char* type) {
    return [&f, type](const Argument& a) {
      return f.prepare && a.name == "c" ? a.name : fmt::format("({} *){} + h", type, a.name);
    };
  };
  return c_function(f, {"restrict", "static ", "", lanes}) +
         fmt::format(
             "\nvoid {0}({1}) {{\n  for (int h = 0; h < ULNA_HALVES; ++h)\n"
             "    {0}_lanes({2}, {3});\n}}\n",
             pack_name(f, lanes), c_parameters(f, "restrict"),
             joined(f.inputs, ", ", word("const lanes")), joined(f.outputs, ", ", word("lanes")));
}

std::string declaration(const TracedFunction& f, int lanes) {
  std::string out;
  if (f.prepare)
    out += c_comment(*f.prepare) +
           fmt::format("void {}({});\n\n", f.prepare->identifier(), c_parameters(*f.prepare, ""));
  return out + c_comment(f) +
         fmt::format("void {}({});\n", pack_name(f, lanes), c_parameters(f, ""));
}

/// Packs of the ten states one after the other, round and round.
std::string test_text(const TracedFunction& f, const TestTable& test, int lanes) {
  const std::string name = pack_name(f, lanes);
  std::string out = fmt::format(
      "/* Compares {} with the general algorithms of Ulna on ten random states.\n"
      " * Prints the largest difference, relative to the largest entry; status 1 above {:.3g}. */\n"
      "#include <math.h>\n#include <stdio.h>\n\n#include \"{}.h\"\n\n",
      name, test.tolerance, name);
  const auto table = [&](const TestTable::Column& column, const char* prefix) {
    out += fmt::format("static const double {}_{}[10][{}] = {{\n", prefix, column.argument.name,
                       column.argument.size());
    for (const auto& state : column.states) out += "  {" + number_list(state) + "},\n";
    out += "};\n";
  };
  for (const auto& column : test.inputs) table(column, "given");
  for (const auto& column : test.outputs) table(column, "expected");
  if (f.prepare)
    out += fmt::format("static const double given_p[{}] = {{\n  {}}};\n", test.parameters.size(),
                       number_list(test.parameters));
  out += "\nint main(void) {\n  double worst = 0;\n";
  if (f.prepare)
    out += fmt::format("  static double c[{}];\n  {}(given_p, c);\n", f.inputs.back().size(),
                       f.prepare->identifier());
  for (const auto& column : test.inputs)
    out += fmt::format("  static double {}[{}];\n", column.argument.name,
                       column.argument.size() * lanes);
  for (const auto& column : test.outputs)
    out += fmt::format("  static double {}[{}];\n", column.argument.name,
                       column.argument.size() * lanes);
  out += fmt::format(
      "  for (int first = 0; first < 10; ++first) {{\n"
      "    for (int l = 0; l < {}; ++l) {{\n      const int state = (first + l) % 10;\n",
      lanes);
  for (const auto& column : test.inputs)
    out +=
        fmt::format("      for (int k = 0; k < {0}; ++k) {1}[{2} * k + l] = given_{1}[state][k];\n",
                    column.argument.size(), column.argument.name, lanes);
  const std::string words = names_of(arguments_of(f));
  out +=
      fmt::format("    }}\n    {}({});\n    for (int l = 0; l < {}; ++l) {{\n", name, words, lanes);
  out += "      const int state = (first + l) % 10;\n";
  for (const auto& column : test.outputs)
    out += fmt::format(
        "      for (int k = 0; k < {0}; ++k) {{\n"
        "        const double d = fabs({1}[{3} * k + l] - expected_{1}[state][k]) / {2};\n"
        "        if (!(d <= worst)) worst = d;\n      }}\n",
        column.argument.size(), column.argument.name, number_text(column.scale), lanes);
  return out + fmt::format(
                   "    }}\n  }}\n  printf(\"{}: largest difference %.3g\\n\", worst);\n"
                   "  return worst <= {} ? 0 : 1;\n}}\n",
                   name, number_text(test.tolerance));
}

Sources print_c_pack(const TracedFunction& f, const TestTable& test, int lanes) {
  const std::string name = pack_name(f, lanes);
  std::string guard = name + "_H";
  for (char& c : guard) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string note = fmt::format(
      "/* {0} states at once, for gcc and clang: q[{0} * i + k] is coordinate i of state k, and so "
      "on.\n"
      " * The sizes below are those of one state. */\n",
      lanes);
  const std::string header = fmt::format("#ifndef {0}\n#define {0}\n\n", guard) + note +
                             "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" +
                             declaration(f, lanes) + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  const std::string source =
      fmt::format(
          "/* Generated by Ulna; described in {0}.h. Arrays must not overlap. */\n"
          "#include \"{0}.h\"\n\n",
          name) +
      pack_prelude(lanes) + pack_functions(lanes) + function_text(f, lanes);
  return {
      {name + ".h", header}, {name + ".c", source}, {name + "_test.c", test_text(f, test, lanes)}};
}

}  // namespace

std::string pack_prelude(int lanes) { return with_lanes(prelude, lanes); }
std::string pack_name(const TracedFunction& f, int lanes) {
  return fmt::format("{}_pack{}", f.identifier(), lanes);
}
std::string pack_functions(int lanes) { return with_lanes(functions, lanes); }

Syntax pack_syntax(Syntax scalar) {
  scalar.element = [](const Argument& a, int k) {
    return a.name == "c" ? fmt::format("c[{}]", k) : fmt::format("{}[{} * ULNA_HALVES]", a.name, k);
  };
  struct Calls {
    std::map<std::string, int> number;  // of the call, by its angle
    std::string pending;                // calls to be written before the next statement
  };
  const auto calls = std::make_shared<Calls>();
  const auto half = [calls](const char* which) {
    return [calls, which](const std::string& angle) {
      const auto [entry, is_new] =
          calls->number.try_emplace(angle, static_cast<int>(calls->number.size()) + 1);
      if (is_new)
        calls->pending +=
            fmt::format("lanes sine_{0}, cosine_{0}; ulna_sincos({1}, &sine_{0}, &cosine_{0}); ",
                        entry->second, wide(angle));
      return fmt::format("{}_{}", which, entry->second);
    };
  };
  const auto before = [calls] { return std::exchange(calls->pending, {}); };
  scalar.sine = half("sine");
  scalar.cosine = half("cosine");
  scalar.root = [](const std::string& x) { return "ulna_root(" + wide(x) + ")"; };
  scalar.choose = [](const std::string& a, const std::string& b, const std::string& x,
                     const std::string& y) {
    return fmt::format("ulna_choose({} < {}, {}, {})", wide(a), wide(b), wide(x), wide(y));
  };
  scalar.declare = [before](const std::string& name, const std::string& value) {
    return before() + fmt::format("const lanes {} = {};", name, wide(value));
  };
  scalar.assign = [before](const std::string& name, const std::string& value) {
    return before() + fmt::format("{} = {};", name, wide(value));
  };
  return scalar;
}

std::string pack_text(const TracedFunction& f, int lanes, const std::string& adapter) {
  std::string out = declaration(f, lanes) + "\n" + function_text(f, lanes);
  out += fmt::format(
      "\nvoid {0}(const double *const *in, double *const *out, long first, long last);\n"
      "void {0}(const double *const *in, double *const *out, long first, long last) {{\n",
      adapter);
  for (const Argument& a : arguments_of(f))
    out += fmt::format("  double {}[{}];\n", a.name, a.size() * lanes);
  out += fmt::format(
      "  for (long i = first; i < last; i += {0}) {{\n"
      "    const long left = last - i < {0} ? last - i : {0};\n"
      "    for (long l = 0; l < {0}; ++l) {{\n"
      "      const long state = l < left ? i + l : i;\n",
      lanes);
  int index = 0;
  for (const Argument& a : f.inputs)
    out += fmt::format(
        "      for (int k = 0; k < {0}; ++k) {1}[{3} * k + l] = in[{2}][state * {0} + k];\n",
        a.size(), a.name, index++, lanes);
  out += fmt::format("    }}\n    {}({});\n    for (long l = 0; l < left; ++l) {{\n",
                     pack_name(f, lanes), names_of(arguments_of(f)));
  index = 0;
  for (const Argument& a : f.outputs)
    out += fmt::format(
        "      for (int k = 0; k < {0}; ++k) out[{2}][(i + l) * {0} + k] = {1}[{3} * k + l];\n",
        a.size(), a.name, index++, lanes);
  return out + "    }\n  }\n}\n";
}

Sources print_c_pack4(const TracedFunction& f, const TestTable& test) {
  return print_c_pack(f, test, 4);
}
Sources print_c_pack8(const TracedFunction& f, const TestTable& test) {
  return print_c_pack(f, test, 8);
}

}  // namespace ulna::generate
