#include "ulna/study/internal/stability_surface.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

/// The body alone on a base that slides along its axis and across it, and turns.
Robot on_a_moving_base(const BodyData& body) {
  Robot robot;
  robot.name = body.name;
  robot.gravity.setZero();
  const Matrix3<double> axes = section_axes(body.beams[0]);
  BodyData slide, turn, flexible = body;
  slide.name = "slide", turn.name = "turn", flexible.name = "body";
  for (BodyData* rigid : {&slide, &turn}) {
    rigid->inertial.mass = 1;
    rigid->inertial.inertia = Matrix3<double>::Identity();
  }
  robot.bodies = {slide, turn, flexible};
  const auto joint = [&](const char* name, JointType type, const std::string& parent,
                         const char* child, int axis) {
    JointData data;
    data.name = name;
    data.type = type;
    data.parent = parent;
    data.child = child;
    data.axis = axes.col(axis);
    robot.joints.push_back(data);
  };
  joint("along", JointType::prismatic, world_name, "slide", 0);
  joint("spin", JointType::revolute, "slide", "turn", 2);
  joint("clamp", JointType::fixed, "turn", "body", 0);
  make_flexible(robot);
  return robot;
}

/// K = K0 + spin^2 K_spin + a_x K_axial: affine, so three states tell it whole.
struct DynamicStiffness {
  explicit DynamicStiffness(const Model& model) {
    const auto at = [&](double spin, double acceleration) {
      ModesQuery query;
      query.all_locked = true;
      query.v = Eigen::VectorXd::Zero(model.speeds());
      query.a = query.v;
      query.v(1) = spin;
      query.a(0) = acceleration;
      return elastic_modes(model, query);
    };
    const ElasticModes rest = at(0, 0);
    M = rest.M, K0 = rest.K;
    w1 = rest.frequencies(0);
    // Differences of the size of the stiffness itself keep their digits.
    const double scale = w1;
    K_spin = (at(scale, 0).K - K0) / (scale * scale);
    K_axial = (at(0, scale * scale).K - K0) / (scale * scale);
    for (Eigen::MatrixXd* K : {&K0, &K_spin, &K_axial}) *K = (0.5 * (*K + K->transpose())).eval();
  }

  /// The smallest positive acceleration at which K is singular.
  double critical(double spin) const {
    const Eigen::MatrixXd K = K0 + spin * spin * K_spin;
    if (!dense::Cholesky(K).ok()) return std::nan("");
    const double largest = dense::eigenvalues_symmetric(-K_axial, K).maxCoeff();
    return largest > 0 ? 1 / largest : INFINITY;
  }

  Eigen::MatrixXd M, K0, K_spin, K_axial;
  double w1 = 0;
};

}  // namespace

StabilitySurface stability_surface(const Model& model, int link, std::vector<double> x,
                                   std::vector<double> z) {
  if (link < 0 || link >= static_cast<int>(model.flexible_links().size()))
    throw InputError(fmt::format("robot '{}' has no flexible body number {}", model.name(), link),
                     fmt::format("0 .. {}", static_cast<int>(model.flexible_links().size()) - 1));
  for (const double value : x)
    if (!(value >= 0) || !std::isfinite(value))
      throw InputError(fmt::format("a spin of {}", value), "numbers that are not negative");
  const int body = model.flexible_links()[static_cast<std::size_t>(link)].body;
  const Model alone(on_a_moving_base(model.robot().bodies[static_cast<std::size_t>(body) - 1]));
  const DynamicStiffness stiffness(alone);
  StabilitySurface out;
  out.first_frequency = stiffness.w1;
  out.length = alone.flexible_links()[0].modal->length;
  out.x = std::move(x), out.z = std::move(z);
  const double unit = out.length * stiffness.w1 * stiffness.w1;
  out.spin = stiffness.K_spin(0, 0) / stiffness.M(0, 0);
  out.axial = stiffness.K_axial(0, 0) / stiffness.M(0, 0) * out.length;
  out.critical.resize(std::ssize(out.x));
  out.y.resize(std::ssize(out.x), std::ssize(out.z));
  for (std::size_t i = 0; i < out.x.size(); ++i) {
    interruption_point();
    const auto row = static_cast<Eigen::Index>(i);
    out.critical(row) = stiffness.critical(out.x[i] * stiffness.w1) / unit;
    // a_x = z - x y: the acceleration in space of a base whose velocity is given in its own axes.
    for (std::size_t k = 0; k < out.z.size(); ++k)
      out.y(row, static_cast<Eigen::Index>(k)) =
          out.x[i] > 0 ? (out.z[k] - out.critical(row)) / out.x[i] : std::nan("");
  }
  return out;
}

}  // namespace ulna
