#include "ulna/simulation/parts/integrator.hpp"

#include <fmt/format.h>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

constexpr const char* method_names[] = {"automatic",     "dormand-prince", "dop853",       "rk4",
                                        "semi-implicit", "sundials-erk",   "sundials-bdf", "ida",
                                        "radau5",        "symplectic"};

}  // namespace

const char* name_of(IntegratorMethod method) { return method_names[static_cast<int>(method)]; }

std::optional<IntegratorMethod> integrator_from_name(const std::string& name) {
  for (int k = 0; k < static_cast<int>(std::size(method_names)); ++k)
    if (name == method_names[k]) return static_cast<IntegratorMethod>(k);
  return std::nullopt;
}

std::vector<std::string> integrator_names() {
  return {std::begin(method_names), std::end(method_names)};
}

bool is_available(IntegratorMethod method) {
#if defined(ULNA_WITH_SUNDIALS)
  (void)method;
  return true;
#else
  return method != IntegratorMethod::sundials_erk && method != IntegratorMethod::sundials_bdf &&
         method != IntegratorMethod::ida;
#endif
}

IntegratorMethod method_for(const IntegratorOptions& options) {
  if (options.method != IntegratorMethod::automatic) return options.method;
  return options.tolerances.relative < 1e-9 ? IntegratorMethod::dop853
                                            : IntegratorMethod::dormand_prince;
}

void refuse_step(double t, double step) {
  throw ComputationError(
      fmt::format("the integration cannot continue at t = {:.9g} s: the step size fell to {:.3g} "
                  "s; the motion diverges, jumps or is stiff there (for stiff systems try radau5)",
                  t, step),
      step);
}

}  // namespace ulna
