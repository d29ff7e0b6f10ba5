#pragma once
// What the operations of a formula do to jets.

#include <string>
#include <vector>

#include "ulna/motion/motion.hpp"

namespace ulna::formula {

/// The operations. From `first_function` on they have names.
enum Code : int {
  push_number,
  push_time,
  push_variable,
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,
  first_function,
};

/// Values of an argument at which a function has a corner: x = at; `difference`: first = second.
struct Corner {
  double at = 0;
  bool difference = false;
};

struct Function {
  const char* name;
  int arguments;
  MotionValue (*apply)(const MotionValue& x, const MotionValue& y);  ///< y: the second argument
  std::vector<Corner> corners;
};

/// Function k has the code first_function + k.
const std::vector<Function>& functions();

MotionValue power_of(const MotionValue& base, const MotionValue& exponent);

/// How many operands an operation takes from the stack.
int operands(int code);
MotionValue apply(int code, const MotionValue& x, const MotionValue& y);

}  // namespace ulna::formula
