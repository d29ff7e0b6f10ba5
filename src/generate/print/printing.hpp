#pragma once
// What the printers share: the header comment, the numbers of the test, joined words.

#include <string>
#include <vector>

#include "print/code_writer.hpp"
#include "ulna/generate/source.hpp"

namespace ulna::generate {

/// Statements in one part of a function, so that a compiler takes it.
constexpr std::size_t part_size = 10000;

/// Ten random states and what the general algorithms make of them.
struct TestTable {
  struct Column {
    Argument argument;
    std::vector<std::vector<double>> states;
    double scale = 1;  ///< of an output: the largest entry, what errors are relative to
  };
  std::vector<Column> inputs, outputs;
  std::vector<double> parameters;  ///< of p, when they are symbolic
  double tolerance = 1e-12;
  bool single = false;  ///< the function is to be printed with numbers of single precision
};
TestTable test_table(const Model& model, const TracedFunction& function,
                     const TraceOptions& options);

/// Robot, function, arguments with units, counts: lines of a comment in any language.
std::vector<std::string> header_lines(const TracedFunction& function);
std::string count_text(const OperationCount& count);

/// Text from a robot's file that is safe in every comment.
std::string comment_safe(const std::string& text);

/// All arguments, inputs first.
std::vector<Argument> arguments_of(const TracedFunction& function);
/// `each` of every argument, separated.
template <class List, class Each>
std::string joined(const List& list, const std::string& separator, Each each) {
  std::string out;
  bool first = true;
  for (const auto& item : list) {
    out += (first ? "" : separator) + each(item);
    first = false;
  }
  return out;
}
/// Their names, separated by commas.
std::string names_of(const std::vector<Argument>& arguments);
/// Lines, each with something before it and a line end.
std::string block(const std::vector<std::string>& lines, const std::string& before);
/// Numbers separated by commas, with line breaks.
std::string number_list(const std::vector<double>& values);

// One printer a language: the function's files and its test's.
using Sources = std::vector<SourceFile>;
Sources print_c(const TracedFunction& function, const TestTable& test);
Sources print_cpp(const TracedFunction& function, const TestTable& test);
Sources print_python(const TracedFunction& function, const TestTable& test);
Sources print_matlab(const TracedFunction& function, const TestTable& test);
Sources print_rust(const TracedFunction& function, const TestTable& test);
Sources print_javascript(const TracedFunction& function, const TestTable& test);
Sources print_latex(const TracedFunction& function, const TestTable& test);

/// The C function alone, for `compile`: no test is made.
std::string c_text(const TracedFunction& function, int angles_at_once);
/// A function `adapter` that calls it, with arrays of arrays as arguments.
std::string c_adapter(const TracedFunction& function, const std::string& adapter);

/// What C and C++ have in common.
struct CFamily {
  std::string restrict_word, linkage, math;  ///< "restrict", "static ", ""
  int lanes = 0;                             ///< values are packs of so many states
  int angles_at_once = 0;  ///< sines and cosines of the coordinates by packs of so many
  bool single = false;     ///< numbers are float

  std::string real() const { return lanes > 0 ? "lanes" : single ? "float" : "double"; }
};
Syntax c_syntax(const CFamily& family);
std::string c_function(const TracedFunction& function, const CFamily& family);
std::string c_parameters(const TracedFunction& function, const std::string& restrict_word,
                         int lanes = 0, bool single = false);
/// "puma560_inverse_pack8"
std::string pack_name(const TracedFunction& function, int lanes);
std::string c_comment(const TracedFunction& function);

// pack_printer.cpp: the same C for several states at once, with the vector types of gcc and clang.
/// The type `lanes`; its sine and cosine, root and choice.
std::string pack_prelude(int lanes);
std::string pack_functions(int lanes);
/// Syntax that makes one call for the sine and the cosine of an angle.
Syntax pack_syntax(Syntax scalar);
/// Function and an adapter that takes states by rows, `adapter(in, out, first, last)`; the prelude
/// and the functions must stand before.
std::string pack_text(const TracedFunction& function, int lanes, const std::string& adapter);
Sources print_c_pack4(const TracedFunction& function, const TestTable& test);
Sources print_c_pack8(const TracedFunction& function, const TestTable& test);
std::string c_test(const TracedFunction& function, const TestTable& test,
                   const std::string& includes);

}  // namespace ulna::generate
