#pragma once
// The force of a spring and a damper as functions of stretch and rate, for any scalar.
// docs/theory/elements.md, eq. 3-6, 13.

#include "ulna/model/kernels/spring.hpp"
#include "ulna/model/parts/element.hpp"
#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

/// eq. 4: straight between the points of the table, and beyond its ends with the last slopes.
template <class S>
S table_force(const ElementTable& t, const S& x) {
  double slope = 0;
  S sum(t.force[0]);
  for (std::size_t k = 0; k + 1 < t.at.size(); ++k) {
    const double next = (t.force[k + 1] - t.force[k]) / (t.at[k + 1] - t.at[k]);
    const S past = x - S(t.at[k]);
    // The first slope serves to the left as well.
    sum += (next - slope) * (k == 0 ? past : select(less(S(0.0), past), past, S(0.0)));
    slope = next;
  }
  return sum;
}

/// eq. 5: the integral of table_force from 0 to x.
template <class S>
S table_energy(const ElementTable& t, const S& x) {
  const auto integral = [&](const S& to) {
    double slope = 0;
    S sum = t.force[0] * (to - S(t.at[0]));
    for (std::size_t k = 0; k + 1 < t.at.size(); ++k) {
      const double next = (t.force[k + 1] - t.force[k]) / (t.at[k + 1] - t.at[k]);
      const S past = to - S(t.at[k]);
      const S felt = k == 0 ? past : select(less(S(0.0), past), past, S(0.0));
      sum += (0.5 * (next - slope)) * felt * felt;
      slope = next;
    }
    return sum;
  };
  return integral(x) - integral(S(0.0));
}

/// eq. 3: what depends on the stretch x.
template <class S>
S spring_force(const ElementLaw& law, const S& x) {
  S force(law.preload);
  if (law.has_spring()) force += spring_effort(law, x);
  if (!law.spring.empty()) force += table_force(law.spring, x);
  return force;
}

template <class S>
S stored_energy(const ElementLaw& law, const S& x) {
  S energy = law.preload * x;
  if (law.has_spring()) energy += spring_energy(law, x);
  if (!law.spring.empty()) energy += table_energy(law.spring, x);
  return energy;
}

/// eq. 6: what depends on its rate.
template <class S>
S damper_force(const ElementLaw& law, const S& rate) {
  S force = law.damping * rate;
  if (!law.damper.empty()) force += table_force(law.damper, rate);
  return force;
}

/// eq. 13: what an actuator pushes of the force asked of it, at this length and rate.
template <class S>
S actuator_force(const Element& e, const S& asked, const S& length, const S& rate) {
  const auto pulls = less(asked, S(0.0)), pushes = less(S(0.0), asked);
  S force = asked;
  if (e.rate_limit < ElementData::unlimited) {
    // Only the motion that the force makes takes from it.
    const S slowing = select(pulls, S(-1 / e.rate_limit), S(1 / e.rate_limit));
    const S share = S(1.0) - slowing * rate;
    force = force * select(less(share, S(0.0)), S(0.0), select(less(S(1.0), share), S(1.0), share));
  }
  if (e.greatest_length < ElementData::unlimited)
    force = select(pushes, select(less(length, S(e.greatest_length)), force, S(0.0)), force);
  if (e.least_length > 0)
    force = select(pulls, select(less(S(e.least_length), length), force, S(0.0)), force);
  return force;
}

}  // namespace ulna
