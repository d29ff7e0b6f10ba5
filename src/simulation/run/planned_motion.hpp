#pragma once
// The robot along the motions of an experiment before it runs, and the efforts that they take: what
// the planning of a timing asks. Joints without a motion rest at their start; in a robot with loops
// those that the loops move follow. docs/theory/motions.md, eq. 29.

#include <map>

#include "ulna/dynamics/dynamics.hpp"
#include "ulna/motion/internal/time_scale.hpp"
#include "ulna/simulation/internal/reference.hpp"

namespace ulna {

/// Belongs to one thread. The model must have rigid links and outlive it.
class PlannedMotion {
 public:
  struct State {
    Eigen::VectorXd q, v, a;  ///< a: of the joints with motions; the loops give that of the others
  };

  /// From 0 to `end`. ComputationError where the loops do not close or cannot follow, InputError
  /// where the motions leave freedoms of a robot with loops open.
  PlannedMotion(const Experiment& experiment, const std::shared_ptr<const Model>& model,
                double end);

  const State& at(double t);
  /// Efforts of the motion as a polynomial in how much faster it runs.
  EffortTerms terms(double t);
  /// Efforts where accelerations are those of a motion that starts along the rates at t, and where
  /// the robot rests.
  Eigen::VectorXd starting_efforts(double t);
  Eigen::VectorXd resting_efforts(double t);

 private:
  void close_start(const Experiment& experiment);
  void require_determined(const Experiment& experiment);
  bool follow(double t, const State& from, double from_t, State& state);
  Eigen::VectorXd efforts(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                          const Eigen::VectorXd& a);

  const Model& model_;
  Reference reference_;
  Dynamics dynamics_;
  double end_;
  std::vector<char> led_, held_;    ///< joints with motions or locks; by speed, with all at rest
  std::map<double, State> states_;  ///< of robots with loops, by time
  State state_;
};

}  // namespace ulna
