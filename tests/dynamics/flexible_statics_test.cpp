// Flexible bodies at rest under load, against closed forms and against chains of rigid segments
// with springs, which know nothing of modes.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "support/flexible_robot.hpp"
#include "ulna/dynamics/internal/deflection.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

/// A beam on a slide along `axis` (whose acceleration loads it), with a body at its end.
Robot cantilever(const BeamProperties& p, double length, const FlexibleData& flexible,
                 const Inertial& tip, const Vector3<double>& axis = Vector3<double>::UnitY()) {
  Robot robot;
  robot.name = "cantilever";
  robot.gravity.setZero();
  BodyData body;
  body.name = "beam";
  BeamData beam;
  beam.to = {length, 0, 0};
  beam.products = p;
  beam.elements = 12;
  beam.flexible = flexible;
  beam.attached = {{1, tip}};
  body.beams = {beam};
  robot.bodies = {body};
  JointData joint;
  joint.name = "slide";
  joint.type = JointType::prismatic;
  joint.axis = axis;
  joint.child = "beam";
  robot.joints = {joint};
  make_flexible(robot);
  return robot;
}

FlexibleData elements(int y, int z, int twist) {
  FlexibleData f;
  f.bending_y = y, f.bending_z = z, f.torsion = twist;
  f.family = ModeFamily::finite_element;
  return f;
}

/// Newton's method on the efforts of the modes; joints stay.
Eigen::VectorXd settled(const Model& model, Eigen::VectorXd q, const Eigen::VectorXd& a) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  Workspace work(model);
  for (int k = 0; k < 20; ++k) {
    ModesQuery query{q, zero, a, {}, true};
    const Eigen::MatrixXd K = elastic_modes(model, query).K;
    const Eigen::VectorXd missing = inverse_dynamics(model, work, q, zero, a).tail(model.modes());
    q.tail(model.modes()) -= K.partialPivLu().solve(missing);
    if (missing.norm() < 1e-11) break;
  }
  return q;
}

TEST(FlexibleStatics, CantileverUnderATipLoadDeflectsAndShortensAsBooksSay) {
  BeamProperties p;
  p.EIz = 50;
  p.mass = 1e-9;
  Inertial tip;
  tip.mass = 1;
  const double l = 2, P = 1.5;
  const Model model(cantilever(p, l, elements(2, 0, 0), tip));
  // A force P against y is a mass of 1 kg whose support accelerates along y.
  Eigen::VectorXd a = Eigen::VectorXd::Zero(model.speeds());
  a(0) = P;
  const Eigen::VectorXd q = settled(model, model.neutral(), a);
  const Vector6<double> end = end_deflection(model, 0, q);
  const double v = -P * l * l * l / (3 * 50);
  EXPECT_NEAR(end(1), v, 1e-8 * std::abs(v));
  EXPECT_NEAR(end(3), -P * l * l / (2 * 50), 1e-7);
  EXPECT_NEAR(end(0), -0.6 * v * v / l, 1e-7 * v * v);  // - int v'^2 / 2 of a cubic
  EXPECT_NEAR(section_moment(model, 0, q)(2), -P * l, 1e-7 * P * l);
  EXPECT_NEAR(elastic_energy(model, q), 0.5 * P * std::abs(v), 1e-8);
}

TEST(FlexibleStatics, AWrenchAtTheEndDoesTheSame) {
  BeamProperties p;
  p.EIz = 50;
  p.mass = 0.5;
  Inertial tip;
  tip.mass = 1;
  const Model model(cantilever(p, 2, elements(2, 0, 0), tip));
  Workspace work(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  const ExternalWrench push{model.body("beam"), {2, 0, 0}, {0, 3, 0}};
  Eigen::VectorXd q = model.neutral();
  ModesQuery query{q, zero, zero, {}, true};
  const Eigen::MatrixXd K = elastic_modes(model, query).K;
  q.tail(2) -= K.partialPivLu().solve(
      inverse_dynamics(model, work, q, zero, zero, {&push, 1}).tail(2).eval());
  EXPECT_NEAR(end_deflection(model, 0, q)(1), 3 * 8 / (3 * 50.0), 1e-9);
}

TEST(FlexibleStatics, LateralBucklingOfATipLoadedBlade) {
  // A deep blade: prebuckling deflection and the twist of bending do not matter.
  BeamProperties p;
  p.EIz = 1e5;
  p.EIy = 1;
  p.GJ = 0.7;
  p.mass = 1e-6;
  p.polar_inertia = 1e-8;
  Inertial tip;
  tip.mass = 1;
  const double l = 1;
  const Model model(cantilever(p, l, elements(3, 5, 5), tip));
  const auto lowest = [&](double P) {
    Eigen::VectorXd a = Eigen::VectorXd::Zero(model.speeds());
    a(0) = P;
    const Eigen::VectorXd q = settled(model, model.neutral(), a);
    const ElasticModes modes =
        elastic_modes(model, {q, Eigen::VectorXd::Zero(model.speeds()), a, {}, true});
    return modes.frequencies(0);
  };
  double low = 1, high = 6;
  for (int k = 0; k < 20; ++k) {
    const double middle = 0.5 * (low + high);
    (lowest(middle) > 0 ? low : high) = middle;
  }
  const double critical = 4.013 * std::sqrt(p.EIy * p.GJ) / (l * l);
  EXPECT_NEAR(low, critical, 0.005 * critical);
}

/// The same cantilever as rigid segments between springs in all three directions.
Robot segments(const BeamProperties& p, double length, int count, const Inertial& tip) {
  Robot robot;
  robot.name = "segments";
  const double h = length / count;
  std::string parent = world_name;
  for (int i = 0; i < count; ++i) {
    // The first spring stands for half a segment, as does the free half of the last.
    const double share = i == 0 ? 2 : 1;
    const struct {
      const char* name;
      Vector3<double> axis;
      double stiffness;
    } springs[] = {{"z", Vector3<double>::UnitZ(), share * p.EIz / h},
                   {"y", Vector3<double>::UnitY(), share * p.EIy / h},
                   {"x", Vector3<double>::UnitX(), share * p.GJ / h}};
    for (int s = 0; s < 3; ++s) {
      BodyData body;
      body.name = springs[s].name + std::to_string(i);
      if (s == 2) {
        body.inertial.mass = p.mass * h;
        body.inertial.centre = {h / 2, 0, 0};
        const double turning = p.mass * h * h * h / 12;
        body.inertial.inertia = Vector3<double>(p.polar_inertia * h, turning, turning).asDiagonal();
      }
      JointData joint;
      joint.name = "j" + body.name;
      joint.type = JointType::revolute;
      joint.axis = springs[s].axis;
      joint.parent = parent;
      joint.child = body.name;
      if (s == 0 && i > 0) joint.X_PF.position = {h, 0, 0};
      joint.degrees.resize(1);
      joint.degrees[0].stiffness = springs[s].stiffness;
      robot.bodies.push_back(body);
      robot.joints.push_back(joint);
      parent = body.name;
    }
  }
  PayloadData load;
  load.name = "tip";
  load.body = parent;
  load.X_BL.position = {h, 0, 0};
  load.inertial = tip;
  robot.payloads = {load};
  robot.frames = {{"tip", parent, load.X_BL, {}}};
  return robot;
}

TEST(FlexibleStatics, SpatialArmUnderGravityIsTheLimitOfRigidSegments) {
  BeamProperties p;
  p.EIz = 60;
  p.EIy = 40;
  p.GJ = 15;
  p.mass = 0.8;
  p.polar_inertia = 1e-4;
  Inertial tip;  // beside the axis: its weight twists the beam
  tip.mass = 0.5;
  tip.centre = {0.05, 0.12, 0.1};
  tip.inertia = 1e-3 * Matrix3<double>::Identity();
  const double l = 1.5;
  const Vector3<double> gravity{0.5, -1.6, -2.5};  // oblique, with a part along the axis

  Robot robot = cantilever(p, l, elements(4, 4, 3), tip);
  robot.gravity = gravity;
  robot.frames = {{"tip", "beam", Pose<double>::translation({l, 0, 0}), {}}};
  const Model modal(robot);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(modal.speeds());
  const Eigen::VectorXd q = settled(modal, modal.neutral(), zero);
  Workspace work(modal);
  update_poses(modal, work, q);
  const Pose<double> bent = frame_pose(modal, work, modal.frame("tip"));

  const auto chain_tip = [&](int count) {
    Robot rigid = segments(p, l, count, tip);
    rigid.gravity = gravity;
    const Model chain(rigid);
    Workspace scratch(chain);
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(chain.speeds());
    Eigen::VectorXd x = rest;
    // Newton with the slopes of the gravity and spring efforts.
    for (int k = 0; k < 12; ++k) {
      const Eigen::VectorXd missing = inverse_dynamics(chain, scratch, x, rest, rest);
      if (missing.norm() < 1e-10) break;
      Eigen::MatrixXd K(chain.speeds(), chain.speeds());
      for (int j = 0; j < chain.speeds(); ++j) {
        const Eigen::VectorXd d = 1e-6 * Eigen::VectorXd::Unit(chain.speeds(), j);
        K.col(j) =
            (Eigen::VectorXd(inverse_dynamics(chain, scratch, x + d, rest, rest)) - missing) / 1e-6;
      }
      x -= K.partialPivLu().solve(missing);
    }
    update_poses(chain, scratch, x);
    return frame_pose(chain, scratch, chain.frame("tip")).position;
  };
  // Segments converge with the square of their length: extrapolated to none.
  const Vector3<double> coarse = chain_tip(12), fine = chain_tip(24);
  const Vector3<double> limit = fine + (fine - coarse) / 3;
  const Vector3<double> straight{l, 0, 0};
  const double size = (limit - straight).norm();
  EXPECT_GT(size, 0.04 * l);
  EXPECT_LT((bent.position - limit).norm(), 0.005 * size)
      << bent.position.transpose() << " / " << limit.transpose();
}

}  // namespace
}  // namespace ulna
