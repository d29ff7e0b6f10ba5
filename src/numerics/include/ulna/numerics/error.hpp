#pragma once
// The two kinds of failure. InputError: what was given is wrong; it says where, what was found,
// what was expected and what to try. ComputationError: the input is fine but has no answer here
// (unreachable, singular, diverged); it says what failed and by how much.

#include <stdexcept>
#include <string>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// Where in a file something stands. Line and column start at 1; 0 means unknown.
struct SourceMark {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One thing that is wrong with an input.
struct Problem {
  SourceMark where;
  std::string element;      ///< what it concerns, e.g. "body 'arm'"
  std::string message;      ///< what was found
  std::string expectation;  ///< what was expected; may be empty
  std::string hint;         ///< what to try; may be empty

  /// "file:line:column: element: message; expected ...; try ..."
  ULNA_API std::string text() const;
};

class ULNA_API InputError : public std::runtime_error {
 public:
  explicit InputError(Problem problem);
  /// All problems found at once; `problems` must not be empty.
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(const std::string& message, std::string expectation = {},
                      std::string hint = {});

  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

class ULNA_API ComputationError : public std::runtime_error {
 public:
  /// `measure` is the number that shows the failure (a residual, a pivot); NaN when there is none.
  explicit ComputationError(const std::string& message, double measure);
  explicit ComputationError(const std::string& message);
  double measure() const { return measure_; }

 private:
  double measure_;
};

}  // namespace ulna
