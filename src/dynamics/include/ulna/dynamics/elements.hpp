#pragma once
// Springs, dampers, actuators and bushings between bodies at a state: what each measures and
// exerts, and their stiffness and damping in the coordinates. Their efforts are part of every
// formulation and of `passive_efforts`. docs/theory/elements.md.

#include <memory>
#include <vector>

#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna {

/// Of a spring-damper the length, its rate and the tension; of an actuator the thrust; of a torsion
/// angle, rate and torque; of a bushing the distance of its frames, its rate and the size of its
/// force.
struct ElementReading {
  double length = 0, rate = 0, force = 0;
  double energy = 0;      ///< stored
  double power = 0;       ///< taken from the robot: d energy / dt + dissipated
  double dissipated = 0;  ///< of an actuator minus what it gives
};

/// Of element number `element` of Model::elements().
ULNA_API ElementReading element_reading(const Model& model, int element, const VectorRef& q,
                                        const VectorRef& v);
/// Power that all elements together dissipate, less what actuators give.
ULNA_API double element_dissipation(const Model& model, const VectorRef& q, const VectorRef& v);
/// The efforts that hold the elements; part of `passive_efforts`.
ULNA_API Eigen::VectorXd element_efforts(const Model& model, const VectorRef& q,
                                         const VectorRef& v);
/// The efforts of an actuator for each newton that is asked of it more than now, in the sense in
/// which it acts: within its stroke its lever arms, less what its rate takes. Zero for other
/// elements.
ULNA_API Eigen::VectorXd actuator_input(const Model& model, int element, const VectorRef& q,
                                        const VectorRef& v);
/// What the elements exert on the bodies, in the frames of the bodies. Rigid bodies only.
ULNA_API std::vector<ExternalWrench> element_wrenches(const Model& model, const VectorRef& q,
                                                      const VectorRef& v);

/// The slopes of the efforts that hold the elements: stiffness (geometric part included) along the
/// tangent of q, damping along v. Dual numbers of the text that gives the efforts, so that both are
/// exact; nothing allocates after the construction.
class ULNA_API ElementTangent {
 public:
  explicit ElementTangent(const Model& model);
  ~ElementTangent();
  void update(const VectorRef& q, const VectorRef& v);
  const Eigen::MatrixXd& stiffness() const { return stiffness_; }  ///< speeds x speeds
  const Eigen::MatrixXd& damping() const { return damping_; }

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
  Eigen::MatrixXd stiffness_, damping_;
};

}  // namespace ulna
