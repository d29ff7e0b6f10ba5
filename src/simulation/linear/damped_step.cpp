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

}  // namespace ulna
