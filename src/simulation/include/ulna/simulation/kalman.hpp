#pragma once
// Kalman filters of linear systems in discrete time, x+ = A x + B u + w, y = C x + e, with w and e
// of covariance Q and R. docs/theory/control.md, eq. 14-18.

#include <Eigen/Core>
#include <optional>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// The covariance that the filter settles at, before a measurement, and its gain:
/// P = A P A' - A P C' (C P C' + R)^-1 C P A' + Q.
struct SteadyKalmanFilter {
  Eigen::MatrixXd A, B, C;
  Eigen::MatrixXd gain;  ///< L = P C' (C P C' + R)^-1
  Eigen::MatrixXd P;

  /// The estimate after the input u and the measurement y.
  ULNA_API Eigen::VectorXd next(const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                const Eigen::VectorXd& y) const;
};
ULNA_API SteadyKalmanFilter steady_kalman_filter(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                                                 const Eigen::MatrixXd& C, const Eigen::MatrixXd& Q,
                                                 const Eigen::MatrixXd& R);

/// The filter with a covariance of its own, from any start.
class ULNA_API KalmanFilter {
 public:
  KalmanFilter(Eigen::MatrixXd A, Eigen::MatrixXd B, Eigen::MatrixXd C, Eigen::MatrixXd Q,
               Eigen::MatrixXd R, Eigen::VectorXd x, Eigen::MatrixXd P);
  void predict(const Eigen::VectorXd& u);
  void correct(const Eigen::VectorXd& y);
  const Eigen::VectorXd& x() const { return x_; }
  const Eigen::MatrixXd& P() const { return P_; }

 private:
  Eigen::MatrixXd A_, B_, C_, Q_, R_;
  Eigen::VectorXd x_;
  Eigen::MatrixXd P_;
};

}  // namespace ulna
