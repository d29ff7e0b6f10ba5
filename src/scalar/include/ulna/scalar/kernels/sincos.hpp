// Sine and cosine of many angles at once, within 1 ulp.
//
// 1. Reduction (Cody & Waite). |x| = k pi/2 + r with k the nearest integer, |r| <= pi/4, and
//    pi/2 = P1 + P2 + P3. P1 and P2 have 36 significant bits each; for |x| <= 1e5, k < 2^16, so
//    k P1 and k P2 have at most 52 and are exact, with or without fused multiply-add. (They would
//    stay exact up to k = 2^17, |x| = 2e5; 1e5 is the round number below.) |x| - k P1 is exact too;
//    what the next subtraction rounds off, and k P3, make a second word r_low.
// 2. The polynomials of fdlibm's kernels for sin and cos on [-pi/4, pi/4], in Estrin's order: the
//    chain of dependent operations is what a robot with few joints waits for.
// 3. The quadrant k mod 4 swaps the two and sets their signs, by integer operations.
//
// A lane beyond 1e5, infinite or NaN is left to the mathematical library. The result of a lane
// depends neither on its neighbours nor on the width.
#pragma once

#include "ulna/scalar/kernels/vector.hpp"
#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

// The largest angle the reduction can take.
constexpr double sincos_largest = 1e5;

// The three steps. Returns the lanes that are beyond them; their s and c mean nothing.
template <int N>
[[gnu::always_inline]] inline Bits<N> sincos_reduced(const Reals<N>& x, Reals<N>& s, Reals<N>& c) {
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  constexpr double P1 = 0x1.921fb5444p+0, P2 = 0x1.68c234c4cp-39, P3 = 0x1.98a2e03707345p-77;
  constexpr double to_integer = 0x1.8p52;  // adding it leaves the integer in the lowest bits
  constexpr double S1 = -1.66666666666666324348e-01, S2 = 8.33333333332248946124e-03,
                   S3 = -1.98412698298579493134e-04, S4 = 2.75573137070700676789e-06,
                   S5 = -2.50507602534068634195e-08, S6 = 1.58969099521155010221e-10;
  constexpr double C1 = 4.16666666666666019037e-02, C2 = -1.38888888888741095749e-03,
                   C3 = 2.48015872894767294178e-05, C4 = -2.75573143513906633035e-07,
                   C5 = 2.08757232129817482790e-09, C6 = -1.13596475577881948265e-11;
  constexpr std::int64_t sign_bit = INT64_MIN;

  // Work on |x| and give the sine its sign back at the end; so sin(-0) is -0.
  const Bits<N> x_bits = reinterpret_cast<Bits<N>>(x);
  const Reals<N> angle = reinterpret_cast<Reals<N>>(x_bits & ~sign_bit);
  const Bits<N> beyond = ~(angle <= sincos_largest);  // true for NaN

  const Reals<N> shifted = angle * two_over_pi + to_integer;
  const Reals<N> k = shifted - to_integer;
  const Bits<N> quadrant = reinterpret_cast<Bits<N>>(shifted);

  const Reals<N> t = angle - k * P1;
  const Reals<N> r = t - k * P2;
  const Reals<N> r_low = ((t - r) - k * P2) - k * P3;

  const Reals<N> z = r * r, zz = z * z;
  const Reals<N> p = (S1 + z * S2) + zz * ((S3 + z * S4) + zz * (S5 + z * S6));
  const Reals<N> sine = r + (r_low + (r * z) * p);

  const Reals<N> q = (C1 + z * C2) + zz * ((C3 + z * C4) + zz * (C5 + z * C6));
  const Reals<N> head = 1.0 - 0.5 * z;
  const Reals<N> cosine = head + (((1.0 - head) - 0.5 * z) + (zz * q - r * r_low));

  // Odd quadrants swap sine and cosine. Bit 1 of k negates the sine, bit 1 of k + 1 the cosine.
  const Bits<N> sine_bits = reinterpret_cast<Bits<N>>(sine);
  const Bits<N> cosine_bits = reinterpret_cast<Bits<N>>(cosine);
  const Bits<N> swap = (sine_bits ^ cosine_bits) & -(quadrant & 1);
  const Bits<N> negate_sine = ((quadrant << 62) ^ x_bits) & sign_bit;
  const Bits<N> negate_cosine = ((quadrant + 1) << 62) & sign_bit;
  s = reinterpret_cast<Reals<N>>(sine_bits ^ swap ^ negate_sine);
  c = reinterpret_cast<Reals<N>>(cosine_bits ^ swap ^ negate_cosine);
  return beyond;
}

// Puts right the angles that sincos_reduced could not take.
[[gnu::always_inline]] inline void sincos_beyond(int n, const double* angle, double* s, double* c) {
  for (int i = 0; i < n; ++i) {
    if (!(__builtin_fabs(angle[i]) <= sincos_largest)) sincos(angle[i], s[i], c[i]);
  }
}

template <int N>
[[gnu::always_inline]] inline void sincos_lanes(Reals<N> x, Reals<N>& s, Reals<N>& c) {
  const Bits<N> beyond = sincos_reduced<N>(x, s, c);
  if (union_of_lanes<N>(beyond) != 0) [[unlikely]] {
    double angle[N], sine[N], cosine[N];
    store_lanes<N>(x, angle);
    store_lanes<N>(s, sine);
    store_lanes<N>(c, cosine);
    sincos_beyond(N, angle, sine, cosine);
    s = load_lanes<N>(sine);
    c = load_lanes<N>(cosine);
  }
}

// One block of sincos_all.
template <int W>
[[gnu::always_inline]] inline Bits<W> sincos_block(const double* angle, double* s, double* c) {
  Reals<W> sine, cosine;
  const Bits<W> beyond = sincos_reduced<W>(load_lanes<W>(angle), sine, cosine);
  store_lanes<W>(sine, s);
  store_lanes<W>(cosine, c);
  return beyond;
}

// Sines and cosines of n angles, in blocks of W. The last block is moved back to end at n, so it
// computes a few angles twice and touches nothing outside the arrays; fewer angles than W take
// narrower blocks. The three arrays must not overlap.
template <int W = native_lanes>
[[gnu::always_inline]] inline void sincos_all(int n, const double* angle, double* s, double* c) {
  if (n >= W) {
    Bits<W> beyond = {};
    for (int i = 0; i < n - W; i += W) beyond |= sincos_block<W>(angle + i, s + i, c + i);
    beyond |= sincos_block<W>(angle + (n - W), s + (n - W), c + (n - W));
    if (union_of_lanes<W>(beyond) != 0) [[unlikely]]
      sincos_beyond(n, angle, s, c);
  } else if constexpr (W > 2) {
    sincos_all<W / 2>(n, angle, s, c);
  } else if (n == 1) {
    Reals<2> sine, cosine;
    sincos_lanes<2>(Reals<2>{angle[0], angle[0]}, sine, cosine);
    s[0] = sine[0];
    c[0] = cosine[0];
  }
}

}  // namespace ulna
