#pragma once
// The C that all column forms share (column_form.hpp): access to lanes, sums over the tree, and the
// factor of the mass matrix. @n@ is the number of columns.

namespace ulna::generate {

constexpr const char* column_prelude = R"(#include <string.h>

#define ULNA_COLUMNS ((@n@ + ULNA_WIDTH - 1) / ULNA_WIDTH * ULNA_WIDTH)
#define ULNA_TAIL (@n@ - (ULNA_COLUMNS - ULNA_WIDTH)) /* columns in the last pack */
#define ULNA_ROWS(name, rows) double name[rows][ULNA_COLUMNS] __attribute__((aligned(64)))
#define ULNA_AT(row) (*(lanes *)((row) + j))
#define ULNA_EACH for (int j = 0; j < ULNA_COLUMNS; j += ULNA_WIDTH)
)";

/// A row of a result, when columns are in the order of speeds.
constexpr const char* ordered_put = R"(
/* Row i of an n x n matrix. What is written beyond its end belongs to rows that are written later,
 * or is left out. */
static inline void ulna_put(double *matrix, int i, int j, lanes x) {
  double *const at = matrix + i * @n@ + j;
  if (i * @n@ + j + ULNA_WIDTH <= @n@ * @n@)
    *(lanes *)at = x;
  else
    memcpy(at, &x, sizeof(double) * ULNA_TAIL);
}
)";

/// When they are not.
constexpr const char* mixed_put = R"(
static inline void ulna_put(double *matrix, int i, int j, lanes x) {
  for (int k = 0; k < ULNA_WIDTH && j + k < @n@; ++k)
    matrix[ulna_speed[i] * @n@ + ulna_speed[j + k]] = x[k];
}
)";

/// Sums over a chain, in the lanes.
constexpr const char* chain_sums = R"(
#if defined(__clang__) || __GNUC__ >= 12
#define ULNA_MIX(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define ULNA_MIX(x, y, ...) __builtin_shuffle(x, y, (lane_bits){__VA_ARGS__})
#endif

/* x[k] becomes the sum of x[0..k], before[k] that of x[0..k-1]. */
static inline void ulna_outward(double *x, double *before) {
  const lanes zero = {0};
  lanes last = zero;
  ULNA_EACH {
    lanes sum = ULNA_AT(x);
#if ULNA_WIDTH == 8
    sum += ULNA_MIX(zero, sum, 0, 8, 9, 10, 11, 12, 13, 14);
    sum += ULNA_MIX(zero, sum, 0, 1, 8, 9, 10, 11, 12, 13);
    sum += ULNA_MIX(zero, sum, 0, 1, 2, 3, 8, 9, 10, 11);
    sum += last[7];
    ULNA_AT(before) = ULNA_MIX(last, sum, 7, 8, 9, 10, 11, 12, 13, 14);
#else
    sum += ULNA_MIX(zero, sum, 0, 4, 5, 6);
    sum += ULNA_MIX(zero, sum, 0, 1, 4, 5);
    sum += last[3];
    ULNA_AT(before) = ULNA_MIX(last, sum, 3, 4, 5, 6);
#endif
    ULNA_AT(x) = last = sum;
  }
}

/* x[k] becomes the sum of x[k..n-1]; lanes beyond must hold zeros. */
static inline void ulna_inward(double *x) {
  const lanes zero = {0};
  lanes last = zero;
  for (int j = ULNA_COLUMNS - ULNA_WIDTH; j >= 0; j -= ULNA_WIDTH) {
    lanes sum = ULNA_AT(x);
#if ULNA_WIDTH == 8
    sum += ULNA_MIX(sum, zero, 1, 2, 3, 4, 5, 6, 7, 8);
    sum += ULNA_MIX(sum, zero, 2, 3, 4, 5, 6, 7, 8, 9);
    sum += ULNA_MIX(sum, zero, 4, 5, 6, 7, 8, 9, 10, 11);
#else
    sum += ULNA_MIX(sum, zero, 1, 2, 3, 4);
    sum += ULNA_MIX(sum, zero, 2, 3, 4, 5);
#endif
    sum += last[0];
    ULNA_AT(x) = last = sum;
  }
}

/* Row i: columns up to i carry it, those after it are carried. */
static inline lanes ulna_row(int i, int j, lanes carriers, lanes carried) {
  static const int64_t index[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  return ulna_choose(*(const lane_bits *)index <= (lane_bits){0} + (i - j), carriers, carried);
}
)";

/// Sums over any tree: ulna_parent, ulna_carries and ulna_carried are tables.
constexpr const char* tree_sums = R"(
static inline void ulna_outward(double *x, double *before) {
  for (int k = 0; k < @n@; ++k) {
    before[k] = ulna_parent[k] < 0 ? 0.0 : x[ulna_parent[k]];
    x[k] += before[k];
  }
}

static inline void ulna_inward(double *x) {
  for (int k = @n@ - 1; k > 0; --k)
    if (ulna_parent[k] >= 0) x[ulna_parent[k]] += x[k];
}

/* Row i: columns that carry it, columns that it carries, zeros elsewhere. */
static inline lanes ulna_row(int i, int j, lanes carriers, lanes carried) {
  return (lanes)(((lane_bits)carriers & *(const lane_bits *)(ulna_carries[i] + j)) |
                 ((lane_bits)carried & *(const lane_bits *)(ulna_carried[i] + j)));
}
)";

/// M = U' D U, with right-hand sides beside it.
constexpr const char* factor_functions = R"(
#define ULNA_SYSTEM ((@n@ + ULNA_WIDTH) / ULNA_WIDTH * ULNA_WIDTH) /* M and one column */

/* U holds M (its upper half) and a right-hand side in column n; they become unit U and D^-1 U'^-1
 * of the column, D the inverse pivots. With E, unit rows: they become D^-1 U'^-1. */
static inline void ulna_factor(double (*U)[ULNA_SYSTEM], double *D, double (*E)[ULNA_COLUMNS]) {
  for (int k = 0; k < @n@; ++k) {
    const double inverse = D[k] = 1 / U[k][k];
    for (int i = k + 1; i < @n@; ++i) {
      const double factor = U[k][i] * inverse;
      for (int j = i / ULNA_WIDTH * ULNA_WIDTH; j < ULNA_SYSTEM; j += ULNA_WIDTH)
        ULNA_AT(U[i]) -= factor * ULNA_AT(U[k]);
      for (int j = 0; E && j <= k; j += ULNA_WIDTH) ULNA_AT(E[i]) -= factor * ULNA_AT(E[k]);
    }
    for (int j = k / ULNA_WIDTH * ULNA_WIDTH; j < ULNA_SYSTEM; j += ULNA_WIDTH)
      ULNA_AT(U[k]) *= inverse;
    for (int j = 0; E && j <= k; j += ULNA_WIDTH) ULNA_AT(E[k]) *= inverse;
  }
}

/* The column beside U, solved. */
static inline void ulna_solve_column(double (*U)[ULNA_SYSTEM], double *x) {
  for (int i = 0; i < @n@; ++i) x[i] = U[i][@n@];
  for (int k = @n@ - 1; k > 0; --k)
    for (int i = 0; i < k; ++i) x[i] -= U[i][k] * x[k];
}
)";

/// Many right-hand sides, all packs of a row at once in registers.
constexpr const char* panel_functions = R"(
/* U' D U X = X; D^-1 U'^-1 has been done for unit rows. */
static inline void ulna_solve_rows(double (*U)[ULNA_SYSTEM], const double *D,
                                   double (*X)[ULNA_COLUMNS], int unit) {
  enum { packs = ULNA_COLUMNS / ULNA_WIDTH };
  for (int i = 1; i < @n@ && !unit; ++i) {
    lanes x[packs];
#pragma GCC unroll 16
    for (int p = 0; p < packs; ++p) x[p] = *(lanes *)(X[i] + p * ULNA_WIDTH);
    for (int k = 0; k < i; ++k) {
#pragma GCC unroll 16
      for (int p = 0; p < packs; ++p) x[p] -= U[k][i] * *(lanes *)(X[k] + p * ULNA_WIDTH);
    }
#pragma GCC unroll 16
    for (int p = 0; p < packs; ++p) *(lanes *)(X[i] + p * ULNA_WIDTH) = x[p];
  }
  for (int i = @n@ - 1; i >= 0; --i) {
    const double d = unit ? 1 : D[i];
    lanes x[packs];
#pragma GCC unroll 16
    for (int p = 0; p < packs; ++p) x[p] = d * *(lanes *)(X[i] + p * ULNA_WIDTH);
    for (int k = i + 1; k < @n@; ++k) {
#pragma GCC unroll 16
      for (int p = 0; p < packs; ++p) x[p] -= U[i][k] * *(lanes *)(X[k] + p * ULNA_WIDTH);
    }
#pragma GCC unroll 16
    for (int p = 0; p < packs; ++p) *(lanes *)(X[i] + p * ULNA_WIDTH) = x[p];
  }
}
)";

}  // namespace ulna::generate
