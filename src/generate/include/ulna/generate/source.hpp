#pragma once
// Source code of a traced function in several languages, each with a test beside it that checks ten
// random states against the general algorithms (docs/generation.md).

#include "ulna/generate/traced_function.hpp"

namespace ulna {

struct SourceFile {
  std::string name;
  std::string content;
};

/// "c", "c++", "python", "matlab", "rust", "javascript", "latex".
ULNA_API const std::vector<std::string>& language_names();

/// The function's files and its test's. InputError for an unknown language, naming the nearest. The
/// options must be those the function was traced with.
ULNA_API std::vector<SourceFile> generate_source(const Model& model, const TracedFunction& function,
                                                 const std::string& language,
                                                 const TraceOptions& options = {});

/// How the text looks.
struct PrintOptions {
  bool single_precision = false;  ///< numbers are float; c and c++
  /// Names without that of the robot ("robot_inverse"), so that programs need not change with it.
  bool fixed_names = false;
};
ULNA_API std::vector<SourceFile> generate_source(const Model& model, const TracedFunction& function,
                                                 const std::string& language,
                                                 const TraceOptions& options,
                                                 const PrintOptions& print);
/// The function as it is printed so: with the name it gets.
ULNA_API TracedFunction renamed(TracedFunction function, const PrintOptions& print);

/// The function alone, as a JavaScript expression to stand in a page's own script: no comments, and
/// no '<' that could end the element. Results are written into the arrays given for them.
ULNA_API std::string javascript_expression(const TracedFunction& function);

}  // namespace ulna
