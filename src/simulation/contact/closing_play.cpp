#include "contact/closing_play.hpp"

#include <algorithm>

#include "ulna/model/kernels/spring.hpp"

namespace ulna {

ClosingPlay::ClosingPlay(const Model& model) : work_(model), closure_(model) {
  for (std::size_t k = 0; k < model.loops().size(); ++k) {
    const std::vector<DegreeData>& degrees = model.loops()[k].degrees;
    for (std::size_t d = 0; d < degrees.size(); ++d)
      if (degrees[d].has_spring() && degrees[d].backlash > 0)
        springs_.push_back({&degrees[d],
                            static_cast<int>(k),
                            static_cast<Eigen::Index>(d),
                            {.precision = 1e-11 * (1 + degrees[d].backlash)}});
  }
}

void ClosingPlay::look(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Spring& spring) {
  if (&spring == springs_.data()) closure_.update_rates(work_, q, v);
  closure_.closing_rates(work_, spring.loop, coordinates_, rates_);
}

void ClosingPlay::add_correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                 Eigen::VectorXd& to) {
  for (const Spring& s : springs_) {
    look(q, v, s);
    const double x = coordinates_(s.degree) - s.law->rest;
    efforts_.setZero(rates_.size());
    efforts_(s.degree) = spring_effort(*s.law, x) - s.at.effort(*s.law, x);
    closure_.add_closing_efforts(work_, s.loop, efforts_, to);
  }
}

double ClosingPlay::guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  double least = 1;
  for (const Spring& s : springs_) {
    look(q, v, s);
    least = std::min(least, s.at.inside(s.law->backlash, coordinates_(s.degree) - s.law->rest));
  }
  return least;
}

bool ClosingPlay::choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  bool changed = false;
  for (Spring& s : springs_) {
    look(q, v, s);
    changed |= s.at.choose(s.law->backlash, coordinates_(s.degree) - s.law->rest, rates_(s.degree));
  }
  return changed;
}

}  // namespace ulna
