#pragma once
// The integrators by name, their options and what they report. docs/theory/simulation.md lists what
// each is for.

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

enum class IntegratorMethod {
  automatic,  ///< dormand_prince, dop853 where the relative tolerance is below 1e-9, and radau5
              ///< wherever the equations turn out to be stiff
  dormand_prince,  ///< order 5, error control
  dop853,          ///< order 8, error control
  rk4,             ///< the classical method of order 4 with a fixed step
  semi_implicit,   ///< Euler: speeds first, then coordinates with the new speeds; a fixed step
  sundials_erk,    ///< ARKODE's explicit method of order 5 (8 below 1e-9): an independent check
  sundials_bdf,    ///< CVODE's backward differentiation, for stiff systems
  ida,        ///< IDA on the stabilised index-2 form of robots with loops: a check by another route
  radau5,     ///< implicit Runge-Kutta of order 5 (Radau IIA), error control: for stiff systems
  symplectic  ///< variational midpoint rule of order 2 with a fixed step, trees: for long runs
};

ULNA_API const char* name_of(IntegratorMethod method);
ULNA_API std::optional<IntegratorMethod> integrator_from_name(const std::string& name);
ULNA_API std::vector<std::string> integrator_names();
/// False when the library was built without SUNDIALS and the method needs it.
ULNA_API bool is_available(IntegratorMethod method);

/// A step is accepted when the root mean square of error / (absolute + relative |y|) is at most 1.
struct Tolerances {
  double relative = 1e-8;
  double absolute = 1e-10;
};

struct IntegratorOptions {
  IntegratorMethod method = IntegratorMethod::automatic;
  Tolerances tolerances;
  double step =
      0;  ///< of rk4, semi_implicit and symplectic; for the others the first step, 0: chosen
  double largest_step = std::numeric_limits<double>::infinity();
  long most_steps = 100'000'000;

  bool fixed_step() const {
    return method == IntegratorMethod::rk4 || method == IntegratorMethod::semi_implicit ||
           method == IntegratorMethod::symplectic;
  }
};

/// `automatic` resolved.
ULNA_API IntegratorMethod method_for(const IntegratorOptions& options);

struct IntegratorStatistics {
  long steps = 0;        ///< accepted
  long rejected = 0;     ///< tried and found too inaccurate
  long evaluations = 0;  ///< of the rates
};

/// What the step control remembers from step to step.
struct StepMemory {
  double step = 0;
  double error = 1e-4;
  /// What `automatic` and `radau5` know of stiffness (automatic_stepper.hpp); else zero.
  std::array<double, 12> stiffness = {};
};

/// ComputationError: the step has become too small at time t.
[[noreturn]] ULNA_API void refuse_step(double t, double step);

}  // namespace ulna
