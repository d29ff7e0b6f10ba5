#pragma once
// Bodies and poses as rows of the arrays of a column form (column_form.hpp), and back.

#include "trace/tracing.hpp"
#include "ulna/dynamics/kernels/inverse_derivatives.hpp"

namespace ulna::generate {

/// Rows of the arrays `body` and `composite`: what of a WorldBody a function needs.
enum class Parts { inertia, wrench, all };

inline Expressions list(const WorldBody<Expression>& b, Parts parts) {
  Expressions out = {b.h.x,      b.h.y,      b.h.z,      b.Sigma.xx, b.Sigma.yy,
                     b.Sigma.zz, b.Sigma.xy, b.Sigma.xz, b.Sigma.yz};
  if (parts == Parts::inertia) return out;
  out.insert(out.end(), {b.n.x, b.n.y, b.n.z, b.f.x, b.f.y, b.f.z});
  if (parts == Parts::wrench) return out;
  out.insert(out.end(), {b.Q.xx, b.Q.xy, b.Q.xz, b.Q.yx, b.Q.yy, b.Q.yz, b.Q.zx, b.Q.zy, b.Q.zz,
                         b.l.x, b.l.y, b.l.z});
  return out;
}

inline int rows_of(Parts parts) {
  return parts == Parts::inertia ? 9 : parts == Parts::wrench ? 15 : 27;
}

inline WorldBody<Expression> body_of(const Expression& mass, const Expressions& x, Parts parts) {
  WorldBody<Expression> b{};
  b.mass = mass;
  b.h = {x[0], x[1], x[2]};
  b.Sigma = {x[3], x[4], x[5], x[6], x[7], x[8]};
  if (parts == Parts::inertia) return b;
  b.n = {x[9], x[10], x[11]};
  b.f = {x[12], x[13], x[14]};
  if (parts == Parts::wrench) return b;
  b.Q = {x[15], x[16], x[17], x[18], x[19], x[20], x[21], x[22], x[23]};
  b.l = {x[24], x[25], x[26]};
  return b;
}

inline NodePose<Expression> pose_of(const Expressions& x) {
  return {{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]}, {x[9], x[10], x[11]}};
}

}  // namespace ulna::generate
