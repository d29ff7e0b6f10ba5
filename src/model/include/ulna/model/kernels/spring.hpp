#pragma once
// The spring along a degree of freedom: linear, with hardening, with play. docs/conventions.md,
// "Joints". With x its stretch and b its play,
//
//   y = x - b for x > b,  x + b for x < -b,  0 between;   effort = k y + h y^3
//
// The data may be those of a frozen robot (DegreeTerms) or of a joint (DegreeData). A linear spring
// costs what it did before: nothing is computed for what a robot does not have.

#include "ulna/model/kernels/topology.hpp"
#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

template <class S>
S spring_stretch(const DegreeTerms& t, const S* q) {
  return t.multiplier * q[t.q] + (t.offset - t.rest);
}

/// y: what the spring feels of its stretch.
template <class Data, class S>
S felt_stretch(const Data& t, const S& x) {
  if (t.backlash == 0) return x;
  const S b(t.backlash);
  return select(less(b, x), S(x - b), select(less(x, S(-b)), S(x + b), S(0.0)));
}

template <class Data, class S>
S spring_effort(const Data& t, const S& x) {
  const S y = felt_stretch(t, x);
  if (t.hardening == 0) return t.stiffness * y;
  return (t.stiffness + t.hardening * (y * y)) * y;
}

template <class Data, class S>
S spring_energy(const Data& t, const S& x) {
  const S y = felt_stretch(t, x);
  if (t.hardening == 0) return (0.5 * t.stiffness) * y * y;
  return (0.5 * t.stiffness + 0.25 * t.hardening * (y * y)) * (y * y);
}

/// d effort / d x; zero within the play.
template <class Data, class S>
S spring_tangent(const Data& t, const S& x) {
  if (t.hardening == 0 && t.backlash == 0) return S(t.stiffness);
  const S y = felt_stretch(t, x);
  const S slope = t.stiffness + 3 * t.hardening * (y * y);
  return t.backlash == 0 ? slope : select(less(S(t.backlash), abs_value(x)), slope, S(0.0));
}

}  // namespace ulna
