#pragma once
// Short names for the Eigen types of this library. All are templates on the scalar.

#include <Eigen/Core>

#include "ulna/scalar/parts/alignment.hpp"

namespace ulna {

template <class S>
using Vector3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Matrix3 = Eigen::Matrix<S, 3, 3>;
template <class S>
using Vector6 = Eigen::Matrix<S, 6, 1>;
template <class S>
using Matrix6 = Eigen::Matrix<S, 6, 6>;
template <class S>
using Matrix4 = Eigen::Matrix<S, 4, 4>;

/// The matrix of a cross product: skew(a) b = a x b.
template <class S>
Matrix3<S> skew(const Vector3<S>& a) {
  Matrix3<S> m;
  m << S(0), -a.z(), a.y(), a.z(), S(0), -a.x(), -a.y(), a.x(), S(0);
  return m;
}

}  // namespace ulna
