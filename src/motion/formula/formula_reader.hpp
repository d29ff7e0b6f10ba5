#pragma once
// Reads the text of a formula into operations in the order of evaluation (formula_syntax.hpp), and
// what its units say.

#include <string>
#include <string_view>
#include <vector>

#include "ulna/model/internal/formula_syntax.hpp"
#include "ulna/motion/formula.hpp"

namespace ulna::formula {

/// The stack that the operations of a formula of that depth can need: each level holds at most one
/// operand of a sum, of a product and of a power, and the first argument of a function.
constexpr std::size_t largest_stack = 4 * deepest_formula + 8;

/// The power of time of a value with factors t, which may be seconds or the number of them:
/// 3 deg/s*t and 3 deg*t are both angles.
constexpr int any_time = 1 << 20;

/// Letters, digits and _, a letter or _ first.
bool is_name(std::string_view word);

/// Words with dots or in single quotes are variables, whose names go to `variables`; null: there
/// may be none. What the units say goes to `units`.
std::vector<Formula::Operation> read(std::string_view text, const FormulaConstants& constants,
                                     std::vector<std::string>* variables = nullptr,
                                     FormulaUnits* units = nullptr);

}  // namespace ulna::formula
