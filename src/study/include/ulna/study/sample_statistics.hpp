#pragma once
// What many samples say: how a measure scatters, what it depends on. docs/theory/sampling.md.

#include <functional>
#include <span>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// One number taken of a channel over time, whose formula was evaluated at the records.
enum class Take {
  first,
  final,
  least,
  largest,
  range,
  mean,
  rms,
  integral,
  time_of_least,
  time_of_largest,
  time_above,  ///< first time at or above `goal`; not a number when never
  settling,    ///< time from which it stays within `band` of the way to `goal`
  overshoot    ///< beyond `goal`, as a share of the way from the first value to it
};
struct TakeOptions {
  double from = 0, to = 0;  ///< records between these times; all when equal
  double goal = 0, band = 0.02;
  bool goal_given = false;  ///< else the final value
};
/// Trapezoidal rule for mean, rms and integral; crossings between records by straight lines.
ULNA_API double taken(Take take, const std::vector<double>& t, const std::vector<double>& y,
                      const TakeOptions& options = {});

struct Interval {
  double low = 0, high = 0;
};

/// Of finite values (eq. 13-15).
struct SampleStatistics {
  long count = 0;
  double mean = 0, deviation = 0, least = 0, largest = 0;
  Interval mean_confidence;          ///< 95 %
  std::vector<double> percentiles;   ///< at `levels`
  std::vector<Interval> confidence;  ///< of the percentiles, 95 %, by order statistics
  ULNA_API static const std::vector<double>& levels();  ///< 0.01, 0.05, 0.25, 0.5, ...
};
ULNA_API SampleStatistics sample_statistics(const std::vector<double>& values);

/// Values that are read in pieces, in order; it may be called several times. The statistics of a
/// million samples need no more memory than those of a thousand.
using ValueReader = std::function<void(const std::function<void(std::span<const double>)>& see)>;
/// Percentiles are exact: their places are found by counting, in five passes.
ULNA_API SampleStatistics sample_statistics(const ValueReader& values);

/// Whether sample k of n is one of about `wanted` that stand for all, chosen by a hash: every other
/// sample of a Sobol sequence or of a grid would be a biased choice.
ULNA_API bool stands_for_all(long k, long n, long wanted);

/// Spearman's rank correlation of pairs that are both finite; 0 where one does not vary.
ULNA_API double rank_correlation(const std::vector<double>& x, const std::vector<double>& y);

/// First-order and total Sobol indices of d parameters from the samples of a plan with `indices`
/// (Saltelli et al. 2010, Jansen 1999; eq. 16, 17), with 95 % intervals by resampling of the base
/// points, in at most 1,024 groups. Base points with a value that is not finite are left out.
struct SobolIndices {
  std::vector<double> first, total;
  std::vector<Interval> first_confidence, total_confidence;
  long points = 0;
};
ULNA_API SobolIndices sobol_indices(const std::vector<double>& values, int parameters);
ULNA_API SobolIndices sobol_indices(const ValueReader& values, int parameters);

}  // namespace ulna
