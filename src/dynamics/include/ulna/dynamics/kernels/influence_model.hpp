#pragma once
// The dynamic model I* a + v' P* v + gravity by influence coefficients, on any scalar.
// docs/theory/influence-coefficients.md, eq. 11-13.

#include <vector>

#include "ulna/kinematics/kernels/influence.hpp"

namespace ulna {

/// Influence coefficients of the mass centre of a body, for the speeds that move it.
template <class S>
struct CentreInfluence {
  std::vector<int> speeds;
  std::vector<Vec3<S>> Gw, Gc;  ///< by speed
  std::vector<Vec3<S>> Hw, Hc;  ///< by pairs, i + n j for v_i v_j
};

template <class S>
CentreInfluence<S> centre_influence(const std::vector<InfluenceColumn<S>>& way, int speeds) {
  CentreInfluence<S> out;
  std::vector<int> place(static_cast<std::size_t>(speeds), -1);
  for (const InfluenceColumn<S>& column : way) {
    if (place[column.speed] >= 0) continue;
    place[column.speed] = static_cast<int>(out.speeds.size());
    out.speeds.push_back(column.speed);
  }
  const std::size_t n = out.speeds.size();
  out.Gw.assign(n, Vec3<S>::zero());
  out.Gc = out.Gw;
  out.Hw.assign(n * n, Vec3<S>::zero());
  out.Hc = out.Hw;
  for (const InfluenceColumn<S>& column : way) {  // mimic joints share a speed: sums
    out.Gw[place[column.speed]] += column.w;
    out.Gc[place[column.speed]] += column.v;
  }
  second_influence(way, [&](const InfluenceColumn<S>& i, const InfluenceColumn<S>& j,
                            const Vec3<S>& turn, const Vec3<S>& move) {
    out.Hw[place[i.speed] + n * place[j.speed]] += turn;
    out.Hc[place[i.speed] + n * place[j.speed]] += move;
  });
  return out;
}

/// Adds a body of inertia J about its centre, in world axes: I by columns (n x n), P the planes of
/// all efforts in order (each n x n by columns), gravity (n).
template <class S>
void add_body_model(const CentreInfluence<S>& centre, const S& mass, const Mat3<S>& J,
                    const Vec3<S>& gravity, int n, S* I, S* P, S* efforts) {
  const auto& at = centre.speeds;
  const std::size_t m = at.size();
  std::vector<Vec3<S>> JG;
  for (const Vec3<S>& w : centre.Gw) JG.push_back(J * w);
  for (std::size_t k = 0; k < m; ++k) {
    efforts[at[k]] -= mass * dot(centre.Gc[k], gravity);
    for (std::size_t j = 0; j < m; ++j) {  // eq. 11
      I[at[k] + n * at[j]] += mass * dot(centre.Gc[k], centre.Gc[j]) + dot(centre.Gw[k], JG[j]);
      for (std::size_t i = 0; i < m; ++i)  // eq. 12, 13
        P[static_cast<std::size_t>(n) * n * at[k] + at[i] + n * at[j]] +=
            mass * dot(centre.Gc[k], centre.Hc[i + m * j]) + dot(JG[k], centre.Hw[i + m * j]) +
            dot(centre.Gw[k], cross(centre.Gw[j], JG[i]));
    }
  }
}

/// Mass centre and inertia about it of a node, in its axes.
template <class S>
struct CentralInertia {
  Vec3<S> c;
  Mat3<S> J;
};

/// A node without mass has its centre at its origin; `massless` says so.
template <class S>
CentralInertia<S> central_inertia(const NodeParameters<S>& node, bool massless) {
  const S* s = node.second_moment;
  const Vec3<S> h = vec3(node.first_moment);
  const Vec3<S> c =
      massless ? Vec3<S>::zero() : Vec3<S>{h.x / node.mass, h.y / node.mass, h.z / node.mass};
  const S xx = s[0] - h.x * c.x, yy = s[1] - h.y * c.y, zz = s[2] - h.z * c.z;
  const S xy = s[3] - h.x * c.y, xz = s[4] - h.x * c.z, yz = s[5] - h.y * c.z;
  return {c, {yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy}};
}

}  // namespace ulna
