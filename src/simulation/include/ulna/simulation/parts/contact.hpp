#pragma once
// What touches what: points, balls and discs on bodies against planes, and speeds that vanish
// without a position that would say so. docs/theory/simulation.md, eq. 44-60.
//
// A contact pushes and never pulls, bounces with a restitution and rubs with Coulomb friction. A
// nonholonomic row A(q) v = 0 is kept always: a wheel that rolls, a blade that goes only along
// itself.

#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// The part of a body that touches: a point; with a radius a ball about it; with an axis as well, a
/// thin disc about it.
struct TouchingShape {
  int body = 0;                                     ///< index into Model::bodies()
  Vector3<double> point = Vector3<double>::Zero();  ///< in the body's frame
  double radius = 0;
  Vector3<double> axis = Vector3<double>::Zero();  ///< of a disc, body axes; zero: a ball
  bool disc() const { return axis != Vector3<double>::Zero(); }
};

/// A plane on a body, the world by default. It is solid on the side that the normal leaves.
struct ContactPlane {
  int body = 0;
  Vector3<double> point = Vector3<double>::Zero();    ///< in the body's frame
  Vector3<double> normal = Vector3<double>(0, 0, 1);  ///< in its axes, of any length
};

struct Contact {
  std::string name;
  TouchingShape shape;
  ContactPlane plane;
  double restitution = 0;    ///< speed of departure by speed of approach, 0 to 1
  double friction = 0;       ///< coefficient of Coulomb's law, of a contact that slides
  double rest_speed = 1e-4;  ///< impacts that would leave less end at rest
  SourceMark mark;
  double static_friction = -1;  ///< coefficient at rest; below 0: as when sliding
  /// Speed over which the coefficient falls from that at rest to that of sliding (Stribeck); 0: at
  /// once.
  double stribeck_speed = 0;
  double rolling_resistance = 0;  ///< lever arm of the normal force against rolling, m

  double coefficient_at_rest() const { return static_friction < 0 ? friction : static_friction; }
};

/// How impulses are found where several contacts and stops meet in one impact.
/// docs/theory/simulation.md, eq. 53-56, 67, 68.
enum class ImpactLaw {
  newton,     ///< every contact leaves with its restitution times its speed of approach
  poisson,    ///< the impulses of compression come back, each times its restitution
  sequential  ///< pair after pair by Newton's law, the fastest approach first
};
ULNA_API const char* name_of(ImpactLaw law);

/// Speeds relative to a body that are kept at zero.
struct NonholonomicConstraint {
  enum class Kind {
    rolling,    ///< the point of `shape` that touches `plane` does not move on it, nor leaves it
    knife_edge  ///< the point of `shape` does not move along `directions`
  };
  std::string name;
  Kind kind = Kind::rolling;
  TouchingShape shape;
  ContactPlane plane;                       ///< of a knife edge: only its body counts
  std::vector<Vector3<double>> directions;  ///< of a knife edge, in the axes of shape.body
  SourceMark mark;
};

enum class ContactState : signed char { open, sticks, slips };

}  // namespace ulna
