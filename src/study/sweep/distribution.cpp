#include <algorithm>
#include <array>
#include <cmath>

#include "ulna/study/sampling.hpp"

namespace ulna {
namespace {

template <std::size_t n>
double polynomial(const std::array<double, n>& c, double x) {
  double y = c[n - 1];
  for (std::size_t k = n - 1; k-- > 0;) y = y * x + c[k];
  return y;
}

}  // namespace

double normal_probability(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// M. J. Wichura, algorithm AS 241 (1988): relative accuracy 1e-16.
double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q *
           polynomial<8>(
               {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
                1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                3.3430575583588128105e+4, 2.5090809287301226727e+3},
               r) /
           polynomial<8>(
               {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
                2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
                5.2264952788528545610e+3},
               r);
  }
  double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  double x = 0;
  if (r <= 5) {
    r -= 1.6;
    x = polynomial<8>(
            {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
             3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
             2.27238449892691845833e-2, 7.74545014278341407640e-4},
            r) /
        polynomial<8>(
            {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
             1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
             1.05075007164441684324e-9},
            r);
  } else {
    r -= 5;
    x = polynomial<8>(
            {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
             2.71155556874348757815e-5, 2.01033439929228813265e-7},
            r) /
        polynomial<8>(
            {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
             7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
             2.04426310338993978564e-15},
            r);
  }
  return q < 0 ? -x : x;
}

namespace {

double whole_probability(const Distribution& d, double x) {
  switch (d.kind) {
    case Distribution::Kind::uniform:
      return std::clamp((x - d.a) / (d.b - d.a), 0.0, 1.0);
    case Distribution::Kind::log_uniform:
      return x <= d.a ? 0 : std::min(1.0, std::log(x / d.a) / std::log(d.b / d.a));
    case Distribution::Kind::normal:
      return normal_probability((x - d.a) / d.b);
    case Distribution::Kind::log_normal:
      return x <= 0 ? 0 : normal_probability((std::log(x) - d.a) / d.b);
    case Distribution::Kind::triangular: {
      if (x <= d.a) return 0;
      if (x >= d.b) return 1;
      const double w = d.b - d.a;
      return x < d.mode ? (x - d.a) * (x - d.a) / (w * (d.mode - d.a))
                        : 1 - (d.b - x) * (d.b - x) / (w * (d.b - d.mode));
    }
  }
  return 0;
}

double whole_quantile(const Distribution& d, double p) {
  switch (d.kind) {
    case Distribution::Kind::uniform:
      return d.a + (d.b - d.a) * p;
    case Distribution::Kind::log_uniform:
      return d.a * std::exp(std::log(d.b / d.a) * p);
    case Distribution::Kind::normal:
      return d.a + d.b * normal_quantile(p);
    case Distribution::Kind::log_normal:
      return std::exp(d.a + d.b * normal_quantile(p));
    case Distribution::Kind::triangular: {
      const double w = d.b - d.a, left = (d.mode - d.a) / w;
      return p < left ? d.a + std::sqrt(p * w * (d.mode - d.a))
                      : d.b - std::sqrt((1 - p) * w * (d.b - d.mode));
    }
  }
  return 0;
}

}  // namespace

double Distribution::probability(double value) const {
  const double low = std::isfinite(least) ? whole_probability(*this, least) : 0;
  const double high = std::isfinite(most) ? whole_probability(*this, most) : 1;
  return std::clamp((whole_probability(*this, value) - low) / (high - low), 0.0, 1.0);
}

double Distribution::quantile(double p) const {
  const double low = std::isfinite(least) ? whole_probability(*this, least) : 0;
  const double high = std::isfinite(most) ? whole_probability(*this, most) : 1;
  return std::clamp(whole_quantile(*this, low + p * (high - low)), least, most);
}

}  // namespace ulna
