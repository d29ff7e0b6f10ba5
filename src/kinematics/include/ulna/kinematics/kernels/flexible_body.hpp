#pragma once
// A flexible body at a state, for any scalar: where its generalised points and its stations are and
// how they depend on the modal coordinates. docs/theory/flexible.md, eq. 5-9. Everything is in the
// axes of the body's root frame. The rigid nodes of a flexible tree use the functions of the rigid
// kernels; only the loops over the nodes are written again (flexible_kinematics.hpp and the
// flexible_* kernels of the dynamics), so that rigid robots pay nothing.

#include "ulna/kinematics/kernels/strain_element.hpp"
#include "ulna/model/kernels/joint_angles.hpp"
#include "ulna/model/parts/modal_body.hpp"
#include "ulna/model/parts/workspace.hpp"

namespace ulna {

/// sum_j m_j x_j of a row of constants.
template <class S>
[[gnu::always_inline]] inline S row_times(const double* row, const S* x, int k) {
  S sum(0);
  for (int j = 0; j < k; ++j) sum += row[j] * x[j];
  return sum;
}

/// x' Q y for a k x k matrix.
template <class S>
[[gnu::always_inline]] inline S quadratic_form(const double* Q, const S* x, const S* y, int k) {
  S sum(0);
  for (int i = 0; i < k; ++i) sum += x[i] * row_times(Q + i * k, y, k);
  return sum;
}

/// A point that is a polynomial of degree two in eta along x, linear across: its place, its slope
/// in eta (columns, written to J) and the part of its acceleration that rates alone make.
template <class S>
struct ModalPoint {
  Vec3<S> place, rate, bias;
};

template <class S>
[[gnu::always_inline]] inline ModalPoint<S> modal_point(double x, const double* linear,
                                                        const double* quadratic, int k,
                                                        const S* eta, const S* rate, Vec3<S>* J) {
  ModalPoint<S> out{{S(x), S(0), S(0)}, Vec3<S>::zero(), Vec3<S>::zero()};
  for (int j = 0; j < k; ++j) {
    const S bent = row_times(quadratic + j * k, eta, k);
    const Vec3<double> l{linear[j], linear[k + j], linear[2 * k + j]};
    J[j] = {l.x + bent, S(l.y), S(l.z)};
    out.place.x += (l.x + 0.5 * bent) * eta[j];
    out.place.y += l.y * eta[j];
    out.place.z += l.z * eta[j];
    out.rate += scaled(rate[j], J[j]);
    out.bias.x += row_times(quadratic + j * k, rate, k) * rate[j];
  }
  return out;
}

/// eq. 5, 6: R = Rz(c) Ry(b) Rx(a). The hinge columns go to W and P.
template <class S>
[[gnu::always_inline]] inline StationState<S> station_state(const ModalStation& station, int k,
                                                            const S* eta, const S* rate, Vec3<S>* W,
                                                            Vec3<S>* P) {
  if (is_of_element(station)) return strain_station_state(station, k, eta, rate, W, P);
  StationState<S> out;
  const ModalPoint<S> point =
      modal_point(station.x, station.position.data(), station.shortening.data(), k, eta, rate, P);
  out.p = point.place;
  out.v = point.rate;
  out.bias_v = point.bias;
  const double *la = station.angles.data(), *lb = la + k, *lc = lb + k;
  const double* coupling = station.twist_coupling.data();
  S sa, ca, sb, cb, sc, cc;
  const S a = row_times(la, eta, k) + 0.5 * quadratic_form(coupling, eta, eta, k);
  sincos(a, sa, ca);
  sincos(row_times(lb, eta, k), sb, cb);
  sincos(row_times(lc, eta, k), sc, cc);
  // The axes about which a, b and c turn: u1 = Rz Ry e1, u2 = Rz e2, e3.
  const Vec3<S> u1{cc * cb, sc * cb, -sb}, u2{-sc, cc, S(0)}, u3 = cross(u1, u2);
  out.R = {u1.x, u2.x * ca + u3.x * sa, u3.x * ca - u2.x * sa,
           u1.y, u2.y * ca + u3.y * sa, u3.y * ca - u2.y * sa,
           u1.z, u2.z * ca + u3.z * sa, u3.z * ca - u2.z * sa};
  out.w = Vec3<S>::zero();
  S da(0);
  for (int j = 0; j < k; ++j) {
    const S slope = la[j] + row_times(coupling + j * k, eta, k);
    da += slope * rate[j];
    W[j] = scaled(slope, u1) + scaled(lb[j], u2);
    W[j].z += lc[j];
    out.w += scaled(rate[j], W[j]);
  }
  const S db = row_times(lb, rate, k), dc = row_times(lc, rate, k);
  const Vec3<S> z{S(0), S(0), dc};
  out.bias_w = scaled(quadratic_form(coupling, rate, rate, k), u1) + scaled(db, cross(z, u2)) +
               scaled(da, cross(z + scaled(db, u2), u1));
  return out;
}

/// The constant pose of a flexible body's root in its parent node.
template <class S>
[[gnu::always_inline]] inline DenseTurn<S> root_turn(const TreeNode& node,
                                                     const NodeParameters<Parameter<S>>& par) {
  const double* r = node.rotation;
  return {{S(r[0]), S(r[1]), S(r[2]), S(r[3]), S(r[4]), S(r[5]), S(r[6]), S(r[7]), S(r[8])},
          {S(par.position[0]), S(par.position[1]), S(par.position[2])}};
}

constexpr bool is_rigid(NodeKind kind) {
  return kind != NodeKind::flexible && kind != NodeKind::station;
}

}  // namespace ulna
