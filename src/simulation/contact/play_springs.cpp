#include "contact/play_springs.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/model/kernels/spring.hpp"
#include "ulna/model/robot.hpp"

namespace ulna {

template <class Law>
double PlaySide::effort(const Law& law, double stretch) const {
  if (side == Side::slack) return 0;
  Law taut = law;
  taut.backlash = 0;
  return spring_effort(taut, side == Side::above ? stretch - law.backlash : stretch + law.backlash);
}
template double PlaySide::effort(const DegreeTerms&, double) const;
template double PlaySide::effort(const DegreeData&, double) const;

double PlaySide::inside(double play, double stretch) const {
  const double within = side == Side::slack   ? play - std::abs(stretch)
                        : side == Side::above ? stretch - play
                                              : -stretch - play;
  return within + precision;
}

bool PlaySide::choose(double play, double stretch, double rate) {
  const double past = std::abs(stretch) - play;
  // At a kink, within the precision to which that instant is known, the speed decides.
  const double near = 2 * precision + 2e-10 * std::abs(rate);
  const bool taut = std::abs(past) > near || rate == 0 ? past > 0 : rate * stretch > 0;
  const Side before = side;
  side = !taut ? Side::slack : stretch > 0 ? Side::above : Side::below;
  return side != before;
}

PlaySprings::PlaySprings(const Model& model, const std::vector<char>& driven) {
  for (const DegreeTerms& terms : model.degree_terms())
    if (terms.has_spring() && terms.backlash > 0 && !driven[static_cast<std::size_t>(terms.v)])
      springs_.push_back({&terms, {.precision = 1e-11 * (1 + terms.backlash)}});
}

void PlaySprings::add_correction(const Eigen::VectorXd& q, Eigen::VectorXd& to) const {
  for (const Spring& spring : springs_) {
    const DegreeTerms& t = *spring.terms;
    const double x = spring_stretch(t, q.data());
    to(t.v) += t.multiplier * (spring_effort(t, x) - spring.at.effort(t, x));
  }
}

double PlaySprings::guard(const Eigen::VectorXd& q) const {
  double least = 1;
  for (const Spring& s : springs_)
    least = std::min(least, s.at.inside(s.terms->backlash, spring_stretch(*s.terms, q.data())));
  return least;
}

bool PlaySprings::choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  bool changed = false;
  for (Spring& s : springs_)
    changed |= s.at.choose(s.terms->backlash, spring_stretch(*s.terms, q.data()),
                           s.terms->multiplier * v(s.terms->v));
  return changed;
}

}  // namespace ulna
