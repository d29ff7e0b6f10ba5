#include <algorithm>
#include <cmath>
#include <limits>

#include "ulna/study/sample_statistics.hpp"

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

}  // namespace ulna
