#pragma once
// Everything in a robot whose force is smooth but for kinks and jumps at places that are known:
// springs with play of joints and closing joints, laws of force elements, strokes of actuators.
// docs/theory/simulation.md, eq. 80, 81.

#include "contact/actuator_kinks.hpp"
#include "contact/closing_play.hpp"
#include "contact/element_kinks.hpp"
#include "contact/play_springs.hpp"

namespace ulna {

class Kinks {
 public:
  /// `driven`: one entry per speed.
  Kinks(const Model& model, const std::vector<char>& driven);

  bool any() const { return joints_.any() || closing_.any() || elements_.any() || actuators.any(); }
  /// What is to be added to the efforts so that everything acts by its present side.
  const Eigen::VectorXd& correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// Negative where a kink was passed.
  double guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// The sides at (q, v). True where a spring or damper has gone over to another one.
  bool choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// Power taken by the present sides, less that of the laws; at the last `correction`.
  double excess_dissipation() const {
    return elements_.excess_dissipation() + actuators.excess_dissipation();
  }

  ActuatorKinks actuators;

 private:
  PlaySprings joints_;
  ClosingPlay closing_;
  ElementKinks elements_;
  Eigen::VectorXd correction_;
};

}  // namespace ulna
