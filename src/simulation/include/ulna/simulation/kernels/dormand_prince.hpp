#pragma once
// The method of order 5 of Dormand and Prince with an error estimate of order 4 and dense output of
// order 4. Coefficients: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd
// edition, section II.5, table 5.2 and section II.6. docs/theory/simulation.md, eq. 1-4.

#include <cmath>

namespace ulna {

struct DormandPrince {
  static constexpr int order = 5;
  static constexpr int stages = 6;        ///< evaluations per step; stage 7 is the next one's first
  static constexpr int dense_stages = 0;  ///< dense output needs no further evaluation
  static constexpr double beta = 0.04, exponent = 0.2 - 0.75 * beta;  ///< step control
  static constexpr double smallest_factor = 1.0 / 5, largest_factor = 10;
  static constexpr double stiff = 3.25;  ///< nearly the border of stability
  static constexpr double suspect = stiff;

  static constexpr double c[7] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
  /// The last row is the solution.
  static constexpr double a[7][6] = {
      {0},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
  };
  static constexpr double error3[7] = {};  ///< no second estimate
  static constexpr double error5[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                       -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  static constexpr double dense[1][7] = {
      {-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072,
       701980252875.0 / 199316789632, -1453857185.0 / 822651844, 69997945.0 / 29380423}};

  /// The size of the error from the sum of squares of the scaled estimate.
  static double combine(double h, double sum5, double, int n) { return h * std::sqrt(sum5 / n); }
};

}  // namespace ulna
