#pragma once
// Explicit Runge-Kutta with error control, for DormandPrince and Dop853. docs/theory/simulation.md,
// eq. 1-5.
//
//   RungeKutta<Dop853, MySystem> stepper(system, n, {1e-10, 1e-12});
//   stepper.start(0, y0);
//   while (stepper.t() < end) stepper.step(end);
//
// A System has
//   void rates(double t, const double* y, double* dy);   dy/dt at (t, y)
//   bool project(double t, double* y, double* dy);        after each accepted step: may move y back
//                                                        onto its manifold and mend dy; true when
//                                                        dy has to be evaluated again
// The system is a template parameter so that its evaluation is inlined: the stepper's own cost is a
// few nanoseconds per state and stage. Nothing allocates after the stepper is made.

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <vector>

#include "ulna/numerics/error.hpp"
#include "ulna/scalar/kernels/unroll.hpp"
#include "ulna/simulation/kernels/dop853.hpp"
#include "ulna/simulation/kernels/dormand_prince.hpp"
#include "ulna/simulation/parts/integrator.hpp"

namespace ulna {

template <class Tableau, class System>
class RungeKutta {
 public:
  /// The next step depends on the state and `memory` alone.
  static constexpr bool keeps_history = false;
  RungeKutta(System& system, int n, Tolerances tolerances,
             double largest_step = std::numeric_limits<double>::infinity())
      : system_(system), n_(n), tolerances_(tolerances), largest_step_(largest_step) {
    memory_.assign(static_cast<std::size_t>(n) * (all_stages + 3 + dense_rows + 4), 0.0);
    double* next = memory_.data();
    for (double*& k : k_) k = next, next += n;
    y_ = next, old_ = next + n, trial_ = next + 2 * n, rcont_ = next + 3 * n;
  }

  /// Begins at (t, y). `step` 0: the first step is chosen from the first two derivatives.
  void start(double t, const double* y, double step = 0) {
    t_ = old_t_ = t;
    std::copy_n(y, n_, y_);
    std::copy_n(y, n_, old_);
    evaluate(t, y_, k_[last]);
    h_ = step > 0 ? step : first_step();
    old_error_ = 1e-4;
    fresh_ = false;
  }

  /// One accepted step that ends at `stop` (later than t) at the latest; there exactly. Steps are
  /// counted in `statistics`. ComputationError when the step has become too small for the
  /// precision of t.
  void step(double stop) {
    std::swap(y_, old_);
    std::swap(k_[0], k_[last]);
    old_t_ = t_;
    fresh_ = moved_ = false;
    bool rejected = false;
    while (true) {
      const double left = stop - old_t_;
      double h = std::min(h_, largest_step_);
      const bool lands = 1.01 * h >= left;
      if (lands)
        h = left;
      else if (2 * h > left)
        h = left / 2;  // two equal steps instead of a long and a tiny one
      t_ = lands ? stop : old_t_ + h;
      const double error = try_step(h);
      if (!(error <= 1) || !project()) {
        // A projection that changes more than the step may err means that the step lost its way
        // (past a singular posture of loops): a smaller one.
        shrink(h, error <= 1 ? 4.0 : error);
        rejected = true;
        continue;
      }
      const double grown = h * growth(error, rejected);
      h_ = lands && !rejected ? std::max(grown, h_) : grown;
      break;
    }
    ++statistics.steps;
    finish();
  }

  /// Takes the last step once more from its beginning, to end at `t` inside it.
  void end_last_step_at(double t) {
    stages(t - old_t_);
    t_ = t;
    if constexpr (Tableau::error5[last] != 0) evaluate(t_, y_, k_[last]);
    project();
    finish();
  }

  /// The state was changed from outside, or the rates jump here: evaluates the rates again.
  void restart() { evaluate(t_, y_, k_[last]); }
  /// The same where the equations are others from here on, and may be faster than the step that was
  /// right for those before.
  void restart_with_other_equations() {
    restart();
    try {
      // Never so short that rounding decides: refused steps find what is faster still.
      constexpr double shortest = 1e-8;
      const double first = first_step();
      h_ = std::min(h_, std::max(std::min(first, step_of_oscillation()), shortest));
    } catch (const ComputationError&) {  // what lies ahead has no answer: the step finds out
    }
    old_error_ = 1e-4;
  }

  /// The state at a time within the last step. The first call after a step may evaluate the rates.
  void interpolate(double t, double* y) {
    if (!fresh_) prepare_dense();
    const double s = (t - old_t_) / (t_ - old_t_), s1 = 1 - s;
    for (int i = 0; i < n_; ++i) {
      double sum = 0;
      for (int row = dense_rows - 1; row >= 0; --row)
        sum = (row % 2 == 0 ? s1 : s) * (rcont_[(row + 3) * n_ + i] + sum);
      const double* r = rcont_ + i;
      y[i] = old_[i] + s * (r[0] + s1 * (r[n_] + s * (r[2 * n_] + sum)));
    }
  }

  double t() const { return t_; }
  double previous_t() const { return old_t_; }
  double* y() { return y_; }
  const double* y() const { return y_; }
  const double* previous_y() const { return old_; }
  const double* rates() const { return k_[last]; }
  int size() const { return n_; }

  /// Step times the size of the largest eigenvalue that the last step met, from its last stage and
  /// its end (Hairer and Wanner, section IV.2): beyond `Tableau::stiff` stability limits the step.
  double stiffness() {
    const double h = t_ - old_t_;
    combine<last - 1>(h, trial_);
    double rates = 0, states = 0;
    for (int i = 0; i < n_; ++i) {
      const double f = k_[last][i] - k_[last - 1][i], y = y_[i] - trial_[i];
      rates += f * f;
      states += y * y;
    }
    return states > 0 ? h * std::sqrt(rates / states) : 0;
  }

  /// Proposed next step and the memory of the step control, for a run that goes on later.
  StepMemory memory() const { return {h_, old_error_}; }
  void set_memory(const StepMemory& m) { h_ = m.step, old_error_ = m.error; }

  IntegratorStatistics statistics;

 private:
  static constexpr int last = Tableau::stages;
  static constexpr int all_stages = Tableau::stages + 1 + Tableau::dense_stages;
  static constexpr int dense_rows = sizeof(Tableau::dense) / sizeof(Tableau::dense[0]);

  void evaluate(double t, const double* y, double* dy) {
    ++statistics.evaluations;
    system_.rates(t, y, dy);
  }

  /// out = old + h sum_j a(s, j) k_j (eq. 1).
  template <int s>
  void combine(double h, double* __restrict out) const {
    const double* __restrict y = old_;
    for (int i = 0; i < n_; ++i) {
      double sum = 0;
      unroll<s>([&]<int j>() __attribute__((always_inline)) {
        if constexpr (Tableau::a[s][j] != 0) sum += Tableau::a[s][j] * k_[j][i];
      });
      out[i] = y[i] + h * sum;
    }
  }

  void stages(double h) {
    unroll<last - 1>([&]<int j>() __attribute__((always_inline)) {
      combine<j + 1>(h, trial_);
      evaluate(old_t_ + Tableau::c[j + 1] * h, trial_, k_[j + 1]);
    });
    combine<last>(h, y_);
  }

  /// A trial that leaves what the equations can answer is as good as an infinite error: a smaller
  /// step. What it said is thrown when no smaller step is left.
  double try_step(double h) {
    try {
      failure_ = nullptr;
      return attempt(h);
    } catch (const ComputationError&) {
      failure_ = std::current_exception();
      return std::numeric_limits<double>::infinity();
    }
  }

  /// Fills y_ (at t_) and returns the error in units of the tolerance (eq. 3, 4).
  double attempt(double h) {
    stages(h);
    // The estimate of order 5 needs the rates at the new state.
    if constexpr (Tableau::error5[last] != 0) evaluate(t_, y_, k_[last]);
    double sum5 = 0, sum3 = 0;
    for (int i = 0; i < n_; ++i) {
      const double scale = tolerances_.absolute +
                           tolerances_.relative * std::max(std::abs(old_[i]), std::abs(y_[i]));
      double e5 = 0, e3 = 0;
      unroll<last + 1>([&]<int j>() __attribute__((always_inline)) {
        if constexpr (Tableau::error5[j] != 0) e5 += Tableau::error5[j] * k_[j][i];
        if constexpr (Tableau::error3[j] != 0) e3 += Tableau::error3[j] * k_[j][i];
      });
      sum5 += (e5 / scale) * (e5 / scale);
      sum3 += (e3 / scale) * (e3 / scale);
    }
    return Tableau::combine(h, sum5, sum3, n_);
  }

  /// Moves y_ back onto its manifold. False when that changes it by more than the step's own error
  /// can explain.
  bool project() {
    constexpr double explained = 1000;  // in units of the tolerance
    std::copy_n(y_, n_, trial_);
    moved_ = system_.project(t_, y_, k_[last]);
    if (!moved_) return true;
    double sum = 0;
    for (int i = 0; i < n_; ++i) {
      const double scale = tolerances_.absolute +
                           tolerances_.relative * std::max(std::abs(old_[i]), std::abs(y_[i]));
      const double x = (y_[i] - trial_[i]) / scale;
      sum += x * x;
    }
    return sum <= explained * explained * n_;
  }

  /// What follows an accepted step: the rates at its end.
  void finish() {
    if (Tableau::error5[last] == 0 || moved_) evaluate(t_, y_, k_[last]);
    fresh_ = false;
  }

  void shrink(double h, double error) {
    ++statistics.rejected;
    const double factor =
        std::isfinite(error)
            ? std::max(0.9 / std::pow(error, Tableau::exponent), Tableau::smallest_factor)
            : 0.1;  // overflow: the trial went where there is nothing
    h_ = h * std::min(factor, 0.9);
    if (!(std::abs(h_) > 16 * std::numeric_limits<double>::epsilon() * std::abs(old_t_)) ||
        h_ < 1e-300) {
      if (failure_) std::rethrow_exception(failure_);
      refuse_step(old_t_, h_);
    }
  }

  /// Eq. 5: proportional to the error, integral over the last one.
  double growth(double error, bool rejected) {
    const double now = std::pow(std::max(error, 1e-10), Tableau::exponent);
    const double before = Tableau::beta > 0 ? std::pow(old_error_, Tableau::beta) : 1.0;
    const double factor = 0.9 * before / now;
    old_error_ = std::max(error, 1e-4);
    return std::clamp(factor, Tableau::smallest_factor, rejected ? 1.0 : Tableau::largest_factor);
  }

  /// Root mean square in units of the tolerance.
  template <class Value>
  double norm(const Value& value) const {
    double sum = 0;
    for (int i = 0; i < n_; ++i) {
      const double x = value(i) / (tolerances_.absolute + tolerances_.relative * std::abs(y_[i]));
      sum += x * x;
    }
    return std::sqrt(sum / std::max(n_, 1));
  }

  /// After first_step, whose trial has left J f in k_[1]: the rate w of an oscillation along f,
  /// from J (J f) = -w^2 f, and the step that follows it. The guess of first_step knows one
  /// derivative only, and where a spring begins to act that is zero.
  double step_of_oscillation() {
    const double* f0 = k_[last];
    const double d1 = norm([&](int i) { return f0[i]; }),
                 d2 = norm([&](int i) { return k_[1][i] - f0[i]; });
    const double h0 = norm([&](int i) { return trial_[i] - y_[i]; }) / d1;
    if (!(d1 > 0) || !(d2 > 0) || !(h0 > 0)) return std::numeric_limits<double>::infinity();
    const double s = h0 * d1 / d2;  // as far from y_ as the first trial
    for (int i = 0; i < n_; ++i) trial_[i] = y_[i] + s * (k_[1][i] - f0[i]);
    evaluate(t_, trial_, k_[2]);
    const double w = std::sqrt(norm([&](int i) { return k_[2][i] - f0[i]; }) / (s * h0 * d1));
    if (!(w > 0) || !std::isfinite(w)) return std::numeric_limits<double>::infinity();
    return 2 / w * std::pow(w / d1, 1.0 / Tableau::order);
  }

  /// Hairer, Norsett, Wanner, section II.4: so small that an Euler step would err by 1% of the
  /// tolerance.
  double first_step() {
    const double* f0 = k_[last];
    const double d0 = norm([&](int i) { return y_[i]; }), d1 = norm([&](int i) { return f0[i]; });
    const double h0 = std::min(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, largest_step_);
    for (int i = 0; i < n_; ++i) trial_[i] = y_[i] + h0 * f0[i];
    evaluate(t_ + h0, trial_, k_[1]);
    const double d2 = norm([&](int i) { return k_[1][i] - f0[i]; }) / h0;
    const double d = std::max(d1, d2);
    const double h1 =
        d <= 1e-15 ? std::max(1e-6, h0 * 1e-3) : std::pow(0.01 / d, 1.0 / Tableau::order);
    const double h = std::min({100 * h0, h1, largest_step_});
    return std::isfinite(h) && h > 0 ? h : 1e-6;
  }

  /// Coefficients of the dense output (eq. 6).
  void prepare_dense() {
    const double h = t_ - old_t_;
    double* const next = k_[last];
    unroll<Tableau::dense_stages>([&]<int j>() __attribute__((always_inline)) {
      constexpr int s = last + 1 + j;
      combine<s>(h, trial_);
      evaluate(old_t_ + Tableau::c[s] * h, trial_, k_[s]);
    });
    for (int i = 0; i < n_; ++i) {
      const double step = y_[i] - old_[i], bend = h * k_[0][i] - step;
      rcont_[i] = step;
      rcont_[n_ + i] = bend;
      rcont_[2 * n_ + i] = step - h * next[i] - bend;
      for (int row = 0; row < dense_rows; ++row) {
        double sum = 0;
        for (int j = 0; j < all_stages; ++j) sum += Tableau::dense[row][j] * k_[j][i];
        rcont_[(row + 3) * n_ + i] = h * sum;
      }
    }
    fresh_ = true;
  }

  System& system_;
  int n_;
  Tolerances tolerances_;
  double largest_step_;
  std::vector<double> memory_;
  double* k_[all_stages];
  double *y_, *old_, *trial_, *rcont_;
  double t_ = 0, old_t_ = 0, h_ = 0, old_error_ = 1e-4;
  std::exception_ptr failure_;  ///< of the last trial
  bool fresh_ = false;          ///< the dense output belongs to the last step
  bool moved_ = false;  ///< the projection changed the state: its rates are to be found again
};

}  // namespace ulna
