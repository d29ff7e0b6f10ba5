#include "linear/damped_step.hpp"

#include "ulna/numerics/dense.hpp"

namespace ulna {

Eigen::VectorXd damped_step(const Eigen::MatrixXd& J, const Eigen::VectorXd& r, double damping,
                            double longest) {
  const Eigen::Index n = J.cols();
  Eigen::MatrixXd system(J.rows() + n, n);
  system << J, damping * Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(J.rows() + n);
  right.head(J.rows()) = -r;
  const Eigen::VectorXd x = dense::PivotedQr(system).solve(right);
  const double size = x.cwiseAbs().maxCoeff();
  return size > longest ? Eigen::VectorXd(longest / size * x) : x;
}

Eigen::VectorXd falling_step(const Eigen::MatrixXd& J, const Eigen::VectorXd& r, double longest) {
  const dense::SymmetricEigen K = dense::eigen_symmetric((J + J.transpose()) / 2);
  const double least = 1e-3 * K.values.cwiseAbs().maxCoeff();
  const Eigen::VectorXd curvature = K.values.cwiseAbs().cwiseMax(least > 0 ? least : 1);
  const Eigen::VectorXd x =
      -K.vectors * (K.vectors.transpose() * r).cwiseQuotient(curvature).eval();
  const double size = x.cwiseAbs().maxCoeff();
  return size > longest ? Eigen::VectorXd(longest / size * x) : x;
}

}  // namespace ulna
