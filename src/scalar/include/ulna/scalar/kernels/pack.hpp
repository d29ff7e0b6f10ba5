// Packs: N numbers that go through a kernel together, one per robot state.
//
// Every operation acts lane by lane and rounds as it does for double. A double among packs means
// the same number in every lane. Default construction leaves the lanes uninitialised, like double.
// Comparisons give a mask, to be used in select().
//
// Take N = native_lanes in a kernel: a pack wider than the machine works, but g++ 12 sends parts of
// it through memory.
#pragma once

#include "ulna/scalar/kernels/sincos.hpp"
#include "ulna/scalar/kernels/vector.hpp"
#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

// One truth value per lane.
template <int N>
struct PackMask {
  Bits<N> bits;

  [[gnu::always_inline]] inline bool operator[](int lane) const { return bits[lane] != 0; }

  [[gnu::always_inline]] friend inline PackMask operator&(PackMask a, PackMask b) {
    return {a.bits & b.bits};
  }
  [[gnu::always_inline]] friend inline PackMask operator|(PackMask a, PackMask b) {
    return {a.bits | b.bits};
  }
  [[gnu::always_inline]] friend inline PackMask operator!(PackMask a) { return {~a.bits}; }
  [[gnu::always_inline]] friend inline bool any(PackMask a) {
    return union_of_lanes<N>(a.bits) != 0;
  }
  [[gnu::always_inline]] friend inline bool all(PackMask a) { return !any(!a); }
};

template <int N>
struct Pack {
  static constexpr int size = N;

  Reals<N> lanes;

  Pack() = default;
  // Minus 0, which is an identity for the compiler too; plus 0 would turn -0 into 0.
  [[gnu::always_inline]] inline Pack(double x) : lanes(x - Reals<N>{}) {}  // NOLINT: implicit
  [[gnu::always_inline]] inline explicit Pack(const Reals<N>& x) : lanes(x) {}

  // N consecutive doubles; no alignment is needed.
  [[gnu::always_inline]] static inline Pack load(const double* from) {
    return Pack(load_lanes<N>(from));
  }
  [[gnu::always_inline]] inline void store(double* to) const { store_lanes<N>(lanes, to); }

  [[gnu::always_inline]] inline double operator[](int lane) const { return lanes[lane]; }
  [[gnu::always_inline]] inline void set(int lane, double x) { lanes[lane] = x; }

  [[gnu::always_inline]] friend inline Pack operator-(Pack x) { return Pack(-x.lanes); }
  [[gnu::always_inline]] friend inline Pack operator+(Pack x) { return x; }
  [[gnu::always_inline]] friend inline Pack operator+(Pack x, Pack y) {
    return Pack(x.lanes + y.lanes);
  }
  [[gnu::always_inline]] friend inline Pack operator-(Pack x, Pack y) {
    return Pack(x.lanes - y.lanes);
  }
  [[gnu::always_inline]] friend inline Pack operator*(Pack x, Pack y) {
    return Pack(x.lanes * y.lanes);
  }
  [[gnu::always_inline]] friend inline Pack operator/(Pack x, Pack y) {
    return Pack(x.lanes / y.lanes);
  }
  [[gnu::always_inline]] inline Pack& operator+=(Pack y) { return *this = *this + y; }
  [[gnu::always_inline]] inline Pack& operator-=(Pack y) { return *this = *this - y; }
  [[gnu::always_inline]] inline Pack& operator*=(Pack y) { return *this = *this * y; }
  [[gnu::always_inline]] inline Pack& operator/=(Pack y) { return *this = *this / y; }

  [[gnu::always_inline]] friend inline PackMask<N> less(Pack x, Pack y) {
    return {x.lanes < y.lanes};
  }
  [[gnu::always_inline]] friend inline Pack select(PackMask<N> condition, Pack x, Pack y) {
    return Pack(condition.bits ? x.lanes : y.lanes);
  }
  [[gnu::always_inline]] friend inline Pack abs_value(Pack x) {
    const Bits<N> magnitude = reinterpret_cast<Bits<N>>(x.lanes) & INT64_MAX;
    return Pack(reinterpret_cast<Reals<N>>(magnitude));
  }

  [[gnu::always_inline]] friend inline void sincos(Pack x, Pack& s, Pack& c) {
    sincos_lanes<N>(x.lanes, s.lanes, c.lanes);
  }
  [[gnu::always_inline]] friend inline Pack sqrt(Pack x) { return Pack(sqrt_lanes<N>(x.lanes)); }
};

template <int N>
struct ScalarTraits<Pack<N>> {
  using Parameter = double;
};

}  // namespace ulna
