#include "contact/element_kinks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {
namespace {

TreeView<double> tree_under(const Model& model) {
  return view<double>(model.topology(), model.parameters());
}

/// The element without preload, damper and the other part of its law.
Element with_law(const Element& element, const ElementLaw& law) {
  Element part = element;
  part.law = law;
  return part;
}

}  // namespace

ElementKinks::ElementKinks(const Model& model) : model_(model) {
  const auto add = [&](const Element& element, const ElementLaw& law, std::vector<double> kinks) {
    const double size = std::max(std::abs(kinks.front()), std::abs(kinks.back()));
    Spring spring{with_law(element, law), std::move(kinks), element, 0, 1e-11 * (1 + size)};
    take_piece(spring, 0);
    springs_.push_back(std::move(spring));
  };
  for (const Element& e : model.elements()) {
    if (e.law.has_spring() && e.law.backlash > 0) {
      ElementLaw law;
      law.rest = e.law.rest;
      law.stiffness = e.law.stiffness;
      law.hardening = e.law.hardening;
      law.backlash = e.law.backlash;
      add(e, law, {-law.backlash, law.backlash});
    }
    // The first and the last slope go on beyond the ends of a table.
    if (e.law.spring.at.size() > 2) {
      ElementLaw law;
      law.rest = e.law.rest;
      law.spring = e.law.spring;
      add(e, law, {law.spring.at.begin() + 1, law.spring.at.end() - 1});
    }
  }
}

void ElementKinks::take_piece(Spring& spring, int number) {
  spring.number = number;
  ElementLaw law = spring.whole.law;
  if (!law.spring.empty()) {
    const auto first = static_cast<std::size_t>(number);
    law.spring.at = {law.spring.at[first], law.spring.at[first + 1]};
    law.spring.force = {law.spring.force[first], law.spring.force[first + 1]};
  } else if (number == 1) {
    law.stiffness = law.hardening = law.backlash = 0;  // slack
  } else {
    law.rest += number == 0 ? -law.backlash : law.backlash;
    law.backlash = 0;
  }
  spring.piece = with_law(spring.whole, law);
}

double ElementKinks::stretch(const Spring& spring, const Eigen::VectorXd& q,
                             const Eigen::VectorXd& v) const {
  return element_state(spring.whole, tree_under(model_), q.data(), v.data()).length -
         spring.whole.law.rest;
}

double ElementKinks::inside(const Spring& spring, double stretch) const {
  const auto k = static_cast<std::size_t>(spring.number);
  const double below =
      k < spring.kinks.size() ? spring.kinks[k] - stretch : std::numeric_limits<double>::infinity();
  const double above =
      k > 0 ? stretch - spring.kinks[k - 1] : std::numeric_limits<double>::infinity();
  return std::min(below, above) + spring.precision;
}

void ElementKinks::add_correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                  Eigen::VectorXd& to) {
  const TreeView<double> tree = tree_under(model_);
  for (const Spring& s : springs_) {
    add_element_efforts<double>(std::span(&s.whole, 1), tree, q.data(), v.data(), 1, to.data());
    add_element_efforts<double>(std::span(&s.piece, 1), tree, q.data(), v.data(), -1, to.data());
  }
}

double ElementKinks::guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  double least = 1;
  for (const Spring& s : springs_) least = std::min(least, inside(s, stretch(s, q, v)));
  return least;
}

void ElementKinks::choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  for (Spring& s : springs_) {
    const double x = stretch(s, q, v);
    if (inside(s, x) >= 0) continue;
    const auto past = std::upper_bound(s.kinks.begin(), s.kinks.end(), x);
    take_piece(s, static_cast<int>(past - s.kinks.begin()));
  }
}

}  // namespace ulna
