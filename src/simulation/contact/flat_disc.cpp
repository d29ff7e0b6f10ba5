// Discs that lie flat: the part of ContactSystem that goes from the rim of a disc to its support
// points and back. docs/theory/simulation.md, section "Discs that lie flat".

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "contact/contact_system.hpp"

namespace ulna {
namespace {

/// The rim of a disc that lies still is level to this, by a metre and its radius.
constexpr double level_to = 1e-9;

}  // namespace

ContactSystem::Touch* ContactSystem::supports_of(const Touch& disc) {
  const int owner = static_cast<int>(&disc - touches_.data());
  for (Touch& t : touches_)
    if (t.disc == owner) return &t;
  return nullptr;
}
const ContactSystem::Touch* ContactSystem::supports_of(const Touch& disc) const {
  return const_cast<ContactSystem*>(this)->supports_of(disc);
}

ContactSystem::Touch ContactSystem::contact(std::size_t k) const {
  Touch all = touches_[k];
  if (!all.shape.disc()) return all;
  const Touch* const points = supports_of(touches_[k]);
  for (const Touch* p = points; p != points + support_points; ++p) all.impacts += p->impacts;
  if (!all.flat) return all;
  all.force.setZero();
  all.speed.setZero();
  all.state = ContactState::open;
  bool holds = false;
  for (const Touch* p = points; p != points + support_points; ++p) {
    all.at.gap = std::min(all.at.gap, p->at.gap);
    if (!p->closed()) continue;
    all.force += p->force;
    if (p->slip_speed() >= all.slip_speed()) all.speed = p->speed;
    all.state = std::max(all.state, p->state);
    holds = holds || p->state == ContactState::sticks;
  }
  // Points that rub at their limit beside others that hold do not slide.
  if (holds && all.slip_speed() <= 1e-9) all.state = ContactState::sticks;
  return all;
}

/// Around the rim from `toward` on, a direction in world axes.
void ContactSystem::put_support_points(Touch& disc, const Vector3<double>& toward) {
  const Matrix3<double> R = carrier_pose(work_, disc.sides.shape).rotation;
  const Vector3<double> axis = disc.shape.axis.normalized();
  Vector3<double> first = R.transpose() * toward;
  first -= axis * axis.dot(first);
  if (!(first.norm() > 1e-9 * toward.norm())) first = axis.unitOrthogonal();
  first.normalize();
  Touch* point = supports_of(disc);
  for (int i = 0; i < support_points; ++i, ++point) {
    const double angle = 2 * std::numbers::pi * i / support_points;
    point->shape = disc.shape;
    point->shape.point +=
        disc.shape.radius * (std::cos(angle) * first + std::sin(angle) * axis.cross(first));
    point->shape.radius = 0;
    point->shape.axis.setZero();
  }
}

void ContactSystem::lay_flat(Touch& disc) {
  put_support_points(disc, disc.at.arm);
  Touch* const points = supports_of(disc);
  for (Touch* p = points; p != points + support_points; ++p) {
    p->enabled = true;
    p->state = ContactState::open;
    p->force.setZero();
    p->from_rest = false;
  }
  points[0].state = disc.state;  // where it stood
  points[0].direction = disc.direction;
  points[0].reference = disc.reference;
  disc.flat = true;
  disc.enabled = false;
  disc.state = ContactState::open;
  disc.force.setZero();
}

/// It stands on its rim again; what its support points were is what it is.
void ContactSystem::raise(Touch& disc) {
  Touch* const points = supports_of(disc);
  const Touch* stands = nullptr;
  for (Touch* p = points; p != points + support_points; ++p)
    if (p->closed() && (!stands || p->force(0) > stands->force(0))) stands = p;
  disc.enabled = true;
  disc.flat = false;
  disc.state = stands ? stands->state : ContactState::open;
  disc.from_rest = false;
  if (stands) disc.direction = stands->direction;
  disc.reference = stands ? disc.at.gap : opened_at(disc.at.gap);
  for (Touch* p = points; p != points + support_points; ++p) {
    p->enabled = false;
    p->state = ContactState::open;
    p->force.setZero();
  }
}

void ContactSystem::arrange_discs(const VectorRef& q, const VectorRef& v) {
  bool changed = false;
  for (std::size_t k = 0; k < contact_count_; ++k) {
    Touch& disc = touches_[k];
    if (!disc.shape.disc()) continue;
    if (disc.flat && disc.at.tilt >= (1 - 1e-6) * 2 * nearly_flat) {
      raise(disc);
      changed = true;
    } else if (disc.flat) {
      // Where it presses: the sum of forces times arms.
      const Touch* const points = supports_of(disc);
      Vector3<double> toward = Vector3<double>::Zero();
      double normal = 0;
      for (const Touch* p = points; p != points + support_points; ++p) {
        normal += p->force(0);
        toward += p->force(0) * (p->at.place - disc.at.place + disc.at.arm);
      }
      const bool level = 2 * disc.shape.radius * disc.at.tilt <= level_to * (1 + disc.shape.radius);
      if (level && normal > 0 && toward.norm() > 0.5 * disc.shape.radius * normal) {
        put_support_points(disc, toward);
        for (int i = 0; i < support_points; ++i)
          supports_of(disc)[i].state = ContactState::open;  // chosen anew
        changed = true;
      }
    } else if (disc.touches() && disc.at.tilt <= (1 + 1e-6) * nearly_flat) {
      lay_flat(disc);
      changed = true;
    }
  }
  if (!changed) return;
  update(q, v, true);
  for (Touch& t : touches_)
    if (t.disc >= 0 && t.enabled && !t.closed()) t.reference = opened_at(t.at.gap);
}

}  // namespace ulna
