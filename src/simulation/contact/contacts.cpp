#include "contact/contacts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "actuators/actuator_bank.hpp"
#include "contact/contact_system.hpp"

namespace ulna {

Contacts::Contacts(MotionState& state, Constraints& constraints, const Experiment& experiment)
    : s_(state),
      constraints_(constraints),
      law_(experiment.impact_law),
      joints_(state.model(), state.layout.driven, experiment.stops, experiment.joint_friction),
      kinks_(state.model(), state.layout.driven),
      held_(state.layout.driven),
      moving_(Eigen::VectorXd::Zero(state.model().speeds())),
      dz_(Eigen::VectorXd::Zero(state.controls.states())) {
  if (experiment.contacts.empty() && experiment.nonholonomic.empty()) return;
  touching_ = std::make_unique<ContactSystem>(experiment, state.model());
  for (int k = 0; k < touching_->wrench_count(); ++k) s_.wrenches.push_back({.body = 0});
}

Contacts::~Contacts() = default;

bool Contacts::any() const {
  return joints_.any() || kinks_.any() || s_.controls.actuators().flanks().any() ||
         (touching_ && !touching_->touches().empty());
}

void Contacts::solve() {
  solve_forces();
  if (kinks_.actuators.any()) hold_strokes();
}

void Contacts::solve_forces() {
  if (kinks_.any()) s_.tau += kinks_.correction(s_.q, s_.v);
  if (joints_.any()) joints_.prepare(s_.v, s_.a, s_.tau);
  s_.determined = touching_ ? solve_touching() : constraints_.solve(s_.wrenches, joints_);
  if (joints_.any()) joints_.take_reactions(s_.tau);
  if (kinks_.any()) s_.tau -= kinks_.correction(s_.q, s_.v);
  if (!s_.determined) [[unlikely]]  // the step is refused and made smaller
    s_.a.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void Contacts::act() {
  if (!any() && !touching_) return;
  kept_q_ = s_.q;
  kept_v_ = s_.v;
  solve();
  s_.q = kept_q_;  // near singular postures `solve` closes loops, which IDA does itself
  s_.v = kept_v_;
  if (joints_.any())
    joints_.act(s_.v, s_.tau);  // kinks are among what is applied
  else if (kinks_.any())
    s_.tau += kinks_.correction(s_.q, s_.v);
}

/// Eq. 49. What is held, and loops, get their share by a second solution with the forces as
/// external wrenches.
bool Contacts::solve_touching() {
  const std::span<ExternalWrench> forces = s_.contact_wrenches();
  for (ExternalWrench& w : forces) w.force.setZero(), w.moment.setZero();
  if (!s_.is_finite()) return false;  // a trial after one that failed
  if (!constraints_.solve(s_.applied_wrenches(), joints_)) return false;
  touching_->update(s_.q, s_.v, false);
  if (!touching_->active()) return true;
  SpeedResponse& response = constraints_.response();
  if (!response.reuse(s_.work, s_.q) || !touching_->add_forces(response, s_.a)) {
    const ContactSystem::Touch* jams = touching_->jams();
    s_.trouble = jams ? fmt::format(
                            "at t = {:.9g} s the friction of contact '{}' jams while it "
                            "slides: more force does not part it (Painleve)",
                            s_.t, jams->data.name)
                      : "no forces of contacts and nonholonomic rows fit together";
    return false;
  }
  touching_->put_wrenches(forces);
  return !constraints_.binds() || constraints_.solve(s_.wrenches, joints_);
}

void Contacts::look() {
  if (touching_) touching_->update(s_.q, s_.v, true);
}

void Contacts::evaluate(double time, const double* y) {
  s_.expand(time, y);
  s_.apply(y, dz_.data());
  solve();
  look();
}

double Contacts::dissipation() const {
  return (touching_ ? touching_->dissipation() : 0) + joints_.excess_dissipation(s_.v) +
         kinks_.excess_dissipation();
}

void Contacts::rest(double* y) const {
  for (const JointContacts::Speed& s : joints_.speeds())
    if (s.held()) y[s_.layout.first_v + s_.layout.place[s.v]] = 0;
}

void Contacts::accept() {
  joints_.accept(s_.q);
  if (touching_) touching_->accept();
}

double Contacts::dip(double h) const { return touching_ ? touching_->dip(h) : 0; }

bool Contacts::project() {
  if (!touching_ || !touching_->active()) return false;
  SpeedResponse& response = constraints_.response();
  bool changed = false;
  constexpr double precise = 1e-14;
  for (int round = 0; round < 5; ++round) {
    touching_->update(s_.q, s_.v, false);
    if (touching_->gap_error() <= precise * (1 + s_.model().length_scale())) break;
    response.update(s_.work, s_.q);
    moving_.setZero();
    if (!touching_->mend_gaps(response, moving_)) break;
    s_.model().move_along(s_.q, moving_);
    if (!constraints_.close()) return true;
    changed = true;
  }
  if (touching_->speed_error() > precise * (1 + s_.v.norm())) {
    response.update(s_.work, s_.q);
    moving_.setZero();
    touching_->mend_speeds(response, moving_);
    s_.v += moving_;
    changed = true;
  }
  return changed;
}

/// The states of contacts for the present states of joints.
void Contacts::choose_touching_states(double time, const double* y) {
  for (ContactSystem::Touch& c : touching_->touches()) c.force.setZero();
  s_.expand(time, y);
  s_.apply(y, dz_.data());
  if (kinks_.any()) s_.tau += kinks_.correction(s_.q, s_.v);
  joints_.prepare(s_.v, s_.a, s_.tau);
  if (!constraints_.solve(s_.applied_wrenches(), joints_)) return;
  look();
  SpeedResponse& response = constraints_.response();
  if (response.reuse(s_.work, s_.q)) touching_->choose_states(response, s_.a, time);
}

std::string Contacts::busiest() const {
  std::string name;
  long most = 0;
  const auto look_at = [&](long changes, const char* what, const std::string& who) {
    if (changes > most) most = changes, name = fmt::format("{} '{}'", what, who);
  };
  for (const JointContacts::Speed& s : joints_.speeds())
    look_at(s.changes, "joint", s_.model().speed_names()[s.v]);
  for (const GearFlanks::Changes& flanks : s_.controls.actuators().flanks().changes())
    look_at(flanks.count, "the gear of joint",
            s_.model().speed_names()[static_cast<std::size_t>(flanks.speed)]);
  if (touching_)
    for (const ContactSystem::Touch& c : touching_->touches())
      look_at(c.changes, "contact", c.data.name);
  return name;
}

void Contacts::remember(std::vector<double>& memory) const {
  if (!touching_) return;
  for (const ContactSystem::Touch& c : touching_->touches())
    memory.insert(memory.end(), {static_cast<double>(c.state), c.reference, c.direction.x(),
                                 c.direction.y(), static_cast<double>(c.impacts),
                                 static_cast<double>(c.enabled), static_cast<double>(c.flat),
                                 c.shape.point.x(), c.shape.point.y(), c.shape.point.z()});
}

long Contacts::recall(const Eigen::VectorXd& memory, long at) {
  constexpr long each = 10;
  for (std::size_t k = 0; touching_ && k < touching_->touches().size(); ++k, at += each) {
    if (at + each > memory.size()) break;
    ContactSystem::Touch& c = touching_->touches()[k];
    c.state = static_cast<ContactState>(static_cast<int>(memory(at)));
    c.reference = memory(at + 1);
    c.direction = c.now = memory.segment<2>(at + 2);
    c.impacts = static_cast<long>(memory(at + 4));
    c.enabled = memory(at + 5) != 0;
    c.flat = memory(at + 6) != 0;
    c.shape.point = memory.segment<3>(at + 7);
  }
  return at;
}

}  // namespace ulna
