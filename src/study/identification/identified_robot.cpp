#include "ulna/study/identified_robot.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ulna {
namespace {

constexpr int per_body = 10;

[[noreturn]] void refuse_parameter(const std::string& name, const std::string& found,
                                   const std::string& expected) {
  throw InputError(Problem{{}, name, found, expected, {}});
}

/// What the body itself must have, so that with its payloads it has `total`.
Inertial without_payloads(const Robot& robot, const std::string& body, Inertia<double> total) {
  for (const PayloadData& load : robot.payloads) {
    if (load.body != body) continue;
    const Inertial& own = load.inertial;
    const Inertia<double> carried =
        transform(load.X_BL, Inertia<double>::from_centre(own.mass, own.centre, own.inertia));
    total = inertia_of_parameters(parameters_of(total) - parameters_of(carried));
  }
  Inertial out;
  out.mass = total.mass;
  if (out.mass == 0) {
    if (total.first_moment.norm() > 0)
      refuse_parameter(fmt::format("m({})", body), "is zero, but its first moment is not",
                       "a mass above zero");
    out.inertia = total.about_origin;
    return out;
  }
  out.centre = total.first_moment / total.mass;
  out.inertia = total.about_origin - Inertia<double>::parallel_axis(out.mass, out.centre);
  return out;
}

/// The degree of the joint that has this speed and nothing else acts on.
DegreeData& degree_of(Robot& robot, const Model& model, const RegressorTerm& term,
                      const std::string& name) {
  int acting = 0;
  double multiplier = 1, offset = 0;
  for (const DegreeTerms& t : model.degree_terms())
    if (t.v == term.speed) ++acting, multiplier = t.multiplier, offset = t.offset;
  if (acting > 1 || multiplier != 1 || offset != 0)
    refuse_parameter(name, "several joints act on this speed", "a speed that one joint has");
  for (const Joint& joint : model.joints()) {
    if (term.speed < joint.v || term.speed >= joint.v + joint.speeds) continue;
    for (JointData& data : robot.joints) {
      if (data.name != joint.name) continue;
      data.degrees.resize(static_cast<std::size_t>(joint.speeds));
      return data.degrees[static_cast<std::size_t>(term.speed - joint.v)];
    }
  }
  refuse_parameter(name, "no joint has this speed", "a speed of the robot");
}

void set_term(DegreeData& degree, RegressorTerm::Kind kind, double value, const std::string& name) {
  switch (kind) {
    case RegressorTerm::Kind::rotor:
      degree.rotor_inertia = value / (degree.gear_ratio * degree.gear_ratio);
      return;
    case RegressorTerm::Kind::damping:
      degree.damping = value;
      return;
    case RegressorTerm::Kind::friction:
      degree.friction = value;
      return;
    case RegressorTerm::Kind::stiffness:
      if (value != 0) degree.rest *= degree.stiffness / value;  // the preload stays
      degree.stiffness = value;
      return;
    case RegressorTerm::Kind::preload:
      if (value != 0 && degree.stiffness == 0)
        refuse_parameter(name, "a preload without a spring", "a stiffness as well");
      degree.rest = value == 0 ? 0 : -value / degree.stiffness;
      return;
    case RegressorTerm::Kind::hardening:
      degree.hardening = value;
      return;
  }
}

}  // namespace

Robot robot_with_parameters(const TorqueRegressor& regressor, const Eigen::VectorXd& parameters) {
  const Model& model = regressor.model();
  Robot robot = model.robot();
  const Eigen::VectorXd& before = regressor.parameters();
  if (parameters.size() != before.size())
    throw InputError(fmt::format("{} parameters found", parameters.size()),
                     fmt::format("{}, one per column of the regressor", before.size()));
  if (!parameters.allFinite()) throw InputError("a parameter is not finite", "finite numbers");
  const auto bodies = static_cast<Eigen::Index>(robot.bodies.size());
  for (Eigen::Index b = 0; b < bodies; ++b) {
    const Eigen::Matrix<double, per_body, 1> p = parameters.segment<per_body>(per_body * b);
    if (p == before.segment<per_body>(per_body * b)) continue;
    BodyData& body = robot.bodies[static_cast<std::size_t>(b)];
    body.inertial = without_payloads(robot, body.name, inertia_of_parameters(p));
  }
  for (std::size_t k = 0; k < regressor.terms().size(); ++k) {
    const auto column = per_body * bodies + static_cast<Eigen::Index>(k);
    if (parameters(column) == before(column)) continue;
    const RegressorTerm& term = regressor.terms()[k];
    const std::string& name = regressor.names()[static_cast<std::size_t>(column)];
    set_term(degree_of(robot, model, term, name), term.kind, parameters(column), name);
  }
  return robot;
}

}  // namespace ulna
