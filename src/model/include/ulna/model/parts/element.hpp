#pragma once
// Force elements: springs, dampers, actuators and bushings between points of any two bodies. They
// have no mass and add no coordinate. `ElementData` is what a user gives, `Element` the same frozen
// into the nodes of the tree. docs/robot-file.md, "Elements"; docs/theory/elements.md.

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ulna/numerics/error.hpp"
#include "ulna/scalar/parts/export.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

class ForceFormula;

/// A force against a stretch or a rate, straight between its points and beyond its ends.
struct ElementTable {
  std::vector<double> at, force;  ///< `at` rises
  bool empty() const { return at.empty(); }
};

/// What a spring and a damper in parallel exert at stretch x = length - rest. Tension is positive:
///   preload + stiffness y + hardening y^3 + spring(x) + damping xdot + damper(xdot),
/// with y the stretch less its play (kernels/spring.hpp).
struct ElementLaw {
  double rest = 0;  ///< free length, or the angle without torque
  double stiffness = 0, hardening = 0, backlash = 0, damping = 0, preload = 0;
  ElementTable spring, damper;

  bool has_spring() const { return stiffness != 0 || hardening != 0; }
  /// Whether its force depends on where its ends are.
  bool has_rest() const { return has_spring() || !spring.empty(); }
};

/// Where an element holds on to a body: a named frame, or a pose on the body.
struct ElementEnd {
  std::string frame;           ///< the name of a frame or body; empty: `body` and `X_BE` say it
  std::string body = "world";  ///< the world where nothing else is said
  Pose<double> X_BE;
};

struct ElementData {
  enum class Type {
    spring_damper,  ///< along the straight line of its ends, or of the points it runs through
    actuator,       ///< a force along that line
    bushing,        ///< 6 x 6 stiffness and damping between two frames
    torsion         ///< about an axis between two bodies, or along a joint
  };
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  std::string name;
  Type type = Type::spring_damper;
  ElementEnd from, to;
  std::vector<ElementEnd>
      through;     ///< spring-damper, actuator: eyes that it runs through, in order
  ElementLaw law;  ///< spring-damper, torsion
  /// Actuator: positive pushes the ends apart. It falls to zero at the ends of the stroke that it
  /// pushes against, and linearly with the rate towards `rate_limit`.
  double force = 0;
  std::string formula;  ///< in place of `force` (force_formula.hpp); empty: the force is a number
  bool input = false;   ///< `force` is only a start: whoever uses the robot sets it
  double least_length = 0, greatest_length = unlimited, rate_limit = unlimited;
  /// Bushing: of the turn and shift of `to` in `from`, in the axes of `from`, turns first.
  Eigen::Matrix<double, 6, 6> stiffness = Eigen::Matrix<double, 6, 6>::Zero(),
                              damping = Eigen::Matrix<double, 6, 6>::Zero();
  Vector3<double> axis = Vector3<double>::UnitZ();  ///< torsion between bodies: in `from`
  bool any_axis = false;  ///< torsion between bodies: about the axis of the turn, whichever it is
  std::string joint;      ///< torsion along a joint with one freedom
  SourceMark mark;
};

ULNA_API const char* name_of(ElementData::Type type);

/// A point or frame of an element as its node carries it, rotation by rows.
struct ElementPoint {
  int body = 0, node = 0;
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3] = {0, 0, 0};
};

/// A force element in the frames of the nodes. Its forces depend on how the nodes of its points
/// move against their last common ancestor, and act on the joints between only.
struct Element {
  /// Points an element may have, both ends included: kernels keep them on the stack.
  static constexpr int most_points = 8;

  std::string name;
  ElementData::Type type = ElementData::Type::spring_damper;
  std::vector<ElementPoint> points;  ///< both ends and what it runs through, in order; of a torsion
                                     ///< the z axis of its first frame is the axis
  int ancestor = 0;                  ///< node
  ElementLaw law;
  double force = 0, least_length = 0, greatest_length = 0, rate_limit = 0;
  std::shared_ptr<const ForceFormula> formula;  ///< in place of `force`; null: there is none
  double time = 0;                              ///< t of the formula
  bool input = false;
  double stiffness[36] = {}, damping[36] = {};  ///< by rows
  bool any_axis = false;  ///< torsion: about the axis of the turn of one frame in the other
  int q = -1, v = -1;     ///< torsion along a joint: angle multiplier q + offset
  double multiplier = 1, offset = 0;
};

}  // namespace ulna
