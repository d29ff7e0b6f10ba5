#pragma once
// What the solvers of SUNDIALS share: a context, vectors and a dense linear solver that free
// themselves, and a way for exceptions past C: what the system throws is kept, a failure returned,
// and the exception thrown again afterwards. SUNDIALS' own messages are not printed.

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <exception>
#include <memory>
#include <type_traits>

#include "run/mechanical_system.hpp"

namespace ulna {

class SundialsSolver {
 public:
  struct Counts {
    long steps = 0, rejected = 0, evaluations = 0, linear_evaluations = 0;
  };

  virtual ~SundialsSolver() = default;
  SundialsSolver(const SundialsSolver&) = delete;
  SundialsSolver& operator=(const SundialsSolver&) = delete;

  /// Begins anew at a state of the system; with this step where it is above zero.
  virtual void begin(double t, const Eigen::VectorXd& y, double step) = 0;
  /// One step, no further than `stop`: the time reached.
  virtual double advance(double t, double stop) = 0;
  /// Moves state() back to a time within the last step.
  virtual void interpolate(double t) = 0;
  virtual double next_step() const = 0;
  virtual Counts counts() const = 0;  ///< since begin()
  /// What is done to a copy of state() before the run sees it.
  virtual void settle(double /*t*/, double* /*y*/) {}
  /// Whether the equations should be set up anew at this state after so many steps.
  virtual bool is_worn(double /*t*/, const double* /*y*/, long /*steps*/) { return false; }

  /// The system's part comes first.
  const double* state() const { return N_VGetArrayPointer(state_.get()); }

 protected:
  /// What names and frees the memory of one solver.
  struct Kind {
    const char* name;
    void (*free)(void**);
    char* (*name_of_flag)(long);  ///< memory of malloc
  };
  template <auto Free>
  struct Freed {
    template <class T>
    void operator()(T* p) const {
      Free(p);
    }
  };
  using Vector = std::unique_ptr<_generic_N_Vector, Freed<N_VDestroy>>;

  SundialsSolver(MechanicalSystem& system, const IntegratorOptions& options, const Kind& kind);

  Vector vector(long size) const { return Vector(N_VNew_Serial(size, context_.get())); }
  SUNContext context() const { return context_.get(); }
  void* memory() const { return memory_.get(); }
  /// Takes the solver's own memory in, or throws where there is none.
  void take(void* memory, double t);
  void make_linear();
  SUNMatrix matrix() const { return matrix_.get(); }
  SUNLinearSolver linear() const { return linear_.get(); }

  /// Throws what was kept, or a ComputationError for a flag below zero.
  void require(int flag, const char* what, double t);

  /// Runs what may throw; nothing crosses C.
  template <class Action>
  int guarded(Action action) noexcept {
    try {
      action();
      return 0;
    } catch (...) {
      thrown_ = std::current_exception();
      return -1;
    }
  }

  static void ignore_message(int, const char*, const char*, char*, void*) {}

  MechanicalSystem& system_;
  const IntegratorOptions options_;

 private:
  static void free_context(SUNContext context) { SUNContext_Free(&context); }
  struct FreedByKind {
    void (*free)(void**);
    void operator()(void* memory) const { free(&memory); }
  };

  // In the order of making: what is later needs what is before.
  const Kind kind_;
  std::unique_ptr<std::remove_pointer_t<SUNContext>, Freed<free_context>> context_;

 protected:
  Vector state_;

 private:
  std::unique_ptr<_generic_SUNMatrix, Freed<SUNMatDestroy>> matrix_;
  std::unique_ptr<_generic_SUNLinearSolver, Freed<SUNLinSolFree>> linear_;
  std::unique_ptr<void, FreedByKind> memory_;
  std::exception_ptr thrown_;
};

/// ARKODE's explicit Runge-Kutta, CVODE's BDF for stiff systems, and IDA on the loops' equations.
std::unique_ptr<SundialsSolver> make_sundials_erk(MechanicalSystem&, const IntegratorOptions&);
std::unique_ptr<SundialsSolver> make_sundials_bdf(MechanicalSystem&, const IntegratorOptions&);
std::unique_ptr<SundialsSolver> make_ida(MechanicalSystem&, const IntegratorOptions&);

}  // namespace ulna
