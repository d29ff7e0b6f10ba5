#include "linear/damped_step.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "ulna/dynamics/elements.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/spatial/rotation.hpp"

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
  // Every direction by itself is limited: beside a stiff one (of a link that bends) the others go
  // as far as they would alone.
  const double least = 1e-9 * K.values.cwiseAbs().maxCoeff();
  const Eigen::VectorXd curvature = K.values.cwiseAbs().cwiseMax(least > 0 ? least : 1);
  const Eigen::VectorXd way = (K.vectors.transpose() * r).cwiseQuotient(curvature);
  const Eigen::VectorXd x = -K.vectors * way.cwiseMin(longest).cwiseMax(-longest);
  const double size = x.cwiseAbs().maxCoeff();
  return size > longest ? Eigen::VectorXd(longest / size * x) : x;
}

namespace {

/// Rows of the missing efforts, each with a direction that keeps its place while the robot moves.
struct MissingRows {
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  std::vector<std::string> names;
  std::vector<char> slides;
};

/// The force on a free body is measured in axes that turn with it. In the axes of its parent a
/// weight is the same at every posture.
void stand_still(const Model& model, const std::vector<int>& speeds, const Eigen::VectorXd& q,
                 MissingRows& rows) {
  for (const TangentBlock& block : model.blocks()) {
    if (block.kind != TangentBlock::Kind::free) continue;
    const auto at = std::find(speeds.begin(), speeds.end(), block.v);
    if (std::distance(at, speeds.end()) < 6 || at[5] != block.v + 5) continue;
    const Eigen::Index turn = at - speeds.begin(), shift = turn + 3;
    const Matrix3<double> R = rotation_from_quaternion<double>(q.segment<4>(block.q).normalized());
    const Vector3<double> force = rows.r.segment<3>(shift);
    for (int k = 0; k < 3; ++k)
      rows.J.block<3, 1>(shift, turn + k) += Vector3<double>::Unit(k).cross(force);
    rows.r.segment<3>(shift) = R * force;
    rows.J.middleRows<3>(shift) = (R * rows.J.middleRows<3>(shift)).eval();
    for (int k = 0; k < 3; ++k)
      rows.names[static_cast<std::size_t>(shift + k)] =
          model.coordinate_names()[static_cast<std::size_t>(block.q + 4 + k)];
  }
}

/// An actuator that pushes beyond the end of its stroke, where its thrust is taken away: no posture
/// balances it, though in time it would rest at that end.
std::string stroke_text(const Model& model, const Eigen::VectorXd& q) {
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.speeds());
  for (int k = 0; k < std::ssize(model.elements()); ++k) {
    const Element& e = model.elements()[static_cast<std::size_t>(k)];
    if (e.type != ElementData::Type::actuator || e.formula || e.force == 0) continue;
    const double length = element_reading(model, k, q, rest).length;
    const double end = e.force > 0 ? e.greatest_length : e.least_length, slack = 1e-6 * length;
    const bool beyond = e.force > 0 ? length > end - slack : length < end + slack;
    if (beyond && end > 0 && end < ElementData::unlimited)
      return fmt::format(
          "the search came to the end of the stroke of actuator '{}' ({:.6g} m), where its {:.6g} "
          "N "
          "end: it rests there held by a part of them, which a run shows (or give it the force of "
          "the balance: --actuator-forces {}=...)",
          e.name, end, e.force, e.name);
  }
  return {};
}

}  // namespace

std::string unbalanced_text(const Model& model, const std::vector<int>& speeds,
                            const Eigen::VectorXd& q, const Eigen::VectorXd& r,
                            const Eigen::MatrixXd& J) {
  // Differences know a derivative to about 1e-10 of the efforts.
  constexpr double unchanged = 1e-8;
  MissingRows rows{r, J, {}, {}};
  for (const int speed : speeds) {
    rows.names.push_back(model.speed_names()[static_cast<std::size_t>(speed)]);
    rows.slides.push_back(model.speed_dimensions()[speed] == Dimension::length);
  }
  if (std::string stroke = stroke_text(model, q); !stroke.empty()) return stroke;
  stand_still(model, speeds, q, rows);
  for (Eigen::Index k = 0; k < r.size(); ++k) {
    const double missing = rows.r(k);
    if (!(std::abs(missing) > 0.01 * r.norm()) ||
        rows.J.row(k).norm() > unchanged * std::abs(missing))
      continue;
    return fmt::format(
        "an effort of {:.6g} {} along '{}' is missing, and it is the same at every posture nearby: "
        "nothing balances it (a spring, --tau or a locked joint would)",
        missing, rows.slides[static_cast<std::size_t>(k)] ? "N" : "N m",
        rows.names[static_cast<std::size_t>(k)]);
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
