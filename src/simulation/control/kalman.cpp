#include "ulna/simulation/kalman.hpp"

#include <fmt/format.h>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/simulation/linear_analysis.hpp"

namespace ulna {
namespace {

using Matrix = Eigen::MatrixXd;

void check_filter(const Matrix& A, const Matrix& B, const Matrix& C, const Matrix& Q,
                  const Matrix& R) {
  const long n = A.rows();
  if (A.cols() != n || B.rows() != n || C.cols() != n || Q.rows() != n || Q.cols() != n ||
      R.rows() != C.rows() || R.cols() != C.rows())
    throw InputError(
        fmt::format("A is {} x {}, B {} x {}, C {} x {}, Q {} x {}, R {} x {}", A.rows(), A.cols(),
                    B.rows(), B.cols(), C.rows(), C.cols(), Q.rows(), Q.cols(), R.rows(), R.cols()),
        "a square A and Q, B with as many rows, C with as many columns, R as C C'");
  const dense::Cholesky definite(R);
  if (R.rows() > 0 && !definite.ok())
    throw InputError("the covariance R of the measurements is not positive definite");
}

/// P C' (C P C' + R)^-1.
Matrix gain_of(const Matrix& P, const Matrix& C, const Matrix& R) {
  const Matrix S = C * P * C.transpose() + R;
  return dense::Cholesky(S).solve(C * P).transpose();
}

}  // namespace

SteadyKalmanFilter steady_kalman_filter(const Matrix& A, const Matrix& B, const Matrix& C,
                                        const Matrix& Q, const Matrix& R) {
  check_filter(A, B, C, Q, R);
  SteadyKalmanFilter filter{A, B, C, {}, {}};
  // The regulator of the transposed system has the same equation.
  filter.P = discrete_riccati(A.transpose(), C.transpose(), Q, R);
  filter.gain = gain_of(filter.P, C, R);
  return filter;
}

Eigen::VectorXd SteadyKalmanFilter::next(const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                         const Eigen::VectorXd& y) const {
  const Eigen::VectorXd predicted = A * x + B * u;
  return predicted + gain * (y - C * predicted);
}

KalmanFilter::KalmanFilter(Matrix A, Matrix B, Matrix C, Matrix Q, Matrix R, Eigen::VectorXd x,
                           Matrix P)
    : A_(std::move(A)),
      B_(std::move(B)),
      C_(std::move(C)),
      Q_(std::move(Q)),
      R_(std::move(R)),
      x_(std::move(x)),
      P_(std::move(P)) {
  check_filter(A_, B_, C_, Q_, R_);
  if (x_.size() != A_.rows() || P_.rows() != A_.rows() || P_.cols() != A_.rows())
    throw InputError(fmt::format("x has {} entries, P is {} x {}", x_.size(), P_.rows(), P_.cols()),
                     fmt::format("{}, as A has rows", A_.rows()));
}

void KalmanFilter::predict(const Eigen::VectorXd& u) {
  x_ = (A_ * x_ + B_ * u).eval();
  P_ = (A_ * P_ * A_.transpose() + Q_).eval();
}

/// Joseph's form: the covariance stays symmetric and positive.
void KalmanFilter::correct(const Eigen::VectorXd& y) {
  const Matrix L = gain_of(P_, C_, R_);
  x_ += L * (y - C_ * x_);
  const Matrix left = Matrix::Identity(P_.rows(), P_.cols()) - L * C_;
  P_ = (left * P_ * left.transpose() + L * R_ * L.transpose()).eval();
}

}  // namespace ulna
