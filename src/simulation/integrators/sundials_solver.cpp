#include "integrators/sundials_solver.hpp"

#include <fmt/format.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cstdlib>
#include <utility>

namespace ulna {
namespace {

SUNContext make_context() {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  return context;
}

/// The flags of CVODE, ARKODE and IDA in words; by the end of their names, which they share.
std::string words_for(const std::string& flag) {
  const struct {
    const char *part, *words;
  } table[] = {
      {"ERR_FAIL", "steps of any size miss the tolerance; the motion is not smooth there"},
      {"CONV_FAIL", "Newton's method does not converge with steps of any size"},
      {"LSETUP_FAIL", "the Jacobian is singular"},
      {"LSOLVE_FAIL", "the Jacobian is singular"},
      {"RES_FAIL", "the equations have no answer there"},
      {"RHSFUNC_FAIL", "the equations have no answer there"},
      {"REP_R", "the equations have no answer there"},
      {"PROJ", "the state cannot be moved back onto the loops"},
      {"TOO_MUCH_ACC", "the tolerance is below rounding"},
      {"TOO_CLOSE", "the end of the step is too near to its beginning"},
      {"TOO_MUCH_WORK", "too many steps were needed"},
      {"MEM", "there is not enough memory"},
  };
  for (const auto& [part, words] : table)
    if (flag.find(part) != std::string::npos) return fmt::format("{} ({})", words, flag);
  return flag;
}

}  // namespace

SundialsSolver::SundialsSolver(MechanicalSystem& system, const IntegratorOptions& options,
                               const Kind& kind)
    : system_(system),
      options_(options),
      kind_(kind),
      context_(make_context()),
      memory_(nullptr, {kind.free}) {}

void SundialsSolver::take(void* memory, double t) {
  memory_.reset(memory);
  if (!memory_)
    throw ComputationError(fmt::format("{} could not begin at t = {:.9g} s", kind_.name, t));
}

void SundialsSolver::make_linear() {
  const long size = N_VGetLength(state_.get());
  linear_.reset();
  matrix_.reset(SUNDenseMatrix(size, size, context()));
  linear_.reset(SUNLinSol_Dense(state_.get(), matrix(), context()));
}

void SundialsSolver::require(int flag, const char* what, double t) {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (flag >= 0) return;
  char* name = kind_.name_of_flag(flag);
  const std::string reason = words_for(name ? name : "no reason is given");
  std::free(name);
  throw ComputationError(fmt::format("{} {} at t = {:.9g} s: {}", kind_.name, what, t, reason),
                         flag);
}

}  // namespace ulna
