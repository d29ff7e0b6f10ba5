// The start of a run with contacts and nonholonomic rows.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"
#include "contact/contacts.hpp"

namespace ulna {
namespace {

SourceMark place_of(const SourceMark& mark, const Experiment& experiment) {
  SourceMark where = mark;
  if (where.file.empty()) where.file = experiment.source;
  return where;
}

/// Of robots with loops, whose start is known when they are closed.
void require_within_stops(const Experiment& experiment, const JointContacts& joints,
                          const Eigen::VectorXd& q) {
  std::vector<Problem> problems;
  for (const JointContacts::Speed& s : joints.speeds())
    if (s.stopped && s.beyond_stop(q) > 1e-8)
      problems.push_back({{experiment.source},
                          "start",
                          fmt::format("q of '{}' is {:.6g} where the loops are closed, beyond its "
                                      "stop",
                                      experiment.model->coordinate_names()[s.q], q(s.q)),
                          fmt::format("{:.6g} to {:.6g}", s.lower, s.upper),
                          {}});
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

void Contacts::start(const Experiment& experiment, bool after_event, const Eigen::VectorXd& q,
                     Eigen::VectorXd& v) {
  if (constraints_.closes() && !after_event) require_within_stops(experiment, joints_, q);
  if (!touching_) return hold_resting();
  touching_->update(q, v, true);
  touching_->put_wrenches(s_.contact_wrenches());
  std::vector<Problem> problems;
  const auto complain = [&](const SourceMark& mark, std::string element, std::string message,
                            std::string expectation) {
    problems.push_back({place_of(mark, experiment),
                        std::move(element),
                        std::move(message),
                        std::move(expectation),
                        {}});
  };
  const double size = std::max(1.0, s_.model().length_scale()), tolerance = 1e-9 * size;
  for (ContactSystem::Touch& c : touching_->touches()) {
    if (c.at.gap < -tolerance && !after_event)
      complain(c.data.mark, fmt::format("contact '{}'", c.data.name),
               fmt::format("at the start it is {:.6g} m inside its plane", -c.at.gap),
               "a start on the side that the normal points to");
    // Nearly touching is touching: the rest is rounding of the start.
    c.reference = std::abs(c.at.gap) <= tolerance ? c.at.gap : 0;
  }
  for (ContactSystem::Kept& k : touching_->kept()) {
    if (!k.rolls()) continue;
    if (std::abs(k.at.gap) > 1e-6 * size)
      complain(k.data.mark, fmt::format("nonholonomic '{}'", k.data.name),
               fmt::format("at the start the wheel is {:.6g} m off its plane", k.at.gap),
               "a start at which it touches");
    k.reference = k.at.gap;
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  if (!touching_->kept().empty()) start_rolling(experiment, after_event, q, v);
  hold_resting();
}

/// Speeds at the start that keep the nonholonomic rows: those that the experiment names stay.
void Contacts::start_rolling(const Experiment& experiment, bool after_event,
                             const Eigen::VectorXd& q, Eigen::VectorXd& v) {
  SpeedResponse& response = constraints_.response();
  std::vector<char> held = s_.layout.driven;
  for (std::size_t k = 0; k < experiment.keep_v.size(); ++k)
    if (experiment.keep_v[k]) held[k] = 1;
  for (const int k : s_.layout.driven_v) v(k) = s_.controls.reference.v(k);
  const Eigen::VectorXd wanted = v;
  for (int round = 0; round < 3; ++round) {
    touching_->update(q, v, true);
    if (touching_->speed_error() <= 1e-14 * (1 + v.norm())) break;
    response.hold(held);
    response.update(s_.work, q);
    touching_->mend_speeds(response, moving_);
    v += moving_;
  }
  touching_->update(q, v, true);
  const bool follow = after_event || !experiment.keep_v.empty() || experiment.v.size() == 0;
  const double change = (v - wanted).norm();
  for (const ContactSystem::Kept& k : touching_->kept()) {
    const double slips = k.speed.head(k.count).norm();
    const bool fits = slips <= 1e-9 * (1 + v.norm());
    if (fits && (follow || change <= 1e-6 * (1 + wanted.norm()))) continue;
    throw InputError(Problem{
        place_of(k.data.mark, experiment), fmt::format("nonholonomic '{}'", k.data.name),
        fits ? fmt::format("v at the start does not fit it: the nearest speeds that do differ by "
                           "{:.3g}",
                           change)
             : fmt::format("the speeds given and driven do not fit it: it would slip at {:.3g} m/s",
                           slips),
        "speeds at which it does not slip",
        "give those of some joints as a map: the others follow"});
  }
}

}  // namespace ulna
