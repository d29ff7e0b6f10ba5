#include "ulna/numerics/error.hpp"

#include <fmt/format.h>

#include <limits>

namespace ulna {

std::string Problem::text() const {
  std::string out;
  if (!where.file.empty()) {
    out += where.file + ":";
    if (where.line > 0) out += fmt::format("{}:", where.line);
    if (where.line > 0 && where.column > 0) out += fmt::format("{}:", where.column);
    out += " ";
  }
  if (!element.empty()) out += element + ": ";
  out += message;
  if (!expectation.empty()) out += "; expected " + expectation;
  if (!hint.empty()) out += "; " + hint;
  return out;
}

namespace {
std::string join(const std::vector<Problem>& problems) {
  std::string out;
  for (const Problem& problem : problems) {
    if (!out.empty()) out += "\n";
    out += problem.text();
  }
  return out;
}
}  // namespace

InputError::InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(join(problems)), problems_(std::move(problems)) {}

InputError::InputError(const std::string& message, std::string expectation, std::string hint)
    : InputError(Problem{{}, {}, message, std::move(expectation), std::move(hint)}) {}

ComputationError::ComputationError(const std::string& message, double measure)
    : std::runtime_error(message), measure_(measure) {}

ComputationError::ComputationError(const std::string& message)
    : ComputationError(message, std::numeric_limits<double>::quiet_NaN()) {}

}  // namespace ulna
