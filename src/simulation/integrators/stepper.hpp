#pragma once
// What a run asks of an integrator, whichever it is: the run is compiled once, and asks a few times
// a step. The methods themselves are classes without a base (RungeKutta, Radau5, ...).

#include <utility>

#include "ulna/simulation/parts/integrator.hpp"

namespace ulna {

class Stepper {
 public:
  explicit Stepper(IntegratorStatistics& counts) : statistics(counts) {}
  Stepper(const Stepper&) = delete;
  virtual ~Stepper() = default;

  virtual void start(double t, const double* y, double step = 0) = 0;
  virtual void step(double stop) = 0;
  virtual void end_last_step_at(double t) = 0;
  virtual void restart() = 0;
  virtual void restart_with_other_equations() = 0;
  virtual void interpolate(double t, double* y) = 0;

  virtual double t() const = 0;
  virtual double previous_t() const = 0;
  virtual double* y() = 0;
  /// The state that the last step began at; null for methods that do not keep it.
  virtual const double* previous_y() const = 0;
  virtual StepMemory memory() const = 0;
  virtual void set_memory(const StepMemory& memory) = 0;
  /// The next step depends on earlier ones, not on the state and StepMemory alone.
  virtual bool keeps_history() const = 0;
  /// When an implicit method took over; below zero: never.
  virtual double stiff_from() const = 0;

  IntegratorStatistics& statistics;
};

template <class Method>
class StepperOf final : public Stepper {
 public:
  template <class... Arguments>
  explicit StepperOf(Arguments&&... arguments)
      : Stepper(method_.statistics), method_(std::forward<Arguments>(arguments)...) {}

  void start(double t, const double* y, double step) override { method_.start(t, y, step); }
  void step(double stop) override { method_.step(stop); }
  void end_last_step_at(double t) override { method_.end_last_step_at(t); }
  void restart() override { method_.restart(); }
  void restart_with_other_equations() override {
    if constexpr (requires { method_.restart_with_other_equations(); })
      method_.restart_with_other_equations();
    else
      method_.restart();
  }
  void interpolate(double t, double* y) override { method_.interpolate(t, y); }

  double t() const override { return method_.t(); }
  double previous_t() const override { return method_.previous_t(); }
  double* y() override { return method_.y(); }
  const double* previous_y() const override {
    if constexpr (requires { method_.previous_y(); })
      return method_.previous_y();
    else
      return nullptr;
  }
  StepMemory memory() const override { return method_.memory(); }
  void set_memory(const StepMemory& memory) override { method_.set_memory(memory); }
  bool keeps_history() const override {
    if constexpr (requires { method_.keeps_history(); })
      return method_.keeps_history();
    else
      return Method::keeps_history;
  }
  double stiff_from() const override {
    if constexpr (requires { method_.stiff_from; })
      return method_.stiff_from;
    else
      return -1;
  }

 private:
  Method method_;
};

}  // namespace ulna
