#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "identification/observation.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/study/identification.hpp"

namespace ulna {
namespace {

void check(const Model& model, const ExcitationOptions& options) {
  const bool sizes = options.harmonics >= 1 && options.samples >= 1 && options.candidates >= 1;
  const bool rates = options.period > 0 && options.velocity > 0 && options.acceleration > 0;
  if (!sizes || !rates || !std::isfinite(options.period))
    throw InputError("excitation: an option is zero or negative", "positive numbers");
  if (options.harmonics > options.samples)  // cannot be told from lower ones
    throw InputError(
        fmt::format("excitation: {} harmonics in {} samples", options.harmonics, options.samples),
        "fewer harmonics than samples");
  if (options.from_rest && options.harmonics < 2)
    throw InputError("excitation: one harmonic cannot begin at rest", "at least 2 harmonics");
  if (model.coordinates() != model.speeds())
    throw InputError(
        fmt::format("excitation of robot '{}': it has spherical or free joints", model.name()),
        "joints with axes", "record a motion of your own");
}

/// The middle of where coordinate k may go, and how far from there: nine tenths of the limits.
struct Range {
  double middle = 0, reach = M_PI / 2;
};
Range range_of(const Model& model, int k) {
  const double low = model.lower()(k), high = model.upper()(k);
  if (std::isfinite(low) && std::isfinite(high)) return {(low + high) / 2, 0.45 * (high - low)};
  if (std::isfinite(low)) return {low + 1, 0.9};
  if (std::isfinite(high)) return {high - 1, 0.9};
  return {};
}

/// The nearest coefficients with sum l^power c_l = 0: no speed (of sines, power 1) or acceleration
/// (of cosines, power 2) at the beginning of the period.
void begin_at_rest(std::vector<double>& coefficients, int power) {
  double along = 0, square = 0;
  for (std::size_t l = 0; l < coefficients.size(); ++l) {
    const double w = std::pow(static_cast<double>(l + 1), power);
    along += w * coefficients[l];
    square += w * w;
  }
  for (std::size_t l = 0; l < coefficients.size(); ++l)
    coefficients[l] -= along / square * std::pow(static_cast<double>(l + 1), power);
}

/// docs/theory/regressor.md, eq. 20, scaled down until position, velocity and acceleration are
/// within bounds.
void draw_coordinate(const Model& model, int k, const ExcitationOptions& options,
                     std::mt19937_64& generator, Recording& out) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const double turn = 2 * M_PI / options.period;
  auto q = out.q.row(k), v = out.v.row(k), a = out.a.row(k);
  std::vector<double> sines, cosines;
  for (int l = 1; l <= options.harmonics; ++l) {
    if (l % 4096 == 0) interruption_point();
    sines.push_back(unit(generator) / l);
    cosines.push_back(unit(generator) / l);
  }
  if (options.from_rest) {
    begin_at_rest(sines, 1);
    begin_at_rest(cosines, 2);
  }
  for (int l = 1; l <= options.harmonics; ++l) {
    const double sine = sines[static_cast<std::size_t>(l - 1)],
                 cosine = cosines[static_cast<std::size_t>(l - 1)], w = turn * l;
    for (int s = 0; s < options.samples; ++s) {
      if (s % 4096 == 0) interruption_point();
      const double x = w * options.period * s / options.samples;
      q(s) += sine * std::sin(x) + cosine * std::cos(x);
      v(s) += w * (sine * std::cos(x) - cosine * std::sin(x));
      a(s) -= w * w * (sine * std::sin(x) + cosine * std::cos(x));
    }
  }
  const Range range = range_of(model, k);
  const double limit = model.velocity_limit()(k);
  const double speed = std::isfinite(limit) ? 0.9 * limit : options.velocity;
  const auto scale_for = [](double bound, double largest) {
    return largest > 0 ? bound / largest : std::numeric_limits<double>::infinity();
  };
  const double scale = std::min({scale_for(range.reach, q.cwiseAbs().maxCoeff()),
                                 scale_for(speed, v.cwiseAbs().maxCoeff()),
                                 scale_for(options.acceleration, a.cwiseAbs().maxCoeff())});
  q = (scale * q).array() + range.middle;
  v *= scale;
  a *= scale;
}

Recording draw(const Model& model, const ExcitationOptions& options, std::mt19937_64& generator) {
  const int n = model.speeds();
  Recording out;
  out.q = out.v = out.a = Eigen::MatrixXd::Zero(n, options.samples);
  for (int k = 0; k < n; ++k) draw_coordinate(model, k, options, generator, out);
  return out;
}

}  // namespace

double regressor_condition(TorqueRegressor& regressor, const BaseParameters& base,
                           const Recording& motion) {
  check_motion(regressor, motion);
  // Rows of all speeds of a sample together, and never those of a long motion at once.
  const Eigen::Index n = std::max(1, regressor.model().speeds()), N = motion.samples();
  const auto part = [&](Eigen::Index row, Eigen::Index count) {
    const Eigen::Index first = row / n, last = std::min(N, (row + count) / n);
    Recording some;
    some.q = motion.q.middleCols(first, last - first);
    some.v = motion.v.middleCols(first, last - first);
    some.a = motion.a.middleCols(first, last - first);
    return observation(regressor, base, some);
  };
  return condition_of(triangle(n * N, base.count(), part));
}

Recording excitation(TorqueRegressor& regressor, const BaseParameters& base,
                     const ExcitationOptions& options) {
  check(regressor.model(), options);
  std::mt19937_64 generator(options.seed);
  Recording best;
  double least = std::numeric_limits<double>::infinity();
  for (int candidate = 0; candidate < options.candidates; ++candidate) {
    interruption_point();
    if (candidate > 0 && options.stop && options.stop()) break;
    Recording motion = draw(regressor.model(), options, generator);
    const double condition = regressor_condition(regressor, base, motion);
    if (candidate > 0 && !(condition < least)) continue;
    least = condition;
    best = std::move(motion);
  }
  return best;
}

}  // namespace ulna
