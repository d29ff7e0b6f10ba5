#include "linear/damped_step.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cmath>

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

std::string unbalanced_text(const Model& model, const std::vector<int>& speeds,
                            const Eigen::VectorXd& r, const Eigen::MatrixXd& J) {
  // Differences know a derivative to about 1e-10 of the efforts.
  constexpr double unchanged = 1e-8;
  for (Eigen::Index k = 0; k < r.size(); ++k) {
    if (!(std::abs(r(k)) > 0.01 * r.norm()) || J.row(k).norm() > unchanged * std::abs(r(k)))
      continue;
    const int speed = speeds[static_cast<std::size_t>(k)];
    const bool slides = model.speed_dimensions()[speed] == Dimension::length;
    return fmt::format(
        "an effort of {:.6g} {} along '{}' is missing, and it is the same at every posture nearby: "
        "nothing balances it (a spring, --tau or a locked joint would)",
        r(k), slides ? "N" : "N m", model.speed_names()[static_cast<std::size_t>(speed)]);
  }
  return {};
}

double effort_scale(const Model& model, double missing, double given, double stiffness) {
  constexpr double least = 1e-12, multiple = 1e5;
  const double weight = model.mass() * model.robot().gravity.norm();
  if (weight > 0)
    stiffness =
        std::min(stiffness, multiple * (weight * (1 + model.length_scale()) + missing + given));
  return std::max({missing, given, stiffness, least});
}

}  // namespace ulna
