#include "element_springs.hpp"

#include <fmt/format.h>

#include "ulna/dynamics/kernels/element_law.hpp"
#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/model/internal/undeformed.hpp"
#include "ulna/scalar/dual.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

/// Force of a law and its slopes in stretch and rate, at rest.
struct LawSlopes {
  LawSlopes() = default;
  LawSlopes(const ElementLaw& law, double stretch) {
    Dual<1> x(stretch), rate(0.0);
    x.d[0] = rate.d[0] = 1;
    const Dual<1> elastic = spring_force(law, x), viscous = damper_force(law, rate);
    force = value_of(elastic) + value_of(viscous);
    stiffness = elastic.d[0];
    damping = viscous.d[0];
  }
  double force = 0, stiffness = 0, damping = 0;
};

class ElementSprings {
 public:
  ElementSprings(const Model& model, const VectorRef& q, const std::vector<Pose<double>>& X_WB,
                 const std::vector<int>& freedom_of_speed, elastic::BeamStructure& frame,
                 const NodeAt& node_at)
      : model_(model),
        q_(q),
        X_WB_(X_WB),
        freedom_of_speed_(freedom_of_speed),
        frame_(frame),
        node_at_(node_at) {}

  /// Along the line by its stretch, across it by its tension: eq. 16.
  void add_line(const Element& e) {
    std::vector<Vector3<double>> at;
    std::vector<int> nodes;
    for (const ElementPoint& point : e.points) {
      at.push_back(pose_of(point).position);
      nodes.push_back(node_at_(point.body, at.back(), e.name));
    }
    double length = 0;
    for (std::size_t k = 1; k < at.size(); ++k) length += (at[k] - at[k - 1]).norm();
    const LawSlopes slopes = e.type == ElementData::Type::actuator
                                 ? actuator_slopes(e, length)
                                 : LawSlopes(e.law, length - e.law.rest);
    elastic::StructureTie tie{e.name, Eigen::VectorXd::Zero(frame_.freedoms()), slopes.stiffness,
                              slopes.damping};
    for (std::size_t k = 1; k < at.size(); ++k) {
      const Vector3<double> d = at[k] - at[k - 1];
      if (d.norm() == 0) continue;  // no direction: neither force nor stiffness
      const Vector3<double> u = d.normalized();
      Vector6<double> direction = Vector6<double>::Zero();
      direction.head<3>() = u;
      tie.row += row_of(nodes[k], direction) - row_of(nodes[k - 1], direction);
      const Matrix3<double> across = Matrix3<double>::Identity() - u * u.transpose();
      elastic::StructureSpring string{"element '" + e.name + "'", nodes[k], nodes[k - 1]};
      string.stiffness.topLeftCorner<3, 3>() = slopes.force / d.norm() * across;
      frame_.add_spring(string);
    }
    frame_.add_tie(tie);
  }

  /// eq. 17: both sides are compared at M's origin.
  void add_bushing(const Element& e) {
    const Pose<double> X_WF = pose_of(e.points[0]), X_WM = pose_of(e.points[1]);
    const Quaternion<double> turn =
        quaternion_from_rotation(X_WF.rotation.transpose() * X_WM.rotation);
    const double sign = turn(0) < 0 ? -1 : 1;
    const Vector3<double> u = sign * turn.tail<3>();
    Matrix3<double> skew;
    skew << 0, -u.z(), u.y(), u.z(), 0, -u.x(), -u.y(), u.x(), 0;
    // From (translation, rotation) in world axes to (turn, shift) in the axes of F.
    Eigen::Matrix<double, 6, 6> B = Eigen::Matrix<double, 6, 6>::Zero();
    B.topRightCorner<3, 3>() =
        (sign * turn(0) * Matrix3<double>::Identity() - skew) * X_WF.rotation.transpose();
    B.bottomLeftCorner<3, 3>() = X_WF.rotation.transpose();
    const Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>> K(e.stiffness),
        D(e.damping);
    elastic::StructureSpring spring;
    spring.name = "element '" + e.name + "'";
    spring.a = node_at_(e.points[1].body, X_WM.position, e.name);
    spring.b = node_at_(e.points[0].body, X_WM.position, e.name);
    spring.stiffness = B.transpose() * K * B;
    spring.damping = B.transpose() * D * B;
    frame_.add_spring(spring);
  }

  void add_torsion(const Element& e) {
    const Pose<double> X_WF = pose_of(e.points[0]), X_WM = pose_of(e.points[1]);
    const Quaternion<double> turn =
        quaternion_from_rotation(X_WF.rotation.transpose() * X_WM.rotation);
    if (e.any_axis) return add_turn(e, X_WF, X_WM, turn);
    const double angle = 2 * std::atan2(turn(3), turn(0));
    const LawSlopes slopes(e.law, std::remainder(angle, 2 * M_PI) - e.law.rest);
    Vector6<double> direction = Vector6<double>::Zero();
    direction.tail<3>() = X_WF.rotation.col(2);
    frame_.add_tie({e.name,
                    row_of(node_at_(e.points[1].body, X_WM.position, e.name), direction) -
                        row_of(node_at_(e.points[0].body, X_WF.position, e.name), direction),
                    slopes.stiffness, slopes.damping});
  }

  /// Along the turn by the slope of the law, across it by its torque: eq. 22.
  void add_turn(const Element& e, const Pose<double>& X_WF, const Pose<double>& X_WM,
                const Quaternion<double>& turn) {
    const Vector3<double> sine = turn(0) < 0 ? Vector3<double>(-turn.tail<3>()) : turn.tail<3>();
    const double angle = 2 * std::atan2(sine.norm(), std::abs(turn(0)));
    const LawSlopes slopes(e.law, angle);
    constexpr double no_turn = 1e-9;  // below it the two stiffnesses agree to rounding
    Matrix3<double> K = slopes.stiffness * Matrix3<double>::Identity();
    if (angle > no_turn) {
      const Vector3<double> axis = X_WF.rotation * sine.normalized();
      const double across = slopes.force / (2 * std::tan(angle / 2));
      K = across * Matrix3<double>::Identity() +
          (slopes.stiffness - across) * axis * axis.transpose();
    }
    elastic::StructureSpring spring;
    spring.name = "element '" + e.name + "'";
    spring.a = node_at_(e.points[1].body, X_WM.position, e.name);
    spring.b = node_at_(e.points[0].body, X_WF.position, e.name);
    spring.stiffness.bottomRightCorner<3, 3>() = K;
    frame_.add_spring(spring);
  }

  void add_along_joint(const Element& e, const VectorRef& q, int freedom) {
    if (freedom < 0) return;
    const LawSlopes slopes(e.law, e.multiplier * q(e.q) + e.offset - e.law.rest);
    const double square = e.multiplier * e.multiplier;
    frame_.add_term({freedom, square * slopes.stiffness, square * slopes.damping, 0});
  }

 private:
  /// Tension of an actuator at rest and its slopes in length and rate. The matrices of a structure
  /// are symmetric: a force that follows another freedom of the structure has no place in them.
  LawSlopes actuator_slopes(const Element& e, double length) const {
    using D = Dual<2>;
    const D l = D::variable(length, 0), rate = D::variable(0, 1);
    D asked(e.force);
    if (e.formula) {
      refuse_followed_freedoms(e);
      std::vector<D> q, v(static_cast<std::size_t>(model_.speeds()), D(0));
      for (const double x : q_) q.emplace_back(x);
      asked = formula_value(*e.formula, D(e.time), l, rate, q.data(), v.data());
    }
    const D thrust = actuator_force(e, asked, l, rate);
    LawSlopes slopes;
    slopes.force = -thrust.value, slopes.stiffness = -thrust.d[0], slopes.damping = -thrust.d[1];
    return slopes;
  }
  void refuse_followed_freedoms(const Element& e) const {
    for (const ForceFormula::Operation& one : e.formula->operations())
      for (int k = 0; k < model_.speeds(); ++k) {
        const bool speed = one.code == ForceFormula::Code::speed && one.index == k;
        const bool coordinate = one.code == ForceFormula::Code::coordinate &&
                                model_.coordinate_of_speed()[k] == one.index;
        if ((speed || coordinate) && freedom_of_speed_[k] >= 0)
          throw InputError(
              fmt::format("the force of actuator '{}' depends on '{}.{}', which makes the matrices "
                          "of the structure unsymmetric",
                          e.name, speed ? 'v' : 'q', model_.speed_names()[k]),
              "a force that depends on the length and rate of the actuator itself",
              "lock that joint (--locked), or take the poles of 'ulna linearize'");
      }
  }
  Pose<double> pose_of(const ElementPoint& point) const {
    return X_WB_[point.body] * point_on_body(model_, point);
  }
  Eigen::VectorXd row_of(int node, const Vector6<double>& direction) const {
    const elastic::NodeMap& map = frame_.nodes()[node].map;
    const Eigen::VectorXd parts = map.columns.transpose() * direction;
    Eigen::VectorXd row = Eigen::VectorXd::Zero(frame_.freedoms());
    for (std::size_t k = 0; k < map.freedoms.size(); ++k)
      row(map.freedoms[k]) += parts(static_cast<int>(k));
    return row;
  }

  const Model& model_;
  const Eigen::VectorXd q_;
  const std::vector<Pose<double>>& X_WB_;
  const std::vector<int>& freedom_of_speed_;
  elastic::BeamStructure& frame_;
  const NodeAt& node_at_;
};

}  // namespace

Pose<double> point_on_body(const Model& model, const ElementPoint& point) {
  Pose<double> X_NF;
  for (int i = 0; i < 3; ++i) {
    X_NF.position(i) = point.p[i];
    for (int j = 0; j < 3; ++j) X_NF.rotation(i, j) = point.R[3 * i + j];
  }
  return pose_on_body(model, point.body, point.node, X_NF);
}

std::vector<std::vector<int>> element_nodes(const Model& model,
                                            const std::vector<Pose<double>>& X_WB,
                                            const NodeAt& node_at) {
  std::vector<std::vector<int>> nodes;
  for (const Element& e : model.elements())
    for (std::vector<int>& own = nodes.emplace_back(); const ElementPoint& point : e.points)
      own.push_back(
          node_at(point.body, X_WB[point.body] * point_on_body(model, point).position, e.name));
  return nodes;
}

void add_element_springs(const Model& model, const VectorRef& q,
                         const std::vector<Pose<double>>& X_WB,
                         const std::vector<int>& freedom_of_speed, elastic::BeamStructure& frame,
                         const NodeAt& node_at) {
  ElementSprings springs(model, q, X_WB, freedom_of_speed, frame, node_at);
  for (const Element& e : model.elements()) {
    if (e.type == ElementData::Type::spring_damper || e.type == ElementData::Type::actuator)
      springs.add_line(e);
    if (e.type == ElementData::Type::bushing) springs.add_bushing(e);
    if (e.type != ElementData::Type::torsion) continue;
    if (e.q >= 0)
      springs.add_along_joint(e, q, freedom_of_speed[e.v]);
    else
      springs.add_torsion(e);
  }
}

}  // namespace ulna
