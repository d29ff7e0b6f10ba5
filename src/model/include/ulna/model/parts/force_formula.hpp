#pragma once
// The force of an actuator as a formula of time, of its own length and rate, and of the coordinates
// and speeds of the robot: "2 kN - 4e4*(element.jack.length - 0.5) - 300*v.hip + 20*sin(3*t)". The
// text becomes a list of operations in the order of evaluation, which kernels run on any scalar
// without taking memory (dynamics/kernels/force_formula.hpp). docs/robot-file.md, "Elements";
// docs/theory/elements.md, eq. 19.

#include <string>
#include <vector>

#include "ulna/numerics/error.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna {

class ULNA_API ForceFormula {
 public:
  enum class Code {
    number,
    time,
    length,      ///< of the element itself
    rate,        ///< of its length
    coordinate,  ///< `index` into q
    speed,       ///< `index` into v
    negate,
    add,
    subtract,
    multiply,
    divide,
    power,  ///< by a constant, `number`; one operand
    sine,
    cosine,
    tangent,
    square_root,
    absolute,
    sign,
    step,
    minimum,
    maximum,
    exponential,
    logarithm,
    hyperbolic_tangent,
    arc_tangent,
    arc_tangent_2
  };
  struct Operation {
    Code code;
    double number = 0;
    int index = -1;
  };
  /// Values that wait for their operation: kernels keep them on the stack.
  static constexpr int deepest = 24;

  /// `element` is the name of the actuator, whose length and rate the formula may use. InputError
  /// that names the position of what is wrong.
  ForceFormula(std::string text, const std::string& element);

  /// The same with q.NAME and v.NAME found among these names; InputError for one that is not there.
  ForceFormula placed(const std::vector<std::string>& coordinates,
                      const std::vector<std::string>& speeds) const;

  const std::string& text() const { return text_; }
  const std::vector<Operation>& operations() const { return operations_; }
  bool uses(Code code) const;
  /// The number that it is, where it depends on nothing.
  bool is_number() const { return operations_.size() == 1 && operations_[0].code == Code::number; }

 private:
  std::string text_;
  std::vector<Operation> operations_;
  std::vector<std::string> names_;  ///< NAME of q.NAME and v.NAME, until they are placed
};

/// How many values an operation takes.
ULNA_API int operands(ForceFormula::Code code);

}  // namespace ulna
