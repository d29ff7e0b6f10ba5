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
  const std::string reason = name ? name : "failed";
  std::free(name);
  throw ComputationError(fmt::format("{} {} at t = {:.9g} s: {}", kind_.name, what, t, reason),
                         flag);
}

}  // namespace ulna
