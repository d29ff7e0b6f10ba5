// The part of MechanicalSystem that deals with contacts, nonholonomic rows and impacts.
// docs/theory/simulation.md, eq. 44-58.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"
#include "ulna/simulation/internal/mechanical_system.hpp"

namespace ulna {

MechanicalSystem::~MechanicalSystem() = default;

bool MechanicalSystem::has_modes() const {
  return modes_.any() || (contacts_ && !contacts_->touches().empty());
}

/// Eq. 49. What is held, and loops, get their share by a second solution with the forces as
/// external wrenches.
bool MechanicalSystem::solve_with_contacts() {
  std::span<ExternalWrench> forces(wrenches_.data() + controls_.wrench_count(),
                                   wrenches_.size() - controls_.wrench_count());
  for (ExternalWrench& w : forces) w.force.setZero();
  if (!q.allFinite() || !v.allFinite()) return false;  // a trial after one that failed
  if (!solve(applied_wrenches())) return false;
  contacts_->update(q, v, false);
  if (!contacts_->active()) return true;
  if (!response_->reuse(work, q) || !contacts_->add_forces(*response_, a)) {
    const ContactSystem::Touch* jams = contacts_->jams();
    trouble_ = jams ? fmt::format(
                          "at t = {:.9g} s the friction of contact '{}' jams while it "
                          "slides: more force does not part it (Painleve)",
                          t, jams->data.name)
                    : "no forces of contacts and nonholonomic rows fit together";
    return false;
  }
  contacts_->put_wrenches(forces);
  const bool held = std::find(held_.begin(), held_.end(), 1) != held_.end();
  return !(loops_ || held) || solve(wrenches_);
}

/// A step of a run was accepted without an event.
void MechanicalSystem::accept_step() {
  modes_.accept(q);
  if (contacts_) contacts_->accept();
}

double MechanicalSystem::dip(double h) const { return contacts_ ? contacts_->dip(h) : 0; }

// ---- the start
// --------------------------------------------------------------------------------------

void MechanicalSystem::start_contacts(const Experiment& experiment) {
  if (experiment.contacts.empty() && experiment.nonholonomic.empty()) return;
  contacts_ = std::make_unique<ContactSystem>(experiment, *model_);
  moving_.setZero(model_->speeds());
  for (int k = 0; k < contacts_->wrench_count(); ++k) wrenches_.push_back({.body = 0});
  contacts_->update(start_q_, start_v_, true);
  contacts_->put_wrenches(
      {wrenches_.data() + controls_.wrench_count(), wrenches_.size() - controls_.wrench_count()});
  std::vector<Problem> problems;
  const auto complain = [&](const SourceMark& mark, std::string element, std::string message,
                            std::string expectation) {
    SourceMark where = mark;
    if (where.file.empty()) where.file = experiment.source;
    problems.push_back({where, std::move(element), std::move(message), std::move(expectation), {}});
  };
  const double tolerance = 1e-9 * std::max(1.0, model_->length_scale());
  for (ContactSystem::Touch& c : contacts_->touches()) {
    if (c.at.gap < -tolerance)
      complain(c.data.mark, fmt::format("contact '{}'", c.data.name),
               fmt::format("at the start it is {:.6g} m inside its plane", -c.at.gap),
               "a start on the side that the normal points to");
    // Nearly touching is touching: the rest is rounding of the start.
    c.reference = std::abs(c.at.gap) <= tolerance ? c.at.gap : 0;
  }
  for (ContactSystem::Kept& k : contacts_->kept()) {
    if (!k.rolls()) continue;
    if (std::abs(k.at.gap) > 1e-6 * std::max(1.0, model_->length_scale()))
      complain(k.data.mark, fmt::format("nonholonomic '{}'", k.data.name),
               fmt::format("at the start the wheel is {:.6g} m off its plane", k.at.gap),
               "a start at which it touches");
    k.reference = k.at.gap;
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  start_rolling(experiment);
}

/// Speeds at the start that keep the nonholonomic rows: those that the experiment names stay.
void MechanicalSystem::start_rolling(const Experiment& experiment) {
  if (contacts_->kept().empty()) return;
  std::vector<char> held = layout_.driven;
  for (std::size_t k = 0; k < experiment.keep_v.size(); ++k)
    if (experiment.keep_v[k]) held[k] = 1;
  for (int k = 0; k < model_->speeds(); ++k)
    if (layout_.driven[k]) start_v_(k) = controls_.reference.v(k);
  const Eigen::VectorXd wanted = start_v_;
  moving_.setZero(model_->speeds());
  for (int round = 0; round < 3; ++round) {
    contacts_->update(start_q_, start_v_, true);
    if (contacts_->speed_error() <= 1e-14 * (1 + start_v_.norm())) break;
    response_->hold(held);
    response_->update(work, start_q_);
    contacts_->mend_speeds(*response_, moving_);
    start_v_ += moving_;
  }
  contacts_->update(start_q_, start_v_, true);
  const bool follow = !experiment.keep_v.empty() || experiment.v.size() == 0;
  const double change = (start_v_ - wanted).norm();
  for (const ContactSystem::Kept& k : contacts_->kept()) {
    const double slips = k.speed.head(k.count).norm();
    if (slips <= 1e-9 * (1 + start_v_.norm()) && (follow || change <= 1e-6 * (1 + wanted.norm())))
      continue;
    SourceMark where = k.data.mark;
    if (where.file.empty()) where.file = experiment.source;
    throw InputError(Problem{
        where, fmt::format("nonholonomic '{}'", k.data.name),
        slips > 1e-9 * (1 + start_v_.norm())
            ? fmt::format("the speeds given and driven do not fit it: it would slip at {:.3g} m/s",
                          slips)
            : fmt::format("v at the start does not fit it: the nearest speeds that do differ by "
                          "{:.3g}",
                          change),
        "speeds at which it does not slip",
        "give those of some joints as a map: the others follow"});
  }
}

// ---- drift
// ------------------------------------------------------------------------------------------

/// Eq. 58: gaps and speeds that closed contacts and nonholonomic rows keep, after a step.
bool MechanicalSystem::project_on_contacts() {
  if (!contacts_->active()) return false;
  bool changed = false;
  constexpr double precise = 1e-14;
  for (int round = 0; round < 5; ++round) {
    contacts_->update(q, v, false);
    if (contacts_->gap_error() <= precise * (1 + model_->length_scale())) break;
    response_->update(work, q);
    moving_.setZero(model_->speeds());
    if (!contacts_->mend_gaps(*response_, moving_)) break;
    model_->move_along(q, moving_);
    if (loops_ && !close_loops()) return true;
    changed = true;
  }
  if (contacts_->speed_error() > precise * (1 + v.norm())) {
    response_->update(work, q);
    moving_.setZero(model_->speeds());
    contacts_->mend_speeds(*response_, moving_);
    v += moving_;
    changed = true;
  }
  return changed;
}

// ---- impacts
// ----------------------------------------------------------------------------------------

/// One impact of all that touches: joints at their stops and contacts, with what rests giving way,
/// too (eq. 53-56). Rows that are always kept take their share.
struct MechanicalSystem::Impact {
  std::vector<JointModes::Speed*> joints;
  std::vector<ContactSystem::Touch*> touches;
  std::vector<ConeContact> cones;
  std::vector<double> rebound;     ///< speed of departure that is wanted
  std::vector<double> rest_speed;  ///< slower ones stay
  Eigen::MatrixXd C, W, D;
  Eigen::VectorXd u, p;
  int kept = 0;  ///< rows in front that are always kept

  std::string names(const Model& model) const {
    std::string list;
    const auto add = [&](const char* what, const std::string& name) {
      list += fmt::format("{}{} '{}'", list.empty() ? "" : ", ", what, name);
    };
    for (const JointModes::Speed* s : joints) add("joint", model.speed_names()[s->v]);
    for (const ContactSystem::Touch* c : touches) add("contact", c->data.name);
    return list;
  }
};

bool MechanicalSystem::collect_impact(Impact& impact) {
  constexpr double slack = 1e-11;
  bool hits = false;
  std::vector<Eigen::VectorXd> rows;
  const auto add = [&](double friction, double speed, double restitution, double rest_speed) {
    ConeContact cone;
    cone.row = static_cast<int>(rows.size()) - impact.kept;
    cone.friction = friction;
    impact.cones.push_back(cone);
    const bool slow = -speed * restitution < rest_speed;
    impact.rebound.push_back(slow ? 0 : -restitution * speed);
    impact.rest_speed.push_back(rest_speed);
    hits = hits || speed < -1e-12;
  };
  if (contacts_) {
    contacts_->update(q, v, true);
    for (const ContactSystem::Kept& k : contacts_->kept())
      for (int i = 0; i < k.count; ++i)
        rows.push_back(contacts_->rows().row(k.row + i).transpose());
    impact.kept = static_cast<int>(rows.size());
  }
  for (JointModes::Speed& s : modes_.speeds()) {
    if (!s.stopped || s.held()) continue;
    const bool above = q(s.q) >= s.upper - slack, below = q(s.q) <= s.lower + slack;
    if (!above && !below) continue;
    const double inwards = above ? -1 : 1;
    add(0, inwards * v(s.v), modes_.stops.restitution, modes_.stops.rest_speed);
    rows.push_back(inwards * Eigen::VectorXd::Unit(model_->speeds(), s.v));
    impact.joints.push_back(&s);
  }
  for (std::size_t k = 0; contacts_ && k < contacts_->touches().size(); ++k) {
    ContactSystem::Touch& c = contacts_->touches()[k];
    if (!c.touches()) continue;
    add(c.data.friction, c.speed(0), c.data.restitution, c.data.rest_speed);
    const int count = c.data.friction > 0 ? 3 : 1;
    for (int i = 0; i < count; ++i) rows.push_back(contacts_->rows().row(c.row + i).transpose());
    impact.touches.push_back(&c);
  }
  if (!hits) return false;
  const auto n = static_cast<Eigen::Index>(rows.size());
  impact.C.resize(n, model_->speeds());
  impact.W.resize(model_->speeds(), n);
  for (Eigen::Index i = 0; i < n; ++i) {
    impact.C.row(i) = rows[static_cast<std::size_t>(i)].transpose();
    if (!response_->respond(rows[static_cast<std::size_t>(i)], moving_)) moving_.setZero();
    impact.W.col(i) = moving_;
  }
  impact.D = impact.C * impact.W;
  impact.u = impact.C * v;
  return true;
}

/// The impulses with all restitutions times `share`.
bool MechanicalSystem::solve_impact(Impact& impact, double share) const {
  const Eigen::Index m = impact.D.rows() - impact.kept;
  const Eigen::MatrixXd kept = impact.D.topLeftCorner(impact.kept, impact.kept),
                        mixed = impact.D.topRightCorner(impact.kept, m);
  const Eigen::MatrixXd D =
      impact.D.bottomRightCorner(m, m) - mixed.transpose() * solve_semidefinite(kept, mixed);
  const Eigen::VectorXd head = impact.u.head(impact.kept);
  const Eigen::VectorXd u0 = impact.u.tail(m) - mixed.transpose() * solve_semidefinite(kept, head);
  for (std::size_t k = 0; k < impact.cones.size(); ++k)
    impact.cones[k].floor = share * impact.rebound[k];
  Eigen::VectorXd x = Eigen::VectorXd::Zero(m);
  const ConeAnswer answer = solve_cone_problem(D, u0, impact.cones, x);
  if (answer == ConeAnswer::immovable) return false;
  if (answer == ConeAnswer::unsettled)
    throw ComputationError(
        fmt::format("at t = {:.9g} s there is an impact of {} for which no impulses that satisfy "
                    "Coulomb's law were found",
                    t, impact.names(*model_)));
  impact.p.resize(impact.D.rows());
  impact.p.tail(m) = x;
  impact.p.head(impact.kept) = -solve_semidefinite(kept, head + mixed * x);
  return true;
}

/// Eq. 55: what touches and would leave more slowly than its rest speed stays, or a box that rocks
/// from edge to edge would do so for ever.
void MechanicalSystem::stay_together(Impact& impact) const {
  const Eigen::VectorXd u = impact.u + impact.D * impact.p;
  std::vector<Eigen::Index> rows;
  for (int i = 0; i < impact.kept; ++i) rows.push_back(i);
  bool any = false;
  for (std::size_t k = 0; k < impact.cones.size(); ++k) {
    const Eigen::Index row = impact.kept + impact.cones[k].row;
    if (u(row) >= impact.rest_speed[k]) continue;
    rows.push_back(row);
    any = any || u(row) > 1e-12;
    // A slip that is slower still ends, too: it would tip the body, that would fall back, and so
    // on, each time a little less.
    if (!(impact.cones[k].friction > 0)) continue;
    const double slip = u.segment<2>(row + 1).norm();
    if (slip >= 0.1 * impact.rest_speed[k]) continue;
    rows.insert(rows.end(), {row + 1, row + 2});
    any = any || slip > 1e-12;
  }
  if (!any) return;
  const Eigen::MatrixXd D = impact.D(rows, rows);
  const Eigen::VectorXd stop = solve_semidefinite(D, -u(rows));
  for (std::size_t i = 0; i < rows.size(); ++i)
    impact.p(rows[i]) += stop(static_cast<Eigen::Index>(i));
}

void MechanicalSystem::meet(double* y) {
  Impact impact;
  response_->hold(held_);
  response_->update(work, q);
  if (!collect_impact(impact)) return;
  Eigen::VectorXd momentum;
  const auto twice_kinetic = [&] {
    response_->mass_times(work, v, momentum);
    return v.dot(momentum);
  };
  const Eigen::VectorXd before = v;
  const double kinetic = twice_kinetic();
  double gained = 0, lost = 0;
  // Newton's restitution together with friction may feed energy: then there is less of it.
  for (double share = 1;; share = share > 1e-3 ? 0.5 * share : 0) {
    if (!solve_impact(impact, share)) refuse_impact(impact);
    stay_together(impact);
    v = before + impact.W * impact.p;
    lost = -0.5 * impact.p.dot(impact.u + impact.C * v);
    gained = 0.5 * (twice_kinetic() - kinetic);
    if (lost >= -1e-12 * std::max(kinetic, 1e-300) || share == 0) break;
  }
  // What the impulses lead to, exactly.
  for (std::size_t k = 0; k < impact.joints.size(); ++k) {
    double& speed = v(impact.joints[k]->v);
    const double wanted = impact.cones[k].floor, size = std::abs(before(impact.joints[k]->v));
    if (std::abs(std::abs(speed) - wanted) <= 1e-12 * (1 + size))
      speed = wanted == 0 ? 0 : std::copysign(wanted, speed);
  }
  for (std::size_t k = 0; k < impact.touches.size(); ++k)
    if (impact.touches[k]->speed(0) < -1e-12 && !impact.touches[k]->closed())
      ++impact.touches[k]->impacts;
  // Drives keep their motion through the impact and do work at it (eq. 56).
  const bool driven = !layout_.driven_v.empty();
  if (!driven) lost = -gained;
  y[layout_.first_work] += driven ? gained + lost : 0;
  y[layout_.first_work + 2] += lost;
  layout_.put_speeds(v, y);
}

void MechanicalSystem::refuse_impact(const Impact& impact) const {
  throw ComputationError(fmt::format(
      "at t = {:.9g} s there is an impact of {} that nothing gives way to: what is driven or held, "
      "or loops, stand against it",
      t, impact.names(*model_)));
}

/// The modes of contacts for the present modes of joints.
void MechanicalSystem::choose_contact_modes(double time, const double* y) {
  for (ContactSystem::Touch& c : contacts_->touches()) c.force.setZero();
  expand(time, y);
  update_efforts(y, scratch_step_.data() + layout_.first_z);
  update_wrenches();
  prepare_mode_efforts();
  if (!solve(applied_wrenches())) return;
  contacts_->update(q, v, true);
  if (response_->reuse(work, q)) contacts_->choose_modes(*response_, a, time);
}

}  // namespace ulna
