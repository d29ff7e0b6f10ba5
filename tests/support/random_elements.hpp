#pragma once
// Force elements of every type between random bodies of a robot.

#include "random_robot.hpp"

namespace ulna::testing {

inline ElementEnd random_end(Generator& g, const std::string& body) {
  ElementEnd end;
  end.body = body;
  end.X_BE = {random_rotation(g), random_vector(g, 0.5)};
  return end;
}

inline ElementLaw random_law(Generator& g, double rest, double damping) {
  ElementLaw law;
  law.rest = rest;
  law.stiffness = uniform(g, 5, 50);
  law.hardening = uniform(g, 0, 20);
  law.backlash = uniform(g, 0, 0.05);
  law.damping = damping;
  law.preload = uniform(g, -3, 3);
  law.spring = {{-0.4, -0.1, 0.3}, {-2, 0.5, 1}};
  if (damping > 0) law.damper = {{-1, 0, 1}, {-2, 0, 4}};
  return law;
}

/// One of each type, and a spring that runs through an eye; dampers and the actuator only where
/// `losses`.
inline void add_random_elements(Generator& g, Robot& robot, bool losses) {
  const auto body = [&](const std::string& other) {
    std::string name = other;
    while (name == other) {
      const int k =
          std::uniform_int_distribution<int>(-1, static_cast<int>(robot.bodies.size()) - 1)(g);
      name = k < 0 ? world_name : robot.bodies[static_cast<std::size_t>(k)].name;
    }
    return name;
  };
  const auto add = [&](const char* name, ElementData::Type type) -> ElementData& {
    ElementData e;
    e.name = name;
    e.type = type;
    e.from = random_end(g, body(""));
    e.to = random_end(g, body(e.from.body));
    robot.elements.push_back(e);
    return robot.elements.back();
  };
  const double damping = losses ? 0.7 : 0;
  add("spring", ElementData::Type::spring_damper).law = random_law(g, 0.4, damping);
  ElementData& cable = add("cable", ElementData::Type::spring_damper);
  cable.law = random_law(g, 0.8, damping);
  cable.through = {random_end(g, body(cable.from.body))};
  ElementData& bushing = add("bushing", ElementData::Type::bushing);
  Eigen::Matrix<double, 6, 6> half;
  for (double& x : half.reshaped()) x = uniform(g, -2, 2);
  bushing.stiffness = half * half.transpose();
  if (losses) bushing.damping = 0.1 * bushing.stiffness;
  ElementData& torsion = add("torsion", ElementData::Type::torsion);
  torsion.law = random_law(g, 0.2, damping);
  torsion.axis = random_vector(g);
  for (const JointData& joint : robot.joints)
    if (size_of(joint.type).speeds == 1) {
      ElementData& along = add("along", ElementData::Type::torsion);
      along.joint = joint.name;
      along.law = random_law(g, 0.2, damping);
      break;
    }
  if (!losses) return;
  ElementData& actuator = add("actuator", ElementData::Type::actuator);
  actuator.force = uniform(g, -20, 20);
  actuator.rate_limit = 5;
  ElementData& servo = add("servo", ElementData::Type::actuator);
  servo.formula = "6 - 4*element.servo.length^2 - 3*sin(element.servo.rate)";
  servo.rate_limit = 8;
}

}  // namespace ulna::testing
