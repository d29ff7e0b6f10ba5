#pragma once
// Force elements at work, for any scalar: how long they are, what they exert on the nodes of their
// ends, the efforts that hold them and the energy in them. docs/theory/elements.md. One text serves
// doubles, dual numbers (tangent stiffness) and expressions (generated code). The cost of an
// element is that of the joints between its ends.

#include <span>

#include "ulna/dynamics/kernels/element_law.hpp"
#include "ulna/dynamics/kernels/force_formula.hpp"
#include "ulna/dynamics/kernels/relative_motion.hpp"

namespace ulna {

/// What an element measures and does. Of a line the length, its rate and the tension (of an
/// actuator the thrust); of a torsion angle, rate and torque; of a bushing the distance of its
/// frames, its rate and the size of its force.
template <class S>
struct ElementState {
  S length, rate, force;
  S energy;      ///< stored
  S power;       ///< taken from the robot: d energy / dt + dissipated
  S dissipated;  ///< of an actuator minus what it gives
};

/// What drives an actuator: the force asked of it and the time of its formula. Those of the model,
/// or symbols of generated code.
template <class S>
struct ElementDrive {
  S force, time;
};
template <class S>
ElementDrive<S> drive_of(const Element& e) {
  return {S(e.force), S(e.time)};
}

/// Keeps directions and square roots differentiable where points coincide: lengths below 1e-15 m
/// count as none, and the force of a line without length is zero (section 3).
inline constexpr double zero_length_guard = 1e-30;

/// A point of an element in the axes of the ancestor.
template <class S>
struct PointMotion {
  RelativeMotion<S> node;
  Vec3<S> arm;  ///< from the node's origin
  Vec3<S> at, rate;
};

template <class S>
Mat3<S> rotation_of(const ElementPoint& point) {
  const double* r = point.R;
  return {S(r[0]), S(r[1]), S(r[2]), S(r[3]), S(r[4]), S(r[5]), S(r[6]), S(r[7]), S(r[8])};
}

template <class S>
PointMotion<S> point_motion(const Element& e, std::size_t k, const TreeView<S>& tree, const S* q,
                            const S* v) {
  const ElementPoint& point = e.points[k];
  PointMotion<S> out;
  out.node = motion_against(tree, e.ancestor, point.node, q, v);
  out.arm = out.node.R * Vec3<S>{S(point.p[0]), S(point.p[1]), S(point.p[2])};
  out.at = out.node.p + out.arm;
  out.rate = out.node.v + cross(out.node.w, out.arm);
  return out;
}

/// A moment and a force at the point, both in the axes of the ancestor, as the node feels them.
template <class S>
NodeWrench<S> on_node(const PointMotion<S>& point, const Vec3<S>& moment, const Vec3<S>& force) {
  return {transposed_times(point.node.R, moment + cross(point.arm, force)),
          transposed_times(point.node.R, force)};
}

/// eq. 7-9. act(k, wrench) is told what the element exerts on the node of point k.
template <class S, class Act>
ElementState<S> line_element(const Element& e, const ElementDrive<S>& drive,
                             const TreeView<S>& tree, const S* q, const S* v, Act&& act) {
  const std::size_t n = e.points.size();
  PointMotion<S> points[Element::most_points];
  Vec3<S> along[Element::most_points];
  ElementState<S> out{S(0), S(0), S(0), S(0), S(0), S(0)};
  for (std::size_t k = 0; k < n; ++k) {
    points[k] = point_motion(e, k, tree, q, v);
    if (k == 0) continue;
    const Vec3<S> d = points[k].at - points[k - 1].at;
    const S length = sqrt(dot(d, d) + S(zero_length_guard));
    along[k] = scaled(S(1) / length, d);
    out.length += length;
    out.rate += dot(along[k], points[k].rate - points[k - 1].rate);
  }
  S tension;
  if (e.type == ElementData::Type::actuator) {
    const S asked =
        e.formula ? formula_value(*e.formula, drive.time, out.length, out.rate, q, v) : drive.force;
    out.force = actuator_force(e, asked, out.length, out.rate);
    tension = -out.force;
    out.dissipated = tension * out.rate;
  } else {
    const S stretch = out.length - S(e.law.rest), viscous = damper_force(e.law, out.rate);
    out.force = tension = spring_force(e.law, stretch) + viscous;
    out.energy = stored_energy(e.law, stretch);
    out.dissipated = viscous * out.rate;
  }
  out.power = tension * out.rate;
  for (std::size_t k = 0; k < n; ++k) {
    Vec3<S> pull = Vec3<S>::zero();
    if (k + 1 < n) pull += along[k + 1];
    if (k > 0) pull -= along[k];
    act(k, on_node(points[k], Vec3<S>::zero(), scaled(tension, pull)));
  }
  return out;
}

/// Frame M of the second end in frame F of the first: the quaternion of its turn, its shift and
/// their rates, in the axes of F.
template <class S>
struct FrameMotion {
  PointMotion<S> F, M;
  Mat3<S> R_AF;
  S cosine;  ///< of half the angle, and the sine times the axis
  Vec3<S> sine;
  Vec3<S> shift, w, v;
};

/// eq. 10: the quaternion of a rotation, its first part not negative. Near half a turn that part is
/// lost in 1 + tr R, and one of the others is divided by.
template <class S>
void half_angle(const Mat3<S>& R, S& cosine, Vec3<S>& sine) {
  // Rows k of 4 q q': q is row k over twice the root of its entry k.
  const S one(1.0), t[4] = {one + R.xx + R.yy + R.zz, one + R.xx - R.yy - R.zz,
                            one - R.xx + R.yy - R.zz, one - R.xx - R.yy + R.zz};
  const S x = R.zy - R.yz, y = R.xz - R.zx, z = R.yx - R.xy, xy = R.xy + R.yx, xz = R.xz + R.zx,
          yz = R.yz + R.zy;
  const S rows[4][4] = {{t[0], x, y, z}, {x, t[1], xy, xz}, {y, xy, t[2], yz}, {z, xz, yz, t[3]}};
  const auto small = less(t[0], S(0.5)), second = less(t[1], t[2]);
  const S larger = select(second, t[2], t[1]);
  const auto third = less(larger, t[3]);
  const auto chosen = [&](const S& a, const S& b, const S& c, const S& d) {
    return select(small, select(third, d, select(second, c, b)), a);
  };
  const S root = sqrt(chosen(t[0], t[1], t[2], t[3]) + S(zero_length_guard));
  S q[4];
  for (int k = 0; k < 4; ++k) q[k] = chosen(rows[0][k], rows[1][k], rows[2][k], rows[3][k]);
  const S share = select(less(q[0], S(0.0)), S(-0.5), S(0.5)) / root;
  cosine = share * q[0];
  sine = {share * q[1], share * q[2], share * q[3]};
}

/// eq. 10
template <class S>
FrameMotion<S> frame_motion(const Element& e, const TreeView<S>& tree, const S* q, const S* v) {
  FrameMotion<S> out;
  out.F = point_motion(e, 0, tree, q, v);
  out.M = point_motion(e, 1, tree, q, v);
  out.R_AF = out.F.node.R * rotation_of<S>(e.points[0]);
  const Mat3<S> R_AM = out.M.node.R * rotation_of<S>(e.points[1]);
  const Mat3<S>& F = out.R_AF;
  const Mat3<S> R = Mat3<S>{F.xx, F.yx, F.zx, F.xy, F.yy, F.zy, F.xz, F.yz, F.zz} * R_AM;
  half_angle(R, out.cosine, out.sine);
  const Vec3<S> d = out.M.at - out.F.at;
  out.shift = transposed_times(F, d);
  out.w = transposed_times(F, out.M.node.w - out.F.node.w);
  out.v = transposed_times(F, out.M.rate - out.F.rate - cross(out.F.node.w, d));
  return out;
}

/// A moment and a force on M at its origin, axes of F; F gets the opposite at the same point.
template <class S, class Act>
void act_between(const FrameMotion<S>& X, const Vec3<S>& moment, const Vec3<S>& force, Act&& act) {
  const Vec3<S> n = X.R_AF * moment, f = X.R_AF * force;
  act(std::size_t{1}, on_node(X.M, n, f));
  act(std::size_t{0}, on_node(X.F, -(n + cross(X.M.at - X.F.at, f)), -f));
}

/// eq. 11, 12
template <class S, class Act>
ElementState<S> bushing_element(const Element& e, const TreeView<S>& tree, const S* q, const S* v,
                                Act&& act) {
  const FrameMotion<S> X = frame_motion(e, tree, q, v);
  const Vec3<S> turn = scaled(2.0, X.sine), turn_rate = scaled(X.cosine, X.w) + cross(X.w, X.sine);
  const S x[6] = {turn.x, turn.y, turn.z, X.shift.x, X.shift.y, X.shift.z};
  const S dx[6] = {turn_rate.x, turn_rate.y, turn_rate.z, X.v.x, X.v.y, X.v.z};
  S g[6];
  ElementState<S> out{S(0), S(0), S(0), S(0), S(0), S(0)};
  for (int i = 0; i < 6; ++i) {
    S elastic(0), viscous(0);
    for (int j = 0; j < 6; ++j) {
      elastic += e.stiffness[6 * i + j] * x[j];
      viscous += e.damping[6 * i + j] * dx[j];
    }
    g[i] = elastic + viscous;
    out.energy += 0.5 * elastic * x[i];
    out.power += g[i] * dx[i];
    out.dissipated += viscous * dx[i];
  }
  const Vec3<S> moment{g[0], g[1], g[2]}, force{g[3], g[4], g[5]};
  act_between(X, -(scaled(X.cosine, moment) + cross(X.sine, moment)), -force, act);
  out.length = sqrt(dot(X.shift, X.shift) + S(zero_length_guard));
  out.rate = dot(X.shift, X.v) / out.length;
  out.force = sqrt(dot(force, force) + S(zero_length_guard));
  return out;
}

/// The angle whose half has this sine and cosine, |angle| <= pi: halved until a short series gives
/// it to rounding, since scalars have no arcus tangent.
template <class S>
S angle_of_half(const S& sine, const S& cosine) {
  const S r = sqrt(sine * sine + cosine * cosine + S(zero_length_guard));
  S t = sine / (r + cosine);  // of a quarter
  for (int k = 0; k < 3; ++k) t = t / (S(1) + sqrt(S(1) + t * t));
  const S t2 = t * t;
  S sum(0);
  for (int k = 17; k > 0; k -= 2) sum = S(1.0 / k) - t2 * sum;
  return 32.0 * t * sum;
}

template <class S>
ElementState<S> torsion_state(const ElementLaw& law, const S& angle, const S& rate) {
  const S stretch = angle - S(law.rest), viscous = damper_force(law, rate);
  const S torque = spring_force(law, stretch) + viscous;
  return {angle, rate, torque, stored_energy(law, stretch), torque * rate, viscous * rate};
}

/// eq. 21: about the axis of the turn, so that the torque follows from the angle between the frames
/// alone. Without a turn there is no axis and no torque.
template <class S, class Act>
ElementState<S> turn_element(const Element& e, const FrameMotion<S>& X, Act&& act) {
  const S sine = sqrt(dot(X.sine, X.sine) + S(zero_length_guard));
  const Vec3<S> axis = scaled(S(1) / sine, X.sine);
  const ElementState<S> out = torsion_state(e.law, angle_of_half(sine, X.cosine), dot(axis, X.w));
  act_between(X, scaled(-out.force, axis), Vec3<S>::zero(), act);
  return out;
}

/// eq. 14, 15
template <class S, class Act>
ElementState<S> torsion_element(const Element& e, const TreeView<S>& tree, const S* q, const S* v,
                                Act&& act) {
  const FrameMotion<S> X = frame_motion(e, tree, q, v);
  if (e.any_axis) return turn_element(e, X, act);
  const Vec3<S>& u = X.sine;
  const S share = S(1) / (X.cosine * X.cosine + u.z * u.z + S(zero_length_guard));
  // rate of the angle = slope . w
  const Vec3<S> slope =
      scaled(share, Vec3<S>{X.cosine * u.y + u.z * u.x, u.z * u.y - X.cosine * u.x,
                            X.cosine * X.cosine + u.z * u.z});
  const ElementState<S> out = torsion_state(e.law, angle_of_half(u.z, X.cosine), dot(slope, X.w));
  act_between(X, scaled(-out.force, slope), Vec3<S>::zero(), act);
  return out;
}

/// Along a joint: angle and rate are its own, and it exerts no wrench but an effort.
template <class S>
ElementState<S> joint_element(const Element& e, const S* q, const S* v) {
  return torsion_state(e.law, S(e.multiplier * q[e.q] + e.offset), S(e.multiplier * v[e.v]));
}

template <class S, class Act>
ElementState<S> element_state(const Element& e, const ElementDrive<S>& drive,
                              const TreeView<S>& tree, const S* q, const S* v, Act&& act) {
  switch (e.type) {
    case ElementData::Type::bushing:
      return bushing_element(e, tree, q, v, act);
    case ElementData::Type::torsion:
      return e.q >= 0 ? joint_element(e, q, v) : torsion_element(e, tree, q, v, act);
    default:
      return line_element(e, drive, tree, q, v, act);
  }
}

template <class S, class Act>
ElementState<S> element_state(const Element& e, const TreeView<S>& tree, const S* q, const S* v,
                              Act&& act) {
  return element_state(e, drive_of<S>(e), tree, q, v, act);
}

template <class S>
ElementState<S> element_state(const Element& e, const TreeView<S>& tree, const S* q, const S* v) {
  return element_state(e, tree, q, v, [](std::size_t, const NodeWrench<S>&) {});
}

/// tau += sense x the efforts that hold the elements; `drives`, one for each, in place of what the
/// model says.
template <class S>
void add_element_efforts(std::span<const Element> elements, const TreeView<S>& tree, const S* q,
                         const S* v, double sense, S* tau,
                         const ElementDrive<S>* drives = nullptr) {
  for (std::size_t number = 0; number < elements.size(); ++number) {
    const Element& e = elements[number];
    const ElementState<S> state =
        element_state(e, drives ? drives[number] : drive_of<S>(e), tree, q, v,
                      [&](std::size_t k, const NodeWrench<S>& F) {
                        const NodeWrench<S> held{scaled(-sense, F.n), scaled(-sense, F.f)};
                        add_wrench_efforts(tree, e.ancestor, e.points[k].node, held, q, v, tau);
                      });
    if (e.q >= 0) tau[e.v] += (sense * e.multiplier) * state.force;
  }
}

/// Stored in all elements together.
template <class S>
S element_energy(std::span<const Element> elements, const TreeView<S>& tree, const S* q,
                 const S* v) {
  S sum(0);
  for (const Element& e : elements) sum += element_state(e, tree, q, v).energy;
  return sum;
}

}  // namespace ulna
