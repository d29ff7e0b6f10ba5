#pragma once
// Damping, Coulomb friction and springs, for any scalar (docs/conventions.md, "Joints").

#include <span>

#include "ulna/model/kernels/spring.hpp"
#include "ulna/model/kernels/topology.hpp"
#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

/// tau += sense (damping + friction + springs).
template <class S>
void add_passive_efforts(std::span<const DegreeTerms> terms, const S* q, const S* v, double sense,
                         S* tau) {
  for (const DegreeTerms& t : terms) {
    const S rate = t.multiplier * v[t.v];
    S effort = t.damping * rate + t.friction * sign(rate);
    if (t.has_spring()) effort += spring_effort(t, spring_stretch(t, q));
    tau[t.v] += (sense * t.multiplier) * effort;
  }
}

}  // namespace ulna
