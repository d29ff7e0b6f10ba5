#include "tip/tip_dichotomy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

/// Factors this near to 1 in size belong to undamped vibrations. The differences themselves keep
/// such vibrations to rounding.
constexpr double undamped = 1e-9;

/// The recursion of four successive nodes (eq. 12): y(k + 1) = C y(k).
Eigen::MatrixXd recursion(TipEquations& equations, const TipTarget& target,
                          const Eigen::VectorXd& x, double h) {
  const long n = equations.joints(), m = equations.size() - n;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(equations.size());
  equations.evaluate(target, x, zero, zero, true);
  // The joints keep the frame in its place: q = S eta.
  const Eigen::MatrixXd S = -dense::Lu(equations.dx.topLeftCorner(n, n))
                                 .solve(Eigen::MatrixXd(equations.dx.topRightCorner(n, m)));
  const auto reduced = [&](const Eigen::MatrixXd& d) -> Eigen::MatrixXd {
    return d.bottomRightCorner(m, m) + d.bottomLeftCorner(m, n) * S;
  };
  const Eigen::MatrixXd K = reduced(equations.dx), D = reduced(equations.dv) / h,
                        M = reduced(equations.da) / (h * h);
  const auto block = [&](int i) -> Eigen::MatrixXd {
    Eigen::MatrixXd B = rate_weights[i] * D + acceleration_weights[i] * M;
    if (i == 2) B += K;
    return B;
  };
  const dense::Lu last(block(4));
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(4 * m, 4 * m);
  C.topRightCorner(3 * m, 3 * m).setIdentity();
  for (int i = 0; i < 4; ++i) C.block(3 * m, i * m, m, m) = -last.solve(block(i));
  return C;
}

}  // namespace

TipDichotomy::TipDichotomy(TipEquations& equations, const TipTarget& target,
                           const Eigen::VectorXd& x, double h)
    : size_(4 * (equations.size() - equations.joints())) {
  const Eigen::MatrixXd C = recursion(equations, target, x, h);
  dense::GeneralEigen parts;
  if (C.allFinite()) parts = dense::eigen(C.transpose());
  if (!parts.ok)
    throw ComputationError(
        "the stable inversion has no internal dynamics at a state of rest: the accelerations of "
        "the modes do not follow from a frame that is kept in its place");
  std::vector<long> order(static_cast<std::size_t>(size_));
  std::iota(order.begin(), order.end(), 0L);
  std::ranges::stable_sort(order, [&](long a, long b) {
    return std::abs(parts.values(a)) > std::abs(parts.values(b)) * (1 + 1e-12);
  });
  sizes_.resize(size_), left_.resize(size_, size_);
  for (long k = 0; k < size_; ++k) {
    sizes_(k) = std::abs(parts.values(order[static_cast<std::size_t>(k)]));
    left_.col(k) = parts.vectors.col(order[static_cast<std::size_t>(k)]);
    if (sizes_(k) > 1 + undamped) ++growing_;
  }
}

int TipDichotomy::whole_pairs(int count) const {
  while (count > 0 && count < size_ && sizes_(count - 1) < sizes_(count) * (1 + 1e-9)) --count;
  return count;
}

Eigen::MatrixXd TipDichotomy::rows(int first, int last) const {
  // A pair of conjugate vectors has the same real and imaginary parts: half of these are enough.
  Eigen::MatrixXd parts(size_, 2 * (last - first));
  for (int k = first; k < last; ++k) {
    const Eigen::VectorXcd w = left_.col(k);
    parts.col(2 * (k - first)) = w.real();
    parts.col(2 * (k - first) + 1) = w.imag();
  }
  const dense::Svd svd = dense::svd(parts, dense::SvdParts::thin);
  return svd.U.leftCols(last - first).transpose();
}

}  // namespace ulna
