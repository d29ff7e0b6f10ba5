// A = L D L^T for a symmetric positive definite matrix, without pivoting, for any scalar.
//
// Only the lower triangle is read and written, row by row: A(i, j) is A[i * stride + j], j <= i.
// After the factorisation it holds L below the diagonal (whose own diagonal is 1) and 1/D on the
// diagonal, so that solving takes no division. n^3/6 multiplications and n divisions to factor, n^2
// multiplications to solve.
//
// Nothing is compared, so this runs on symbolic expressions too. Where S is Numeric, the caller
// checks that every diagonal entry left behind is positive and finite; if one is not, the matrix
// was not positive definite and the factors are worthless.
//
// The versions with the size as template argument (meant for 1, 3, 6) do the same operations in the
// same order, unrolled completely. Their stride is N unless given.
#pragma once

#include "ulna/scalar/kernels/unroll.hpp"
#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

template <Scalar S>
[[gnu::always_inline]] inline void ldlt_factor(S* A, int n, int stride) {
  for (int i = 0; i < n; ++i) {
    S* row = A + i * stride;
    // First L D, from the rows above; then L and the pivot.
    for (int j = 1; j < i; ++j) {
      S sum = row[j];
      for (int k = 0; k < j; ++k) sum -= row[k] * A[j * stride + k];
      row[j] = sum;
    }
    S pivot = row[i];
    for (int j = 0; j < i; ++j) {
      const S scaled = row[j];
      row[j] = scaled * A[j * stride + j];
      pivot -= scaled * row[j];
    }
    row[i] = S(1.0) / pivot;
  }
}

// b becomes the solution x of A x = b.
template <Scalar S>
[[gnu::always_inline]] inline void ldlt_solve(const S* A, int n, int stride, S* b) {
  for (int i = 1; i < n; ++i) {
    S sum = b[i];
    for (int j = 0; j < i; ++j) sum -= A[i * stride + j] * b[j];
    b[i] = sum;
  }
  for (int i = 0; i < n; ++i) b[i] *= A[i * stride + i];
  for (int i = n - 1; i > 0; --i) {
    const S x = b[i];
    for (int j = 0; j < i; ++j) b[j] -= A[i * stride + j] * x;
  }
}

template <int N, Scalar S>
[[gnu::always_inline]] inline void ldlt_factor(S* A, int stride = N) {
  unroll<N>([&]<int i>() __attribute__((always_inline)) {
    S* row = A + i * stride;
    unroll<i>([&]<int j>() __attribute__((always_inline)) {
      S sum = row[j];
      unroll<j>([&]<int k>() __attribute__((always_inline)) { sum -= row[k] * A[j * stride + k]; });
      row[j] = sum;
    });
    S pivot = row[i];
    unroll<i>([&]<int j>() __attribute__((always_inline)) {
      const S scaled = row[j];
      row[j] = scaled * A[j * stride + j];
      pivot -= scaled * row[j];
    });
    row[i] = S(1.0) / pivot;
  });
}

template <int N, Scalar S>
[[gnu::always_inline]] inline void ldlt_solve(const S* A, S* b, int stride = N) {
  unroll<N>([&]<int i>() __attribute__((always_inline)) {
    S sum = b[i];
    unroll<i>([&]<int j>() __attribute__((always_inline)) { sum -= A[i * stride + j] * b[j]; });
    b[i] = sum;
  });
  unroll<N>([&]<int i>() __attribute__((always_inline)) { b[i] *= A[i * stride + i]; });
  unroll<N>([&]<int from_end>() __attribute__((always_inline)) {
    constexpr int i = N - 1 - from_end;
    const S x = b[i];
    unroll<i>([&]<int j>() __attribute__((always_inline)) { b[j] -= A[i * stride + j] * x; });
  });
}

}  // namespace ulna
