#pragma once
// What every SUNDIALS solver needs: a context, a dense linear solver, and a way for exceptions past
// C: what the system throws is kept, a failure returned, and the exception thrown again afterwards.
// SUNDIALS' own messages are not printed.

#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cstdlib>
#include <exception>
#include <utility>

#include "ulna/simulation/mechanical_system.hpp"

namespace ulna {

struct SundialsSession {
  MechanicalSystem& system;
  IntegratorOptions options;
  SUNContext context = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  void* memory = nullptr;  ///< of the solver; freed by its owner
  std::exception_ptr thrown;

  SundialsSession(MechanicalSystem& s, const IntegratorOptions& o) : system(s), options(o) {
    SUNContext_Create(nullptr, &context);
  }
  ~SundialsSession() {
    release_linear();
    SUNContext_Free(&context);
  }
  SundialsSession(const SundialsSession&) = delete;
  SundialsSession& operator=(const SundialsSession&) = delete;

  void make_linear(N_Vector y) {
    matrix = SUNDenseMatrix(N_VGetLength(y), N_VGetLength(y), context);
    linear = SUNLinSol_Dense(y, matrix, context);
  }
  void release_linear() {
    if (linear) SUNLinSolFree(linear);
    if (matrix) SUNMatDestroy(matrix);
    linear = nullptr, matrix = nullptr;
  }

  /// Runs what may throw; nothing crosses C.
  template <class Action>
  int guarded(Action action) noexcept {
    try {
      action();
      return 0;
    } catch (...) {
      thrown = std::current_exception();
      return -1;
    }
  }

  /// Throws what was kept, or a ComputationError for a flag below zero. `name_of_flag` returns
  /// memory of malloc.
  template <class NameOfFlag>
  void require(int flag, NameOfFlag name_of_flag, const char* solver, const char* what, double t) {
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
    if (flag >= 0) return;
    char* name = name_of_flag(flag);
    const std::string reason = name ? name : "failed";
    std::free(name);
    throw ComputationError(fmt::format("{} {} at t = {:.9g} s: {}", solver, what, t, reason), flag);
  }

  static void ignore_message(int, const char*, const char*, char*, void*) {}
};

}  // namespace ulna
