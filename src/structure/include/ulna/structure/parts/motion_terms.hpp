#pragma once
// What a motion adds to M x'' + C x' + K x = 0, linearised about it with each link seen in its own
// turning axes: Coriolis terms on x', centrifugal and Euler terms on x, and the geometric stiffness
// of the axial forces that motion and gravity put into the members (docs/theory/structure.md, eqs.
// 31-36). Where two links turn differently the change of axes between them is carried along to
// second order.

#include "ulna/structure/statics.hpp"

namespace ulna {

struct MotionTerms {
  elastic::SparseMatrix gyroscopic;   ///< on x'
  elastic::SparseMatrix centrifugal;  ///< on x, from rates
  elastic::SparseMatrix euler;        ///< on x, from accelerations
  elastic::SparseMatrix geometric;    ///< on x
};

struct MotionTermChoice {
  bool gyroscopic = true, centrifugal = true, euler = true, geometric = true;
  bool any() const { return gyroscopic || centrifugal || euler || geometric; }
};

/// `with_gravity`: in the axial forces.
ULNA_API MotionTerms motion_terms(const RobotStructure& structure, const VectorRef& q,
                                  const StructureMotion& motion, bool with_gravity = true);

}  // namespace ulna
