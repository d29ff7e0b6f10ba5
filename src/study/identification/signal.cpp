#include "ulna/study/internal/signal.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

using Complex = std::complex<double>;

/// In place, of a length that is a power of two.
void fourier_transform(std::vector<Complex>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length <<= 1) {
    interruption_point();
    const Complex turn = std::polar(1.0, -2 * M_PI / static_cast<double>(length));
    for (std::size_t begin = 0; begin < n; begin += length) {
      Complex w = 1;
      for (std::size_t k = 0; k < length / 2; ++k, w *= turn) {
        const Complex even = x[begin + k], odd = w * x[begin + k + length / 2];
        x[begin + k] = even + odd;
        x[begin + k + length / 2] = even - odd;
      }
    }
  }
}

double fourth_power(double x) { return x * x * x * x; }

}  // namespace

ZeroPhaseFilter::ZeroPhaseFilter(double cutoff, double rate) : rate_(rate) {
  if (!(cutoff < 0.45 * rate)) return;
  // Two passes have the gain 1/sqrt(2) at the cut-off.
  const double single = std::tan(M_PI * cutoff / rate) / std::pow(std::sqrt(2.0) - 1, 1.0 / 8);
  warped_ = single;
  for (const double angle : {M_PI / 8, 3 * M_PI / 8}) {
    const double damping = 2 * std::cos(angle), w = single, d = 1 + damping * w + w * w;
    sections_.push_back({w * w / d, 2 * (w * w - 1) / d, (1 - damping * w + w * w) / d});
  }
  reach_ = static_cast<std::size_t>(std::ceil(std::min(8 * rate / cutoff, 1e9)));
}

void ZeroPhaseFilter::run(std::vector<double>& x) const {
  const double start = x.front();  // as if it had been there for ever
  for (double& value : x) value -= start;
  for (const Section& s : sections_) {
    double z1 = 0, z2 = 0;
    std::size_t count = 0;
    for (double& value : x) {
      const double in = value, out = s.b * in + z1;
      z1 = 2 * s.b * in - s.a1 * out + z2;
      z2 = s.b * in - s.a2 * out;
      value = out;
      if (++count % (1 << 18) == 0) interruption_point();  // about a millisecond
    }
  }
  for (double& value : x) value += start;
}

void ZeroPhaseFilter::apply(Eigen::Ref<Eigen::VectorXd, 0, Eigen::InnerStride<>> x) const {
  const auto n = static_cast<std::size_t>(x.size());
  if (idle() || n < 2) return;
  const std::size_t reach = std::min(reach_, n - 1);
  std::vector<double> longer(n + 2 * reach);
  for (std::size_t k = 0; k < n; ++k) longer[reach + k] = x(static_cast<Eigen::Index>(k));
  for (std::size_t k = 1; k <= reach; ++k) {
    longer[reach - k] = 2 * longer[reach] - longer[reach + k];
    longer[reach + n - 1 + k] = 2 * longer[reach + n - 1] - longer[reach + n - 1 - k];
  }
  run(longer);
  std::reverse(longer.begin(), longer.end());
  run(longer);
  std::reverse(longer.begin(), longer.end());
  for (std::size_t k = 0; k < n; ++k) x(static_cast<Eigen::Index>(k)) = longer[reach + k];
}

double ZeroPhaseFilter::gain(double frequency) const {
  if (idle()) return 1;
  if (frequency >= 0.5 * rate_) return 0;
  const double ratio = std::tan(M_PI * frequency / rate_) / warped_;
  return 1 / (1 + fourth_power(ratio) * fourth_power(ratio));
}

Spectrum spectrum_of(const Eigen::VectorXd& x, double rate) {
  const Eigen::Index n = x.size();
  std::size_t padded = 2;
  while (padded < static_cast<std::size_t>(n)) padded <<= 1;
  std::vector<Complex> values(padded);
  double window_square = 0;
  for (Eigen::Index k = 0; k < n; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(n - 1);
    const double line = x(0) + share * (x(n - 1) - x(0));
    const double window = 0.5 - 0.5 * std::cos(2 * M_PI * share);
    values[static_cast<std::size_t>(k)] = window * (x(k) - line);
    window_square += window * window;
  }
  fourier_transform(values);
  Spectrum out;
  out.step = rate / static_cast<double>(padded);
  const std::size_t half = padded / 2;
  out.power.resize(static_cast<Eigen::Index>(half));
  for (std::size_t k = 0; k < half; ++k)
    out.power(static_cast<Eigen::Index>(k)) =
        2 * std::norm(values[k]) / (window_square * static_cast<double>(padded));
  // The median of an exponential distribution is ln 2 of its mean.
  std::vector<double> upper(out.power.data() + half / 2, out.power.data() + half);
  std::nth_element(upper.begin(), upper.begin() + static_cast<long>(upper.size() / 2), upper.end());
  out.noise = upper[upper.size() / 2] / std::log(2.0);
  return out;
}

DerivativeError derivative_error(const Spectrum& spectrum, const ZeroPhaseFilter& filter) {
  DerivativeError out;
  for (Eigen::Index k = 1; k < spectrum.power.size(); ++k) {
    const double f = spectrum.step * static_cast<double>(k), w4 = fourth_power(2 * M_PI * f);
    const double motion = std::max(spectrum.power(k) - spectrum.noise, 0.0), gain = filter.gain(f);
    // Noise alone exceeds its mean by a third of it, on average; what is that small is no motion.
    const bool seen = spectrum.power(k) > 6 * spectrum.noise;
    if (seen) out.motion += w4 * motion;
    if (seen) out.lost += w4 * motion * (1 - gain) * (1 - gain);
    out.passed += w4 * spectrum.noise * gain * gain;
  }
  return out;
}

double best_cutoff(const Spectrum& spectrum, double rate) {
  const double lowest = std::max(4 * spectrum.step, 1e-4 * rate), highest = 0.44 * rate;
  constexpr int steps = 80;
  double best = highest, least = INFINITY;
  for (int k = 0; k <= steps; ++k) {
    const double cutoff = lowest * std::pow(highest / lowest, static_cast<double>(k) / steps);
    const DerivativeError error = derivative_error(spectrum, {cutoff, rate});
    if (error.passed + error.lost >= least) continue;
    least = error.passed + error.lost;
    best = cutoff;
  }
  return best;
}

}  // namespace ulna
