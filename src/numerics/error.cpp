#include "ulna/numerics/error.hpp"

#include <fmt/format.h>

#include <limits>

#include "ulna/numerics/internal/visible_text.hpp"

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
  return visible(out);  // parts may be copied from a file, and texts end up in a terminal
}

namespace {
std::string join(const std::vector<Problem>& problems) {
  std::string out;
  constexpr std::size_t shown = 51;  // the readers stop at 50 and say so in one more
  for (std::size_t k = 0; k < problems.size() && k < shown; ++k) {
    if (!out.empty()) out += "\n";
    out += problems[k].text();
  }
  if (problems.size() > shown)
    out += fmt::format("\nand {} more problems", problems.size() - shown);
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
