#pragma once
// Signals at equal intervals: a low-pass filter without phase shift, and the spectrum from which
// its cut-off is chosen. docs/theory/regressor.md, eq. 25-27.

#include <Eigen/Core>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// A Butterworth filter of fourth order run forwards and backwards: |H| = 1/(1 + (f/fc)^8) in the
/// warped frequency of the bilinear transform. The ends are continued by point reflection.
class ULNA_API ZeroPhaseFilter {
 public:
  ZeroPhaseFilter(double cutoff, double rate);
  /// A cut-off so near to half the rate that nothing would be filtered.
  bool idle() const { return sections_.empty(); }
  void apply(Eigen::Ref<Eigen::VectorXd, 0, Eigen::InnerStride<>> x) const;
  double gain(double frequency) const;

 private:
  struct Section {
    double b, a1, a2;  // b (1 + z^-1)^2 / (1 + a1 z^-1 + a2 z^-2)
  };
  void run(std::vector<double>& x) const;

  double warped_ = 0, rate_;
  std::size_t reach_ = 0;  // of the reflection, in samples
  std::vector<Section> sections_;
};

/// Power at frequencies k step, one-sided: it adds up to the mean square of the detrended signal.
struct Spectrum {
  double step = 0;
  Eigen::VectorXd power;
  double noise = 0;  ///< of each entry, were all of the upper half of the band white noise
};
ULNA_API Spectrum spectrum_of(const Eigen::VectorXd& x, double rate);

/// eq. 26: what the second derivative of the filtered signal is off by, mean squares: noise passed
/// and motion lost.
struct DerivativeError {
  double passed = 0, lost = 0;
  double motion = 0;  ///< mean square of the second derivative itself
};
ULNA_API DerivativeError derivative_error(const Spectrum& spectrum, const ZeroPhaseFilter& filter);

/// eq. 27: the cut-off with the least error of the second derivative.
ULNA_API double best_cutoff(const Spectrum& spectrum, double rate);

}  // namespace ulna
