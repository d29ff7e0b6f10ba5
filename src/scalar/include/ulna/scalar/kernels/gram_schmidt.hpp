// B x = w for a square B of full rank, by Gram-Schmidt orthogonalisation of the columns of [B w] in
// its modified form: nothing is compared and nothing pivoted, so that it runs on symbolic
// expressions, and unlike the normal equations it does not square the condition of B. With w as one
// more column it is as stable as Householder's reflections (Bjorck 1967). n^3 multiplications, 2 n
// divisions, no roots.
#pragma once

#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

// B(i, j) is B[i + n * j]; B and w are overwritten, R is scratch of n * n, x the solution.
template <Scalar S>
inline void gram_schmidt_solve(S* B, S* w, int n, S* R, S* x) {
  const auto dot = [&](const S* a, const S* b) {
    S sum = a[0] * b[0];
    for (int i = 1; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  for (int k = 0; k < n; ++k) {
    const S* column = B + n * k;
    const S share = S(1.0) / dot(column, column);
    const auto part_of = [&](S* other) {
      const S part = dot(column, other) * share;
      for (int i = 0; i < n; ++i) other[i] -= part * column[i];
      return part;
    };
    for (int j = k + 1; j < n; ++j) R[k + n * j] = part_of(B + n * j);
    x[k] = part_of(w);
  }
  for (int k = n - 1; k >= 0; --k)
    for (int j = k + 1; j < n; ++j) x[k] -= R[k + n * j] * x[j];
}

}  // namespace ulna
