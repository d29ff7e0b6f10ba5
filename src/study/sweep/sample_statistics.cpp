#include "ulna/study/sample_statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "ulna/study/sampling.hpp"

namespace ulna {
namespace {

std::vector<double> ranks(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return x[a] < x[b] || (x[a] == x[b] && a < b); });
  std::vector<double> rank(x.size());
  for (std::size_t k = 0; k < order.size();) {
    std::size_t end = k;
    while (end < order.size() && x[order[end]] == x[order[k]]) ++end;
    for (std::size_t i = k; i < end; ++i) rank[order[i]] = 0.5 * double(k + end - 1);
    k = end;
  }
  return rank;
}

/// Bits in the order of the numbers they stand for.
std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits >> 63 ? ~bits : bits | (1ull << 63);
}
double from_ordered_bits(std::uint64_t bits) {
  return std::bit_cast<double>(bits >> 63 ? bits & ~(1ull << 63) : ~bits);
}

/// Values at places of the sorted order without sorting: each pass settles the next bits of all
/// places by counting the values that share the bits settled before.
class OrderStatistics {
 public:
  explicit OrderStatistics(std::vector<long> places) : places_(std::move(places)) {
    std::sort(places_.begin(), places_.end());
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
    for (const long place : places_) found_.push_back({0, place});
  }

  void find(const ValueReader& values) {
    int settled = 0;
    for (const int width : {16, 12, 12, 12, 12}) {
      pass(values, settled, width);
      settled += width;
    }
  }
  double at(long place) const {
    const auto k = std::lower_bound(places_.begin(), places_.end(), place) - places_.begin();
    return from_ordered_bits(found_[static_cast<std::size_t>(k)].bits);
  }

 private:
  struct Place {
    std::uint64_t bits;  ///< those settled, at the bottom
    long rank;           ///< among the values that share them
  };

  void pass(const ValueReader& values, int settled, int width) {
    std::vector<std::uint64_t> groups;
    for (const Place& p : found_)
      if (groups.empty() || groups.back() != p.bits) groups.push_back(p.bits);
    const std::size_t size = std::size_t{1} << width;
    std::vector<long> counts(groups.size() * size);
    const int below = 64 - settled - width;
    values([&](std::span<const double> some) {
      for (const double value : some) {
        if (!std::isfinite(value)) continue;
        const std::uint64_t bits = ordered_bits(value);
        const std::uint64_t group = settled == 0 ? 0 : bits >> (64 - settled);
        const auto at = std::lower_bound(groups.begin(), groups.end(), group);
        if (at == groups.end() || *at != group) continue;
        ++counts[static_cast<std::size_t>(at - groups.begin()) * size +
                 ((bits >> below) & (size - 1))];
      }
    });
    for (Place& p : found_) {
      const auto g = static_cast<std::size_t>(
          std::lower_bound(groups.begin(), groups.end(), p.bits) - groups.begin());
      std::size_t k = 0;
      while (k + 1 < size && p.rank >= counts[g * size + k]) p.rank -= counts[g * size + k++];
      p.bits = p.bits << width | k;
    }
  }

  std::vector<long> places_;
  std::vector<Place> found_;
};

ValueReader all_of(const std::vector<double>& values) {
  return [&values](const auto& see) { see(values); };
}

}  // namespace

const std::vector<double>& SampleStatistics::levels() {
  static const std::vector<double> all = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
  return all;
}

SampleStatistics sample_statistics(const std::vector<double>& values) {
  return sample_statistics(all_of(values));
}

SampleStatistics sample_statistics(const ValueReader& values) {
  const auto each = [&](const auto& see) {
    values([&](std::span<const double> some) {
      for (const double v : some)
        if (std::isfinite(v)) see(v);
    });
  };
  SampleStatistics s;
  each([&](double v) {
    if (s.count++ == 0) s.least = s.largest = v;
    s.least = std::min(s.least, v), s.largest = std::max(s.largest, v);
  });
  if (s.count == 0) return s;
  const double n = double(s.count);
  each([&](double v) { s.mean += v / n; });
  each([&](double v) { s.deviation += (v - s.mean) * (v - s.mean); });
  s.deviation = s.count > 1 ? std::sqrt(s.deviation / (n - 1)) : 0;
  const double half = 1.959963984540054 * s.deviation / std::sqrt(n);
  s.mean_confidence = {s.mean - half, s.mean + half};
  // Where percentiles and the ends of their intervals stand, between which of the sorted values.
  std::vector<double> wanted;
  for (const double level : SampleStatistics::levels()) {
    const double wide = 1.959963984540054 * std::sqrt(n * level * (1 - level));
    for (const double place :
         {level * (n - 1), std::floor(n * level - wide), std::ceil(n * level + wide)})
      wanted.push_back(std::clamp(place, 0.0, n - 1));
  }
  std::vector<long> places;
  for (const double place : wanted) {
    places.push_back(static_cast<long>(place));
    places.push_back(std::min(static_cast<long>(place) + 1, s.count - 1));
  }
  OrderStatistics order(places);
  order.find(values);
  const auto at = [&](double place) {
    const auto k = static_cast<long>(place);
    const double low = order.at(k);
    return k + 1 < s.count ? low + (place - double(k)) * (order.at(k + 1) - low) : low;
  };
  for (std::size_t k = 0; k < wanted.size(); k += 3) {
    s.percentiles.push_back(at(wanted[k]));
    s.confidence.push_back({at(wanted[k + 1]), at(wanted[k + 2])});
  }
  return s;
}

bool stands_for_all(long k, long n, long wanted) {
  if (n <= wanted) return true;
  const auto index = static_cast<std::uint64_t>(k);
  const std::uint32_t hash =
      philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), 0, 11},
             {3, 4})[0];
  return double(hash) < 4294967296.0 * double(wanted) / double(n);
}

double rank_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> a, b;
  for (std::size_t k = 0; k < x.size(); ++k)
    if (std::isfinite(x[k]) && std::isfinite(y[k])) a.push_back(x[k]), b.push_back(y[k]);
  if (a.size() < 2) return 0;
  const std::vector<double> p = ranks(a), q = ranks(b);
  const double mean = 0.5 * double(a.size() - 1);
  double pq = 0, pp = 0, qq = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    pq += (p[k] - mean) * (q[k] - mean);
    pp += (p[k] - mean) * (p[k] - mean);
    qq += (q[k] - mean) * (q[k] - mean);
  }
  return pp > 0 && qq > 0 ? pq / std::sqrt(pp * qq) : 0;
}

}  // namespace ulna
