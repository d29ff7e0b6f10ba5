#pragma once
// Random robots for property tests: any tree of any joints, with full inertias, from a fixed seed.

#include <Eigen/Geometry>
#include <random>
#include <string>
#include <vector>

#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/model/model.hpp"
#include "ulna/model/parts/placement.hpp"

namespace ulna::testing {

using Generator = std::mt19937_64;

inline double uniform(Generator& g, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(g);
}
inline Vector3<double> random_vector(Generator& g, double size = 1) {
  return {uniform(g, -size, size), uniform(g, -size, size), uniform(g, -size, size)};
}
inline Eigen::VectorXd random_entries(Generator& g, int n, double size = 1) {
  Eigen::VectorXd x(n);
  for (double& e : x) e = uniform(g, -size, size);
  return x;
}
inline Matrix3<double> random_rotation(Generator& g) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond(normal(g), normal(g), normal(g), normal(g)).normalized().matrix();
}

/// A possible body: the inertia of a cloud of points.
inline Inertial random_inertial(Generator& g) {
  Inertial inertial;
  inertial.mass = uniform(g, 0.5, 2);
  inertial.centre = random_vector(g, 0.3);
  Matrix3<double> Sigma = Matrix3<double>::Zero();
  for (int k = 0; k < 4; ++k) {
    const Vector3<double> r = random_vector(g, 0.3);
    Sigma += r * r.transpose() * (inertial.mass / 4);
  }
  inertial.inertia = Sigma.trace() * Matrix3<double>::Identity() - Sigma;
  return inertial;
}

struct RobotRecipe {
  int bodies = 6;
  std::vector<JointType> types = {JointType::revolute};
  bool branches = false;  ///< otherwise a chain
  bool friction = false;  ///< damping, Coulomb friction, springs and rotors
  bool mimic = false;     ///< some joints follow others, some of them followers themselves
  bool reversed = false;  ///< some joints are declared from the far body to the near one
};

inline const std::vector<JointType> all_moving_types = {
    JointType::revolute,    JointType::prismatic, JointType::screw,
    JointType::cylindrical, JointType::universal, JointType::spherical,
    JointType::planar,      JointType::free,      JointType::sphere_in_groove};

inline Robot random_robot(Generator& g, const RobotRecipe& recipe) {
  Robot robot;
  robot.name = "random";
  robot.gravity = random_vector(g, 10);
  for (int i = 0; i < recipe.bodies; ++i) {
    BodyData body;
    body.name = "b" + std::to_string(i);
    body.inertial = random_inertial(g);
    JointData joint;
    joint.name = "j" + std::to_string(i);
    const int last = i - 1;
    const int parent = recipe.branches ? std::uniform_int_distribution<int>(-1, last)(g) : last;
    joint.parent = parent < 0 ? world_name : "b" + std::to_string(parent);
    joint.child = body.name;
    joint.type =
        recipe.types[std::uniform_int_distribution<std::size_t>(0, recipe.types.size() - 1)(g)];
    joint.X_PF = {random_rotation(g), random_vector(g, 0.5)};
    joint.X_MC = {random_rotation(g), random_vector(g, 0.5)};
    joint.axis = random_rotation(g).col(0);
    joint.axis2 = joint.axis.unitOrthogonal();
    joint.pitch = uniform(g, -0.3, 0.3);
    if (recipe.friction) {
      joint.degrees.resize(size_of(joint.type).speeds);
      for (std::size_t k = 0; k < joint.degrees.size(); ++k) {
        DegreeData& d = joint.degrees[k];
        d.damping = uniform(g, 0, 1);
        d.friction = uniform(g, 0, 1);
        if (traits_of(joint.type).coordinate_of_speed(static_cast<int>(k)) >= 0) {
          d.rotor_inertia = uniform(g, 0, 0.01);
          d.gear_ratio = uniform(g, -20, 20);
          d.stiffness = uniform(g, 0, 5);
          d.rest = uniform(g, -1, 1);
        }
      }
    }
    const bool single = size_of(joint.type).speeds == 1;
    if (recipe.mimic && single && i % 2 == 1)
      for (const JointData& other : robot.joints)
        if (size_of(other.type).speeds == 1 && uniform(g, 0, 1) < 0.5)
          joint.mimic = Mimic{other.name, uniform(g, -2, 2), uniform(g, -1, 1)};
    const bool ball = traits_of(joint.type).has_quaternion();
    if (recipe.reversed && !ball && uniform(g, 0, 1) < 0.5) {
      std::swap(joint.parent, joint.child);
      joint.X_PF = joint.X_PF.inverse();
      joint.X_MC = joint.X_MC.inverse();
      std::swap(joint.X_PF, joint.X_MC);
    }
    robot.bodies.push_back(body);
    robot.joints.push_back(joint);
  }
  return robot;
}

/// A chain of general revolute links, first axis along base z, gravity along -z, given by modified
/// Denavit-Hartenberg parameters.
inline Robot general_chain(Generator& g, int links) {
  Robot robot;
  robot.name = "general";
  for (int i = 0; i < links; ++i) {
    BodyData body;
    body.name = "b" + std::to_string(i);
    body.inertial = random_inertial(g);
    JointData joint;
    joint.name = "j" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent = i == 0 ? world_name : "b" + std::to_string(i - 1);
    joint.child = body.name;
    const Placement place =
        i == 0 ? modified_dh(0, 0, 0, 0)
               : modified_dh(0, uniform(g, 0.1, 0.4), uniform(g, 0.1, 0.4), uniform(g, 0.3, 1.2));
    joint.X_PF = place.X_PF;
    joint.X_MC = place.X_MC;
    robot.bodies.push_back(body);
    robot.joints.push_back(joint);
  }
  return robot;
}

}  // namespace ulna::testing
