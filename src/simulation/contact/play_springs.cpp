#include "contact/play_springs.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/model/kernels/spring.hpp"

namespace ulna {

PlaySprings::PlaySprings(const Model& model, const std::vector<char>& driven)
    : elements_(model), correction_(Eigen::VectorXd::Zero(model.speeds())) {
  for (const DegreeTerms& terms : model.degree_terms())
    if (terms.has_spring() && terms.backlash > 0 && !driven[static_cast<std::size_t>(terms.v)])
      springs_.push_back({&terms, Side::slack, 1e-11 * (1 + terms.backlash)});
}

double PlaySprings::effort(const Spring& spring, double stretch) {
  if (spring.side == Side::slack) return 0;
  DegreeTerms taut = *spring.terms;
  taut.backlash = 0;
  return spring_effort(taut, spring.side == Side::above ? stretch - spring.terms->backlash
                                                        : stretch + spring.terms->backlash);
}

const Eigen::VectorXd& PlaySprings::correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  correction_.setZero();
  for (const Spring& spring : springs_) {
    const DegreeTerms& t = *spring.terms;
    const double x = spring_stretch(t, q.data());
    correction_(t.v) += t.multiplier * (spring_effort(t, x) - effort(spring, x));
  }
  if (elements_.any()) elements_.add_correction(q, v, correction_);
  return correction_;
}

double PlaySprings::guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  double least = elements_.guard(q, v);
  for (const Spring& spring : springs_) {
    const double x = spring_stretch(*spring.terms, q.data()), b = spring.terms->backlash;
    const double inside = spring.side == Side::slack   ? b - std::abs(x)
                          : spring.side == Side::above ? x - b
                                                       : -x - b;
    least = std::min(least, inside + spring.precision);
  }
  return least;
}

void PlaySprings::choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  elements_.choose(q, v);
  for (Spring& spring : springs_) {
    const DegreeTerms& t = *spring.terms;
    const double x = spring_stretch(t, q.data()), rate = t.multiplier * v(t.v);
    const double past = std::abs(x) - t.backlash;
    // At a kink, within the precision to which that instant is known, the speed decides.
    const double near = 2 * spring.precision + 2e-10 * std::abs(rate);
    const bool taut = std::abs(past) > near || rate == 0 ? past > 0 : rate * x > 0;
    spring.side = !taut ? Side::slack : x > 0 ? Side::above : Side::below;
  }
}

}  // namespace ulna
