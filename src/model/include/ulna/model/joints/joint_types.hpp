#pragma once
// All types of joints, and the only place that asks which one it is.

#include "ulna/model/joints/cylindrical.hpp"
#include "ulna/model/joints/fixed.hpp"
#include "ulna/model/joints/free.hpp"
#include "ulna/model/joints/planar.hpp"
#include "ulna/model/joints/prismatic.hpp"
#include "ulna/model/joints/revolute.hpp"
#include "ulna/model/joints/screw.hpp"
#include "ulna/model/joints/sphere_in_groove.hpp"
#include "ulna/model/joints/spherical.hpp"
#include "ulna/model/joints/universal.hpp"

namespace ulna {

/// Calls use(T()) with the type that belongs to the name.
template <class Use>
[[gnu::always_inline]] constexpr decltype(auto) with_joint(JointType type, Use&& use) {
  switch (type) {
    case JointType::revolute:
      return use(RevoluteJoint());
    case JointType::prismatic:
      return use(PrismaticJoint());
    case JointType::screw:
      return use(ScrewJoint());
    case JointType::cylindrical:
      return use(CylindricalJoint());
    case JointType::universal:
      return use(UniversalJoint());
    case JointType::spherical:
      return use(SphericalJoint());
    case JointType::planar:
      return use(PlanarJoint());
    case JointType::free:
      return use(FreeJoint());
    case JointType::sphere_in_groove:
      return use(SphereInGrooveJoint());
    case JointType::fixed:
      break;
  }
  return use(FixedJoint());
}

}  // namespace ulna
