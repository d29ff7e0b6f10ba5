// SIMD vectors of N doubles by the compiler's vector extension: the ground under packs and sincos.
//
// The usual operators act lane by lane on any instruction set; wider vectors than the machine has
// are split by the compiler. A comparison gives Bits, all ones where true and zero where false.
#pragma once

#include <cstdint>

namespace ulna {

// The vector width of the instruction set this file is being compiled for.
#if defined(__AVX512F__)
constexpr int native_lanes = 8;
#elif defined(__AVX2__)
constexpr int native_lanes = 4;
#else
constexpr int native_lanes = 2;
#endif

template <int N>
struct Lanes {
  static_assert(N == 2 || N == 4 || N == 8);
  typedef double Reals __attribute__((vector_size(8 * N)));
  typedef std::int64_t Bits __attribute__((vector_size(8 * N)));
};

template <int N>
using Reals = typename Lanes<N>::Reals;
template <int N>
using Bits = typename Lanes<N>::Bits;

// Loads and stores need no alignment.
template <int N>
[[gnu::always_inline]] inline Reals<N> load_lanes(const double* from) {
  Reals<N> x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

template <int N>
[[gnu::always_inline]] inline void store_lanes(const Reals<N>& x, double* to) {
  __builtin_memcpy(to, &x, sizeof x);
}

// All the bits of all lanes, or-ed together.
template <int N>
[[gnu::always_inline]] inline std::int64_t union_of_lanes(const Bits<N>& b) {
  if constexpr (N == 2) {
    return b[0] | b[1];
  } else if constexpr (N == 4) {
    const Bits<2> half = __builtin_shufflevector(b, b, 0, 1) | __builtin_shufflevector(b, b, 2, 3);
    return union_of_lanes<2>(half);
  } else {
    const Bits<4> half =
        __builtin_shufflevector(b, b, 0, 1, 2, 3) | __builtin_shufflevector(b, b, 4, 5, 6, 7);
    return union_of_lanes<4>(half);
  }
}

// The vector extension has no square root. With -fno-math-errno g++ makes vector instructions of
// the loop over 4 lanes, and over 8 where the machine has vectors that long; 2 lanes stay scalar.
template <int N>
[[gnu::always_inline]] inline Reals<N> sqrt_lanes(const Reals<N>& x) {
  double lanes[N];
  store_lanes<N>(x, lanes);
  if constexpr (N > 4 && N > native_lanes) {
    store_lanes<N / 2>(sqrt_lanes<N / 2>(load_lanes<N / 2>(lanes)), lanes);
    store_lanes<N / 2>(sqrt_lanes<N / 2>(load_lanes<N / 2>(lanes + N / 2)), lanes + N / 2);
  } else {
    for (int i = 0; i < N; ++i) lanes[i] = __builtin_sqrt(lanes[i]);
  }
  return load_lanes<N>(lanes);
}

}  // namespace ulna
