// Impacts: joints that meet their stops and contacts that close. docs/theory/simulation.md, eq.
// 53-56, 67, 68, 98.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"
#include "contact/contacts.hpp"
#include "contact/impact_laws.hpp"

namespace ulna {

/// One impact of all that touches: joints at their stops and contacts, with what rests giving way,
/// too (eq. 53-56). Rows that are always kept take their share.
struct Contacts::Impact {
  std::vector<JointContacts::Speed*> joints;
  std::vector<ContactSystem::Touch*> touches;
  ImpactProblem problem;  ///< without the rows that are always kept
  Eigen::MatrixXd C, W, D;
  Eigen::VectorXd u, p;
  int kept = 0;  ///< rows in front that are always kept

  std::string names(const Model& model) const {
    std::string list;
    const auto add = [&](const char* what, const std::string& name) {
      list += fmt::format("{}{} '{}'", list.empty() ? "" : ", ", what, name);
    };
    for (const JointContacts::Speed* s : joints) add("joint", model.speed_names()[s->v]);
    for (const ContactSystem::Touch* c : touches) add("contact", c->data.name);
    return list;
  }
};

bool Contacts::collect_impact(Impact& impact, std::vector<Eigen::VectorXd>& rows) {
  constexpr double slack = JointContacts::slack;
  bool hits = false;
  const auto add = [&](double friction, double speed, double restitution, double rest_speed) {
    ConeContact cone;
    cone.row = static_cast<int>(rows.size()) - impact.kept;
    cone.friction = friction;
    impact.problem.cones.push_back(cone);
    impact.problem.restitution.push_back(restitution);
    impact.problem.rest_speed.push_back(rest_speed);
    hits = hits || speed < -1e-12;
  };
  if (touching_) {
    touching_->update(s_.q, s_.v, true);
    for (const ContactSystem::Kept& k : touching_->kept())
      for (int i = 0; i < k.count; ++i)
        rows.push_back(touching_->rows().row(k.row + i).transpose());
    impact.kept = static_cast<int>(rows.size());
  }
  for (JointContacts::Speed& s : joints_.speeds()) {
    if (!s.stopped || s.held()) continue;
    const bool above = s_.q(s.q) >= s.upper - slack, below = s_.q(s.q) <= s.lower + slack;
    if (!above && !below) continue;
    const double inwards = above ? -1 : 1;
    // A bounce that is over within the precision of instants is none.
    const double briefest = 1e-9 * std::max(0.0, -inwards * s_.a(s.v));
    add(0, inwards * s_.v(s.v), joints_.stops.restitution,
        std::max(joints_.stops.rest_speed, briefest));
    rows.push_back(inwards * Eigen::VectorXd::Unit(s_.model().speeds(), s.v));
    impact.joints.push_back(&s);
  }
  for (std::size_t k = 0; touching_ && k < touching_->touches().size(); ++k) {
    ContactSystem::Touch& c = touching_->touches()[k];
    if (!c.touches()) continue;
    add(c.data.friction, c.speed(0), c.data.restitution, c.data.rest_speed);
    const int count = c.data.friction > 0 ? 3 : 1;
    for (int i = 0; i < count; ++i) rows.push_back(touching_->rows().row(c.row + i).transpose());
    impact.touches.push_back(&c);
  }
  return hits;
}

/// How speeds answer each of the rows, and the problem without those that are always kept.
void Contacts::assemble_impact(Impact& impact, const std::vector<Eigen::VectorXd>& rows) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  impact.C.resize(n, s_.model().speeds());
  impact.W.resize(s_.model().speeds(), n);
  for (Eigen::Index i = 0; i < n; ++i) {
    impact.C.row(i) = rows[static_cast<std::size_t>(i)].transpose();
    if (!constraints_.response().respond(rows[static_cast<std::size_t>(i)], moving_))
      moving_.setZero();
    impact.W.col(i) = moving_;
  }
  impact.D = impact.C * impact.W;
  impact.u = impact.C * s_.v;
  const Eigen::Index m = n - impact.kept;
  const Eigen::MatrixXd kept = impact.D.topLeftCorner(impact.kept, impact.kept),
                        mixed = impact.D.topRightCorner(impact.kept, m);
  impact.problem.D =
      impact.D.bottomRightCorner(m, m) - mixed.transpose() * solve_semidefinite(kept, mixed);
  impact.problem.u =
      impact.u.tail(m) - mixed.transpose() * solve_semidefinite(kept, impact.u.head(impact.kept));
}

/// The impulses of all rows from those of the problem.
void Contacts::complete_impact(Impact& impact, const Eigen::VectorXd& x) {
  const Eigen::Index m = x.size();
  const Eigen::MatrixXd kept = impact.D.topLeftCorner(impact.kept, impact.kept),
                        mixed = impact.D.topRightCorner(impact.kept, m);
  impact.p.resize(impact.D.rows());
  impact.p.tail(m) = x;
  impact.p.head(impact.kept) = -solve_semidefinite(kept, impact.u.head(impact.kept) + mixed * x);
}

/// The impulses with all restitutions times `share`; where none are found, those of a plastic
/// impact.
bool Contacts::solve_impact(Impact& impact, double share) const {
  Eigen::VectorXd x;
  const ConeAnswer answer = ulna::solve_impact(law_, impact.problem, share, x);
  if (answer == ConeAnswer::immovable) return false;
  if (answer == ConeAnswer::unsettled && share > 0) return solve_impact(impact, 0);
  if (answer == ConeAnswer::unsettled)
    throw ComputationError(
        fmt::format("at t = {:.9g} s there is an impact of {} for which no impulses that satisfy "
                    "Coulomb's law were found",
                    s_.t, impact.names(s_.model())));
  complete_impact(impact, x);
  return true;
}

/// Eq. 55: what touches and would leave more slowly than its rest speed stays, or a box that rocks
/// from edge to edge would do so for ever.
void Contacts::stay_together(Impact& impact) const {
  const Eigen::VectorXd u = impact.u + impact.D * impact.p;
  std::vector<Eigen::Index> rows;
  for (int i = 0; i < impact.kept; ++i) rows.push_back(i);
  bool any = false;
  for (std::size_t k = 0; k < impact.problem.cones.size(); ++k) {
    const Eigen::Index row = impact.kept + impact.problem.cones[k].row;
    if (u(row) >= impact.problem.rest_speed[k]) continue;
    rows.push_back(row);
    any = any || u(row) > 1e-12;
    // A slip that is slower still ends, too: it would tip the body, that would fall back, and so
    // on, each time a little less.
    if (!(impact.problem.cones[k].friction > 0)) continue;
    const double slip = u.segment<2>(row + 1).norm();
    if (slip >= 0.1 * impact.problem.rest_speed[k]) continue;
    rows.insert(rows.end(), {row + 1, row + 2});
    any = any || slip > 1e-12;
  }
  if (!any) return;
  const Eigen::MatrixXd D = impact.D(rows, rows);
  const Eigen::VectorXd stop = solve_semidefinite(D, -u(rows));
  for (std::size_t i = 0; i < rows.size(); ++i)
    impact.p(rows[i]) += stop(static_cast<Eigen::Index>(i));
}

void Contacts::meet(double* y) {
  Impact impact;
  SpeedResponse& response = constraints_.response();
  Eigen::VectorXd& v = s_.v;
  response.hold(held_);
  response.update(s_.work, s_.q);
  std::vector<Eigen::VectorXd> rows;
  if (!collect_impact(impact, rows)) return;
  assemble_impact(impact, rows);
  Eigen::VectorXd momentum;
  const auto twice_kinetic = [&] {
    response.mass_times(s_.work, v, momentum);
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
    const double wanted = impact.problem.cones[k].floor,
                 size = std::abs(before(impact.joints[k]->v));
    if (law_ == ImpactLaw::newton ? std::abs(std::abs(speed) - wanted) <= 1e-12 * (1 + size)
                                  : std::abs(speed) <= 1e-12 * (1 + size))
      speed = wanted == 0 ? 0 : std::copysign(wanted, speed);
  }
  for (JointContacts::Speed* s : impact.joints) s->changes += s_.v(s->v) != before(s->v);
  for (ContactSystem::Touch* c : impact.touches)
    if (c->speed(0) < -1e-12 && !c->closed()) ++c->impacts, ++c->changes;
  book_impact(y, gained, lost);
}

/// Drives keep their motion through the impact and do work at it (eq. 56).
void Contacts::book_impact(double* y, double gained, double lost) {
  const bool driven = !s_.layout.driven_v.empty();
  if (!driven) lost = -gained;
  y[s_.layout.first_work] += driven ? gained + lost : 0;
  y[s_.layout.first_work + 2] += lost;
  s_.layout.put_speeds(s_.v, y);
}

/// The contacts that touch, and which of them jam: more force does not part them while they slide;
/// where that is so of none alone, all that slide.
std::vector<char> Contacts::collect_jam(Impact& impact) {
  std::vector<Eigen::VectorXd> rows;
  const auto add = [&](const ContactSystem::Place& place, int count) {
    for (int i = 0; i < count; ++i)
      rows.push_back(touching_->rows().row(place.row + i).transpose());
  };
  for (const ContactSystem::Kept& k : touching_->kept()) add(k, k.count);
  impact.kept = static_cast<int>(rows.size());
  for (ContactSystem::Touch& c : touching_->touches()) {
    if (!c.touches() || c.speed(0) > 1e-9) continue;
    ConeContact cone;
    cone.row = static_cast<int>(rows.size()) - impact.kept;
    cone.friction = c.data.friction;
    impact.touches.push_back(&c);
    impact.problem.cones.push_back(cone);
    impact.problem.restitution.push_back(c.data.restitution);
    add(c, c.data.friction > 0 ? 3 : 1);
  }
  assemble_impact(impact, rows);
  std::vector<char> slides, jams;
  for (std::size_t k = 0; k < impact.touches.size(); ++k) {
    const ContactSystem::Touch& c = *impact.touches[k];
    const int n = impact.problem.cones[k].row;
    impact.problem.u(n) = 0;  // a contact that rests
    slides.push_back(c.data.friction > 0 && c.slip_speed() > 1e-9);
    const auto yields = [&] {
      const Eigen::Vector2d drag = c.sliding_friction() * c.speed.tail<2>().normalized();
      return impact.problem.D(n, n) - impact.problem.D.block<1, 2>(n, n + 1).dot(drag.transpose());
    };
    jams.push_back(slides.back() && !(yields() > 0));
  }
  const auto any = [](const std::vector<char>& list) {
    return std::any_of(list.begin(), list.end(), [](char c) { return c != 0; });
  };
  return any(jams) ? jams : slides;
}

bool Contacts::jolt(double* y) {
  Impact impact;
  SpeedResponse& response = constraints_.response();
  response.hold(held_);
  response.update(s_.work, s_.q);
  touching_->update(s_.q, s_.v, true);
  const std::vector<char> jammed = collect_jam(impact);
  if (std::find(jammed.begin(), jammed.end(), 1) == jammed.end()) return false;
  Eigen::VectorXd momentum;
  response.mass_times(s_.work, s_.v, momentum);
  const Eigen::VectorXd before = s_.v;
  const double kinetic = before.dot(momentum);
  double gained = 0;
  // As in other impacts, restitution with friction may feed energy: then there is less of it.
  for (double share = 1;; share = share > 1e-3 ? 0.5 * share : 0) {
    Eigen::VectorXd impulses;
    if (!solve_jams(impact.problem, jammed, share, impulses)) return false;
    complete_impact(impact, impulses);
    s_.v = before + impact.W * impact.p;
    response.mass_times(s_.work, s_.v, momentum);
    gained = 0.5 * (s_.v.dot(momentum) - kinetic);
    if (gained <= 1e-12 * kinetic) break;
    s_.v = before;
    if (share == 0) return false;
  }
  for (std::size_t k = 0; k < jammed.size(); ++k)
    if (jammed[k]) ++impact.touches[k]->impacts;
  book_impact(y, gained, -0.5 * impact.p.dot(impact.u + impact.C * s_.v));
  return true;
}

void Contacts::refuse_impact(const Impact& impact) const {
  throw ComputationError(
      fmt::format("at t = {:.9g} s the impact of {} has no solution: prescribed motions, held "
                  "joints or loops prevent every change of speed",
                  s_.t, impact.names(s_.model())));
}

}  // namespace ulna
