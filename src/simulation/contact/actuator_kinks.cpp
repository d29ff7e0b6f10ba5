#include "contact/actuator_kinks.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "contact/element_kinks.hpp"
#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {
namespace {

/// An actuator that would leave the end of its stroke by less than this, of its length, rests
/// there.
constexpr double small_way = 1e-6;
constexpr double end_precision = 1e-11;

bool has_rate_limit(const Element& e) { return e.rate_limit < ElementData::unlimited; }

TreeView<double> nodes_of(const Model& model) {
  return view<double>(model.topology(), model.parameters());
}

double sense_of(double force) { return force < 0 ? -1 : 1; }

}  // namespace

ActuatorKinks::ActuatorKinks(const Model& model) : model_(model) {
  for (const Element& e : model.elements()) {
    if (e.type != ElementData::Type::actuator) continue;
    const bool ends = e.least_length > 0 || e.greatest_length < ElementData::unlimited;
    if (ends || has_rate_limit(e)) list_.push_back({.element = &e, .carrier = carrier_of(e)});
  }
}

ActuatorKinks::Place ActuatorKinks::place(const Actuator& a, const Eigen::VectorXd& q,
                                          const Eigen::VectorXd& v) const {
  const ElementState<double> state = element_state(a.carrier, nodes_of(model_), q.data(), v.data());
  const Element& e = *a.element;
  return {state.length, state.rate,
          e.formula
              ? formula_value(*e.formula, e.time, state.length, state.rate, q.data(), v.data())
              : e.force};
}

/// What it pushes by its side, whatever the length.
double ActuatorKinks::thrust(const Actuator& a, const Place& at) {
  double force = at.asked;
  if (a.pace == 2) force = 0;
  if (a.pace == 1) force *= 1 - sense_of(at.asked) * at.rate / a.element->rate_limit;
  const bool against = a.side == Side::above ? force > 0 : a.side == Side::below && force < 0;
  return !against ? force : a.held ? a.share * force : 0;
}

/// How far past the end of its side of the stroke; below zero: on its side.
double ActuatorKinks::beyond(const Actuator& a, double length) {
  const Element& e = *a.element;
  switch (a.side) {
    case Side::below:
      return length - e.least_length;
    case Side::above:
      return e.greatest_length - length;
    default:
      return std::max(length - e.greatest_length, e.least_length - length);
  }
}

void ActuatorKinks::add_correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                   Eigen::VectorXd& to) {
  excess_ = 0;
  for (Actuator& a : list_) {
    const Place at = place(a, q, v);
    // The carrier pulls; an actuator pushes.
    a.carrier.law.preload =
        thrust(a, at) - actuator_force(*a.element, at.asked, at.length, at.rate);
    add_element_efforts<double>(std::span(&a.carrier, 1), nodes_of(model_), q.data(), v.data(), 1,
                                to.data());
    excess_ -= a.carrier.law.preload * at.rate;
  }
}

double ActuatorKinks::guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  double least = 1;
  for (const Actuator& a : list_) {
    const Place at = place(a, q, v);
    least = std::min(least, a.held ? std::min(a.share, 1 - a.share) + end_precision
                                   : a.slack - beyond(a, at.length));
    if (!has_rate_limit(*a.element) || a.held) continue;
    const double limit = a.element->rate_limit, rate = sense_of(at.asked) * at.rate;
    const double inside = a.pace == 0   ? -rate
                          : a.pace == 1 ? std::min(rate, limit - rate)
                                        : rate - limit;
    least = std::min(least, inside + end_precision * (1 + limit));
  }
  return least;
}

void ActuatorKinks::choose_pace(Actuator& a, const Place& at) {
  if (!has_rate_limit(*a.element)) return;
  const double along = sense_of(at.asked) * at.rate;
  a.pace = along < 0 ? 0 : along < a.element->rate_limit ? 1 : 2;
}

/// At an end, within the precision to which that instant is known, the rate decides; one that
/// pushes against it is held until `rests` and `release` have seen what that takes.
void ActuatorKinks::choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  for (Actuator& a : list_) {
    const Element& e = *a.element;
    const Place at = place(a, q, v);
    choose_pace(a, at);
    a.asked = at.asked;
    if (a.held) continue;
    const double precision = end_precision * (1 + at.length);
    const double near = 4 * precision + 2e-10 * std::abs(at.rate);
    a.side = at.length > e.greatest_length ? Side::above
             : at.length < e.least_length  ? Side::below
                                           : Side::inside;
    const bool top = std::abs(at.length - e.greatest_length) <= near,
               bottom = e.least_length > 0 && std::abs(at.length - e.least_length) <= near;
    if (top && at.rate != 0) a.side = at.rate > 0 ? Side::above : Side::inside;
    if (bottom && at.rate != 0) a.side = at.rate < 0 ? Side::below : Side::inside;
    const bool pushes = (top && at.asked > 0) || (bottom && at.asked < 0);
    a.held = pushes;
    a.length = at.length;
    if (a.held) a.side = top ? Side::above : Side::below;
    a.slack = precision + std::max(0.0, beyond(a, at.length));
  }
}

int ActuatorKinks::held() const {
  return static_cast<int>(
      std::count_if(list_.begin(), list_.end(), [](const Actuator& a) { return a.held; }));
}

ActuatorKinks::Actuator& ActuatorKinks::held_one(int number) {
  auto at = list_.begin();
  for (;; ++at)
    if (at->held && number-- == 0) return *at;
}

void ActuatorKinks::set_shares(const Eigen::VectorXd& shares) {
  for (int k = 0; k < shares.size(); ++k) held_one(k).share = shares(k);
}

Eigen::VectorXd ActuatorKinks::accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                             const Eigen::VectorXd& a) const {
  using S = Dual<1>;
  const Parameters<S> parameters = converted<S>(model_.parameters());
  const TreeView<S> tree = view<S>(model_.topology(), parameters);
  const std::vector<S> moving = moving_coordinates(model_, q, v);
  std::vector<S> speeds(static_cast<std::size_t>(v.size()));
  for (Eigen::Index k = 0; k < v.size(); ++k) {
    speeds[static_cast<std::size_t>(k)] = S(v(k));
    speeds[static_cast<std::size_t>(k)].d[0] = a(k);
  }
  Eigen::VectorXd out(held());
  int number = 0;
  for (const Actuator& one : list_)
    if (one.held)
      out(number++) = element_state(one.carrier, tree, moving.data(), speeds.data()).rate.d[0];
  return out;
}

double ActuatorKinks::rate_of_held(int number, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                   Eigen::VectorXd& unit) {
  Actuator& a = held_one(number);
  a.carrier.law.preload = -1;
  unit.setZero(v.size());
  // The efforts that 1 N of thrust gives are the opposite of those that hold it.
  add_element_efforts<double>(std::span(&a.carrier, 1), nodes_of(model_), q.data(), v.data(), -1,
                              unit.data());
  return place(a, q, v).rate;
}

bool ActuatorKinks::rests(int number, double rate, double answer) {
  const Actuator& a = held_one(number);
  if (!(a.share > 0 && a.share < 1) || !(answer > 0)) return false;
  // Outwards it is braked by what its share holds, inwards by the rest of its thrust.
  const bool outwards = (rate > 0) == (a.side == Side::above);
  const double brakes = (outwards ? a.share : 1 - a.share) * std::abs(a.asked) * answer;
  return rate * rate <= 2 * brakes * small_way * a.length;
}

void ActuatorKinks::let_go(int number, double rate) {
  Actuator& a = held_one(number);
  a.held = false;
  const bool outwards = rate == 0 ? a.share < 0 : (rate > 0) == (a.side == Side::above);
  if (!outwards) a.side = Side::inside;
  a.slack = end_precision * (1 + a.length) + std::max(0.0, beyond(a, a.length));
}

std::optional<double> ActuatorKinks::holding_thrust(int element, const Eigen::VectorXd& q,
                                                    const Eigen::VectorXd& v) const {
  for (const Actuator& a : list_)
    if (a.held && a.element == &model_.elements()[static_cast<std::size_t>(element)])
      return thrust(a, place(a, q, v));
  return {};
}

void ActuatorKinks::release() {
  for (int k = held() - 1; k >= 0; --k) {
    const double share = held_one(k).share;
    if (share < -end_precision || share > 1 + end_precision) let_go(k, 0);
  }
}

}  // namespace ulna
