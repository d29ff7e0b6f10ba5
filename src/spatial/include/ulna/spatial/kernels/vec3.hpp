#pragma once
// The vectors of the kernels. Kernels are compiled once per instruction set, so whatever they use
// must be inlined without exception: an out-of-line copy could be merged by the linker into code
// for older processors. These few types are always inlined, have no alignment of their own and mix
// scalars (a parameter of type double with a state of type Pack). Everywhere else Eigen is used.

namespace ulna {

template <class S>
struct Vec3 {
  S x, y, z;

  [[gnu::always_inline]] static Vec3 zero() { return {S(0), S(0), S(0)}; }
  [[gnu::always_inline]] Vec3& operator+=(const Vec3& b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  [[gnu::always_inline]] Vec3& operator-=(const Vec3& b) {
    x -= b.x;
    y -= b.y;
    z -= b.z;
    return *this;
  }
};

template <class S>
[[gnu::always_inline]] inline Vec3<S> operator+(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class S>
[[gnu::always_inline]] inline Vec3<S> operator-(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S>
[[gnu::always_inline]] inline Vec3<S> operator-(const Vec3<S>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class A, class B>
[[gnu::always_inline]] inline auto scaled(const A& a, const Vec3<B>& b) -> Vec3<decltype(a * b.x)> {
  return {a * b.x, a * b.y, a * b.z};
}
template <class A, class B>
[[gnu::always_inline]] inline auto dot(const Vec3<A>& a, const Vec3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B>
[[gnu::always_inline]] inline auto cross(const Vec3<A>& a, const Vec3<B>& b)
    -> Vec3<decltype(a.x * b.x)> {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// Three numbers in a row.
template <class S>
[[gnu::always_inline]] inline Vec3<S> vec3(const S* p) {
  return {p[0], p[1], p[2]};
}
template <class S>
[[gnu::always_inline]] inline void store(const Vec3<S>& a, S* p) {
  p[0] = a.x;
  p[1] = a.y;
  p[2] = a.z;
}

/// A 3x3 matrix, row major.
template <class S>
struct Mat3 {
  S xx, xy, xz, yx, yy, yz, zx, zy, zz;

  [[gnu::always_inline]] static Mat3 zero() {
    return {S(0), S(0), S(0), S(0), S(0), S(0), S(0), S(0), S(0)};
  }
  [[gnu::always_inline]] static Mat3 identity() {
    return {S(1), S(0), S(0), S(0), S(1), S(0), S(0), S(0), S(1)};
  }
};

template <class A, class B>
[[gnu::always_inline]] inline auto operator*(const Mat3<A>& m, const Vec3<B>& v)
    -> Vec3<decltype(m.xx * v.x)> {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.yx * v.x + m.yy * v.y + m.yz * v.z,
          m.zx * v.x + m.zy * v.y + m.zz * v.z};
}
/// m' v
template <class A, class B>
[[gnu::always_inline]] inline auto transposed_times(const Mat3<A>& m, const Vec3<B>& v)
    -> Vec3<decltype(m.xx * v.x)> {
  return {m.xx * v.x + m.yx * v.y + m.zx * v.z, m.xy * v.x + m.yy * v.y + m.zy * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
template <class A, class B>
[[gnu::always_inline]] inline auto operator*(const Mat3<A>& a, const Mat3<B>& b)
    -> Mat3<decltype(a.xx * b.xx)> {
  return {a.xx * b.xx + a.xy * b.yx + a.xz * b.zx, a.xx * b.xy + a.xy * b.yy + a.xz * b.zy,
          a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.yx * b.xx + a.yy * b.yx + a.yz * b.zx,
          a.yx * b.xy + a.yy * b.yy + a.yz * b.zy, a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
          a.zx * b.xx + a.zy * b.yx + a.zz * b.zx, a.zx * b.xy + a.zy * b.yy + a.zz * b.zy,
          a.zx * b.xz + a.zy * b.yz + a.zz * b.zz};
}
template <class S>
[[gnu::always_inline]] inline Mat3<S> operator+(const Mat3<S>& a, const Mat3<S>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
          a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}

/// A symmetric 3x3 matrix.
template <class S>
struct Sym3 {
  S xx, yy, zz, xy, xz, yz;

  [[gnu::always_inline]] static Sym3 zero() { return {S(0), S(0), S(0), S(0), S(0), S(0)}; }
  [[gnu::always_inline]] Sym3& operator+=(const Sym3& b) {
    xx += b.xx;
    yy += b.yy;
    zz += b.zz;
    xy += b.xy;
    xz += b.xz;
    yz += b.yz;
    return *this;
  }
};

template <class A, class B>
[[gnu::always_inline]] inline auto operator*(const Sym3<A>& m, const Vec3<B>& v)
    -> Vec3<decltype(m.xx * v.x)> {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

}  // namespace ulna
