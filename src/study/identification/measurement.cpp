#include "ulna/study/measurement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ulna/kinematics/state.hpp"
#include "ulna/motion/spline.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/study/internal/signal.hpp"

namespace ulna {
namespace {

constexpr Eigen::Index fewest_samples = 20;

[[noreturn]] void refuse_log(const MeasuredLog& log, const std::string& what,
                             const std::string& expected, const std::string& hint = {}) {
  throw InputError(Problem{{log.name}, {}, what, expected, hint});
}

void check_log(const MeasuredLog& log) {
  if (log.q.rows() == 0) refuse_log(log, "no coordinate was recorded", "at least one column of q");
  if (log.t.size() < fewest_samples)
    refuse_log(log, fmt::format("{} records", log.t.size()),
               fmt::format("at least {}", fewest_samples));
  const Eigen::Index n = log.t.size();
  for (const Eigen::MatrixXd* x : {&log.q, &log.v, &log.a, &log.tau})
    if (x->rows() > 0 && x->cols() != n)
      refuse_log(log, fmt::format("{} columns for {} times", x->cols(), n), "one for each time");
}

/// Where no loop determines them, coordinates without a record rest.
void warn_of_resting_coordinates(const Model& model, const MeasuredLog& log, Measurement& out) {
  if (!model.loops().empty()) return;
  std::vector<std::string> resting;
  for (int k = 0; k < model.coordinates(); ++k)
    if (!std::ranges::count(log.coordinates, k))
      resting.push_back(model.coordinate_names()[static_cast<std::size_t>(k)]);
  if (!resting.empty())
    out.warnings.push_back(
        fmt::format("{}: {} {} not recorded and taken to rest at {} neutral value", log.name,
                    fmt::join(resting, ", "), resting.size() == 1 ? "was" : "were",
                    resting.size() == 1 ? "its" : "their"));
}

/// Records whose time is later than that of all records before them.
std::vector<Eigen::Index> ascending_records(const MeasuredLog& log, Measurement& out) {
  std::vector<Eigen::Index> kept{0};
  for (Eigen::Index k = 1; k < log.t.size(); ++k)
    if (log.t(k) > log.t(kept.back())) kept.push_back(k);
  const auto dropped = log.t.size() - std::ssize(kept);
  if (dropped > log.t.size() / 20)
    refuse_log(
        log, fmt::format("{} of {} times are not later than the one before", dropped, log.t.size()),
        "times that ascend", "check the column of the time and its number of digits");
  if (dropped > 0)
    out.warnings.push_back(
        fmt::format("{}: {} whose time is not later than the one before {} left out", log.name,
                    dropped == 1 ? "a record" : fmt::format("{} records", dropped),
                    dropped == 1 ? "was" : "were"));
  if (std::ssize(kept) < fewest_samples)
    refuse_log(log, fmt::format("{} records with ascending times", kept.size()),
               fmt::format("at least {}", fewest_samples));
  return kept;
}

/// First and last place in `kept` of each stretch without a gap.
struct Stretch {
  std::size_t first, last;
};
std::vector<Stretch> stretches_of(const MeasuredLog& log, const std::vector<Eigen::Index>& kept,
                                  const MeasurementOptions& options, Measurement& out) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < kept.size(); ++k)
    steps.push_back(log.t(kept[k]) - log.t(kept[k - 1]));
  std::vector<double> sorted = steps;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<long>(sorted.size() / 2),
                   sorted.end());
  const double h = sorted[sorted.size() / 2];
  out.rate = 1 / h;
  std::vector<Stretch> stretches{{0, 0}};
  std::vector<std::string> gaps;
  long bridged = 0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k] < 1.5 * h) {
      out.jitter = std::max(out.jitter, std::abs(steps[k] / h - 1));
    } else if (steps[k] <= (options.longest_bridge + 0.5) * h) {
      ++bridged;
    } else {
      gaps.push_back(fmt::format("{:.4g} s at {:.6g} s", steps[k], log.t(kept[k]) - out.offset));
      stretches.push_back({k + 1, k + 1});
    }
    stretches.back().last = k + 1;
  }
  if (out.rate < 1) {
    // Milli-, micro- or nanoseconds, with which a record comes at least once a second.
    const char* factor = out.rate >= 1e-3 ? "0.001" : out.rate >= 1e-6 ? "1e-6" : "1e-9";
    out.warnings.push_back(fmt::format(
        "{}: {:.3g} records a second; if the times are not in seconds, give their factor: "
        "--column 't=TITLE*{}'",
        log.name, out.rate, factor));
  }
  if (bridged > 0)
    out.warnings.push_back(fmt::format("{}: {} of at most {:g} intervals {} interpolated", log.name,
                                       bridged == 1 ? "a gap" : fmt::format("{} gaps", bridged),
                                       options.longest_bridge, bridged == 1 ? "was" : "were"));
  if (gaps.size() == 1)
    out.warnings.push_back(fmt::format("{}: a gap splits the log, {}", log.name, gaps.front()));
  if (gaps.size() > 1)
    out.warnings.push_back(fmt::format("{}: {} gaps split the log, the first of {}", log.name,
                                       gaps.size(), gaps.front()));
  return stretches;
}

/// A recorded row at equal times.
Eigen::VectorXd at_equal_times(const std::vector<double>& recorded, const std::vector<double>& x,
                               const Eigen::VectorXd& t) {
  const PiecewisePolynomial curve = cubic_spline(recorded, x, SplineEnds::not_a_knot);
  Eigen::VectorXd out(t.size());
  for (Eigen::Index k = 0; k < t.size(); ++k) out(k) = curve.at(t(k)).value;
  return out;
}

/// The stretch with all recorded rows at equal times: only these rows are filled.
struct EvenStretch {
  Eigen::VectorXd t;
  Eigen::MatrixXd q, v, a, tau;
};
EvenStretch even_stretch(const MeasuredLog& log, const std::vector<Eigen::Index>& kept,
                         const Stretch& stretch, const Measurement& out) {
  std::vector<double> recorded;
  for (std::size_t k = stretch.first; k <= stretch.last; ++k)
    recorded.push_back(log.t(kept[k]) - out.offset);
  const double length = recorded.back() - recorded.front();
  const auto count = static_cast<Eigen::Index>(std::lround(length * out.rate)) + 1;
  EvenStretch even;
  even.t = Eigen::VectorXd::LinSpaced(count, recorded.front(), recorded.back());
  const bool as_it_is = count == std::ssize(recorded) && out.jitter < 1e-3;
  const auto take = [&](const Eigen::MatrixXd& x, Eigen::MatrixXd& to) {
    to.resize(x.rows(), count);
    for (Eigen::Index row = 0; row < x.rows(); ++row) {
      interruption_point();
      std::vector<double> values;
      for (std::size_t k = stretch.first; k <= stretch.last; ++k) values.push_back(x(row, kept[k]));
      to.row(row) = as_it_is ? Eigen::Map<Eigen::VectorXd>(values.data(), count)
                             : at_equal_times(recorded, values, even.t);
    }
  };
  take(log.q, even.q);
  take(log.v, even.v);
  take(log.a, even.a);
  take(log.tau, even.tau);
  return even;
}

/// Chooses the cut-offs from the longest stretch and says what noise they leave.
void choose_filters(const Model& model, const MeasuredLog& log, const EvenStretch& longest,
                    const MeasurementOptions& options, Measurement& out) {
  for (std::size_t k = 0; k < log.coordinates.size(); ++k) {
    CoordinateNoise noise;
    noise.name = model.coordinate_names()[static_cast<std::size_t>(log.coordinates[k])];
    const Spectrum spectrum = spectrum_of(longest.q.row(static_cast<Eigen::Index>(k)), out.rate);
    noise.cutoff = options.cutoff.value_or(best_cutoff(spectrum, out.rate));
    const DerivativeError error = derivative_error(spectrum, {noise.cutoff, out.rate});
    noise.position = std::sqrt(spectrum.noise * static_cast<double>(spectrum.power.size()));
    noise.acceleration = std::sqrt(error.passed);
    noise.acceleration_rms = std::sqrt(error.motion);
    if (noise.acceleration > 0.1 * noise.acceleration_rms && noise.acceleration_rms > 0)
      out.warnings.push_back(fmt::format(
          "{}: {}: differentiation amplifies the noise of the position ({:.2g}) to {:.2g}, {:.0f} "
          "% "
          "of the acceleration; record faster motions or choose a lower --cutoff than {:.3g} Hz",
          log.name, noise.name, noise.position, noise.acceleration,
          100 * noise.acceleration / noise.acceleration_rms, noise.cutoff));
    if (options.cutoff && error.lost > 0.01 * error.motion)
      out.warnings.push_back(fmt::format(
          "{}: {}: the cut-off of {:.3g} Hz removes {:.0f} % of the acceleration; {:.3g} Hz would "
          "suit this log",
          log.name, noise.name, *options.cutoff, 100 * std::sqrt(error.lost / error.motion),
          best_cutoff(spectrum, out.rate)));
    out.bandwidth = std::max(out.bandwidth, noise.cutoff);
    out.noise.push_back(std::move(noise));
  }
}

/// eq. 28: filtered, then differentiated by the quintic spline through the samples.
void differentiate(const Measurement& out, EvenStretch& even) {
  const Eigen::Index n = even.t.size();
  even.v.resize(even.q.rows(), n);
  even.a.resize(even.q.rows(), n);
  const std::vector<double> times(even.t.data(), even.t.data() + n);
  for (Eigen::Index row = 0; row < even.q.rows(); ++row) {
    Eigen::VectorXd q = even.q.row(row);
    ZeroPhaseFilter(out.noise[static_cast<std::size_t>(row)].cutoff, out.rate).apply(q);
    const PiecewisePolynomial curve =
        quintic_spline(times, {q.data(), q.data() + n}, SplineEnds::not_a_knot);
    for (Eigen::Index k = 0; k < n; ++k) {
      const MotionValue value = curve.at(even.t(k));
      even.q(row, k) = value.value;
      even.v(row, k) = value.rate;
      even.a(row, k) = value.acceleration;
    }
  }
}

NamedValues named_values(const std::vector<int>& places, const std::vector<std::string>& names,
                         const Eigen::VectorXd& x) {
  NamedValues values;
  for (std::size_t k = 0; k < places.size(); ++k)
    values.push_back({names[static_cast<std::size_t>(places[k])], x(static_cast<Eigen::Index>(k))});
  return values;
}

/// The speed of each recorded coordinate. Its name is that of the coordinate.
std::vector<int> speeds_of(const Model& model, const MeasuredLog& log) {
  std::vector<int> speeds;
  for (const int q : log.coordinates) {
    const std::string& name = model.coordinate_names()[static_cast<std::size_t>(q)];
    const auto& names = model.speed_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      refuse_log(log, fmt::format("coordinate '{}' has no rate of its own", name),
                 "coordinates of joints with axes", "give the recorded rates (--recorded-rates)");
    speeds.push_back(static_cast<int>(found - names.begin()));
  }
  return speeds;
}

/// All coordinates and speeds of the model: recorded ones as they are, the others follow from
/// loops.
Recording completed(const Model& model, const MeasuredLog& log, const std::vector<int>& speeds,
                    const EvenStretch& even, std::optional<Eigen::VectorXd>& near) {
  const Eigen::Index n = even.t.size();
  Recording out;
  out.q.resize(model.coordinates(), n);
  out.v.resize(model.speeds(), n);
  out.a.resize(model.speeds(), n);
  Workspace work(model);
  LoopClosure closure(model);
  for (Eigen::Index k = 0; k < n; ++k) {
    interruption_point();
    StateRequest request{named_values(log.coordinates, model.coordinate_names(), even.q.col(k)),
                         named_values(speeds, model.speed_names(), even.v.col(k)),
                         named_values(speeds, model.speed_names(), even.a.col(k))};
    if (near) request.near = *near;
    const State state = complete_state(closure, work, request);
    near = state.q;
    out.q.col(k) = state.q;
    out.v.col(k) = state.v;
    out.a.col(k) = state.a;
  }
  return out;
}

}  // namespace

Eigen::Index Measurement::samples() const {
  Eigen::Index n = 0;
  for (const MeasuredPart& part : parts) n += part.t.size();
  return n;
}

Eigen::MatrixXd low_passed(const Eigen::MatrixXd& x, double cutoff, double rate) {
  Eigen::MatrixXd out = x;
  const ZeroPhaseFilter filter(cutoff, rate);
  for (Eigen::Index row = 0; row < out.rows(); ++row) filter.apply(out.row(row).transpose());
  return out;
}

Measurement measured_motion(const Model& model, const MeasuredLog& log,
                            const MeasurementOptions& options) {
  check_log(log);
  if (options.cutoff && !(*options.cutoff > 0))
    throw InputError("a cut-off that is not positive", "a frequency in Hz");
  if (options.recorded_rates && log.speeds.empty())
    refuse_log(log, "speeds and accelerations were not recorded", "columns of v and a");
  Measurement out;
  out.offset = log.t(0);
  warn_of_resting_coordinates(model, log, out);
  const std::vector<Eigen::Index> kept = ascending_records(log, out);
  std::vector<EvenStretch> even;
  long too_short = 0;
  for (const Stretch& stretch : stretches_of(log, kept, options, out)) {
    if (stretch.last - stretch.first + 1 < static_cast<std::size_t>(fewest_samples))
      ++too_short;
    else
      even.push_back(even_stretch(log, kept, stretch, out));
  }
  if (even.empty())
    refuse_log(log, "gaps leave no stretch of the log that is long enough",
               fmt::format("{} records without a gap", fewest_samples));
  if (too_short > 0)
    out.warnings.push_back(fmt::format("{}: {} stretches of fewer than {} records were left out",
                                       log.name, too_short, fewest_samples));
  const auto longest = std::max_element(even.begin(), even.end(), [](const auto& x, const auto& y) {
    return x.t.size() < y.t.size();
  });
  choose_filters(model, log, *longest, options, out);
  const std::vector<int> speeds = options.recorded_rates ? log.speeds : speeds_of(model, log);
  std::optional<Eigen::VectorXd> near;
  for (EvenStretch& stretch : even) {
    if (!options.recorded_rates) differentiate(out, stretch);
    Recording recording = completed(model, log, speeds, stretch, near);
    recording.tau = std::move(stretch.tau);
    out.parts.push_back({std::move(stretch.t), std::move(recording)});
  }
  return out;
}

}  // namespace ulna
