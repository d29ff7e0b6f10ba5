#include "ulna/study/identification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "identification/observation.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

void check_rows(const Model& model, const Eigen::MatrixXd& x, int rows, Eigen::Index samples,
                const char* what) {
  if (x.rows() != rows || x.cols() != samples)
    throw InputError(fmt::format("recording for robot '{}': {} is {} x {}", model.name(), what,
                                 x.rows(), x.cols()),
                     fmt::format("{} x {}: one column per sample", rows, samples));
  if (!x.allFinite())
    throw InputError(fmt::format("recording: an entry of {} is not finite", what), "numbers");
}

void check_base(const TorqueRegressor& regressor, const BaseParameters& base) {
  if (base.combination.rows() != base.count() || base.combination.cols() != regressor.columns())
    throw InputError("base parameters of another regressor",
                     fmt::format("combinations of {} columns", regressor.columns()));
}

/// What the model says of efforts that are no columns of the regressor, per sample.
Eigen::MatrixXd known_efforts(TorqueRegressor& regressor, const Recording& recording) {
  const Model& model = regressor.model();
  Workspace work(model);
  Eigen::MatrixXd out(model.speeds(), recording.samples());
  for (Eigen::Index s = 0; s < recording.samples(); ++s) {
    interruption_point();
    const auto q = recording.q.col(s), v = recording.v.col(s), a = recording.a.col(s);
    out.col(s) = inverse_dynamics(model, work, q, v, a);
    out.col(s) -= regressor(work, q, v, a) * regressor.parameters();
  }
  return out;
}

/// Rows of a speed times its weight.
void weigh(Eigen::MatrixXd& x, const Eigen::VectorXd& weights) {
  for (Eigen::Index row = 0; row < x.rows(); ++row) x.row(row) *= weights(row % weights.size());
}

struct Solution {
  Eigen::VectorXd x;
  Eigen::MatrixXd R;
};

/// Least squares of W x = y by the triangle of [W y], never by normal equations.
Solution solve(const Eigen::MatrixXd& W, const Eigen::VectorXd& y) {
  const Eigen::Index p = W.cols();
  Eigen::MatrixXd both(W.rows(), p + 1);
  both << W, y;
  const Eigen::MatrixXd T = triangle(both);
  Solution out;
  out.R = T.topLeftCorner(p, p);
  if (!(condition_of(out.R) < 1e12))
    throw ComputationError(
        "the recorded motion does not excite all base parameters: the condition number of its "
        "regressor is above 1e12; record a motion with more speed and acceleration of every joint");
  const Eigen::VectorXd right = T.col(p).head(p);
  out.x = out.R.triangularView<Eigen::Upper>().solve(right);
  return out;
}

/// eq. 22: standard deviation of each speed's residuals; the unknowns are shared out evenly.
Eigen::VectorXd noise_of(const Eigen::VectorXd& residual, Eigen::Index speeds,
                         Eigen::Index unknowns) {
  const Eigen::Index samples = residual.size() / speeds;
  const double freedom =
      static_cast<double>(samples) - static_cast<double>(unknowns) / static_cast<double>(speeds);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(speeds);
  for (Eigen::Index row = 0; row < residual.size(); ++row)
    sum(row % speeds) += residual(row) * residual(row);
  return (sum / freedom).cwiseSqrt();
}

}  // namespace

void check_motion(const TorqueRegressor& regressor, const Recording& recording) {
  const Model& model = regressor.model();
  check_rows(model, recording.q, model.coordinates(), recording.samples(), "q");
  check_rows(model, recording.v, model.speeds(), recording.samples(), "v");
  check_rows(model, recording.a, model.speeds(), recording.samples(), "a");
}

Eigen::MatrixXd observation(TorqueRegressor& regressor, const BaseParameters& base,
                            const Recording& recording) {
  check_base(regressor, base);
  check_motion(regressor, recording);
  const Eigen::Index n = regressor.model().speeds();
  Workspace work(regressor.model());
  Eigen::MatrixXd W(n * recording.samples(), base.count());
  for (Eigen::Index s = 0; s < recording.samples(); ++s) {
    interruption_point();
    W.middleRows(s * n, n) = regressor(work, recording.q.col(s), recording.v.col(s),
                                       recording.a.col(s))(Eigen::all, base.kept);
  }
  return W;
}

Eigen::MatrixXd told_efforts(TorqueRegressor& regressor, const Recording& recording) {
  check_rows(regressor.model(), recording.tau, regressor.model().speeds(), recording.samples(),
             "tau");
  return recording.tau - known_efforts(regressor, recording);
}

Eigen::MatrixXd triangle(Eigen::Index rows, Eigen::Index columns,
                         const std::function<Eigen::MatrixXd(Eigen::Index, Eigen::Index)>& part) {
  const Eigen::Index piece = std::max<Eigen::Index>(1 << 14, 4 * columns);
  Eigen::MatrixXd R(0, columns);
  for (Eigen::Index row = 0; row == 0 || row < rows; row += piece) {
    interruption_point();
    const Eigen::MatrixXd more = part(row, std::min(piece, rows - row));
    if (row == 0) {
      R = dense::Qr(more).R();
      continue;
    }
    Eigen::MatrixXd both(R.rows() + more.rows(), columns);
    both << R, more;
    R = dense::Qr(both).R();
  }
  return R;
}

Eigen::MatrixXd triangle(const Eigen::MatrixXd& W) {
  return triangle(W.rows(), W.cols(), [&](Eigen::Index row, Eigen::Index count) {
    return Eigen::MatrixXd(W.middleRows(row, count));
  });
}

double condition_of(const Eigen::MatrixXd& R) {
  if (R.cols() == 0) return 1;
  const Eigen::VectorXd norms = R.colwise().norm();
  if (R.rows() < R.cols() || !(norms.minCoeff() > 0))
    return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd values = dense::singular_values(R * norms.cwiseInverse().asDiagonal());
  return values(0) / values(values.size() - 1);
}

void require_rows(const BaseParameters& base, Eigen::Index rows, Eigen::Index speeds) {
  if (rows < 2 * base.count())
    throw InputError(fmt::format("identification of {} base parameters from {} samples",
                                 base.count(), rows / std::max(speeds, Eigen::Index(1))),
                     fmt::format("at least {} samples", (2 * base.count() + speeds - 1) /
                                                            std::max(speeds, Eigen::Index(1))));
}

Identification identify_rows(const Eigen::MatrixXd& W, const Eigen::VectorXd& y, Eigen::Index n) {
  if (n == 0)
    throw InputError("no effort tells of the parameters of a robot without degrees of freedom",
                     "a robot that moves");
  // All efforts alike first; then each speed by the noise its residuals show.
  Eigen::VectorXd x = solve(W, y).x;
  Identification out;
  Solution weighted;
  for (int pass = 0; pass < 3; ++pass) {
    out.noise = noise_of(y - W * x, n, W.cols());
    // Efforts without noise: weights are bounded by what rounding can tell.
    const double floor = 1e-12 * (1e-300 + y.cwiseAbs().maxCoeff());
    const Eigen::VectorXd weights = out.noise.cwiseMax(floor).cwiseInverse();
    Eigen::MatrixXd both(W.rows(), W.cols() + 1);
    both << W, y;
    weigh(both, weights);
    weighted = solve(both.leftCols(W.cols()), both.col(W.cols()));
    x = weighted.x;
  }
  out.estimate = x;
  out.condition = condition_of(weighted.R);
  // eq. 23: (R' R)^-1, efforts being of unit variance after weighting.
  const Eigen::MatrixXd inverse = weighted.R.triangularView<Eigen::Upper>().solve(
      Eigen::MatrixXd::Identity(W.cols(), W.cols()));
  out.covariance = inverse * inverse.transpose();
  return out;
}

Identification identify(TorqueRegressor& regressor, const BaseParameters& base,
                        const Recording& recording) {
  const Eigen::Index n = regressor.model().speeds();
  const Eigen::MatrixXd W = observation(regressor, base, recording);
  const Eigen::MatrixXd told = told_efforts(regressor, recording);
  require_rows(base, W.rows(), n);
  return identify_rows(W, Eigen::Map<const Eigen::VectorXd>(told.data(), told.size()), n);
}

Eigen::MatrixXd predicted_efforts(TorqueRegressor& regressor, const BaseParameters& base,
                                  const VectorRef& estimate, const Recording& motion) {
  if (estimate.size() != base.count())
    throw InputError(fmt::format("{} estimates", estimate.size()),
                     fmt::format("{}: one per base parameter", base.count()));
  const Eigen::VectorXd y = observation(regressor, base, motion) * estimate;
  const Eigen::Index n = regressor.model().speeds();
  return Eigen::Map<const Eigen::MatrixXd>(y.data(), n, motion.samples()) +
         known_efforts(regressor, motion);
}

Eigen::VectorXd nearest_parameters(const TorqueRegressor& regressor, const BaseParameters& base,
                                   const VectorRef& estimate, double share) {
  check_base(regressor, base);
  const Eigen::VectorXd& p = regressor.parameters();
  const Eigen::Index bodies =
      parameters_per_body * (static_cast<Eigen::Index>(regressor.model().bodies().size()) - 1);
  // Kinds: mass, first moment, inertia; other terms by themselves.
  Eigen::Vector3d largest = Eigen::Vector3d::Zero();
  const auto kind = [](Eigen::Index j) {
    const Eigen::Index k = j % parameters_per_body;
    return k == 0 ? 0 : k < 4 ? 1 : 2;
  };
  for (Eigen::Index j = 0; j < bodies; ++j)
    largest(kind(j)) = std::max(largest(kind(j)), std::abs(p(j)));
  Eigen::VectorXd size = p.cwiseAbs();
  for (Eigen::Index j = 0; j < bodies; ++j)
    size(j) = std::max(size(j), share * (largest(kind(j)) > 0 ? largest(kind(j)) : 1));
  for (Eigen::Index j = bodies; j < size.size(); ++j) size(j) = std::max(size(j), share);
  // Least change, in units of `size`: p + D (C D)^+ (estimate - C p).
  const Eigen::MatrixXd CD = base.combination * size.asDiagonal();
  const Eigen::VectorXd change =
      dense::LeastNorm(CD).solve(Eigen::VectorXd(estimate - base.combination * p));
  return p + size.cwiseProduct(change);
}

std::vector<std::string> impossible_bodies(const TorqueRegressor& regressor,
                                           const VectorRef& parameters) {
  if (parameters.size() != regressor.columns())
    throw InputError(fmt::format("{} parameters", parameters.size()),
                     fmt::format("{}: one per column", regressor.columns()));
  std::vector<std::string> out;
  const auto& bodies = regressor.model().bodies();
  for (std::size_t b = 1; b < bodies.size(); ++b) {
    const Eigen::Matrix<double, 10, 1> own = parameters.segment<parameters_per_body>(
        parameters_per_body * (static_cast<Eigen::Index>(b) - 1));
    const std::string why = why_impossible(inertia_of_parameters(own));
    if (!why.empty()) out.push_back(fmt::format("body '{}': {}", bodies[b].name, why));
  }
  return out;
}

}  // namespace ulna
