#include "ulna/motion/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formula/formula_functions.hpp"
#include "formula/formula_reader.hpp"
#include "ulna/model/internal/quantity.hpp"
#include "ulna/motion/kernels/jet.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

using formula::Corner;

namespace {

void check_constants(const FormulaConstants& constants) {
  const std::vector<std::string>& functions = Formula::function_names();
  for (const auto& [name, value] : constants) {
    if (!std::isfinite(value))
      throw InputError(fmt::format("the constant '{}' is {}", name, value), "a finite number");
    const bool taken = name == "t" || name == "pi" || name == "deg" ||
                       std::find(functions.begin(), functions.end(), name) != functions.end();
    if (taken)
      throw InputError(
          fmt::format("a constant is called '{}', which has a meaning in formulas", name),
          "another name");
    if (!formula::is_name(name))
      throw InputError(fmt::format("a constant is called '{}'", name.substr(0, 60)),
                       "a name of letters, digits and _ that begins with a letter");
  }
}

/// What is known of the operands of each operation, and how deep the stack gets.
enum class Dependence { none, affine, time, variables };
struct Analysis {
  std::vector<Dependence> operands;  ///< affine: all of them are a + b t for all t
  std::size_t stack_needed = 0;
};

Analysis analysed(const std::vector<Formula::Operation>& operations) {
  using enum Dependence;
  std::vector<Dependence> stack;
  Analysis result;
  for (const Formula::Operation& one : operations) {
    const int code = one.code, count = one.operands;
    const Dependence y = count == 2 ? stack.back() : none;
    if (count == 2) stack.pop_back();
    const Dependence x = count >= 1 ? stack.back() : none;
    if (count >= 1) stack.pop_back();
    const Dependence both = std::max(x, y);
    Dependence kind = both == affine ? time : both;
    if (code == formula::push_time)
      kind = affine;
    else if (code == formula::push_variable)
      kind = variables;
    else if (code == formula::negate || code == formula::add || code == formula::subtract)
      kind = both;
    else if (code == formula::multiply && std::min(x, y) == none)
      kind = both;
    else if (code == formula::divide && y == none)
      kind = x;
    stack.push_back(kind);
    result.operands.push_back(both);
    result.stack_needed = std::max(result.stack_needed, stack.size());
  }
  return result;
}

/// A corner of the formula: an operation whose argument passes a value.
struct Site {
  std::size_t operation;
  Corner corner;
};
MotionValue distance(const Corner& corner, const MotionValue& x, const MotionValue& y) {
  return corner.difference ? x - y : x - MotionValue{corner.at, 0, 0, 0};
}

}  // namespace

const std::vector<std::string>& Formula::function_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const formula::Function& f : formula::functions()) all.emplace_back(f.name);
    return all;
  }();
  return names;
}

Formula::Formula(std::string text, const FormulaConstants& constants, double duration)
    : Formula(std::move(text), constants, duration, Names::of_time) {}

Formula::Formula(std::string text, const FormulaConstants& constants, double duration, Names names)
    : text_(std::move(text)), duration_(duration) {
  check_constants(constants);
  if (!(duration > 0))
    throw InputError(fmt::format("a formula that lasts {} s", duration), "a time above zero");
  operations_ =
      formula::read(text_, constants, names == Names::of_time ? nullptr : &variables_, &units_);
  find_breakpoints();
}

/// `see(k, x, y)` is shown the operands of each operation k.
template <class See>
MotionValue Formula::run_on(MotionValue* stack, const MotionValue& t, const double* variables,
                            const See& see) const {
  MotionValue* top = stack;  // one past the topmost
  for (std::size_t k = 0; k < operations_.size(); ++k) {
    const Operation& one = operations_[k];
    if (one.code == formula::push_number) {
      *top++ = {one.number, 0, 0, 0};
    } else if (one.code == formula::push_time) {
      *top++ = t;
    } else if (one.code == formula::push_variable) {
      *top++ = {variables[one.variable], 0, 0, 0};
    } else {
      if (one.operands == 2) --top;
      see(k, top[-1], top[0]);
      top[-1] =
          one.function ? one.function(top[-1], top[0]) : formula::apply(one.code, top[-1], top[0]);
    }
  }
  return top[-1];
}

template <class See>
MotionValue Formula::run(const MotionValue& t, const double* variables, const See& see) const {
  if (stack_needed_ <= 8) {
    std::array<MotionValue, 8> few;
    return run_on(few.data(), t, variables, see);
  }
  std::array<MotionValue, formula::largest_stack> many;
  return run_on(many.data(), t, variables, see);
}

namespace {

constexpr auto see_nothing = [](std::size_t, const MotionValue&, const MotionValue&) {};

std::string shortened(const std::string& text) {
  return text.size() > 60 ? text.substr(0, 60) + "..." : text;
}

}  // namespace

MotionValue Formula::at(double t) const {
  const MotionValue y = run({t, 1, 0, 0}, nullptr, see_nothing);
  if (!std::isfinite(y.value) || !std::isfinite(y.rate) || !std::isfinite(y.acceleration)) {
    const char* what = !std::isfinite(y.value)  ? "value"
                       : !std::isfinite(y.rate) ? "rate"
                                                : "acceleration";
    throw ComputationError(
        fmt::format("the formula '{}' has no finite {} at t = {}", shortened(text_), what, t));
  }
  return y;
}

void Formula::require(const Quantity& expected) const {
  const int time = units_.time == formula::any_time ? expected.time : units_.time;
  if (units_.kind != FormulaUnits::Kind::units ||
      fits({units_.length, units_.mass, time, units_.angle}, expected))
    return;
  throw InputError(Problem{{},
                           fmt::format("formula '{}'", shortened(text_)),
                           "has the wrong unit",
                           expected_text(expected),
                           {}});
}

void Formula::find_breakpoints() {
  const Analysis analysis = analysed(operations_);
  stack_needed_ = analysis.stack_needed + 1;  // run_on looks one past the top
  if (stack_needed_ > formula::largest_stack)
    throw InputError("a formula that nests too deep", "fewer operands within each other");
  std::vector<Site> sites, sampled;
  for (std::size_t k = 0; k < operations_.size(); ++k) {
    if (operations_[k].code < formula::first_function) continue;
    const auto index = static_cast<std::size_t>(operations_[k].code - formula::first_function);
    if (analysis.operands[k] == Dependence::variables) continue;  // nobody knows when
    for (const Corner& corner : formula::functions()[index].corners)
      (analysis.operands[k] == Dependence::time ? sampled : sites).push_back({k, corner});
  }

  // The distances of all sites from their corners, in one run. None depends on variables.
  const std::vector<double> any_values(variables_.size(), 0.0);
  const auto distances = [&](double t, const std::vector<Site>& of) {
    std::vector<MotionValue> found(of.size());
    std::size_t next = 0;
    const auto see = [&](std::size_t k, const MotionValue& x, const MotionValue& y) {
      for (; next < of.size() && of[next].operation == k; ++next)
        found[next] = distance(of[next].corner, x, y);
    };
    run({t, 1, 0, 0}, any_values.data(), see);
    return found;
  };
  for (const MotionValue& x : distances(0, sites))
    if (x.rate != 0 && std::isfinite(x.value / x.rate)) breakpoints_.push_back(-x.value / x.rate);
  find_rest(breakpoints_, sampled.empty());
  if (std::isfinite(duration_) && !sampled.empty()) {
    constexpr int samples = 2000;
    // Each is found in some sixty evaluations: a long formula may have fewer of them.
    constexpr std::size_t work = 2'000'000;
    const std::size_t most = std::clamp<std::size_t>(work / operations_.size(), 100, 10'000);
    std::vector<MotionValue> left = distances(0, sampled);
    for (int i = 0; i < samples; ++i) {
      const double begin = duration_ * i / samples, end = duration_ * (i + 1) / samples;
      const std::vector<MotionValue> right = distances(end, sampled);
      for (std::size_t k = 0; k < sampled.size(); ++k) {
        const bool negative = left[k].value < 0;
        if (negative == (right[k].value < 0)) continue;
        double a = begin, b = end;
        while (true) {  // bisection to neighbouring numbers
          const double middle = a + (b - a) / 2;
          if (!(middle > a && middle < b)) break;
          ((distances(middle, {sampled[k]})[0].value < 0) == negative ? a : b) = middle;
        }
        breakpoints_.push_back(b);
        if (breakpoints_.size() > most)
          throw InputError(fmt::format("a formula with more than {} corners", most),
                           "one that is smooth more of the time");
      }
      left = right;
    }
  }
  std::erase_if(breakpoints_, [&](double t) { return t < 0 || t > duration_; });
  breakpoints_ = merged_times(std::move(breakpoints_));
}

/// A formula whose corners are all known rests after the last one if it does so at times that are
/// not multiples of each other: analytic functions have no rate of zero there by chance.
void Formula::find_rest(const std::vector<double>& corners, bool all_known) {
  if (!all_known || !variables_.empty()) return;
  double last = 0;
  for (const double t : corners) last = std::max(last, t);
  const double unit = std::max(1.0, last);
  const double value = run({last, 1, 0, 0}, nullptr, see_nothing).value;
  for (const double later : {1e-6, 0.137, 0.511, 1.913, 7.071}) {
    const MotionValue x = run({last + later * unit, 1, 0, 0}, nullptr, see_nothing);
    const bool rests = x.rate == 0 && x.acceleration == 0 &&
                       std::abs(x.value - value) <= 1e-12 * std::max(1.0, std::abs(value));
    if (!rests) return;
  }
  rests_from_ = last;
}

VariableFormula::VariableFormula(std::string text, const FormulaConstants& constants,
                                 double duration)
    : formula_(std::move(text), constants, duration, Formula::Names::of_variables_too) {}

double VariableFormula::value(double t, const double* variables) const {
  // Only the value counts: t without its rate, so that sqrt(t) is fine at 0.
  const double y = formula_.run({t, 0, 0, 0}, variables, see_nothing).value;
  if (!std::isfinite(y))
    throw ComputationError(
        fmt::format("the formula '{}' has no finite value at t = {}", shortened(text()), t));
  return y;
}

double constant_formula(std::string_view text, const FormulaConstants& constants) {
  check_constants(constants);
  for (const Formula::Operation& operation : formula::read(text, constants))
    if (operation.code == formula::push_time)
      throw InputError(fmt::format("'{}' depends on t", text.substr(0, 60)), "a constant");
  return Formula(std::string(text), constants).at(0).value;
}

}  // namespace ulna
