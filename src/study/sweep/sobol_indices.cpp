#include <algorithm>
#include <cmath>

#include "ulna/study/sample_statistics.hpp"
#include "ulna/study/sampling.hpp"

namespace ulna {
namespace {

/// Sums over base points, of values taken from one number for all: the terms of
/// docs/theory/sampling.md, eq. 16 and 17.
struct IndexSums {
  double n = 0, sum = 0, squares = 0;      ///< of (a + b) / 2 and (a^2 + b^2) / 2
  std::vector<double> cross, step, total;  ///< of b (m - a), m - a, (a - m)^2 / 2

  explicit IndexSums(int d)
      : cross(static_cast<std::size_t>(d)), step(cross.size()), total(cross.size()) {}

  void add(double a, double b, const double* mixed, double origin) {
    n += 1;
    sum += 0.5 * (a + b) - origin;
    squares += 0.5 * ((a - origin) * (a - origin) + (b - origin) * (b - origin));
    for (std::size_t i = 0; i < cross.size(); ++i) {
      cross[i] += (b - origin) * (mixed[i] - a);
      step[i] += mixed[i] - a;
      total[i] += 0.5 * (a - mixed[i]) * (a - mixed[i]);
    }
  }
  void add(const IndexSums& other) {
    n += other.n, sum += other.sum, squares += other.squares;
    for (std::size_t i = 0; i < cross.size(); ++i)
      cross[i] += other.cross[i], step[i] += other.step[i], total[i] += other.total[i];
  }
  /// eq. 16, 17
  void indices(std::vector<double>& first, std::vector<double>& all) const {
    const double mean = sum / n, variance = squares - n * mean * mean;
    for (std::size_t i = 0; i < cross.size(); ++i) {
      first.push_back(variance > 0 ? (cross[i] - mean * step[i]) / variance : 0);
      all.push_back(variance > 0 ? total[i] / variance : 0);
    }
  }
};

constexpr long most_groups = 1024;

/// Calls see(k, values of base point k) for those whose values are all finite.
template <class See>
void each_base_point(const ValueReader& values, int d, const See& see) {
  const auto stride = static_cast<std::size_t>(d + 2);
  std::vector<double> point;
  long k = 0;
  values([&](std::span<const double> some) {
    for (const double value : some) {
      point.push_back(value);
      if (point.size() < stride) continue;
      if (std::all_of(point.begin(), point.end(), [](double v) { return std::isfinite(v); }))
        see(k++, point.data());
      point.clear();
    }
  });
}

}  // namespace

SobolIndices sobol_indices(const std::vector<double>& values, int d) {
  return sobol_indices([&](const auto& see) { see(values); }, d);
}

SobolIndices sobol_indices(const ValueReader& values, int d) {
  SobolIndices found;
  double origin = 0;
  each_base_point(values, d, [&](long, const double* p) {
    ++found.points;
    origin += (0.5 * (p[0] + p[1]) - origin) / double(found.points);
  });
  if (found.points == 0) return found;
  const auto n = static_cast<std::size_t>(std::min(found.points, most_groups));
  std::vector<IndexSums> groups(n, IndexSums(d));
  each_base_point(values, d, [&](long k, const double* p) {
    const std::uint32_t hash = found.points <= most_groups
                                   ? 0
                                   : philox({static_cast<std::uint32_t>(k), 0, 0, 8}, {1, 2})[0];
    const auto g = found.points <= most_groups ? static_cast<std::size_t>(k) : hash % n;
    groups[g].add(p[0], p[1], p + 2, origin);
  });
  IndexSums whole(d);
  for (const IndexSums& g : groups) whole.add(g);
  whole.indices(found.first, found.total);
  constexpr std::uint32_t rounds = 200;
  std::vector<double> first, total;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    IndexSums drawn(d);
    for (std::size_t k = 0; k < n; ++k) {
      const auto r = philox({static_cast<std::uint32_t>(k), round, 0, 9}, {1, 2});
      drawn.add(groups[static_cast<std::size_t>((std::uint64_t{r[0]} * n) >> 32)]);
    }
    drawn.indices(first, total);
  }
  const auto interval = [&](const std::vector<double>& all, int i) {
    std::vector<double> one;
    for (std::size_t k = static_cast<std::size_t>(i); k < all.size();
         k += static_cast<std::size_t>(d))
      one.push_back(all[k]);
    std::sort(one.begin(), one.end());
    return Interval{one[rounds / 40], one[rounds - 1 - rounds / 40]};
  };
  for (int i = 0; i < d; ++i) {
    found.first_confidence.push_back(interval(first, i));
    found.total_confidence.push_back(interval(total, i));
  }
  return found;
}

}  // namespace ulna
