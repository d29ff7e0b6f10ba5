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

/// The first and the last slope go on beyond the ends of a table.
std::vector<double> inner_points(const ElementTable& table) {
  return {table.at.begin() + 1, table.at.end() - 1};
}

ElementTable segment(const ElementTable& table, std::size_t first) {
  return {{table.at[first], table.at[first + 1]}, {table.force[first], table.force[first + 1]}};
}

double law_at(const ElementLaw& law, bool of_rate, double x) {
  return of_rate ? damper_force(law, x) : spring_force(law, x);
}

}  // namespace

Element carrier_of(const Element& element) {
  Element carrier = element;
  if (carrier.type != ElementData::Type::torsion) carrier.type = ElementData::Type::spring_damper;
  carrier.law = {};
  return carrier;
}

ElementKinks::ElementKinks(const Model& model) : model_(model) {
  for (const Element& e : model.elements()) {
    if (e.law.has_spring() && e.law.backlash > 0) {
      ElementLaw law;
      law.stiffness = e.law.stiffness;
      law.hardening = e.law.hardening;
      law.backlash = e.law.backlash;
      add(e, false, law, {-law.backlash, law.backlash});
    }
    if (e.law.spring.at.size() > 2) {
      ElementLaw law;
      law.spring = e.law.spring;
      add(e, false, law, inner_points(law.spring));
    }
    if (e.law.damper.at.size() > 2) {
      ElementLaw law;
      law.damper = e.law.damper;
      add(e, true, law, inner_points(law.damper));
    }
  }
}

void ElementKinks::add(const Element& element, bool of_rate, const ElementLaw& law,
                       std::vector<double> kinks) {
  const double size = std::max(std::abs(kinks.front()), std::abs(kinks.back()));
  Part part{&element, carrier_of(element), of_rate, law, std::move(kinks), law,
            0,        1e-11 * (1 + size)};
  take_piece(part, 0);
  parts_.push_back(std::move(part));
}

void ElementKinks::take_piece(Part& part, int number) {
  part.number = number;
  ElementLaw& law = part.piece = part.whole;
  if (part.of_rate) {
    law.damper = segment(part.whole.damper, static_cast<std::size_t>(number));
  } else if (!law.spring.empty()) {
    law.spring = segment(part.whole.spring, static_cast<std::size_t>(number));
  } else {
    if (number == 1) law.stiffness = law.hardening = 0;  // slack
    law.rest = number == 0 ? -law.backlash : law.backlash;
    law.backlash = 0;
  }
}

double ElementKinks::argument(const Part& part, const Eigen::VectorXd& q,
                              const Eigen::VectorXd& v) const {
  const ElementState<double> state =
      element_state(part.carrier, tree_under(model_), q.data(), v.data());
  return part.of_rate ? state.rate : state.length - part.element->law.rest;
}

double ElementKinks::inside(const Part& part, double x) {
  const auto k = static_cast<std::size_t>(part.number);
  const double below =
      k < part.kinks.size() ? part.kinks[k] - x : std::numeric_limits<double>::infinity();
  const double above = k > 0 ? x - part.kinks[k - 1] : std::numeric_limits<double>::infinity();
  return std::min(below, above) + part.precision;
}

void ElementKinks::add_correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                  Eigen::VectorXd& to) {
  const TreeView<double> tree = tree_under(model_);
  excess_ = 0;
  for (Part& part : parts_) {
    const double x = argument(part, q, v);
    part.carrier.law.preload =
        law_at(part.whole, part.of_rate, x) - law_at(part.piece, part.of_rate, x - part.piece.rest);
    add_element_efforts<double>(std::span(&part.carrier, 1), tree, q.data(), v.data(), 1,
                                to.data());
    if (part.of_rate) excess_ -= part.carrier.law.preload * x;
  }
}

double ElementKinks::guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  double least = 1;
  for (const Part& part : parts_) least = std::min(least, inside(part, argument(part, q, v)));
  return least;
}

bool ElementKinks::choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  bool changed = false;
  for (Part& part : parts_) {
    const double x = argument(part, q, v);
    if (inside(part, x) >= 0) continue;
    changed = true;
    const auto past = std::upper_bound(part.kinks.begin(), part.kinks.end(), x);
    take_piece(part, static_cast<int>(past - part.kinks.begin()));
  }
  return changed;
}

}  // namespace ulna
