#pragma once
// The small vectors and matrices of the passes over the tree as those of Eigen.

#include "ulna/spatial/kernels/vec3.hpp"
#include "ulna/spatial/parts/types.hpp"

namespace ulna {

inline Vector3<double> plain(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline Matrix3<double> plain(const Mat3<double>& m) {
  Matrix3<double> out;
  out << m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz;
  return out;
}

}  // namespace ulna
