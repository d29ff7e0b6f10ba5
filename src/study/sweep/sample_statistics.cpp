#include "ulna/study/sample_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ulna/study/sampling.hpp"

namespace ulna {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double integral_of(const std::vector<double>& t, const std::vector<double>& y, bool squared) {
  double sum = 0;
  for (std::size_t k = 1; k < t.size(); ++k) {
    const double a = squared ? y[k - 1] * y[k - 1] : y[k - 1], b = squared ? y[k] * y[k] : y[k];
    sum += 0.5 * (a + b) * (t[k] - t[k - 1]);
  }
  return sum;
}

double settling_time(const std::vector<double>& t, const std::vector<double>& y, double goal,
                     double band) {
  const double width = band * std::abs(goal - y.front());
  for (std::size_t k = t.size(); k-- > 0;) {
    const double off = std::abs(y[k] - goal);
    if (off <= width) continue;
    if (k + 1 == t.size()) return none;
    const double next = std::abs(y[k + 1] - goal);
    return t[k] + (t[k + 1] - t[k]) * (off - width) / (off - next);
  }
  return t.front();
}

double first_time_above(const std::vector<double>& t, const std::vector<double>& y, double level) {
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (y[k] < level) continue;
    if (k == 0) return t[0];
    return t[k - 1] + (t[k] - t[k - 1]) * (level - y[k - 1]) / (y[k] - y[k - 1]);
  }
  return none;
}

double taken_of(Take take, const std::vector<double>& t, const std::vector<double>& y,
                const TakeOptions& o) {
  const auto least = std::min_element(y.begin(), y.end());
  const auto largest = std::max_element(y.begin(), y.end());
  const double span = t.back() - t.front(), goal = o.goal_given ? o.goal : y.back();
  switch (take) {
    case Take::first:
      return y.front();
    case Take::final:
      return y.back();
    case Take::least:
      return *least;
    case Take::largest:
      return *largest;
    case Take::range:
      return *largest - *least;
    case Take::mean:
      return span > 0 ? integral_of(t, y, false) / span : y.front();
    case Take::rms:
      return span > 0 ? std::sqrt(integral_of(t, y, true) / span) : std::abs(y.front());
    case Take::integral:
      return integral_of(t, y, false);
    case Take::time_of_least:
      return t[static_cast<std::size_t>(least - y.begin())];
    case Take::time_of_largest:
      return t[static_cast<std::size_t>(largest - y.begin())];
    case Take::time_above:
      return first_time_above(t, y, o.goal);
    case Take::settling:
      return settling_time(t, y, goal, o.band);
    case Take::overshoot: {
      const double way = goal - y.front();
      return way == 0 ? none : std::max(0.0, ((way > 0 ? *largest : *least) - goal) / way);
    }
  }
  return none;
}

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

}  // namespace

double taken(Take take, const std::vector<double>& t, const std::vector<double>& y,
             const TakeOptions& options) {
  if (t.empty()) return none;
  if (options.from == options.to) return taken_of(take, t, y, options);
  std::vector<double> tt, yy;
  for (std::size_t k = 0; k < t.size(); ++k)
    if (t[k] >= options.from - 1e-12 && t[k] <= options.to + 1e-12)
      tt.push_back(t[k]), yy.push_back(y[k]);
  return tt.empty() ? none : taken_of(take, tt, yy, options);
}

const std::vector<double>& SampleStatistics::levels() {
  static const std::vector<double> all = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
  return all;
}

SampleStatistics sample_statistics(std::vector<double> x) {
  std::erase_if(x, [](double v) { return !std::isfinite(v); });
  SampleStatistics s;
  s.count = static_cast<long>(x.size());
  if (x.empty()) return s;
  std::sort(x.begin(), x.end());
  const double n = double(x.size());
  for (const double v : x) s.mean += v / n;
  for (const double v : x) s.deviation += (v - s.mean) * (v - s.mean);
  s.deviation = x.size() > 1 ? std::sqrt(s.deviation / (n - 1)) : 0;
  s.least = x.front(), s.largest = x.back();
  const double half = 1.959963984540054 * s.deviation / std::sqrt(n);
  s.mean_confidence = {s.mean - half, s.mean + half};
  const auto at = [&](double place) {
    const double p = std::clamp(place, 0.0, n - 1);
    const auto k = static_cast<std::size_t>(p);
    return k + 1 < x.size() ? x[k] + (p - double(k)) * (x[k + 1] - x[k]) : x[k];
  };
  for (const double level : SampleStatistics::levels()) {
    s.percentiles.push_back(at(level * (n - 1)));
    const double wide = 1.959963984540054 * std::sqrt(n * level * (1 - level));
    s.confidence.push_back(
        {at(std::floor(n * level - wide) - 0.0), at(std::ceil(n * level + wide))});
  }
  return s;
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

namespace {

struct BasePoint {
  double a, b;
  const double* mixed;
};

/// eq. 16, 17 over points drawn by `pick`.
template <class Pick>
void indices_of(const std::vector<BasePoint>& points, int d, const Pick& pick,
                std::vector<double>& first, std::vector<double>& total) {
  const std::size_t n = points.size();
  double mean = 0, variance = 0;
  std::vector<double> v(static_cast<std::size_t>(d)), e(static_cast<std::size_t>(d));
  for (std::size_t k = 0; k < n; ++k)
    mean += 0.5 * (points[pick(k)].a + points[pick(k)].b) / double(n);
  for (std::size_t k = 0; k < n; ++k) {
    const BasePoint& p = points[pick(k)];
    variance += 0.5 * ((p.a - mean) * (p.a - mean) + (p.b - mean) * (p.b - mean));
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] += (p.b - mean) * (p.mixed[i] - p.a);
      e[i] += 0.5 * (p.a - p.mixed[i]) * (p.a - p.mixed[i]);
    }
  }
  for (std::size_t i = 0; i < v.size(); ++i) {
    first.push_back(variance > 0 ? v[i] / variance : 0);
    total.push_back(variance > 0 ? e[i] / variance : 0);
  }
}

}  // namespace

SobolIndices sobol_indices(const std::vector<double>& values, int d) {
  std::vector<BasePoint> points;
  const auto stride = static_cast<std::size_t>(d + 2);
  for (std::size_t k = 0; k + stride <= values.size(); k += stride)
    if (std::all_of(values.begin() + long(k), values.begin() + long(k + stride),
                    [](double v) { return std::isfinite(v); }))
      points.push_back({values[k], values[k + 1], values.data() + k + 2});
  SobolIndices found;
  found.points = static_cast<long>(points.size());
  if (points.empty()) return found;
  indices_of(
      points, d, [](std::size_t k) { return k; }, found.first, found.total);
  constexpr std::uint32_t rounds = 200;
  std::vector<double> first, total;
  for (std::uint32_t round = 0; round < rounds; ++round)
    indices_of(
        points, d,
        [&](std::size_t k) {
          const auto r = philox({static_cast<std::uint32_t>(k), round, 0, 9}, {1, 2});
          return static_cast<std::size_t>((std::uint64_t{r[0]} * points.size()) >> 32);
        },
        first, total);
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
