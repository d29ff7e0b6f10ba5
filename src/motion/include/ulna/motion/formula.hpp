#pragma once
// Motions written as formulas in t, as users type them into files and on the command line:
//
//   pi/2 - (pi/6)*cycloid(t/2)
//
// Nothing is executed but arithmetic. The text becomes a list of operations on jets, so that rate,
// acceleration and jerk are exact. docs/theory/motions.md, eq. 18-19.
//
//   numbers 1.5 2e-3, with a unit 30 deg 25 mm; pi, deg (= pi/180), t, constants by name
//   + - * / ^ ( )           ^ binds tightest and to the right; -2^2 = -4
//   sin cos tan asin acos atan sinh cosh tanh sqrt exp log abs sign step of one argument
//   atan2(y, x) min(a, b) max(a, b)
//   cycloid harmonic poly345 poly4567 parabolic: the laws of program.hpp on 0..1, held outside
//
// step(x) is 0 for x < 0, else 1. At a corner (abs, min, ...) the derivatives are those of the time
// after.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ulna/motion/motion.hpp"

namespace ulna {

struct Quantity;

/// What the units in a formula say about its value. Numbers without a unit are SI and may stand for
/// anything, so that most formulas say nothing: -40*(q.joint1 - 30 deg) may well be a torque.
struct FormulaUnits {
  enum class Kind {
    anything,
    number,  ///< of a function such as sin: leaves the units of a product as they are
    units    ///< the powers below
  } kind = Kind::anything;
  int length = 0, mass = 0, time = 0, angle = 0;
};

using FormulaConstants = std::map<std::string, double, std::less<>>;

class ULNA_API Formula final : public ScalarMotion {
 public:
  /// InputError that names the position of what is wrong, and for an unknown name the nearest known
  /// one. `duration` ends the motion for those who ask; the formula itself goes on.
  explicit Formula(std::string text, const FormulaConstants& constants = {},
                   double duration = std::numeric_limits<double>::infinity());

  /// ComputationError when value, rate or acceleration is not a finite number at t.
  MotionValue at(double t) const override;
  /// The corners of step, abs, cycloid, ... Exact where their argument is a + b t; otherwise found
  /// by sampling from 0 to the duration, and only if that is finite.
  std::vector<double> breakpoints() const override { return breakpoints_; }
  double duration() const override { return duration_; }
  /// The time from which its value stays as it is; infinite for a formula that goes on.
  double rests_from() const { return rests_from_; }
  const std::string& text() const { return text_; }
  /// InputError where its units cannot be those of the quantity: "25 mm*sin(t)" is no angle.
  void require(const Quantity& expected) const;

  /// The functions it knows.
  static const std::vector<std::string>& function_names();

  /// One operation of the list: pushes a number, t or a variable, or replaces the topmost operands.
  struct Operation {
    int code;
    double number = 0;
    int operands = 0;
    /// What a function does to its jets; null for all else.
    MotionValue (*function)(const MotionValue&, const MotionValue&) = nullptr;
    int variable = -1;  ///< which one is pushed
  };

 private:
  friend class VariableFormula;
  enum class Names { of_time, of_variables_too };
  Formula(std::string text, const FormulaConstants& constants, double duration, Names names);

  template <class See>
  MotionValue run(const MotionValue& t, const double* variables, const See& see) const;
  template <class See>
  MotionValue run_on(MotionValue* stack, const MotionValue& t, const double* variables,
                     const See& see) const;
  void find_breakpoints();
  void find_rest(const std::vector<double>& corners, bool all_known);

  std::string text_;
  double duration_, rests_from_ = std::numeric_limits<double>::infinity();
  std::vector<std::string> variables_;
  std::vector<Operation> operations_;
  FormulaUnits units_;
  std::size_t stack_needed_ = 0;
  std::vector<double> breakpoints_;
};

/// A formula of t and of other quantities by name, such as -2*q.joint1 + 5*sin(t). A variable is a
/// word with a dot, or any text between single quotes: 'q.front-left'. What it stands for is the
/// caller's business.
class ULNA_API VariableFormula {
 public:
  /// As of Formula.
  explicit VariableFormula(std::string text, const FormulaConstants& constants = {},
                           double duration = std::numeric_limits<double>::infinity());

  /// The variables in the order in which they first appear.
  const std::vector<std::string>& variables() const { return formula_.variables_; }
  /// Their values in that order. ComputationError when the result is not a finite number.
  double value(double t, const double* variables) const;
  /// Corners in t. Where an argument depends on variables they cannot be foreseen.
  std::vector<double> breakpoints() const { return formula_.breakpoints(); }
  const std::string& text() const { return formula_.text(); }
  void require(const Quantity& expected) const { formula_.require(expected); }

 private:
  Formula formula_;
};

/// The number a formula without t stands for: "pi/2", "3*deg". InputError when it contains t.
ULNA_API double constant_formula(std::string_view text, const FormulaConstants& constants = {});

}  // namespace ulna
