#pragma once
// A run at one instant: coordinates, speeds, accelerations and efforts, as the integrated vector y
// and what acts from outside give them. The parts of a MechanicalSystem share it.

#include <span>
#include <string>

#include "run/led_joints.hpp"
#include "ulna/simulation/internal/controls.hpp"
#include "ulna/simulation/internal/state_layout.hpp"

namespace ulna {

struct MotionState {
  explicit MotionState(const Experiment& experiment);
  MotionState(const MotionState&) = delete;
  MotionState& operator=(const MotionState&) = delete;

  const Model& model() const { return *model_; }
  Controls controls;
  StateLayout layout;
  LedJoints led;
  Workspace work;

  double t = 0;
  Eigen::VectorXd q, v, a, tau;
  Eigen::VectorXd raw_q;   ///< quaternions as they are integrated
  bool determined = true;  ///< masses, loops and contacts determine a
  std::string trouble;     ///< why the last evaluation or projection failed; empty: it did not
  /// Those of the experiment, then the forces of contacts and nonholonomic rows.
  std::vector<ExternalWrench> wrenches;
  std::span<const ExternalWrench> applied_wrenches() const {
    return {wrenches.data(), controls.wrench_count()};
  }
  std::span<ExternalWrench> contact_wrenches() {
    return std::span(wrenches).subspan(controls.wrench_count());
  }

  /// Coordinates and speeds at (t, y); what is driven comes from the reference.
  void expand(double t, const double* y);
  /// Efforts and wrenches at that state; `dz` are the rates of the controllers' states in y.
  void apply(const double* y, double* dz);
  bool is_finite() const { return q.allFinite() && v.allFinite(); }

 private:
  std::shared_ptr<const Model> model_;
};

}  // namespace ulna
