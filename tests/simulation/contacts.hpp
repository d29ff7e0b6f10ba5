#pragma once
// Bodies that touch a plane, for the tests of contact.

#include <Eigen/Geometry>
#include <cmath>

#include "machines.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna::testing {

/// One body with a free joint, its centre of mass at its origin.
inline Robot free_body(double mass, const Vector3<double>& inertia) {
  Robot robot;
  robot.name = "thing";
  robot.bodies.push_back(body("thing", {mass, Vector3<double>::Zero(), inertia.asDiagonal()}));
  JointData joint;
  joint.name = "free";
  joint.type = JointType::free;
  joint.child = "thing";
  robot.joints.push_back(joint);
  return robot;
}

/// The same with a joint that keeps it in the x-z plane: coordinates are x, -z and the turn about y
/// (conventions: the planar joint's axes are turned so that z goes onto its axis).
inline Robot planar_body(double mass, double inertia) {
  Robot robot = free_body(mass, {inertia, inertia, inertia});
  robot.joints[0].name = "plane";
  robot.joints[0].type = JointType::planar;
  robot.joints[0].axis = {0, 1, 0};
  return robot;
}

inline Experiment with(const Robot& robot, double end) {
  Experiment experiment(frozen(robot));
  experiment.end = end;
  experiment.integrator.tolerances = {1e-10, 1e-12};
  experiment.q = experiment.model->neutral();
  experiment.v = Eigen::VectorXd::Zero(experiment.model->speeds());
  return experiment;
}

inline Contact at(const std::string& name, const Vector3<double>& point, double restitution,
                  double friction, int body_index = 1) {
  Contact contact;
  contact.name = name;
  contact.shape.body = body_index;
  contact.shape.point = point;
  contact.restitution = restitution;
  contact.friction = friction;
  return contact;
}

/// Position entries of a free joint's q, and the linear part of its v.
inline auto place(Experiment& e) { return e.q.tail<3>(); }
inline auto speed(Experiment& e) { return e.v.tail<3>(); }

/// A block on a plane inclined by `slope` down along x, held by its four corners.
inline Experiment incline(double slope, double mu, double end) {
  Experiment e = with(free_body(2, {0.02, 0.03, 0.04}), end);
  e.q.head<4>() << std::cos(slope / 2), 0, std::sin(slope / 2), 0;
  const Matrix3<double> R = Eigen::AngleAxisd(slope, Vector3<double>::UnitY()).toRotationMatrix();
  place(e) = R * Vector3<double>(0, 0, 0.1);
  for (int k = 0; k < 4; ++k) {
    Contact corner =
        at("c" + std::to_string(k), {k & 1 ? 0.2 : -0.2, k & 2 ? 0.15 : -0.15, -0.1}, 0, mu);
    corner.plane.normal = R * Vector3<double>::UnitZ();
    e.contacts.push_back(corner);
  }
  e.record.channels = {"q", "energy", "contact"};
  return e;
}

}  // namespace ulna::testing
