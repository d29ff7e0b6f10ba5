// Identification from filtered measurements. docs/theory/regressor.md, eq. 29.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identification/observation.hpp"
#include "ulna/study/internal/signal.hpp"
#include "ulna/study/measurement.hpp"

namespace ulna {
namespace {

/// Rows of all speeds at a sample stand together.
struct Rows {
  Eigen::MatrixXd W;
  Eigen::VectorXd y;
};

void require_all_efforts(const TorqueRegressor& regressor, const Measurement& measured) {
  for (const MeasuredPart& part : measured.parts)
    if (part.recording.tau.rows() != regressor.model().speeds())
      throw InputError(fmt::format("the log has efforts of {} of {} speeds",
                                   part.recording.tau.rows(), regressor.model().speeds()),
                       "a column of efforts for each speed",
                       "name the columns that hold them (--column tau.JOINT=TITLE)");
}

/// How many samples apart the rows are, and how many are dropped at each end, where the filter has
/// seen only one side of the signal.
struct Thinning {
  Eigen::Index step, trim;
};
Thinning thinning_of(const Measurement& measured) {
  if (!(measured.bandwidth < 0.45 * measured.rate)) return {1, 0};
  const double samples = measured.rate / measured.bandwidth;
  return {std::max(Eigen::Index(1), static_cast<Eigen::Index>(samples / 2)),
          static_cast<Eigen::Index>(samples)};
}

Rows filtered_rows(TorqueRegressor& regressor, const BaseParameters& base,
                   const Measurement& measured, const MeasuredPart& part) {
  const Eigen::Index n = regressor.model().speeds(), samples = part.t.size();
  const Eigen::MatrixXd all = observation(regressor, base, part.recording);
  Eigen::MatrixXd told = told_efforts(regressor, part.recording);
  const ZeroPhaseFilter filter(measured.bandwidth, measured.rate);
  const auto [step, trim] = thinning_of(measured);
  const Eigen::Index count = samples > 2 * trim ? (samples - 2 * trim - 1) / step + 1 : 0;
  Rows out{Eigen::MatrixXd(n * count, all.cols()), Eigen::VectorXd(n * count)};
  Eigen::VectorXd signal(samples);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto thin = [&](auto&& value_at, auto&& to) {
      for (Eigen::Index s = 0; s < samples; ++s) signal(s) = value_at(s);
      filter.apply(signal);
      for (Eigen::Index i = 0; i < count; ++i) to(i * n + k) = signal(trim + i * step);
    };
    for (Eigen::Index j = 0; j < all.cols(); ++j)
      thin([&](Eigen::Index s) { return all(s * n + k, j); }, out.W.col(j));
    thin([&](Eigen::Index s) { return told(k, s); }, out.y);
  }
  return out;
}

/// Of each speed's residuals with the next ones; parts begin anew at the places of `begins`.
Eigen::VectorXd successive_correlation(const Eigen::VectorXd& residual, Eigen::Index n,
                                       const std::vector<Eigen::Index>& begins) {
  Eigen::VectorXd product = Eigen::VectorXd::Zero(n), square = Eigen::VectorXd::Zero(n);
  const Eigen::Index samples = residual.size() / n;
  for (Eigen::Index s = 0; s < samples; ++s) {
    const auto now = residual.segment(s * n, n);
    square += now.cwiseAbs2();
    if (std::find(begins.begin(), begins.end(), s) == begins.end())
      product += now.cwiseProduct(residual.segment((s - 1) * n, n));
  }
  return product.cwiseQuotient(square.cwiseMax(1e-300));
}

}  // namespace

Identification identify(TorqueRegressor& regressor, const BaseParameters& base,
                        const std::vector<Measurement>& logs) {
  const Eigen::Index n = regressor.model().speeds();
  Rows rows{Eigen::MatrixXd(0, base.count()), {}};
  std::vector<Eigen::Index> begins;
  for (const Measurement& measured : logs) {
    require_all_efforts(regressor, measured);
    for (const MeasuredPart& part : measured.parts) {
      const Rows more = filtered_rows(regressor, base, measured, part);
      begins.push_back(rows.y.size() / n);
      rows.W.conservativeResize(rows.W.rows() + more.W.rows(), Eigen::NoChange);
      rows.W.bottomRows(more.W.rows()) = more.W;
      rows.y.conservativeResize(rows.y.size() + more.y.size());
      rows.y.tail(more.y.size()) = more.y;
    }
  }
  require_rows(base, rows.W.rows(), n);
  Identification out = identify_rows(rows.W, rows.y, n);
  out.correlation = successive_correlation(rows.y - rows.W * out.estimate, n, begins);
  return out;
}

EffortComparison compare_efforts(TorqueRegressor& regressor, const BaseParameters& base,
                                 const VectorRef& estimate, const Measurement& measured) {
  require_all_efforts(regressor, measured);
  const Eigen::Index n = regressor.model().speeds(), samples = measured.samples();
  const Eigen::Index trim = thinning_of(measured).trim;
  EffortComparison out;
  out.t.resize(samples);
  out.measured.resize(n, samples);
  out.predicted.resize(n, samples);
  Eigen::Index at = 0;
  for (const MeasuredPart& part : measured.parts) {
    const Eigen::Index kept = part.t.size() - 2 * trim;
    if (kept <= 0) continue;
    const auto filtered = [&](const Eigen::MatrixXd& x) -> Eigen::MatrixXd {
      return low_passed(x, measured.bandwidth, measured.rate).middleCols(trim, kept);
    };
    out.t.segment(at, kept) = part.t.segment(trim, kept);
    out.measured.middleCols(at, kept) = filtered(part.recording.tau);
    out.predicted.middleCols(at, kept) =
        filtered(predicted_efforts(regressor, base, estimate, part.recording));
    at += kept;
  }
  out.t.conservativeResize(at);
  out.measured.conservativeResize(Eigen::NoChange, at);
  out.predicted.conservativeResize(Eigen::NoChange, at);
  if (at == 0) throw InputError("the log is shorter than the filter's memory", "a longer log");
  const double root = std::sqrt(static_cast<double>(at));
  out.rms = out.measured.rowwise().norm() / root;
  out.error = (out.measured - out.predicted).rowwise().norm() / root;
  return out;
}

}  // namespace ulna
